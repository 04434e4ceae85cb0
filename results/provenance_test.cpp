// SPDX-License-Identifier: MIT
#include "results/provenance.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

namespace bellwether {
namespace {

using nlohmann::json;

/// First line that a shell command prints.
std::string answer(const char* command) {
  FILE* pipe = popen(command, "r");
  std::array<char, 4096> line = {};
  const char* read = fgets(line.data(), line.size(), pipe);
  pclose(pipe);
  const std::string text = read ? read : "";
  return text.substr(0, text.find('\n'));
}

TEST(Provenance, HasExactlyTheDocumentedKeys) {
  std::set<std::string> keys;
  const json facts = collect_provenance({});
  for (const auto& item : facts.items()) keys.insert(item.key());
  EXPECT_EQ(keys, (std::set<std::string>{"time", "host", "cpu", "cores_usable", "memory_bytes",
                                         "kernel", "virtual_machine", "container", "compiler",
                                         "compiler_flags", "build_type", "version", "commit",
                                         "kernel_sources", "command_line", "environment"}));
}

TEST(Provenance, TellsWhatTheSystemTells) {
  const json facts = collect_provenance({"bellwether", "run", "a b"});
  EXPECT_EQ(facts["host"], answer("uname -n"));
  EXPECT_EQ(facts["kernel"], answer("uname -s -r"));
  EXPECT_EQ(facts["cores_usable"],
            std::stoi(answer("env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc")));
  const std::string kibibytes = answer("awk '/^MemTotal/ {print $2}' /proc/meminfo");
  EXPECT_EQ(facts["memory_bytes"], std::stoull(kibibytes) * 1024);
  EXPECT_EQ(facts["virtual_machine"], answer("grep -c -w hypervisor /proc/cpuinfo || true") != "0");
  const std::string model = answer("sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo");
  if (!model.empty()) {
    EXPECT_EQ(facts["cpu"], model);
  }
  EXPECT_FALSE(facts["cpu"].get<std::string>().empty());
  EXPECT_EQ(facts["command_line"], json::parse(R"(["bellwether", "run", "a b"])"));
}

/// Former files do not say which kernels they are of: others. Published machines are of none.
TEST(Provenance, TellsACalibrationOfOtherKernels) {
  std::map<std::string, std::string> calibration{
      {"commit", "0123456789abcdef0123-dirty"},
      {"time", "2026-11-28T05:17:44Z"},
      {"kernel_sources", collect_provenance({})["kernel_sources"].get<std::string>()}};
  EXPECT_EQ(remark_on_other_kernels(calibration), "");
  const std::string others =
      "was calibrated with other kernels than this program's (those of commit 0123456789ab, "
      "2026-11-28); calibrate again to predict these";
  calibration["kernel_sources"] = "0123456789ab";
  EXPECT_EQ(remark_on_other_kernels(calibration), others);
  calibration.erase("kernel_sources");
  EXPECT_EQ(remark_on_other_kernels(calibration), others);
  EXPECT_EQ(remark_on_other_kernels({}), "");
}

TEST(Provenance, CoresAreThoseOfTheAffinity) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const json facts = collect_provenance({});
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
  EXPECT_EQ(facts["cores_usable"], 1);
}

TEST(Provenance, TimeIsNowInUtc) {
  const std::time_t before = std::time(nullptr);
  const std::string time = collect_provenance({})["time"];
  std::tm parts = {};
  const char* end = strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  ASSERT_NE(end, nullptr) << time;
  EXPECT_EQ(*end, '\0') << time;
  EXPECT_GE(timegm(&parts), before);
  EXPECT_LE(timegm(&parts), std::time(nullptr));
}

TEST(Provenance, TellsTheBuild) {
  const json facts = collect_provenance({});
  EXPECT_TRUE(std::regex_match(facts["compiler"].get<std::string>(),
                               std::regex(R"([A-Za-z]+ [0-9]+(\.[0-9]+)*)")))
      << facts["compiler"];
  EXPECT_TRUE(std::regex_match(facts["version"].get<std::string>(),
                               std::regex(R"([0-9]+\.[0-9]+\.[0-9]+)")));
  EXPECT_FALSE(facts["build_type"].get<std::string>().empty());
  EXPECT_TRUE(std::regex_match(facts["commit"].get<std::string>(),
                               std::regex("[0-9a-f]{40,64}(-dirty)?|unknown")))
      << facts["commit"];
#ifdef NDEBUG
  EXPECT_NE(facts["compiler_flags"].get<std::string>().find("-DNDEBUG"), std::string::npos);
#else
  EXPECT_EQ(facts["compiler_flags"].get<std::string>().find("-DNDEBUG"), std::string::npos);
#endif
}

TEST(Provenance, RecordsTheVariablesThatMatter) {
  setenv("OMP_PROC_BIND", "spread=close", 1);
  setenv("UCX_TLS", "", 1);
  setenv("SLURM_JOB_ID", "4711", 1);
  setenv("BELLWETHER_TEST_SECRET", "x", 1);
  const json variables = collect_provenance({})["environment"];
  EXPECT_EQ(variables["OMP_PROC_BIND"], "spread=close");
  EXPECT_EQ(variables["UCX_TLS"], "");
  EXPECT_EQ(variables["SLURM_JOB_ID"], "4711");
  EXPECT_FALSE(variables.contains("BELLWETHER_TEST_SECRET"));
  EXPECT_FALSE(variables.contains("PATH"));
  unsetenv("OMP_PROC_BIND");
  unsetenv("UCX_TLS");
  unsetenv("SLURM_JOB_ID");
}

TEST(Provenance, SeesTheMarkOfAContainer) {
  setenv("APPTAINER_CONTAINER", "/images/app.sif", 1);
  EXPECT_EQ(collect_provenance({})["container"], true);
  unsetenv("APPTAINER_CONTAINER");
}

TEST(Provenance, NamesMatchWholeOrByPrefix) {
  for (const char* name :
       {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS", "OPENBLAS_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
        "CUDA_LAUNCH_BLOCKING", "SLURM_JOB_NODELIST", "PBS_JOBID", "LSB_JOBID", "OMPI_MCA_btl",
        "UCX_NET_DEVICES", "CUBLAS_WORKSPACE_CONFIG", "CUBLASLT_LOG_LEVEL", "MKL_NUM_THREADS",
        "KMP_AFFINITY", "NVIDIA_TF32_OVERRIDE", "MPICH_GPU_SUPPORT_ENABLED", "MV2_USE_CUDA",
        "MVP_USE_CUDA", "I_MPI_OFFLOAD"}) {
    EXPECT_TRUE(is_relevant_variable(name)) << name;
  }
  for (const char* name : {"SLURM_JOB_ID_X", "SLURM_JWT", "MY_OMP_X", "OMPI_APP_CTX", "HOME",
                           "NVIDIA_TF32_OVERRIDES", ""}) {
    EXPECT_FALSE(is_relevant_variable(name)) << name;
  }
}

}  // namespace
}  // namespace bellwether
