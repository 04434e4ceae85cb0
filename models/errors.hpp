// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace bellwether {

/// The user gave something unusable: the message names the option, file or key, what was found and
/// what is expected. The command exits with status 2.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The environment cannot do what was asked (no device, too little memory, too few ranks): the
/// message says how much is needed and how much is there. The command exits with status 3.
class BadEnvironment : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the suite does when a verification or verdict fails is no exception: see ExitStatus.
enum class ExitStatus : int {
  success = 0,
  verification_failed = 1,
  bad_input = 2,
  bad_environment = 3,
  verdict_failed = 4,
  out_of_time = 5,
  internal_fault = 6
};

}  // namespace bellwether
