// SPDX-License-Identifier: MIT
#include "miniapps/hpl/row_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr int displaced_tag = 40, round_tag = 41;

/// The columns of a strip that process `p` of `processes` makes U of: whole cache lines.
struct Slices {
  long columns;
  int processes;
  [[nodiscard]] long begin(int p) const {
    return p == processes ? columns : columns * p / processes / 8 * 8;
  }
  [[nodiscard]] long width(int p) const { return begin(p + 1) - begin(p); }
};

/// Of a slice of W, whose rows follow each other without a gap.
long slice_values(int block, long strip, int processes) {
  return block * ((strip / processes) + 8);
}

std::size_t window_values(const LocalMatrix& matrix, long strip, const HplGrid& grid) {
  const long of_u = grid.row() == 0 ? odd_lines(matrix.column_count()) : 0;
  return static_cast<std::size_t>(slice_values(matrix.block(), strip, grid.rows()) +
                                  matrix.block() * (strip + of_u));
}

/// Of values in the messages of an exchange: MPI's counts are int.
int narrow(long count) {
  if (count > std::numeric_limits<int>::max())
    throw BadEnvironment(fmt::format(
        "messages of {} values are more than MPI's counts of int hold: a smaller --block, or more "
        "columns of processes",
        count));
  return static_cast<int>(count);
}

}  // namespace

StagedValues::StagedValues(Device& device, std::size_t count) : on_device_(device, count) {
  if (!device.is_host()) on_host_ = Buffer<double>(device, count, true);
}

void StagedValues::to_host(Device& device, long first, long count, Stream& stream) const {
  if (on_host_.data() == nullptr) return;
  if (count > 0)
    device.copy(on_host_.data() + first, on_device_.data() + first,
                static_cast<std::size_t>(count) * sizeof(double), stream);
  device.fence(stream);
}

void StagedValues::to_device(Device& device, long first, long count, Stream& stream) const {
  if (on_host_.data() == nullptr || count == 0) return;
  device.copy(on_device_.data() + first, on_host_.data() + first,
              static_cast<std::size_t>(count) * sizeof(double), stream);
}

RowExchange::RowExchange(const HplGrid& grid, const LocalMatrix& matrix, SwapStream& swaps,
                         const HplVariant& variant, NodePath path, long strip, Solve solve)
    : grid_(grid),
      matrix_(matrix),
      swaps_(swaps),
      variant_(variant),
      moved_(grid, matrix),
      strip_(strip),
      solve_(std::move(solve)) {
  const auto block = static_cast<std::size_t>(matrix.block());
  const auto processes = static_cast<std::size_t>(grid.rows());
  const std::size_t values = block * static_cast<std::size_t>(odd_lines(strip_));
  // A product of a helper's wants U in memory fit for its copies.
  const bool is_plain = matrix.device().is_host() && &matrix.device() == &matrix.copier();
  if (processes > 1 && is_plain && path == NodePath::shared_memory &&
      variant.swap != "binary-exchange") {
    window_ = SharedWindow(grid.along_column(), window_values(matrix, strip_, grid));
    if (!window_.has_all()) window_ = {};
    if (window_) return;
  }
  w_ = Buffer<double>(matrix.device(), values);
  if (matrix.device().is_host()) std::fill_n(w_.data(), values, 0.);  // so that its pages are there
  if (processes == 1) return;
  u_ = matrix.buffer(block * static_cast<std::size_t>(odd_lines(matrix.column_count())));
  outgoing_ = StagedValues(matrix.device(), 2 * values);
  incoming_ = StagedValues(matrix.device(), 2 * values);
  if (is_plain) std::fill_n(u_.data(), u_.size(), 0.);
}

double* RowExchange::shared_displaced(int process) const {
  return window_.of(process) + slice_values(matrix_.block(), strip_, grid_.rows());
}

double* RowExchange::shared_u() const { return shared_displaced(0) + matrix_.block() * strip_; }

double* RowExchange::top_rows(long column) const { return matrix_.at(moved_.top, column); }

void RowExchange::begin(long panel, int width, const PanelPivot* pivots, const int* lists) {
  width_ = width;
  if (lists != nullptr)
    moved_.take_listed(panel, width, lists);
  else
    moved_.list(panel, width, pivots, swaps_.stream());
}

void RowExchange::swap(const std::function<void()>& copies) {
  swaps_.time("swap", *clock_, *timer_, copies);
}

