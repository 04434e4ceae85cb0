// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/cuda/cuda_check.cuh"
#include "kernels/launch/cuda/cuda_knobs.hpp"
#include "kernels/launch/cuda/cuda_launcher.cuh"
#include "kernels/launch/grid.hpp"

namespace bellwether::cuda {

using StarBlocks = CellBlocks<BlockShape{BELLWETHER_STAR_THREADS, BELLWETHER_STAR_ROW_THREADS},
                              BELLWETHER_STAR_RESIDENT>;
static_assert(BELLWETHER_STAR_PLANES >= 1 && BELLWETHER_STAR_PLANES <= 1024 &&
                  (BELLWETHER_STAR_PLANES & (BELLWETHER_STAR_PLANES - 1)) == 0 &&
                  BELLWETHER_STAR_TILES >= 1,
              "a thread takes a power of two of planes; a multiprocessor has a tile at least");

/// The 16 bytes that a thread can move with one instruction, as registers.
template <class T>
struct Vector;
template <>
struct Vector<float> {
  using Word = float4;
  static constexpr int size = 4;
  float at[size];
};
template <>
struct Vector<double> {
  using Word = double2;
  static constexpr int size = 2;
  double at[size];
};

/// Both pointers are aligned to 16 bytes. What is loaded is not written by the same kernel: the
/// loads may then be moved before stores, and more of them are in flight.
template <class T>
__device__ Vector<T> load_vector(const T* from) {
  const auto word = __ldg(reinterpret_cast<const typename Vector<T>::Word*>(from));
  if constexpr (sizeof(T) == 4)
    return {{word.x, word.y, word.z, word.w}};
  else
    return {{word.x, word.y}};
}

/// Streaming stores leave the caches to what is read.
template <Stores stores, class T>
__device__ void store_vector(T* to, const Vector<T>& from) {
  typename Vector<T>::Word word;
  if constexpr (sizeof(T) == 4)
    word = {from.at[0], from.at[1], from.at[2], from.at[3]};
  else
    word = {from.at[0], from.at[1]};
  auto* at = reinterpret_cast<typename Vector<T>::Word*>(to);
  if constexpr (stores == Stores::streaming && BELLWETHER_STAR_EVICT_FIRST)
    __stcs(at, word);
  else if constexpr (stores == Stores::streaming)
    __stcg(at, word);
  else
    *at = word;
}

/// The rows that a body of a 7-point star reads for row (j, k): pointers to their cell 0.
template <class T>
struct StarRows {
  const T* centre;
  const T* south;
  const T* north;
  const T* below;
  const T* above;
};

/// out(i, j, k) = body.row(j, k)(i) for a body that reads a 7-point star, 16 bytes of a row at
/// once. A thread goes up through planes and keeps the rows below, centre and above in registers,
/// so a plane comes from memory once; the row after next may be on its way meanwhile; south and
/// north come from L1, where the block's other threads have put them. The body's own row functor
/// computes the values, its pointers turned to registers, so that they are bitwise those of every
/// other schedule.
///
/// For a Row the family gives (in namespace bellwether): star_rows(row), its pointers;
/// with_rows(row, rows), the row with others; and wrapped_cells(row), the cells in x where it
/// wraps, else 0. From plane to plane all rows move by plane_pitch, but for `below` of a box's
/// first plane and `above` of its last, which may be anywhere.
template <Stores stores, class Body, class Cut>
__global__ void __launch_bounds__(StarBlocks::threads, StarBlocks::blocks)
    store_star_kernel(Body body, typename Body::value_type* out, std::ptrdiff_t row_pitch,
                      std::ptrdiff_t plane_pitch, Cut cut) {
  using T = typename Body::value_type;
  constexpr int size = Vector<T>::size;
  const Tiling::Part part = cut.part(blockIdx.x, static_cast<int>(threadIdx.x));
  if (part.begin == part.end) return;
  const int i = part.i;
  const bool whole = i >= part.low_x && size <= part.high_x - i;

  const auto row = body.row(part.j, part.begin);
  const StarRows<T> rows = star_rows(row);
  const T* const last_above = star_rows(body.row(part.j, part.end - 1)).above + i;
  const T* centre_at = rows.centre + i;
  const T* south_at = rows.south + i;
  const T* north_at = rows.north + i;
  T* to = out + i + part.j * row_pitch + part.begin * plane_pitch;
  // Where x wraps, cell 0 follows the last cell and the last cell precedes cell 0. `seam` is the
  // lane after the last cell, if it is one of this thread's.
  const int wrap = wrapped_cells(row);
  const int west = wrap != 0 && i == 0 ? wrap - 1 : -1;
  const int seam = wrap - i;
  const int east = seam == size ? -i : size;

  Vector<T> below = load_vector(rows.below + i);
  Vector<T> centre = load_vector(centre_at);
  constexpr bool ahead = BELLWETHER_STAR_AHEAD != 0;
  Vector<T> above{};
  if constexpr (ahead) above = load_vector(rows.above + i);
#pragma unroll 1
  for (int left = part.end - part.begin; left > 0; --left) {
    Vector<T> after{};
    if constexpr (!ahead)
      above = load_vector(left > 1 ? centre_at + plane_pitch : last_above);
    else if (left > 1)
      after = load_vector(left > 2 ? centre_at + 2 * plane_pitch : last_above);
    const Vector<T> south = load_vector(south_at);
    const Vector<T> north = load_vector(north_at);
    T line[size + 2];
    line[0] = __ldg(centre_at + west);
    line[size + 1] = __ldg(centre_at + east);
    const T cell_0 = seam > 0 && seam < size ? __ldg(centre_at - i) : T(0);
    line[1] = centre.at[0];
    for (int lane = 1; lane < size; ++lane)
      line[lane + 1] = lane == seam ? cell_0 : centre.at[lane];

    const auto registers =
        with_rows(row, StarRows<T>{line + 1, south.at, north.at, below.at, above.at});
    Vector<T> result;
    for (int lane = 0; lane < size; ++lane) result.at[lane] = registers.inner(lane);
    if (whole) {
      store_vector<stores>(to, result);
    } else {
      for (int lane = 0; lane < size; ++lane)
        if (i + lane >= part.low_x && i + lane < part.high_x) to[lane] = result.at[lane];
    }
    below = centre;
    centre = above;
    above = after;
    centre_at += plane_pitch;
    south_at += plane_pitch;
    north_at += plane_pitch;
    to += plane_pitch;
  }
}

/// Runs it for the cells of the boxes, parts of the interior; `out` is the start of a storage.
template <class Body>
void store_star(const char* name, const Body& body, typename Body::value_type* out,
                const GridLayout& layout, const Boxes& boxes, Stores stores, Stream& stream) {
  const auto launch_on = [&]<class Cut>(const Cut& cut) {
    const auto kernel = stores == Stores::streaming
                            ? store_star_kernel<Stores::streaming, Body, Cut>
                            : store_star_kernel<Stores::cached, Body, Cut>;
    launch_blocks<StarBlocks::threads>(name, cut.tiles, stream, kernel, body, out + layout.origin(),
                                       layout.row_pitch(), layout.plane_pitch(), cut);
  };
  constexpr std::size_t tiles = BELLWETHER_STAR_TILES;  // for each multiprocessor
  launch::with_tilings(boxes, Vector<typename Body::value_type>::size, BELLWETHER_STAR_PLANES,
                       tiles * static_cast<std::size_t>(multiprocessors()), StarBlocks::shape,
                       launch_on);
}

}  // namespace bellwether::cuda
