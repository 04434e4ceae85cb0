// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre/hypre_matrix.hpp"

#include <_hypre_parcsr_mv.h>
#include <_hypre_utilities.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "miniapps/amg/hypre/hypre_library.hpp"
#include "miniapps/amg/hypre/hypre_timer.hpp"
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

/// Values where hypre takes them from: on a GPU a copy, on the host themselves, which outlive it,
/// but for integers of another kind. Throws BadEnvironment where the memory does not suffice.
template <class T>
class HypreCopy {
 public:
  template <class Value>
  explicit HypreCopy(const std::vector<Value>& values) {
    if constexpr (std::is_same_v<T, Value>) {
      copy(values);
    } else {
      converted_.assign(values.begin(), values.end());
      copy(converted_);
    }
  }
  ~HypreCopy() {
    if (is_own_) hypre_TFree(data_, hypre_memory());
  }
  HypreCopy(const HypreCopy&) = delete;
  HypreCopy& operator=(const HypreCopy&) = delete;

  [[nodiscard]] T* data() const { return data_; }

 private:
  void copy(const std::vector<T>& values) {
    is_own_ = hypre_memory() != HYPRE_MEMORY_HOST;
    data_ =
        is_own_ ? hypre_TAlloc(T, values.size(), hypre_memory()) : const_cast<T*>(values.data());
    if (data_ == nullptr && !values.empty()) check_hypre("hypre_TAlloc", HYPRE_ERROR_MEMORY);
    if (!is_own_) return;
    hypre_TMemcpy(data_, values.data(), T, values.size(), hypre_memory(), HYPRE_MEMORY_HOST);
    check_hypre("hypre_TMemcpy", HYPRE_GetError());
  }

  std::vector<T> converted_;
  bool is_own_ = false;
  T* data_ = nullptr;
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
  check_hypre("hypre_TMemcpy", HYPRE_GetError());
  return all;
}

void HypreVector::set_values(std::span<const double> values) {
  hypre_Vector* const local = local_of(vector_);
  if (values.size() != static_cast<std::size_t>(hypre_VectorSize(local)))
    throw std::logic_error("HypreVector: values of another vector");
  hypre_TMemcpy(hypre_VectorData(local), values.data(), double, values.size(), hypre_memory(),
                HYPRE_MEMORY_HOST);
  check_hypre("hypre_TMemcpy", HYPRE_GetError());
}

void HypreVector::set_zero() {
  check_hypre("HYPRE_ParVectorSetConstantValues", HYPRE_ParVectorSetConstantValues(vector_, 0));
}

HypreMatrix::HypreMatrix(MPI_Comm comm, const AmgRows& rows) {
  require_numbers(rows.rows());
  const long long begin = rows.begin(), end = rows.end();
  (void)as_int(end - begin, "rows");
  check_hypre("HYPRE_IJMatrixCreate",
              HYPRE_IJMatrixCreate(comm, big(begin), big(end - 1), big(begin), big(end - 1), &ij_));
  check_hypre("HYPRE_IJMatrixSetObjectType", HYPRE_IJMatrixSetObjectType(ij_, HYPRE_PARCSR));
  if (hypre_memory() == HYPRE_MEMORY_HOST) set_sizes(rows);  // on a GPU hypre counts for itself
  check_hypre("HYPRE_IJMatrixInitialize", HYPRE_IJMatrixInitialize(ij_));
  fill(rows);
  check_hypre("HYPRE_IJMatrixAssemble", HYPRE_IJMatrixAssemble(ij_));
  check_hypre("HYPRE_IJMatrixGetObject",
              HYPRE_IJMatrixGetObject(ij_, reinterpret_cast<void**>(&matrix_)));
  HypreTimer().wait();
}

/// Exactly so many: room that is left would stay in the matrix as entries.
void HypreMatrix::set_sizes(const AmgRows& rows) {
  const long long begin = rows.begin(), end = rows.end();
  std::vector<HYPRE_Int> own, others;
  long long entries = 0;
  for_each_stretch(rows, [&](long long, const AmgStretch& all) {
    entries += static_cast<long long>(all.columns.size());
    auto column = all.columns.begin();
    for (const int count : all.counts) {
      const auto here = std::count_if(column, column + count,
                                      [&](long long one) { return one >= begin && one < end; });
      column += count;
      own.push_back(static_cast<HYPRE_Int>(here));
      others.push_back(count - static_cast<HYPRE_Int>(here));
    }
  });
  (void)as_int(entries, "entries");
  check_hypre("HYPRE_IJMatrixSetDiagOffdSizes",
              HYPRE_IJMatrixSetDiagOffdSizes(ij_, own.data(), others.data()));
}

void HypreMatrix::fill(const AmgRows& rows) {
  long long entries = 0;
  std::vector<HYPRE_BigInt> numbers, columns;
  for_each_stretch(rows, [&](long long first, const AmgStretch& all) {
    entries += static_cast<long long>(all.columns.size());
    (void)as_int(entries, "entries");
    numbers.resize(all.counts.size());
    std::iota(numbers.begin(), numbers.end(), big(first));
    columns.resize(all.columns.size());
    std::transform(all.columns.begin(), all.columns.end(), columns.begin(), big);
    check_hypre("HYPRE_IJMatrixSetValues2",
                HYPRE_IJMatrixSetValues2(ij_, static_cast<HYPRE_Int>(all.counts.size()),
                                         HypreCopy<HYPRE_Int>(all.counts).data(),
                                         HypreCopy<HYPRE_BigInt>(numbers).data(), nullptr,
                                         HypreCopy<HYPRE_BigInt>(columns).data(),
                                         HypreCopy<HYPRE_Complex>(all.values).data()));
  });
}

HypreMatrix::~HypreMatrix() { HYPRE_IJMatrixDestroy(ij_); }

}  // namespace bellwether