void RowExchange::network(const std::function<void()>& messages) {
  if (swaps_.is_beside())
    messages();
  else
    clock_->time("network.swap", messages);
}

UpperRows RowExchange::start(long first, long end, PhaseClock& clock, StreamTimer& timer) {
  clock_ = &clock;
  timer_ = &timer;
  const bool in_place = grid_.row() == moved_.owner;
  if (window_)
    upper_ = {shared_u(), odd_lines(end - first)};
  else
    // Beside the products with other columns each column has its place.
    upper_ = {in_place             ? top_rows(first)
              : swaps_.is_beside() ? u_.data() + first
                                   : u_.data(),
              in_place ? matrix_.ld()
                       : odd_lines(swaps_.is_beside() ? matrix_.column_count() : end - first)};
  return upper_;
}

void RowExchange::exchange(double* u, long column, long columns) {
  const bool in_rounds = variant_.swap == "binary-exchange" ||
                         (variant_.swap == "mix" && columns <= variant_.swap_threshold);
  if (grid_.rows() == 1)
    alone(u, column, columns);
  else if (window_)
    exchange_in_memory(u, column, columns);
  else if (in_rounds)
    exchange_in_rounds(u, column, columns);
  else
    spread_and_roll(u, column, columns);
}

/// One process has all rows: they are exchanged where they are.
void RowExchange::alone(double* u, long column, long columns) {
  HplKernels& kernels = matrix_.kernels();
  const HplRows rows{matrix_.at(0, column), matrix_.ld()};
  const long ldw = odd_lines(columns);
  swap([&] {
    kernels.copy_rows({w_.data(), ldw}, {rows.values, rows.ld, moved_.at(moved_.own)},
                      moved_.own.count, columns, swaps_.stream());
    keep_displaced(column, columns);
  });
  solve_({u, upper_.ld}, {w_.data(), ldw}, columns);
}

/// The displaced rows that stay with the process.
void RowExchange::keep_displaced(long column, long columns) {
  if (grid_.row() != moved_.owner) return;
  double* const rows = matrix_.at(0, column);
  matrix_.kernels().copy_rows(
      {rows, matrix_.ld(), moved_.at(moved_.displaced_to)},
      {rows, matrix_.ld(),
       moved_.at(moved_.displaced_from[static_cast<std::size_t>(moved_.owner)])},
      moved_.displaced_to.count, columns, swaps_.stream());
}

/// Those that came from the owner of the diagonal block.
void RowExchange::take_displaced(const double* values, long column, long columns) {
  matrix_.kernels().copy_rows({matrix_.at(0, column), matrix_.ld(), moved_.at(moved_.displaced_to)},
                              {const_cast<double*>(values), columns}, moved_.displaced_to.count,
                              columns, swaps_.stream());
}

/// Every process puts its rows into the slices of all, and solves its own slice into the U that all
/// see. Who comes to the next barrier has done with the product before.
void RowExchange::exchange_in_memory(double* u, long column, long columns) {
  const int me = grid_.row();
  const bool is_owner = me == moved_.owner;
  const Slices slices{columns, grid_.rows()};
  HplKernels& kernels = matrix_.kernels();
  Stream& stream = swaps_.stream();
  const HplRows rows{matrix_.at(0, column), matrix_.ld()};
  const auto reach = [&] { network([&] { window_.barrier(); }); };
  swap([&] {
    for (int p = 0; p < grid_.rows(); ++p)
      kernels.copy_rows(
          {shared_w(p), slices.width(p), moved_.at(moved_.places[static_cast<std::size_t>(me)])},
          {rows.values + slices.begin(p), rows.ld, moved_.at(moved_.own)}, moved_.own.count,
          slices.width(p), stream);
    for (int p = 0; p < grid_.rows() && is_owner; ++p) {
      const MovedRows::List& displaced = moved_.displaced_from[static_cast<std::size_t>(p)];
      if (p != me)
        kernels.copy_rows({shared_displaced(p), columns},
                          {rows.values, rows.ld, moved_.at(displaced)}, displaced.count, columns,
                          stream);
    }
    keep_displaced(column, columns);
  });
  reach();
  if (!is_owner) swap([&] { take_displaced(shared_displaced(me), column, columns); });
  solve_({u + slices.begin(me), upper_.ld}, {shared_w(me), slices.width(me)}, slices.width(me));
  reach();
  if (is_owner)
    swap([&] {
      kernels.copy_rows({top_rows(column), matrix_.ld()}, {u, upper_.ld}, width_, columns, stream);
    });
}

