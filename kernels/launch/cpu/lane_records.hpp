// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch/cpu/lane_shuffles.hpp"

// Records are 2 or 4 values that lie side by side in memory. As many of them as a register has
// lanes are loaded whole, wherever they lie, and transposed so that each register holds one value
// of all records: a load for each record and a few shuffles, where a gather makes a load for each
// value.

namespace bellwether::launch {

/// Value v of record l in lane l of at[v].
template <int size, class T>
struct LaneRecords {
  Lanes<T> at[size];
};

/// Rows of whole records, row r of the records r, r + 4, r + 8, …, as records; and back.
/// With two lanes: rows l and l + 2 are the halves of record l.
template <class T>
[[gnu::always_inline]] inline LaneRecords<4, T> transposed(const LaneRecords<4, T>& rows) {
  using shuffles::taken;
  if constexpr (lane_count<T> == 2) {
    using First = shuffles::OfPairs<0>;
    using Second = shuffles::OfPairs<1>;
    return {{taken<First, T>(rows.at[0], rows.at[1]), taken<Second, T>(rows.at[0], rows.at[1]),
             taken<First, T>(rows.at[2], rows.at[3]), taken<Second, T>(rows.at[2], rows.at[3])}};
  } else {
    using First = shuffles::InTurn<0, sizeof(T)>;
    using Second = shuffles::InTurn<1, sizeof(T)>;
    using Low = shuffles::Halves<0>;
    using High = shuffles::Halves<1>;
    const auto a = taken<First, T>(rows.at[0], rows.at[1]);
    const auto b = taken<Second, T>(rows.at[0], rows.at[1]);
    const auto c = taken<First, T>(rows.at[2], rows.at[3]);
    const auto d = taken<Second, T>(rows.at[2], rows.at[3]);
    if constexpr (sizeof(T) == 8)
      return {
          {taken<Low, T>(a, c), taken<Low, T>(b, d), taken<High, T>(a, c), taken<High, T>(b, d)}};
    else
      return {
          {taken<Low, T>(a, c), taken<High, T>(a, c), taken<Low, T>(b, d), taken<High, T>(b, d)}};
  }
}

/// Records of four values from rows: at(l) is where record l lies.
template <class T, class At>
[[gnu::always_inline]] inline LaneRecords<4, T> load_fours(const At& at) {
  const auto row = [&](int r) {
    if constexpr (lane_count<T> == 2)
      return load_all_lanes<T>(at(r % 2) + r / 2 * 2);
    else
      return shuffles::gathered<lane_count<T>, 4, T>(at, r, 4);
  };
  return transposed<T>({{row(0), row(1), row(2), row(3)}});
}
/// Likewise of two values.
template <class T, class At>
[[gnu::always_inline]] inline LaneRecords<2, T> load_pairs(const At& at) {
  using shuffles::gathered;
  using shuffles::taken;
  if constexpr (sizeof(T) == 8) {
    const Lanes<T> a = gathered<lane_count<T>, 2, T>(at, 0, 2);
    const Lanes<T> b = gathered<lane_count<T>, 2, T>(at, 1, 2);
    return {{taken<shuffles::OfPairs<0>, T>(a, b), taken<shuffles::OfPairs<1>, T>(a, b)}};
  } else {
    const Lanes<T> a = gathered<lane_count<T>, 2, T>(at, 0, 1);
    const Lanes<T> b = gathered<lane_count<T>, 2, T>(at, lane_count<T> / 2, 1);
    return {{taken<shuffles::EveryOther<0>, T>(a, b), taken<shuffles::EveryOther<1>, T>(a, b)}};
  }
}

/// Records that lie one behind the other from `from` on.
template <int size, class T>
[[gnu::always_inline]] inline LaneRecords<size, T> load_records(const T* from) {
  if constexpr (size == 4) {
    return load_fours<T>([from](int l) { return from + 4 * l; });
  } else {
    const auto a = load_all_lanes<T>(from), b = load_all_lanes<T>(from + lane_count<T>);
    return {{shuffles::taken<shuffles::EveryOther<0>, T>(a, b),
             shuffles::taken<shuffles::EveryOther<1>, T>(a, b)}};
  }
}
/// Record l from from + size * at[l * stride].
template <int size, class T>
[[gnu::always_inline]] inline LaneRecords<size, T> load_records(const T* from,
                                                                const std::int32_t* at,
                                                                int stride) {
  const auto place = [&](int l) { return from + size * std::ptrdiff_t{at[l * stride]}; };
  if constexpr (size == 4)
    return load_fours<T>(place);
  else
    return load_pairs<T>(place);
}
/// Lane l from from[at[l * stride]].
template <class T>
[[gnu::always_inline]] inline Lanes<T> load_each(const T* from, const std::int32_t* at,
                                                 int stride) {
  return shuffles::gathered<lane_count<T>, 1, T>([&](int l) { return from + at[l * stride]; }, 0,
                                                 1);
}

/// Calls visit(l, offset, values) for the records l in their order: `values` are those of record l
/// from its value `offset` on, all four where a register is that long.
template <class T, class Visit, std::size_t... part>
[[gnu::always_inline]] inline void visit_rows(const LaneRecords<4, T>& rows, const Visit& visit,
                                              std::index_sequence<part...>) {
  if constexpr (lane_count<T> == 2)
    (visit(part / 2, part % 2 * 2, rows.at[part % 2 * 2 + part / 2]), ...);
  else
    (visit(part, 0, shuffles::four_of<part / 4 * 4, T>(rows.at[part % 4])), ...);
}
template <class T, class Visit>
[[gnu::always_inline]] inline void visit_records(const LaneRecords<4, T>& records,
                                                 const Visit& visit) {
  visit_rows(transposed(records), visit,
             shuffles::Each < lane_count<T> == 2 ? 4 : lane_count < T >> {});
}
/// One behind the other from `to` on.
template <class T>
[[gnu::always_inline]] inline void store_records(T* to, const LaneRecords<4, T>& records) {
  visit_records(records, [to](auto l, auto offset, const auto& values) {
    std::memcpy(to + 4 * l + offset, &values, sizeof values);
  });
}

}  // namespace bellwether::launch
