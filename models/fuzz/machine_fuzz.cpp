// SPDX-License-Identifier: MIT
// libFuzzer: a machine file is read, or refused with BadInput that names the file; nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/strict_json.hpp"

namespace {

constexpr const char* file = "fuzzed.json";

[[noreturn]] void fail(const char* what, const std::string& detail) {
  std::fprintf(stderr, "%s: %s\n", what, detail.c_str());
  std::abort();
}

/// A refusal says which file, and of a text that is JSON which key.
void check_message(const std::string& message, bool is_json) {
  if (message.find(file) == std::string::npos) fail("a refusal without the file", message);
  if (is_json && message.find("key ") == std::string::npos)
    fail("a refusal without the key", message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  bool is_json = false;
  try {
    const nlohmann::json document = bellwether::parse_json(text, file);
    is_json = true;
    const bellwether::Machine machine = bellwether::parse_machine(document, file);
    // What was accepted can be written, and reads back as the same document.
    const nlohmann::json written = bellwether::to_json(machine);
    if (bellwether::to_json(bellwether::parse_machine(written, file)) != written)
      fail("not the same after a round trip", written.dump());
  } catch (const bellwether::BadInput& refusal) {
    check_message(refusal.what(), is_json);
  }
  return 0;
}