/// Every process gets the rows of U of a slice of the columns from all others, and the rows that
/// are displaced to it with them; solves its slice; and gets the others' U.
void RowExchange::spread_and_roll(double* u, long column, long columns) {
  const int processes = grid_.rows(), me = grid_.row();
  const auto all = static_cast<std::size_t>(processes);
  const bool is_owner = me == moved_.owner;
  const Slices slices{columns, processes};
  Device& device = matrix_.device();
  HplKernels& kernels = matrix_.kernels();
  Stream& stream = swaps_.stream();
  const HplRows rows{matrix_.at(0, column), matrix_.ld(), moved_.at(moved_.own)};
  const long my_width = slices.width(me);

  std::vector<int> sent(all), sent_at(all), got(all), got_at(all);
  long out = 0, in = 0;
  for (int p = 0; p < processes; ++p) {
    const auto n = static_cast<std::size_t>(p);
    sent_at[n] = narrow(out);
    got_at[n] = narrow(in);
    if (p == me) continue;
    sent[n] = narrow(moved_.own.count * slices.width(p) +
                     (is_owner ? moved_.displaced_from[n].count * columns : 0));
    got[n] = narrow(moved_.places[n].count * my_width +
                    (p == moved_.owner ? moved_.displaced_to.count * columns : 0));
    out += sent[n];
    in += got[n];
  }
  swap([&] {
    for (int p = 0; p < processes; ++p) {
      const auto n = static_cast<std::size_t>(p);
      const long width = slices.width(p);
      const HplRows from{rows.values + slices.begin(p), rows.ld, rows.list};
      if (p == me) {
        kernels.copy_rows({w_.data(), width, moved_.at(moved_.places[n])}, from, moved_.own.count,
                          width, stream);
        continue;
      }
      double* const to = outgoing_.on_device() + sent_at[n];
      kernels.copy_rows({to, width}, from, moved_.own.count, width, stream);
      if (is_owner)
        kernels.copy_rows({to + moved_.own.count * width, columns},
                          {rows.values, rows.ld, moved_.at(moved_.displaced_from[n])},
                          moved_.displaced_from[n].count, columns, stream);
    }
    keep_displaced(column, columns);
  });
  network([&] {
    outgoing_.to_host(device, 0, out, stream);
    MPI_Alltoallv(outgoing_.on_host(), sent.data(), sent_at.data(), MPI_DOUBLE, incoming_.on_host(),
                  got.data(), got_at.data(), MPI_DOUBLE, grid_.along_column());
    incoming_.to_device(device, 0, in, stream);
  });
  swap([&] {
    for (int p = 0; p < processes; ++p) {
      const auto n = static_cast<std::size_t>(p);
      if (p == me) continue;
      double* const from = incoming_.on_device() + got_at[n];
      kernels.copy_rows({w_.data(), my_width, moved_.at(moved_.places[n])}, {from, my_width},
                        moved_.places[n].count, my_width, stream);
      if (p == moved_.owner)
        take_displaced(from + moved_.places[n].count * my_width, column, columns);
    }
  });
  double* const mine = outgoing_.on_device();
  solve_({mine, my_width}, {w_.data(), my_width}, my_width);
  for (int p = 0; p < processes; ++p) {
    got[static_cast<std::size_t>(p)] = narrow(width_ * slices.width(p));
    got_at[static_cast<std::size_t>(p)] = narrow(width_ * slices.begin(p));
  }
  network([&] {
    outgoing_.to_host(device, 0, width_ * my_width, stream);
    MPI_Allgatherv(outgoing_.on_host(), narrow(width_ * my_width), MPI_DOUBLE, incoming_.on_host(),
                   got.data(), got_at.data(), MPI_DOUBLE, grid_.along_column());
    incoming_.to_device(device, 0, width_ * columns, stream);
  });
  swap([&] {
    for (int p = 0; p < processes; ++p)
      kernels.copy_rows(
          {u + slices.begin(p), upper_.ld},
          {incoming_.on_device() + got_at[static_cast<std::size_t>(p)], slices.width(p)}, width_,
          slices.width(p), stream);
  });
}

