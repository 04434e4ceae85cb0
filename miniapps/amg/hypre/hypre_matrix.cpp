// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre/hypre_matrix.hpp"

#include <_hypre_parcsr_mv.h>
#include <_hypre_utilities.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "miniapps/amg/hypre/hypre_library.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

/// What hypre's own integers can hold.
HYPRE_Int as_int(long long number, const char* what) {
  if (number > std::numeric_limits<HYPRE_Int>::max())
    throw BadInput(
        fmt::format("{}: found {} of a rank, expected at most {} (this hypre's integers "
                    "have {} bits)",
                    what, number, std::numeric_limits<HYPRE_Int>::max(), 8 * sizeof(HYPRE_Int)));
  return static_cast<HYPRE_Int>(number);
}

void require_numbers(long long rows) {
  if (rows > std::numeric_limits<HYPRE_BigInt>::max())
    throw BadInput(
        fmt::format("found {} rows, expected at most {}: this hypre was built without "
                    "--enable-bigint",
                    rows, std::numeric_limits<HYPRE_BigInt>::max()));
}

HYPRE_BigInt big(long long number) { return static_cast<HYPRE_BigInt>(number); }

/// A copy of values where hypre is.
template <class T>
class HypreCopy {
 public:
  explicit HypreCopy(const std::vector<T>& values)
      : data_(hypre_TAlloc(T, values.size(), hypre_memory())) {
    hypre_TMemcpy(data_, values.data(), T, values.size(), hypre_memory(), HYPRE_MEMORY_HOST);
  }
  ~HypreCopy() { hypre_TFree(data_, hypre_memory()); }
  HypreCopy(const HypreCopy&) = delete;
  HypreCopy& operator=(const HypreCopy&) = delete;

  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
};

hypre_Vector* local_of(HYPRE_ParVector vector) {
  return hypre_ParVectorLocalVector(reinterpret_cast<hypre_ParVector*>(vector));
}

}  // namespace

HypreVector::HypreVector(MPI_Comm comm, const AmgRows& rows) {
  require_numbers(rows.rows());
  check_hypre("HYPRE_IJVectorCreate",
              HYPRE_IJVectorCreate(comm, big(rows.begin()), big(rows.end() - 1), &ij_));
  check_hypre("HYPRE_IJVectorSetObjectType", HYPRE_IJVectorSetObjectType(ij_, HYPRE_PARCSR));
  check_hypre("HYPRE_IJVectorInitialize", HYPRE_IJVectorInitialize(ij_));
  check_hypre("HYPRE_IJVectorAssemble", HYPRE_IJVectorAssemble(ij_));
  check_hypre("HYPRE_IJVectorGetObject",
              HYPRE_IJVectorGetObject(ij_, reinterpret_cast<void**>(&vector_)));
}

HypreVector::~HypreVector() { HYPRE_IJVectorDestroy(ij_); }

std::vector<double> HypreVector::values() const {
  hypre_Vector* const local = local_of(vector_);
  std::vector<double> all(static_cast<std::size_t>(hypre_VectorSize(local)));
  hypre_TMemcpy(all.data(), hypre_VectorData(local), double, all.size(), HYPRE_MEMORY_HOST,
                hypre_memory());
  return all;
}

void HypreVector::set_values(std::span<const double> values) {
  hypre_Vector* const local = local_of(vector_);
  if (values.size() != static_cast<std::size_t>(hypre_VectorSize(local)))
    throw std::logic_error("HypreVector: values of another vector");
  hypre_TMemcpy(hypre_VectorData(local), values.data(), double, values.size(), hypre_memory(),
                HYPRE_MEMORY_HOST);
}

void HypreVector::set_zero() {
  check_hypre("HYPRE_ParVectorSetConstantValues", HYPRE_ParVectorSetConstantValues(vector_, 0));
}

HypreMatrix::HypreMatrix(MPI_Comm comm, const AmgRows& rows) {
  require_numbers(rows.rows());
  const long long begin = rows.begin(), end = rows.end();
  std::vector<HYPRE_Int> own(as_int(end - begin, "rows")), others(own.size());
  std::vector<long long> columns;
  std::vector<double> values;
  long long entries = 0;
  for (long long i = begin; i < end; ++i) {
    entries += rows.row(i, columns, values);
    for (const long long column : columns)
      ++(column >= begin && column < end ? own : others)[static_cast<std::size_t>(i - begin)];
  }
  (void)as_int(entries, "entries");

  check_hypre("HYPRE_IJMatrixCreate",
              HYPRE_IJMatrixCreate(comm, big(begin), big(end - 1), big(begin), big(end - 1), &ij_));
  check_hypre("HYPRE_IJMatrixSetObjectType", HYPRE_IJMatrixSetObjectType(ij_, HYPRE_PARCSR));
  // Exactly so many: room that is left would stay in the matrix as entries. On a GPU hypre counts
  // for itself.
  if (hypre_memory() == HYPRE_MEMORY_HOST)
    check_hypre("HYPRE_IJMatrixSetDiagOffdSizes",
                HYPRE_IJMatrixSetDiagOffdSizes(ij_, own.data(), others.data()));
  check_hypre("HYPRE_IJMatrixInitialize", HYPRE_IJMatrixInitialize(ij_));
  fill(rows);
  check_hypre("HYPRE_IJMatrixAssemble", HYPRE_IJMatrixAssemble(ij_));
  check_hypre("HYPRE_IJMatrixGetObject",
              HYPRE_IJMatrixGetObject(ij_, reinterpret_cast<void**>(&matrix_)));
}

/// Many rows at once, which a GPU needs, but not all, for which the host need not have the memory.
void HypreMatrix::fill(const AmgRows& rows) {
  constexpr long long most_rows = 1 << 16;
  std::vector<long long> columns;
  std::vector<double> values;
  for (long long first = rows.begin(); first < rows.end(); first += most_rows) {
    std::vector<HYPRE_Int> counts;
    std::vector<HYPRE_BigInt> numbers, all_columns;
    std::vector<HYPRE_Complex> all_values;
    for (long long i = first; i < std::min(rows.end(), first + most_rows); ++i) {
      counts.push_back(rows.row(i, columns, values));
      numbers.push_back(big(i));
      all_columns.insert(all_columns.end(), columns.begin(), columns.end());
      all_values.insert(all_values.end(), values.begin(), values.end());
    }
    check_hypre(
        "HYPRE_IJMatrixSetValues2",
        HYPRE_IJMatrixSetValues2(ij_, static_cast<HYPRE_Int>(counts.size()),
                                 HypreCopy(counts).data(), HypreCopy(numbers).data(), nullptr,
                                 HypreCopy(all_columns).data(), HypreCopy(all_values).data()));
  }
}

HypreMatrix::~HypreMatrix() { HYPRE_IJMatrixDestroy(ij_); }

}  // namespace bellwether
