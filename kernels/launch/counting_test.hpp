// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <vector>

namespace bellwether {

/// The work that a body did, counted by running it on CountingNumber.
struct WorkCount {
  int flops = 0;
  int reads = 0;                        ///< every read of a number that lies in memory
  std::set<const void*> distinct_read;  ///< the numbers read, each once
};

/// Stands in for float or double in a body: adds up additions, subtractions, multiplications,
/// divisions, square roots and reads (a sign cleared is none). Numbers in arrays lie in memory;
/// copies, results and coefficients lie in registers.
class CountingNumber {
 public:
  explicit CountingNumber(WorkCount& count) : count_(&count) {}
  CountingNumber(const CountingNumber& other) : count_(other.count_) { other.note_read(); }
  CountingNumber& operator=(const CountingNumber& other) = delete;

  /// An array in memory, filled with such numbers.
  static std::vector<CountingNumber> array(std::size_t size, WorkCount& count) {
    std::vector<CountingNumber> numbers;
    numbers.reserve(size);
    for (std::size_t n = 0; n < size; ++n) numbers.emplace_back(count).in_memory_ = true;
    return numbers;
  }

  friend CountingNumber operator+(const CountingNumber& a, const CountingNumber& b) {
    return one_flop(a, b);
  }
  friend CountingNumber operator-(const CountingNumber& a, const CountingNumber& b) {
    return one_flop(a, b);
  }
  friend CountingNumber operator*(const CountingNumber& a, const CountingNumber& b) {
    return one_flop(a, b);
  }
  friend CountingNumber operator/(const CountingNumber& a, const CountingNumber& b) {
    return one_flop(a, b);
  }
  friend CountingNumber square_root(const CountingNumber& a) {
    a.note_read();
    ++a.count_->flops;
    return CountingNumber(*a.count_);
  }
  friend CountingNumber reciprocal(const CountingNumber& a) { return square_root(a); }
  friend CountingNumber absolute(const CountingNumber& a) { return a; }
  CountingNumber& operator+=(const CountingNumber& b) {
    one_flop(*this, b);
    return *this;
  }

 private:
  static CountingNumber one_flop(const CountingNumber& a, const CountingNumber& b) {
    a.note_read();
    b.note_read();
    ++a.count_->flops;
    return CountingNumber(*a.count_);
  }
  void note_read() const {
    if (!in_memory_) return;
    ++count_->reads;
    count_->distinct_read.insert(this);
  }

  WorkCount* count_;
  bool in_memory_ = false;
};

}  // namespace bellwether
