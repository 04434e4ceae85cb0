// SPDX-License-Identifier: MIT
#include "miniapps/hpl/split_update.hpp"

#include <algorithm>
#include <limits>

#include "miniapps/comm/device_checks.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

/// A product as the first panel's, whose columns `kernels` split as they are told.
class FirstProduct {
 public:
  FirstProduct(const LocalMatrix& matrix, SplitHpl& kernels)
      : matrix_(matrix),
        kernels_(kernels),
        inner_(matrix.width(0)),
        rows_(matrix.row_count() - inner_),
        ldl_(odd_lines(std::max(rows_, 1L))),
        l_(matrix.buffer(static_cast<std::size_t>(ldl_ * inner_))) {
    if (rows_ > 0)
      kernels.take_panel(l_.data(), ldl_, matrix.at(inner_, 0), matrix.ld(), rows_,
                         std::min(inner_, matrix.column_count()), matrix.stream());
  }
  [[nodiscard]] bool exists() const { return rows_ > 0; }
  [[nodiscard]] double flops(long columns) const {
    return 2.0 * static_cast<double>(rows_) * static_cast<double>(inner_) *
           static_cast<double>(columns);
  }
  double seconds(double device_share, long columns) {
    kernels_.take_share(device_share);
    const double begin = MPI_Wtime();
    kernels_.subtract_product(matrix_.at(inner_, 0), matrix_.ld(), l_.data(), ldl_,
                              matrix_.at(0, 0), matrix_.ld(), rows_, columns, inner_,
                              matrix_.stream());
    return MPI_Wtime() - begin;
  }

 private:
  const LocalMatrix& matrix_;
  SplitHpl& kernels_;
  long inner_, rows_, ldl_;
  Buffer<double> l_;
};

}  // namespace

std::unique_ptr<Device> host_of_split(const HplVariant& variant) {
  if (!variant.is_split()) return nullptr;
  auto host = open_device("kokkos", 0);
  if (!host->is_host())
    throw BadEnvironment("--device-share: Kokkos was built for a GPU (" + host->description() +
                         "), so that nothing multiplies on the host");
  return host;
}

HplSplit split_of(const CaseSite& site, const HplProblem& problem, const HplVariant& variant) {
  // Blocks wide enough for the product, and so many that what is copied before the first and after
  // the last is little.
  constexpr long fewest_columns = 256, blocks = 16;
  const long columns = DealtOut{problem.block, problem.grid.columns, 0}.count(problem.size + 1);
  HplSplit split;
  if (variant.device_share != "auto")
    split.device_share = *parse_number<double>(variant.device_share);
  // What look-ahead does first: copying L would take as long as the product.
  split.least_columns = problem.block + 1;
  const Session& session = site.session;
  if (session.rank() < problem.ranks()) {
    split.most_rows = DealtOut{problem.block, problem.grid.rows, 0}.count(problem.size);
    split.most_inner = std::min<long>(problem.block, problem.size);
    split.block_columns = 8;
  }
  require_device_memory(session, site.device, device_bytes(split), "a panel and blocks of columns");
  split.block_columns = std::min(std::max(fewest_columns, columns / blocks),
                                 most_block_columns(split, memory_of_a_rank(session, site.device)));
  return split;
}

double measured_device_share(const Session& session, const HplGrid& grid, LocalMatrix& matrix,
                             SplitHpl& kernels) {
  constexpr long fewest_columns = 1024, part = 8;
  constexpr int fewest_turns = 3;
  constexpr double enough_seconds = 0.3, infinity = std::numeric_limits<double>::infinity();
  double found[] = {0, 0};  // a share, and whether there is one
  if (grid.has_me()) matrix.fill();
  MPI_Barrier(session.world());
  if (grid.has_me()) {
    FirstProduct product(matrix, kernels);
    const long few = matrix.block() + 1;  // the host does fewer alone
    const long columns = std::min(
        matrix.column_count(), std::max({fewest_columns, 8 * few, matrix.column_count() / part}));
    if (columns >= 4 * few && product.exists()) {
      // In turns, so that what else the machine does meets them alike; the shortest of each.
      double host = infinity, all = infinity, narrow = infinity;
      const double begin = MPI_Wtime();
      for (int turn = 0; turn < fewest_turns || MPI_Wtime() - begin < enough_seconds; ++turn) {
        host = std::min(host, product.seconds(0, columns));
        all = std::min(all, product.seconds(1, columns));
        narrow = std::min(narrow, product.seconds(1, few));
      }
      // What does not depend on the columns is L's way to the device, before anything is computed.
      const double of_a_column = (all - narrow) / static_cast<double>(columns - few);
      const double of_l = std::clamp(narrow - of_a_column * static_cast<double>(few), 0.0, all / 2);
      const double work = product.flops(columns);
      found[0] = device_share(
          work, {.host_flops_per_s = work / host, .device_flops_per_s = work / (all - of_l)},
          {.fixed_s = of_l});
      found[1] = 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_DOUBLE, MPI_SUM, session.world());
  return found[1] > 0 ? found[0] / found[1] : 0;
}

}  // namespace bellwether
