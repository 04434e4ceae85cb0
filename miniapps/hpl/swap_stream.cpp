// SPDX-License-Identifier: MIT
#include "miniapps/hpl/swap_stream.hpp"

#include <algorithm>

namespace bellwether {

SwapStream::SwapStream(const HplGrid& grid, const LocalMatrix& matrix) : matrix_(matrix) {
  if (grid.rows() == 1 || matrix.device().is_host()) return;
  beside_ = matrix.device().make_stream(true);
  exchanged_ = matrix.device().make_event(false);
  matrix.kernels().prepare(*beside_);
}

void SwapStream::begin(long panel, Event* arrived) {
  if (!beside_) return;
  if (panel == 0) {
    products_.clear();
    note_product(matrix_.column_count());  // whatever made the matrix
  }
  before_.swap(products_);
  products_.clear();
  if (arrived != nullptr) matrix_.device().wait(*beside_, *arrived);
}

void SwapStream::run(long end, PhaseClock& clock, StreamTimer& timer,
                     const std::function<void()>& exchange) {
  if (!beside_) return exchange();
  Device& device = matrix_.device();
  // They follow each other on one stream: the one with the last of the columns is the last.
  const auto last = std::find_if(before_.begin(), before_.end(),
                                 [end](const Product& product) { return product.end >= end; });
  device.wait(*beside_, *last->done);
  timer.time(clock, "network.swap", matrix_.stream(), [&] {
    exchange();
    device.record(*exchanged_, *beside_);
    device.wait(matrix_.stream(), *exchanged_);
  });
}

void SwapStream::note_product(long end) {
  if (!beside_) return;
  products_.push_back({end, matrix_.device().make_event(false)});
  matrix_.device().record(*products_.back().done, matrix_.stream());
}

}  // namespace bellwether
