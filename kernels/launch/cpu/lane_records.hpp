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

/// Whole records of four values: at[r] has the records r, r + 4, r + 8, …. With two lanes, at[l]
/// and at[l + 2] are the halves of record l.
template <class T>
struct RecordRows {
  Lanes<T> at[4];
};

/// Four registers, each four lanes of them transposed: what rows and records are of each other.
template <class T>
[[gnu::always_inline]] inline LaneRecords<4, T> transposed_fours(const Lanes<T> (&rows)[4]) {
  using shuffles::taken;
  if constexpr (lane_count<T> == 2) {
    using First = shuffles::OfPairs<0>;
    using Second = shuffles::OfPairs<1>;
    return {{taken<First, T>(rows[0], rows[1]), taken<Second, T>(rows[0], rows[1]),
             taken<First, T>(rows[2], rows[3]), taken<Second, T>(rows[2], rows[3])}};
  } else {
    using First = shuffles::InTurn<0, sizeof(T)>;
    using Second = shuffles::InTurn<1, sizeof(T)>;
    using Low = shuffles::Halves<0>;
    using High = shuffles::Halves<1>;
    const auto a = taken<First, T>(rows[0], rows[1]);
    const auto b = taken<Second, T>(rows[0], rows[1]);
    const auto c = taken<First, T>(rows[2], rows[3]);
    const auto d = taken<Second, T>(rows[2], rows[3]);
    if constexpr (sizeof(T) == 8)
      return {
          {taken<Low, T>(a, c), taken<Low, T>(b, d), taken<High, T>(a, c), taken<High, T>(b, d)}};
    else
      return {
          {taken<Low, T>(a, c), taken<High, T>(a, c), taken<Low, T>(b, d), taken<High, T>(b, d)}};
  }
}

template <class T>
[[gnu::always_inline]] inline LaneRecords<4, T> transposed(const RecordRows<T>& rows) {
  return transposed_fours<T>(rows.at);
}
template <class T>
[[gnu::always_inline]] inline RecordRows<T> rows_of(const LaneRecords<4, T>& records) {
  const auto rows = transposed_fours<T>(records.at);
  return {{rows.at[0], rows.at[1], rows.at[2], rows.at[3]}};
}
/// Each lane's value in all four of its record.
template <class T>
[[gnu::always_inline]] inline RecordRows<T> in_rows(const Lanes<T>& lanes) {
  using shuffles::taken;
  return {{taken<shuffles::OneOfFours<0>, T>(lanes, lanes),
           taken<shuffles::OneOfFours<1>, T>(lanes, lanes),
           taken<shuffles::OneOfFours<2>, T>(lanes, lanes),
           taken<shuffles::OneOfFours<3>, T>(lanes, lanes)}};
}

/// Records of four values: at(l) is where record l lies.
template <class T, class At>
[[gnu::always_inline]] inline RecordRows<T> load_rows_at(const At& at) {
  const auto row = [&](int r) {
    if constexpr (lane_count<T> == 2)
      return load_all_lanes<T>(at(r % 2) + r / 2 * 2);
    else
      return shuffles::gathered<lane_count<T>, 4, T>(at, r, 4);
  };
  return {{row(0), row(1), row(2), row(3)}};
}
/// Those that lie one behind the other from `from` on.
template <class T>
[[gnu::always_inline]] inline RecordRows<T> load_rows(const T* from) {
  return load_rows_at<T>([from](int l) { return from + 4 * l; });
}

/// Records of two values, of which each 128 bits in turn lie in a and in b, so that shuffles stay
/// within them.
template <class T>
[[gnu::always_inline]] inline LaneRecords<2, T> pairs_of(const Lanes<T>& a, const Lanes<T>& b) {
  using shuffles::taken;
  if constexpr (sizeof(T) == 8)
    return {{taken<shuffles::OfPairs<0>, T>(a, b), taken<shuffles::OfPairs<1>, T>(a, b)}};
  else
    return {{taken<shuffles::EveryOtherOfFours<0>, T>(a, b),
             taken<shuffles::EveryOtherOfFours<1>, T>(a, b)}};
}
/// at(l) is where record l lies.
template <class T, class At>
[[gnu::always_inline]] inline LaneRecords<2, T> load_pairs(const At& at) {
  const auto half = [&](int h) {
    constexpr int pairs = 8 / sizeof(T);  // of 128 bits
    return shuffles::gathered<lane_count<T>, 2, T>(
        [&](int n) { return at((n / pairs * 2 + h) * pairs + n % pairs); }, 0, 1);
  };
  return pairs_of<T>(half(0), half(1));
}

/// Records that lie one behind the other from `from` on.
template <int size, class T>
[[gnu::always_inline]] inline LaneRecords<size, T> load_records(const T* from) {
  if constexpr (size == 4) {
    return transposed(load_rows(from));
  } else if constexpr (lanes_bytes <= 32) {
    constexpr int values = 16 / sizeof(T);  // of 128 bits
    const auto half = [from](int h) {
      return shuffles::gathered<lane_count<T>, values, T>(
          [from](int n) { return from + values * n; }, h, 2);
    };
    return pairs_of<T>(half(0), half(1));
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
    return transposed(load_rows_at<T>(place));
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
[[gnu::always_inline]] inline void visit_rows(const RecordRows<T>& rows, const Visit& visit,
                                              std::index_sequence<part...>) {
  if constexpr (lane_count<T> == 2)
    (visit(part / 2, part % 2 * 2, rows.at[part % 2 * 2 + part / 2]), ...);
  else
    (visit(part, 0, shuffles::four_of<part / 4 * 4, T>(rows.at[part % 4])), ...);
}
template <class T, class Visit>
[[gnu::always_inline]] inline void visit_records(const RecordRows<T>& rows, const Visit& visit) {
  visit_rows(rows, visit, shuffles::Each < lane_count<T> == 2 ? 4 : lane_count < T >> {});
}
/// One behind the other from `to` on.
template <class T>
[[gnu::always_inline]] inline void store_rows(T* to, const RecordRows<T>& rows) {
  visit_records(rows, [to](auto l, auto offset, const auto& values) {
    std::memcpy(to + 4 * l + offset, &values, sizeof values);
  });
}

}  // namespace bellwether::launch
