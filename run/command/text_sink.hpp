// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

namespace bellwether {

/// Where text goes as it is made.
using Sink = std::function<void(std::string_view)>;

/// Formats into a buffer that goes to the sink in one piece at the end of its life: a sweep may
/// have a million lines.
class Text {
 public:
  explicit Text(const Sink& sink) : sink_(&sink) {}
  ~Text() { (*sink_)({buffer_.data(), buffer_.size()}); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  template <class... Values>
  Text& add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    return *this;
  }
  /// `add_one` for each of a range.
  template <class Iterator, class AddOne>
  Text& add_each(Iterator from, Iterator to, AddOne add_one) {
    for (; from != to; ++from) add_one(*this, *from);
    return *this;
  }
  /// As it stands.
  Text& put(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    return *this;
  }

 private:
  const Sink* sink_;
  fmt::memory_buffer buffer_;
};

}  // namespace bellwether
