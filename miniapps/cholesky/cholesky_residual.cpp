// SPDX-License-Identifier: MIT
#include "miniapps/cholesky/cholesky_residual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "miniapps/comm/reduce.hpp"

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
      factor.device().copy_and_wait(copy.data(), values, copy.size() * sizeof(T), factor.stream());
      values = copy.data();
    }
    visit(k, values);
  }
}

/// From 1/2 to 1 with either sign: of no element of a vector the error counts for little.
double random_factor(std::uint64_t place) {
  const std::uint64_t bits = mixed_bits(place);
  const double size = 0.5 + 0x1p-54 * static_cast<double>(bits >> 11);
  return (bits & 1) != 0 ? size : -size;
}

}  // namespace

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
  return sum_of_hashes(comm, sum);
}

template <class T>
long column_not_positive(MPI_Comm comm, const ColumnMatrix<T>& factor) {
  long first = factor.size();
  const CholeskyColumns<T>& own = factor.columns();
  const Buffer<T> diagonals(factor.device(), static_cast<std::size_t>(std::max(1L, own.count)),
                            true);
  for (long column = 0; column < own.count; ++column)
    factor.device().copy(diagonals.data() + column, factor.at(own.dealt.global(column), column),
                         sizeof(T), factor.stream());
  factor.device().fence(factor.stream());
  for (long column = own.count - 1; column >= 0; --column) {
    const double diagonal = diagonals.data()[column];
    if (!(diagonal > 0) || !std::isfinite(diagonal)) first = own.dealt.global(column);
  }
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_LONG, MPI_MIN, comm);
  return first < factor.size() ? first : -1;
}

template <class T>
double cholesky_residual(MPI_Comm comm, const ColumnMatrix<T>& factor, double diagonal) {
  using Pair = std::array<double, 2>;  // of the two vectors, a row's values side by side
  const auto size = static_cast<std::size_t>(factor.size());
  std::vector<Pair> x(size), left(size);
  for (std::size_t i = 0; i < size; ++i)
    for (const std::size_t v : {0, 1}) x[i][v] = random_factor(2 * i + v);
  each_column(factor, [&](long k, const T* l) {
    Pair l_x{}, a_x{};
    for (long i = k; i < factor.size(); ++i) {
      const auto value = static_cast<double>(l[i - k]);
      const auto element = static_cast<double>(static_cast<T>(cholesky_element(i, k, diagonal)));
      for (const int v : {0, 1}) {
        l_x[v] += value * x[i][v];
        if (i > k) a_x[v] += element * x[i][v];  // the triangle above
        left[i][v] += element * x[k][v];
      }
    }
    for (long i = k; i < factor.size(); ++i)
      for (const int v : {0, 1}) left[i][v] -= static_cast<double>(l[i - k]) * l_x[v];
    for (const int v : {0, 1}) left[k][v] += a_x[v];
  });
  // In parts that MPI counts in int.
  constexpr std::size_t part = std::size_t{1} << 26;
  for (std::size_t at = 0; at < size; at += part)
    MPI_Allreduce(MPI_IN_PLACE, left[at].data(), static_cast<int>(2 * std::min(part, size - at)),
                  MPI_DOUBLE, MPI_SUM, comm);
  double error = 0;
  for (const Pair& row : left)
    for (const double one : row)
      error = std::abs(one) <= error ? error : std::abs(one);  // NaN stays
  const double largest = std::max(0.5, diagonal);              // of A
  return error / (std::sqrt(static_cast<double>(size)) *
                  static_cast<double>(std::numeric_limits<T>::epsilon()) * largest);
}

template double cholesky_residual(MPI_Comm, const ColumnMatrix<float>&, double);
template double cholesky_residual(MPI_Comm, const ColumnMatrix<double>&, double);
template std::uint64_t fingerprint_of(MPI_Comm, const ColumnMatrix<float>&);
template std::uint64_t fingerprint_of(MPI_Comm, const ColumnMatrix<double>&);
template long column_not_positive(MPI_Comm, const ColumnMatrix<float>&);
template long column_not_positive(MPI_Comm, const ColumnMatrix<double>&);

}  // namespace bellwether
