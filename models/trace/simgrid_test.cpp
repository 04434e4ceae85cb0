// SPDX-License-Identifier: MIT
#include "models/trace/simgrid.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Of 10 GB/s and 2 us between nodes, both ways at once as fast as one.
Machine networked_machine() {
  Machine machine;
  machine.name = "networked";
  Link& network = machine.links["network"];
  network.one_way.latency_s = Quantity::exact(2e-6);
  network.one_way.bandwidth_bytes_per_s = Quantity::exact(1e10);
  network.exchange = network.one_way;
  return machine;
}

TEST(SimGrid, WritesOneLineForEachOperation) {
  std::FILE* const file = std::tmpfile();
  SimGridSink sink(3, file);
  sink.begin();
  sink.compute(1.5e-6);
  sink.compute(0);
  sink.start_receive(1, 100, 7);
  sink.start_send(2, 3e9, 8);
  sink.wait_all();
  sink.wait_all();
  sink.start_receive(2, 100, 7);
  sink.start_send(1, 100, 8);
  sink.wait_received(2, 7);
  sink.wait_sent(1, 8);
  sink.receive(0, 12.5, 1);
  sink.send(0, 8, 2);
  sink.allreduce(8);
  sink.end();
  std::rewind(file);
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_EQ(text,
            "3 init\n3 compute 1500\n3 irecv 1 7 100 6\n3 isend 2 8 375000000 0\n3 wait 1 3 7\n"
            "3 wait 3 2 8\n"
            "3 irecv 2 7 100 6\n3 isend 1 8 100 6\n3 wait 2 3 7\n3 wait 3 1 8\n"
            "3 recv 0 1 13 6\n3 send 0 2 8 6\n3 allreduce 8 0 6\n3 finalize\n");
  EXPECT_EQ(sink.written_bytes(), static_cast<double>(text.size()));
}

TEST(SimGrid, PlatformIsTheMachines) {
  Machine machine = networked_machine();
  machine.links["network"].one_way.overhead_s = Quantity::exact(3e-7);
  const auto has = [&](const std::string& text, int nodes) {
    return simgrid_platform(machine, nodes, 2).find(text) != std::string::npos;
  };
  EXPECT_TRUE(has("radical=\"0-99\"", 100));
  EXPECT_TRUE(has("bw=\"1e+10Bps\" lat=\"7e-07s\" sharing_policy=\"SPLITDUPLEX\"", 100));
  EXPECT_TRUE(has("core=\"2\"", 100));
  machine.topology = parse_topology("fat-tree:16x8/4");
  EXPECT_TRUE(has("topo_parameters=\"2;16,7;1,4;1,1\"", 100));
  EXPECT_TRUE(has("radical=\"0-111\"", 100));
  EXPECT_TRUE(has("lat=\"3.5e-07s\"", 100));
  machine.topology = parse_topology("torus:4x5x5");
  EXPECT_TRUE(has("topology=\"TORUS\" topo_parameters=\"4,5,5\"", 100));
  machine.topology = parse_topology("dragonfly:4x8x4");
  EXPECT_TRUE(has("topology=\"DRAGONFLY\" topo_parameters=\"4,1;1,1;8,1;4\"", 100));
  EXPECT_TRUE(has("lat=\"2.8e-07s\"", 100));
  EXPECT_TRUE(has("radical=\"0-127\"", 100));
  machine.topology = parse_topology("dragonfly:2x1x50");  // who would bear the second group's link?
  EXPECT_THROW((void)has("", 100), BadInput);
  machine.topology = parse_topology("torus:4x5x5");
  machine.links["network"].exchange.reset();
  EXPECT_TRUE(has("sharing_policy=\"SHARED\"", 100));
  std::string options;
  for (const std::string& one : simgrid_options(machine)) options += one + " ";
  EXPECT_NE(options.find("smpi/os:0:3e-07:0 "), std::string::npos);
  EXPECT_NE(options.find("async-small-thresh:8192 "), std::string::npos);
  machine.links["network"].eager_limit_bytes = Quantity::exact(1 << 20);
  options.clear();
  for (const std::string& one : simgrid_options(machine)) options += one + " ";
  EXPECT_NE(options.find("async-small-thresh:1048576 "), std::string::npos);
  EXPECT_NE(options.find("send-is-detached-thresh:1048576 "), std::string::npos);
  EXPECT_EQ(simgrid_hosts(3, 2), "node0\nnode0\nnode1\n");
}

}  // namespace
}  // namespace bellwether
