// SPDX-License-Identifier: MIT
#include "miniapps/amg/matrices/operation_matrix.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "miniapps/amg/hypre/hypre_library.hpp"
#include "miniapps/amg/hypre/hypre_timer.hpp"
#include "miniapps/amg/matrices/synthetic_matrix.hpp"

namespace bellwether {
namespace {

using namespace synthetic;

/// Made on the host.
class TimedMatrix : public AmgMatrix {
 public:
  double seconds(AmgOperation operation) final {
    timer_.restart();
    (void)timer_.mark();
    run(operation);
    (void)timer_.mark();
    timer_.wait();
    return timer_.seconds(0, 1);
  }

 protected:
  /// What was made goes where hypre is.
  static void move_to_hypre(hypre_ParCSRMatrix* matrix) {
    hypre_ParCSRMatrixMigrate(matrix, hypre_memory());
  }
  static void move_to_hypre(hypre_ParVector* vector) {
    if (vector != nullptr) hypre_ParVectorMigrate(vector, hypre_memory());
  }

 private:
  HypreTimer timer_;
};

class OperationMatrix final : public TimedMatrix {
 public:
  OperationMatrix(MPI_Comm comm, const AmgShape& shape)
      : all_(comm),
        matrix_(make_matrix(all_, shape)),
        x_(make_vector(all_, columns_of(shape), 1)),
        y_(make_vector(all_, shape.rows, 2)) {
    if (shape.role == AmgRole::level) {
      f_ = make_vector(all_, shape.rows, 3);
      for (Vector& vector : work_) vector = make_vector(all_, shape.rows, 4);
      norms_ = make_vector(all_, shape.rows, 5);
      set_l1_norms(shape.rows);
    }
    move_to_hypre(matrix_.get());
    for (const Vector* const vector : {&x_, &y_, &f_, &work_[0], &work_[1], &work_[2], &norms_})
      move_to_hypre(vector->get());
    // As in a run: else each restriction would transpose.
    if (shape.role == AmgRole::interpolation && hypre_gpu() != nullptr)
      hypre_ParCSRMatrixLocalTranspose(matrix_.get());
    check("a matrix where hypre is");
    if (shape.role == AmgRole::interpolation) return;
    constexpr double most = 2, least = 0.1;  // eigenvalues, scaled by the diagonal
    hypre_ParCSRRelax_Cheby_Setup(matrix_.get(), most, least, 0.3, chebyshev_order, 1, 0,
                                  &chebyshev_coefficients_, &chebyshev_scale_);
    check("hypre_ParCSRRelax_Cheby_Setup");
  }
  ~OperationMatrix() override {
    hypre_TFree(chebyshev_coefficients_, HYPRE_MEMORY_HOST);
    hypre_TFree(chebyshev_scale_, hypre_memory());
  }
  OperationMatrix(const OperationMatrix&) = delete;
  OperationMatrix& operator=(const OperationMatrix&) = delete;

  void run(AmgOperation operation) override {
    switch (operation) {
      case AmgOperation::spmv:
        hypre_ParCSRMatrixMatvecOutOfPlace(-1, matrix_.get(), x_.get(), 1, f_.get(), y_.get());
        break;
      case AmgOperation::gauss_seidel:
        relax(3, nullptr);
        break;
      case AmgOperation::jacobi:
        relax(18, hypre_VectorData(hypre_ParVectorLocalVector(norms_.get())));
        break;
      case AmgOperation::chebyshev:
        hypre_ParCSRRelax_Cheby_Solve(matrix_.get(), f_.get(), chebyshev_scale_,
                                      chebyshev_coefficients_, chebyshev_order, 1, 0, x_.get(),
                                      y_.get(), work_[0].get(), work_[1].get(), work_[2].get());
        break;
      case AmgOperation::interpolate:
        hypre_ParCSRMatrixMatvec(1, matrix_.get(), x_.get(), 1, y_.get());
        break;
      case AmgOperation::restriction:
        hypre_ParCSRMatrixMatvecT(1, matrix_.get(), y_.get(), 0, x_.get());
        break;
    }
    check("an operation of a cycle");
  }

 private:
  void set_l1_norms(int rows) {
    const hypre_CSRMatrix* const own = hypre_ParCSRMatrixDiag(matrix_.get());
    double* const norms = hypre_VectorData(hypre_ParVectorLocalVector(norms_.get()));
    for (int row = 0; row < rows; ++row)
      norms[row] = std::accumulate(hypre_CSRMatrixData(own) + hypre_CSRMatrixI(own)[row],
                                   hypre_CSRMatrixData(own) + hypre_CSRMatrixI(own)[row + 1], 0.,
                                   [](double sum, double value) { return sum + std::abs(value); });
  }
  /// By hypre's number.
  void relax(HYPRE_Int type, double* l1_norms) {
    hypre_BoomerAMGRelax(matrix_.get(), f_.get(), nullptr, type, 0, 1, 1, l1_norms, x_.get(),
                         y_.get(), work_[0].get());
  }

  static constexpr int chebyshev_order = 2;  // hypre's default

  Neighbours all_;
  Matrix matrix_;
  Vector x_, y_, f_, norms_;
  std::array<Vector, 3> work_;
  HYPRE_Real *chebyshev_coefficients_ = nullptr, *chebyshev_scale_ = nullptr;
};

}  // namespace

bool has_amg_matrices(const Device& device) {
  return device.is_host() || HypreLibrary::computes_on(device.description());
}

std::unique_ptr<AmgMatrix> make_amg_matrix(MPI_Comm comm, const AmgShape& shape, Device& device) {
  begin_hypre(device.is_host() ? nullptr : &device);
  return std::make_unique<OperationMatrix>(comm, shape);
}

int amg_threads() { return hypre_NumThreads(); }

}  // namespace bellwether
