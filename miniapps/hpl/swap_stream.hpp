// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "miniapps/comm/stream_timer.hpp"
#include "miniapps/hpl/local_matrix.hpp"

namespace bellwether {

/// Where rows are exchanged: on a GPU that has some of the rows, a stream beside the matrix', which
/// multiplies other columns meanwhile; else the matrix' own.
class SwapStream {
 public:
  SwapStream(const HplGrid& grid, const LocalMatrix& matrix);

  [[nodiscard]] bool is_beside() const { return beside_ != nullptr; }
  [[nodiscard]] Stream& stream() const { return beside_ ? *beside_ : matrix_.stream(); }
  /// The next panel, number 0 first; `arrived`: it stands in device memory. Null: it does already.
  void begin(long panel, Event* arrived);
  /// Runs `exchange`, which ends with U of columns up to `end`, after the products with them, and
  /// has the matrix' stream wait for it. Phase, where that is another stream: network.swap, what it
  /// waited.
  void run(long end, PhaseClock& clock, StreamTimer& timer, const std::function<void()>& exchange);
  /// The panel's product with the columns up to `end` follows those noted before.
  void note_product(long end);

  /// Runs a part of an exchange, with a phase of its own where nothing goes on beside.
  template <class Part>
  void time(const char* phase, PhaseClock& clock, StreamTimer& timer, const Part& part) {
    if (beside_)
      part();
    else
      timer.time(clock, phase, matrix_.stream(), part);
  }

 private:
  struct Product {
    long end;
    std::unique_ptr<Event> done;
  };

  const LocalMatrix& matrix_;
  std::unique_ptr<Stream> beside_;
  std::unique_ptr<Event> exchanged_;
  std::vector<Product> before_, products_;  ///< of the last panel and of this one, by column
};

}  // namespace bellwether
