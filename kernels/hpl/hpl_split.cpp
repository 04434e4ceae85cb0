// SPDX-License-Identifier: MIT
#include "kernels/hpl/hpl_split.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace bellwether {
namespace {

constexpr long line = 8;  // doubles of a cache line

long in_lines(long count) { return (count + line - 1) / line * line; }

std::size_t l_size(const HplSplit& split) {
  return static_cast<std::size_t>(in_lines(split.most_rows) * split.most_inner);
}
std::size_t c_size(const HplSplit& split) {
  return static_cast<std::size_t>(split.most_rows * in_lines(split.block_columns));
}
std::size_t u_size(const HplSplit& split) {
  return static_cast<std::size_t>(split.most_inner * in_lines(split.block_columns));
}

/// Columns at the right, that the device takes.
long columns_of_device(long columns, const HplSplit& split) {
  const long share = std::lround(split.device_share * static_cast<double>(columns));
  if (share == 0 || columns < split.least_columns) return 0;
  const long on_host = (columns - share + line / 2) / line * line;
  return std::max(columns - on_host, 0L);
}

}  // namespace

std::size_t device_bytes(const HplSplit& split) {
  constexpr std::size_t blocks = 3;
  return sizeof(double) * (l_size(split) + blocks * (c_size(split) + u_size(split)));
}

long most_block_columns(const HplSplit& split, std::size_t bytes) {
  HplSplit narrowest = split;
  narrowest.block_columns = 0;
  const std::size_t l = device_bytes(narrowest);
  narrowest.block_columns = line;
  const std::size_t of_a_line = device_bytes(narrowest) - l;
  return bytes <= l || of_a_line == 0 ? 0 : static_cast<long>((bytes - l) / of_a_line) * line;
}

SplitHpl::SplitHpl(Device& host, Device& device, const HplSplit& split)
    : device_(device),
      host_(make_kernels<HplKernels>(host)),
      on_device_(make_kernels<HplKernels>(device)),
      split_(split),
      l_(device, l_size(split)),
      in_(device.make_stream(false)),
      products_(device.make_stream(false)),
      out_(device.make_stream(false)) {
  for (Block& block : blocks_)
    block = {{device, c_size(split)},
             {device, u_size(split)},
             device.make_event(false),
             device.make_event(false),
             device.make_event(false)};
}

void SplitHpl::prepare(Stream& stream) {
  host_->prepare(stream);
  on_device_->prepare(*products_);
}

std::string SplitHpl::library() const { return host_->library() + " and " + on_device_->library(); }

void SplitHpl::subtract_product(double* c, long ldc, const double* l, long ldl, const double* u,
                                long ldu, long rows, long columns, long inner, Stream& stream) {
  if (rows == 0 || inner == 0) return;
  const long on_device = columns_of_device(columns, split_), on_host = columns - on_device;
  try {
    if (on_device > 0)
      start_on_device(c + on_host, ldc, l, ldl, u + on_host, ldu, rows, on_device, inner);
    host_->subtract_product(c, ldc, l, ldl, u, ldu, rows, on_host, inner, stream);
    if (on_device > 0) device_.fence(*out_);
  } catch (const std::exception&) {
    end_copies();  // before the host's memory is freed
    throw;
  }
}

void SplitHpl::end_copies() noexcept {
  for (Stream* const stream : {in_.get(), out_.get()}) {
    try {
      device_.fence(*stream);
    } catch (const std::exception&) {  // told already
    }
  }
}

void SplitHpl::start_on_device(double* c, long ldc, const double* l, long ldl, const double* u,
                               long ldu, long rows, long columns, long inner) {
  const long width = in_lines(split_.block_columns), height = in_lines(rows);
  copy_block(l_.data(), height, l, ldl, inner, rows, *in_);  // its columns
  std::size_t turn = 0;
  for (long first = 0; first < columns; first += width, ++turn) {
    Block& block = blocks_[turn % blocks_.size()];
    const long now = std::min(width, columns - first);
    device_.wait(*in_, *block.copied_out);  // of the block that has been there
    copy_block(block.u.data(), width, u + first, ldu, inner, now, *in_);
    copy_block(block.c.data(), width, c + first, ldc, rows, now, *in_);
    device_.record(*block.copied_in, *in_);
    device_.wait(*products_, *block.copied_in);
    on_device_->subtract_product(block.c.data(), width, l_.data(), height, block.u.data(), width,
                                 rows, now, inner, *products_);
    device_.record(*block.multiplied, *products_);
    device_.wait(*out_, *block.multiplied);
    copy_block(c + first, ldc, block.c.data(), width, rows, now, *out_);
    device_.record(*block.copied_out, *out_);
  }
}

void SplitHpl::copy_block(double* to, long ld_to, const double* from, long ld_from, long rows,
                          long columns, Stream& stream) {
  const auto bytes = [](long count) { return static_cast<std::size_t>(count) * sizeof(double); };
  device_.copy_rows(to, bytes(ld_to), from, bytes(ld_from), bytes(columns),
                    static_cast<std::size_t>(rows), stream);
}

}  // namespace bellwether
