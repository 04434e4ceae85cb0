// SPDX-License-Identifier: MIT
#include "miniapps/cholesky/cholesky_residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace bellwether {
namespace {

/// Calls visit(own column, its values from the diagonal on) for all own columns, on the host.
template <class T, class Visit>
void each_column(const ColumnMatrix<T>& factor, const Visit& visit) {
  const CholeskyColumns<T>& own = factor.columns();
  std::vector<T> copy;
  for (long column = 0; column < own.count; ++column) {
    const long k = own.dealt.global(column);
    const T* values = factor.at(k, column);
    if (!factor.device().is_host()) {
      copy.resize(static_cast<std::size_t>(own.size - k));
      factor.device().copy(copy.data(), values, copy.size() * sizeof(T), factor.stream());
      factor.device().fence(factor.stream());
      values = copy.data();
    }
    visit(k, values);
  }
}

}  // namespace

std::vector<long> sampled_columns(long size, int count) {
  std::vector<long> all;
  if (size <= count) {
    all.resize(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0L);
    return all;
  }
  std::set<long> chosen{0, size - 1};
  std::mt19937_64 random(static_cast<std::uint64_t>(size));
  while (static_cast<int>(chosen.size()) < count)
    chosen.insert(static_cast<long>(random() % static_cast<std::uint64_t>(size)));
  return {chosen.begin(), chosen.end()};
}

template <class T>
std::uint64_t fingerprint_of(MPI_Comm comm, const ColumnMatrix<T>& factor) {
  std::uint64_t sum = 0;
  each_column(factor, [&](long k, const T* l) {
    for (long i = k; i < factor.size(); ++i) {
      const std::uint64_t place =
          static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(k);
      sum += mixed_bits(bits_of(l[i - k]) ^ mixed_bits(place));
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

template <class T>
long column_not_positive(MPI_Comm comm, const ColumnMatrix<T>& factor) {
  long first = factor.size();
  const CholeskyColumns<T>& own = factor.columns();
  std::vector<T> diagonals(static_cast<std::size_t>(own.count));
  for (long column = 0; column < own.count; ++column)
    factor.device().copy(&diagonals[static_cast<std::size_t>(column)],
                         factor.at(own.dealt.global(column), column), sizeof(T), factor.stream());
  factor.device().fence(factor.stream());
  for (long column = own.count - 1; column >= 0; --column) {
    const double diagonal = diagonals[static_cast<std::size_t>(column)];
    if (!(diagonal > 0) || !std::isfinite(diagonal)) first = own.dealt.global(column);
  }
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_LONG, MPI_MIN, comm);
  return first < factor.size() ? first : -1;
}

template <class T>
double cholesky_residual(MPI_Comm comm, const ColumnMatrix<T>& factor, double diagonal,
                         const std::vector<long>& columns) {
  const auto size = static_cast<std::size_t>(factor.size());
  const std::size_t count = columns.size();
  std::vector<double> product(size * count), factors(count);  // a row's values side by side
  each_column(factor, [&](long k, const T* l) {
    // What L holds of the columns as rows; above the diagonal it is 0.
    std::size_t first = count;
    for (std::size_t c = count; c-- > 0 && columns[c] >= k; first = c)
      factors[c] = static_cast<double>(l[columns[c] - k]);
    if (first == count) return;
    for (long i = k; i < factor.size(); ++i) {
      const auto value = static_cast<double>(l[i - k]);
      double* const row = &product[static_cast<std::size_t>(i) * count];
      for (std::size_t c = first; c < count; ++c) row[c] += value * factors[c];
    }
  });
  // In parts that MPI counts in int.
  constexpr std::size_t part = std::size_t{1} << 26;
  for (std::size_t at = 0; at < product.size(); at += part)
    MPI_Allreduce(MPI_IN_PLACE, &product[at], static_cast<int>(std::min(part, product.size() - at)),
                  MPI_DOUBLE, MPI_SUM, comm);
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t c = 0; c < count; ++c) {
      const auto element =
          static_cast<T>(cholesky_element(static_cast<long>(i), columns[c], diagonal));
      const double difference = std::abs(static_cast<double>(element) - product[i * count + c]);
      error = difference <= error ? error : difference;  // NaN stays
      largest = std::max(largest, std::abs(static_cast<double>(element)));
    }
  return error / (static_cast<double>(size) *
                  static_cast<double>(std::numeric_limits<T>::epsilon()) * largest);
}

template double cholesky_residual(MPI_Comm, const ColumnMatrix<float>&, double,
                                  const std::vector<long>&);
template double cholesky_residual(MPI_Comm, const ColumnMatrix<double>&, double,
                                  const std::vector<long>&);
template std::uint64_t fingerprint_of(MPI_Comm, const ColumnMatrix<float>&);
template std::uint64_t fingerprint_of(MPI_Comm, const ColumnMatrix<double>&);
template long column_not_positive(MPI_Comm, const ColumnMatrix<float>&);
template long column_not_positive(MPI_Comm, const ColumnMatrix<double>&);

}  // namespace bellwether
