// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

namespace bellwether {

/// What went through MPI on this rank.
struct MessageTally {
  double seconds = 0;  ///< within MPI's calls
  long sends = 0;      ///< messages to another rank
  double bytes = 0;    ///< that they hold
};

/// While one lives, hypre's calls of MPI are timed on this rank through MPI's profiling interface.
/// One at a time, used by one thread.
class MessageTimer {
 public:
  MessageTimer();
  ~MessageTimer();
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

  [[nodiscard]] const MessageTally& tally() const { return tally_; }

  /// From now on an exchange of so many messages, sent and received, is waited for as soon as the
  /// last of them is posted, so that nothing is computed meanwhile; 0: when its caller waits.
  void wait_after(int messages);
  /// Messages of an exchange that was not complete: 0, or the caller exchanges in another way than
  /// wait_after() was told.
  [[nodiscard]] int unwaited() const { return static_cast<int>(posted_.size()); }

 private:
  friend struct TimedCall;
  void post(MPI_Request* request);

  MessageTally tally_;
  int wait_after_ = 0;
  std::vector<MPI_Request*> posted_;
};

}  // namespace bellwether
