// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/airfoil/airfoil_checks.hpp"
#include "kernels/airfoil/airfoil_gather.hpp"
#include "kernels/airfoil/airfoil_loops.hpp"

namespace bellwether {

/// The loops on a backend, which has those of every family (cuda::Loops) and
///     elements(name, range, loop, stream)    loop(n) for the elements of a range
///     cells_of(name, range, loop, stream)    the same, of a loop that may have a form for
///     registers edges(name, range, loop, stream)       loop's increments, as EdgeRange says
template <class T, class Backend>
class AirfoilKernelsOn final : public AirfoilKernels<T> {
 public:
  explicit AirfoilKernelsOn(Device& device) : on_(device) {}

  void set_free_stream(ElementRange cells, T* q, Stream& stream) override {
    on_.elements("airfoil set_free_stream", cells, AirfoilSetCells<T>{q, c_.free_stream}, stream);
  }
  void clear(ElementRange cells, T* res, Stream& stream) override {
    on_.elements("airfoil clear", cells, AirfoilSetCells<T>{res, {0, 0, 0, 0}}, stream);
  }
  void set_sides(ElementRange edges, const std::int32_t* nodes, const T* x, T* sides,
                 Stream& stream) override {
    on_.elements("airfoil set_sides", edges, AirfoilSides<T>{nodes, x, sides}, stream);
  }
  void set_perimeters(ElementRange cells, const AirfoilCells<T>& where, T* perimeters,
                      Stream& stream) override {
    on_.elements("airfoil set_perimeters", cells, AirfoilPerimeters<T>{where, perimeters}, stream);
  }
  void save_soln(ElementRange cells, const T* q, T* q_old, Stream& stream) override {
    on_.elements("airfoil save_soln", cells, AirfoilCopyCells<T>{q, q_old}, stream);
  }
  void adt_calc(ElementRange cells, const AirfoilCells<T>& where, const T* q, T* adt,
                Stream& stream) override {
    on_.cells_of("airfoil adt_calc", cells, AirfoilAdtCalc<T>{where, c_, q, adt}, stream);
  }
  void res_calc(const EdgeRange& range, const AirfoilEdges<T>& edges, const T* q, const T* adt,
                T* res, Stream& stream) override {
    on_.edges("airfoil res_calc", range, AirfoilResCalc<T>{edges, q, adt, res, c_}, stream);
  }
  void bres_calc(const EdgeRange& range, const AirfoilBoundary<T>& edges, const T* q, const T* adt,
                 T* res, Stream& stream) override {
    on_.edges("airfoil bres_calc", range, AirfoilBresCalc<T>{edges, q, adt, res, c_}, stream);
  }
  void update(ElementRange cells, const T* q_old, const T* adt, T* q, T* res, T* change,
              Stream& stream) override {
    on_.cells_of("airfoil update", cells,
                 AirfoilUpdate<false, T>{{}, c_, q_old, const_cast<T*>(adt), q, res, change},
                 stream);
  }
  void update_adt(ElementRange cells, const AirfoilCells<T>& where, const T* q_old, T* adt, T* q,
                  T* res, T* change, Stream& stream) override {
    on_.cells_of("airfoil update_adt", cells,
                 AirfoilUpdate<true, T>{where, c_, q_old, adt, q, res, change}, stream);
  }
  void gather_res(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q, const T* adt,
                  T* res, Stream& stream) override {
    on_.cells_of("airfoil gather_res", cells, AirfoilGatherRes<T>{{round, q, adt, c_}, res},
                 stream);
  }
  void stage(ElementRange cells, const AirfoilSurroundings<T>& round, const T* q_old, const T* q,
             const T* adt, T* q_new, T* adt_new, Stream& stream) override {
    on_.cells_of("airfoil stage", cells,
                 AirfoilStage<T>{{round, q, adt, c_}, q_old, q_new, adt_new}, stream);
  }
  double sum(ElementRange cells, const T* values, Stream& stream) override {
    return sum_parts(cells, AirfoilCellValue<T>{cells, values}, stream).value;
  }
  AirfoilSums sums(ElementRange cells, const T* values, const T* weights, Stream& stream) override {
    return sum_parts(cells, AirfoilCellSums<T>{cells, values, weights}, stream);
  }
  std::uint64_t fingerprint(ElementRange cells, const T* values, const std::int64_t* global,
                            Stream& stream) override {
    return on_.sum("airfoil fingerprint", {{0, 0, 0}, {cells.count(), 1, 1}},
                   AirfoilHash<T>{cells, values, global}, stream);
  }

 private:
  template <class Function>
  auto sum_parts(ElementRange cells, const Function& function, Stream& stream) {
    return on_.sum_parts("airfoil sums", block_count(cells, airfoil_sum_part), airfoil_sum_part,
                         function, stream);
  }

  const AirfoilConstants<T> c_ = airfoil_constants<T>();
  Backend on_;
};

}  // namespace bellwether
