// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "results/record.hpp"

namespace bellwether {

/// As they stand in a record.
inline constexpr std::array answer_names{"normal",      "slower",        "faster",
                                         "cannot tell", "not predicted", "wrong result"};
inline const char* name_of(Answer answer) {
  return answer_names.at(static_cast<std::size_t>(answer));
}

/// Of a record that was read, as it was judged then.
RunVerdict verdict_of(const Record& record);

}  // namespace bellwether
