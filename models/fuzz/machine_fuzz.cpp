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

/// A refusal says which file, and unless the text is no JSON at all, which key.
void check_message(const std::string& message) {
  if (message.find(file) == std::string::npos) fail("a refusal without the file", message);
  const bool not_json = message.find("no valid JSON") != std::string::npos ||
                        message.find("is empty") != std::string::npos;
  if (!not_json && message.find("key ") == std::string::npos)
    fail("a refusal without the key", message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const bellwether::Machine machine =
        bellwether::parse_machine(bellwether::parse_json(text, file), file);
    // What was accepted can be written, and reads back as the same document.
    const nlohmann::json written = bellwether::to_json(machine);
    if (bellwether::to_json(bellwether::parse_machine(written, file)) != written)
      fail("not the same after a round trip", written.dump());
  } catch (const bellwether::BadInput& refusal) {
    check_message(refusal.what());
  }
  return 0;
}
