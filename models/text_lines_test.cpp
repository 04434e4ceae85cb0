// SPDX-License-Identifier: MIT
#include "models/text_lines.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[m"), "\\u001b[31mred\\u001b[m");
  EXPECT_EQ(printable("a\rb\bc\x7f"), "a\\u000db\\u0008c\\u007f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");                                               // CSI of C1
  EXPECT_EQ(printable("\xe2\x80\xae,\xe2\x81\xa6"), "\\u202e,\\u2066");  // turn the text
}

TEST(Printable, LeavesText) {
  for (const char* text :
       {"", "one\n\ttwo\n", "5 \xc2\xb5s, 3 \xc3\x97 4 \xe2\x80\xa6 \xe2\x82\xac",
        "\xf0\x9f\x98\x80", "cut \xc2", "cut \xe2\x80"})
    EXPECT_EQ(printable(text), text);
}

}  // namespace
}  // namespace bellwether
