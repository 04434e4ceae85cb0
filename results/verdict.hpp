// SPDX-License-Identifier: MIT
#pragma once

#include "results/record.hpp"

namespace bellwether {

inline constexpr Answer answers[] = {Answer::normal,        Answer::slower,
                                     Answer::faster,        Answer::cannot_tell,
                                     Answer::not_predicted, Answer::wrong_result};

/// "normal", "cannot tell": as it stands in a record.
const char* name_of(Answer answer);

/// Of a record that was read, as it was judged then.
RunVerdict verdict_of(const Record& record);

}  // namespace bellwether