/// Every process gets all rows of U, twice as many in each round (dissemination), and the rows that
/// are displaced to it from the owner; and solves alike.
void RowExchange::exchange_in_rounds(double* u, long column, long columns) {
  const int processes = grid_.rows(), me = grid_.row();
  const bool is_owner = me == moved_.owner;
  Device& device = matrix_.device();
  HplKernels& kernels = matrix_.kernels();
  Stream& stream = swaps_.stream();
  const HplRows rows{matrix_.at(0, column), matrix_.ld(), moved_.at(moved_.own)};
  const auto process = [&](int distance) { return (me + distance) % processes; };
  // In incoming_: the rows of this process, of the next one, and so on; then the displaced ones.
  std::vector<long> begin(static_cast<std::size_t>(processes) + 1);
  for (int distance = 0; distance < processes; ++distance)
    begin[static_cast<std::size_t>(distance) + 1] =
        begin[static_cast<std::size_t>(distance)] +
        moved_.places[static_cast<std::size_t>(process(distance))].count * columns;
  const long displaced_at = begin.back();

  std::vector<long> leaving_at(static_cast<std::size_t>(processes) + 1);
  swap([&] {
    kernels.copy_rows({incoming_.on_device(), columns}, rows, moved_.own.count, columns, stream);
    long out = 0;
    for (int p = 0; p < processes && is_owner; ++p) {
      const auto n = static_cast<std::size_t>(p);
      leaving_at[n] = out;
      if (p != me) {
        kernels.copy_rows({outgoing_.on_device() + out, columns},
                          {rows.values, rows.ld, moved_.at(moved_.displaced_from[n])},
                          moved_.displaced_from[n].count, columns, stream);
        out += moved_.displaced_from[n].count * columns;
      }
      leaving_at[n + 1] = out;
    }
    keep_displaced(column, columns);
  });
  network([&] {
    const MPI_Comm comm = grid_.along_column();
    incoming_.to_host(device, 0, begin[1], stream);
    outgoing_.to_host(device, 0, leaving_at.back(), stream);
    std::vector<MPI_Request> requests;
    double* const in = incoming_.on_host();
    if (is_owner) {
      for (int p = 0; p < processes; ++p) {
        const auto n = static_cast<std::size_t>(p);
        if (p == me || moved_.displaced_from[n].count == 0) continue;
        requests.emplace_back();
        MPI_Isend(outgoing_.on_host() + leaving_at[n], narrow(leaving_at[n + 1] - leaving_at[n]),
                  MPI_DOUBLE, p, displaced_tag, comm, &requests.back());
      }
    } else if (moved_.displaced_to.count > 0) {
      requests.emplace_back();
      MPI_Irecv(in + displaced_at, narrow(moved_.displaced_to.count * columns), MPI_DOUBLE,
                moved_.owner, displaced_tag, comm, &requests.back());
    }
    for (int known = 1; known < processes; known *= 2) {
      const int more = std::min(known, processes - known);
      const auto from = static_cast<std::size_t>(known);
      const auto sent = begin[static_cast<std::size_t>(more)];
      const auto got = begin[from + static_cast<std::size_t>(more)] - begin[from];
      MPI_Sendrecv(in, narrow(sent), MPI_DOUBLE, process(processes - known), round_tag,
                   in + begin[from], narrow(got), MPI_DOUBLE, process(known), round_tag, comm,
                   MPI_STATUS_IGNORE);
    }
    MPI_Waitall(narrow(static_cast<long>(requests.size())), requests.data(), MPI_STATUSES_IGNORE);
    incoming_.to_device(
        device, 0, displaced_at + (is_owner ? 0 : moved_.displaced_to.count * columns), stream);
  });
  const long ldw = odd_lines(columns);
  swap([&] {
    for (int distance = 0; distance < processes; ++distance) {
      const MovedRows::List& places = moved_.places[static_cast<std::size_t>(process(distance))];
      kernels.copy_rows(
          {w_.data(), ldw, moved_.at(places)},
          {incoming_.on_device() + begin[static_cast<std::size_t>(distance)], columns},
          places.count, columns, stream);
    }
    if (!is_owner) take_displaced(incoming_.on_device() + displaced_at, column, columns);
  });
  solve_({u, upper_.ld}, {w_.data(), ldw}, columns);
}

}  // namespace bellwether
