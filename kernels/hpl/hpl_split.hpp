// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "kernels/hpl/hpl.hpp"

namespace bellwether {

/// How the products C -= L U are split between the host and a device.
struct HplSplit {
  /// Of C's columns, that the device takes: 0 to 1. The host has whole cache lines, so that the
  /// device may have up to 4 columns more or fewer.
  double device_share = 0;
  /// Products of fewer columns the host does alone.
  long least_columns = 0;
  /// The largest L.
  long most_rows = 0, most_inner = 0;
  /// Columns that go to the device at once, at least 1; more are as good as a multiple of 8.
  long block_columns = 0;
};

/// Bytes of device memory that SplitHpl takes.
[[nodiscard]] std::size_t device_bytes(const HplSplit& split);
/// The most block_columns with which it takes no more than so many bytes; 0 where there are none.
[[nodiscard]] long most_block_columns(const HplSplit& split, std::size_t bytes);

/// LU by panels of a matrix in host memory, whose products are split by columns between the host
/// and a device, as Hu and Lu (2021, Section 4.1) do. The device's columns pass through it in
/// blocks: while one is multiplied the next is copied in and the one before copied out, and the
/// host multiplies its own columns meanwhile. So the matrix may be larger than the device's memory.
/// All else is the host's.
///
/// Copies are hidden where C, L and U lie in memory of the device's allocate_host(). A device that
/// is a host itself takes turns with the host.
class SplitHpl final : public HplKernels {
 public:
  /// Both devices must outlive this. Throws std::runtime_error where the device's memory is short.
  SplitHpl(Device& host, Device& device, const HplSplit& split);
  /// For the products that follow.
  void take_share(double device_share) { split_.device_share = device_share; }
  [[nodiscard]] double device_share() const { return split_.device_share; }

  /// Of both.
  void prepare(Stream& stream) override;
  [[nodiscard]] std::string library() const override;

  void fill(double* a, long ld, const HplPart& part, Stream& stream) override {
    host_->fill(a, ld, part, stream);
  }
  void take_panel(double* l, long ldl, const double* a, long ld, long rows, long columns,
                  Stream& stream) override {
    host_->take_panel(l, ldl, a, ld, rows, columns, stream);
  }
  void put_panel(double* a, long ld, const double* l, long ldl, long rows, long columns,
                 Stream& stream) override {
    host_->put_panel(a, ld, l, ldl, rows, columns, stream);
  }
  void copy_rows(const HplRows& to, const HplRows& from, long count, long columns,
                 Stream& stream) override {
    host_->copy_rows(to, from, count, columns, stream);
  }
  void multiply_triangle(double* u, long ldu, const double* x, long size, const double* w, long ldw,
                         long columns, Stream& stream) override {
    host_->multiply_triangle(u, ldu, x, size, w, ldw, columns, stream);
  }
  void solve_triangle(double* u, long ldu, const double* l, long ldl, long size, long columns,
                      Stream& stream) override {
    host_->solve_triangle(u, ldu, l, ldl, size, columns, stream);
  }
  /// Has ended on host and device when it returns.
  void subtract_product(double* c, long ldc, const double* l, long ldl, const double* u, long ldu,
                        long rows, long columns, long inner, Stream& stream) override;
  void subtract_from(double* y, const double* a, long ld, const double* x, long rows, long columns,
                     Stream& stream) override {
    host_->subtract_from(y, a, ld, x, rows, columns, stream);
  }
  void solve_upper(double* x, const double* a, long ld, long size, Stream& stream) override {
    host_->solve_upper(x, a, ld, size, stream);
  }
  void row_sums(double* product, double* sizes, const double* x, const HplPart& part,
                Stream& stream) override {
    host_->row_sums(product, sizes, x, part, stream);
  }

 private:
  /// A block of columns of C and of U on the device.
  struct Block {
    Buffer<double> c, u;
    std::unique_ptr<Event> copied_in, multiplied, copied_out;
  };
  void start_on_device(double* c, long ldc, const double* l, long ldl, const double* u, long ldu,
                       long rows, long columns, long inner);
  void copy_block(double* to, long ld_to, const double* from, long ld_from, long rows, long columns,
                  Stream& stream);
  /// Whatever state the device is in.
  void end_copies() noexcept;

  Device& device_;
  std::unique_ptr<HplKernels> host_, on_device_;
  HplSplit split_;
  Buffer<double> l_;
  std::array<Block, 3> blocks_;
  std::unique_ptr<Stream> in_, products_, out_;
};

}  // namespace bellwether
