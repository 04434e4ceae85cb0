// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/acceptance/judge.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

Finding missing(const std::string& subject, const char* quantity, int found, int expected,
                std::string sentence) {
  Finding finding = not_judged("complete", subject, quantity, std::move(sentence));
  finding.verdict = Verdict::missing;
  finding.value = found;
  finding.expected = expected;
  finding.unit = quantity;
  finding.sources = {"the suite, as accept.json has it"};
  return finding;
}

/// What there is of a case: records that count, no more repeats of a variant, which a request
/// tells, than were asked for; and why it did not run.
struct Made {
  int records = 0;
  std::string not_run;
};
Made made(const std::vector<Record>& records, const Asked::Records& asked) {
  Made found;
  std::map<std::string, int> repeats;
  for (const Record& record : records) {
    const json request = value_or_null(record.provenance, "request");
    const json place = value_or_null(request, "case");
    if (!place.is_string() || !place.get<std::string>().ends_with(asked.of)) continue;
    if (!record.not_run.empty())
      found.not_run = record.not_run;
    else if (++repeats[request.dump()] <= asked.repeats)
      ++found.records;
  }
  return found;
}

}  // namespace

std::vector<Finding> judge_complete(const Baseline& now, const Asked& asked) {
  std::vector<Finding> found;
  if (now.machine.is_null())
    found.push_back(missing("calibration", "machine files", 0, 1,
                            "calibration: machine.json is not there (--resume measures it)"));
  for (const Asked::Records& one : asked.records) {
    const int expected = one.variants * one.repeats;
    const auto [count, not_run] = made(now.records, one);
    if (count >= expected) continue;
    if (one.left_out && count == 0) {
      found.push_back(
          not_judged("complete", one.of, "records",
                     fmt::format("{}: optional, and left out, as it could not run", one.of)));
      continue;
    }
    found.push_back(
        missing(one.of, "records", count, expected,
                fmt::format("{}: {} of {} records are there ({})", one.of, count, expected,
                            not_run.empty() ? "--resume makes the others" : not_run)));
  }
  if (const int count = static_cast<int>(now.siblings.size()); count < asked.occasions)
    found.push_back(
        missing("siblings", "occasions", count, asked.occasions,
                fmt::format("siblings: {} of {} occasions are there (--resume makes the others)",
                            count, asked.occasions)));
  return found;
}

}  // namespace bellwether
