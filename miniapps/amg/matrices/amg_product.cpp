// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/amg_product.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "miniapps/comm/reduce.hpp"

namespace bellwether {
namespace {

std::vector<int> starts(const std::vector<int>& counts) {
  std::vector<int> at(counts.size(), 0);
  std::partial_sum(counts.begin(), std::prev(counts.end()), std::next(at.begin()));
  return at;
}

}  // namespace

AmgProduct::AmgProduct(MPI_Comm comm, const AmgRows& rows) : comm_(comm), rows_(rows) {
  const int ranks = ranks_in(comm);
  std::vector<long long> ends(ranks);
  const long long end = rows.end();
  MPI_Allgather(&end, 1, MPI_LONG_LONG, ends.data(), 1, MPI_LONG_LONG, comm);
  for_each_stretch(rows, [&, begin = rows.begin()](long long, const AmgStretch& all) {
    for (const long long column : all.columns)
      if (column < begin || column >= end) others_.push_back(column);
  });
  std::sort(others_.begin(), others_.end());
  others_.erase(std::unique(others_.begin(), others_.end()), others_.end());

  received_.assign(ranks, 0);
  for (const long long column : others_)
    ++received_[std::upper_bound(ends.begin(), ends.end(), column) - ends.begin()];
  sent_.assign(ranks, 0);
  MPI_Alltoall(received_.data(), 1, MPI_INT, sent_.data(), 1, MPI_INT, comm);
  received_at_ = starts(received_);
  sent_at_ = starts(sent_);
  std::vector<long long> asked(sent_at_.back() + sent_.back());
  MPI_Alltoallv(others_.data(), received_.data(), received_at_.data(), MPI_LONG_LONG, asked.data(),
                sent_.data(), sent_at_.data(), MPI_LONG_LONG, comm);
  for (const long long row : asked) sent_rows_.push_back(static_cast<int>(row - rows.begin()));
}

std::vector<double> AmgProduct::operator()(std::span<const double> x) {
  std::vector<double> out, in(others_.size());
  out.reserve(sent_rows_.size());
  for (const int row : sent_rows_) out.push_back(x[row]);
  MPI_Alltoallv(out.data(), sent_.data(), sent_at_.data(), MPI_DOUBLE, in.data(), received_.data(),
                received_at_.data(), MPI_DOUBLE, comm_);
  std::vector<double> product;
  product.reserve(x.size());
  const long long begin = rows_.begin(), end = rows_.end();
  for_each_stretch(rows_, [&](long long, const AmgStretch& all) {
    std::size_t entry = 0;
    for (const int count : all.counts) {
      double sum = 0;
      for (const std::size_t last = entry + count; entry < last; ++entry) {
        const long long column = all.columns[entry];
        const bool is_own = column >= begin && column < end;
        const auto other = [&] {
          return std::lower_bound(others_.begin(), others_.end(), column) - others_.begin();
        };
        sum += all.values[entry] * (is_own ? x[column - begin] : in[other()]);
      }
      product.push_back(sum);
    }
  });
  return product;
}

double AmgProduct::norm(std::span<const double> x) const {
  double sum = 0, all = 0;
  for (const double one : x) sum += one * one;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm_);
  return std::sqrt(all);
}

double AmgProduct::residual(std::span<const double> b, std::span<const double> x) {
  std::vector<double> rest = (*this)(x);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = b[i] - rest[i];
  return norm(rest);
}

}  // namespace bellwether
