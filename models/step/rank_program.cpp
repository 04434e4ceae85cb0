// SPDX-License-Identifier: MIT
#include "models/step/rank_program.hpp"

#include <utility>

namespace bellwether {
namespace {

template <class... Each>
struct Visitor : Each... {
  using Each::operator()...;
};
template <class... Each>
Visitor(Each...) -> Visitor<Each...>;  // clang before 17 deduces none of its own

}  // namespace

void RankProgram::exchange(const RankExchange& one) {
  const HaloTimes& times = one.times;
  const double copies_s = times.copies_beside ? 0 : times.to_host + times.to_device;
  add(one,
      2 * one.pack_s + copies_s + times.wait + times.network - one.hidden_s() + one.meanwhile_s);
}

RankStep RankProgram::step() const {
  RankStep step;
  double hidden_s = 0;
  const auto add = [&step](const char* term, double seconds) {
    if (seconds > 0) step.terms.add(term, seconds);
  };
  const Visitor visitor{[&](const Compute& one) { step.terms.add(one.term, one.seconds); },
                        [&](const Wait& one) { add(one.term, one.seconds); },
                        [&](const Reduce& one) { step.terms.add("reduce", one.seconds); },
                        [&](const RankExchange& one) {
                          const HaloTimes& times = one.times;
                          add("pack", one.pack_s);
                          if (!times.copies_beside) add("copy.to_host", times.to_host);
                          add(one.meanwhile, one.meanwhile_s);
                          add("wait", times.wait);
                          step.terms.add(one.network, times.network - one.hidden_s());
                          if (!times.copies_beside) add("copy.to_device", times.to_device);
                          add("unpack", one.pack_s);
                          hidden_s += one.hidden_s();
                          step.hiding_s += one.hides_s;
                          if (one.hides_s > 0) step.communication_s += times.network;
                        }};
  for (const Operation& one : operations_) std::visit(visitor, one);
  if (hidden_s > 0) step.hidden_fraction = hidden_s / step.communication_s;
  step.compute = compute_time;
  return step;
}

void RankTrace::step(int rank, TraceSink& sink) const {
  double computed_s = 0;
  const auto flush = [&] {
    if (computed_s > 0) sink.compute(std::exchange(computed_s, 0));
  };
  const Visitor visitor{[&](const RankProgram::Compute& one) { computed_s += one.seconds; },
                        [](const RankProgram::Wait&) {},
                        [&](const RankProgram::Reduce& one) {
                          flush();
                          for (int sum = 0; sum < one.sums; ++sum) sink.allreduce(one.bytes);
                        },
                        [&](const RankExchange& one) {
                          computed_s += one.pack_s + one.times.to_host;
                          flush();
                          computed_s = one.meanwhile_s;
                          for (const RankMessages& round : messages(rank, one.messages)) {
                            for (const auto& [peer, bytes, tag] : round.in)
                              sink.start_receive(peer, bytes, tag);
                            for (const auto& [peer, bytes, tag] : round.out)
                              sink.start_send(peer, bytes, tag);
                            flush();
                            sink.wait_all();
                          }
                          computed_s += one.times.to_device + one.pack_s;
                        }};
  for (const RankProgram::Operation& one : program(rank).operations_) std::visit(visitor, one);
  flush();
}

}  // namespace bellwether
