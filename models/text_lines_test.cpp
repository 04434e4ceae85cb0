// SPDX-License-Identifier: MIT
#include "models/text_lines.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "models/errors.hpp"

namespace bellwether {
namespace {

class TextFiles : public testing::Test {
 protected:
  TextFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "lines-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~TextFiles() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& text) const {
    const std::string path = (folder_ / "text").string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}

using Lines = std::vector<std::pair<std::string, bool>>;  // text, and whether it has an end

Lines lines_of(LinesOfFile lines) {
  Lines found;
  while (lines.next()) found.emplace_back(lines.line().text, lines.has_end());
  return found;
}

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

TEST(ReadNumber, TakesOnePlusAndKeepsToTheRange) {
  EXPECT_EQ(parse_number<double>("+47.5"), 47.5);
  EXPECT_EQ(parse_number<int>("+47"), 47);
  EXPECT_EQ(parse_number<int>("-3"), -3);
  for (const char* word : {"", "+", "++1", "+-1", "-+1", "1 ", " 1", "1x", "2147483648"})
    EXPECT_FALSE(parse_number<int>(word)) << word;
  EXPECT_FALSE(parse_number<double>("+-1"));
  for (const char* word : {"1e-320", "-1e-320", "1e-400", "1e400"})
    EXPECT_FALSE(parse_number<double>(word)) << word;
  EXPECT_EQ(parse_number<double>("0e-400"), 0);
  EXPECT_EQ(parse_number<double>("2.3e-308"), 2.3e-308);
  std::string_view rest = "+1 +2.5";
  int row = 0;
  double value = 0;
  EXPECT_TRUE(take_number(rest, row) && take_number(rest, value));
  EXPECT_EQ(row + value, 3.5);
}

TEST_F(TextFiles, LinesWithTheirEndsAndWithoutAMark) {
  EXPECT_EQ(lines_of(LinesOfFile(file(""))), Lines{});
  EXPECT_EQ(lines_of(LinesOfFile(file("\xef\xbb\xbf"))), Lines{});
  EXPECT_EQ(lines_of(LinesOfFile(file("\xef\xbb\xbf"
                                      "a\n\nb"))),
            (Lines{{"a", true}, {"", true}, {"b", false}}));
  // Longer than what is read at once.
  const std::string longer(100'000, 'x');
  EXPECT_EQ(lines_of(LinesOfFile(file(longer + "\n" + longer + "\ny\n"))),
            (Lines{{longer, true}, {longer, true}, {"y", true}}));
  LinesOfFile twice(file("a\nb\n"));
  EXPECT_TRUE(twice.next());
  twice.step_back();
  EXPECT_TRUE(twice.next());
  EXPECT_EQ(twice.line().text, "a");
  EXPECT_EQ(twice.line().number, 1);
}

TEST_F(TextFiles, ALineThatIsTooLongEndsTheReading) {
  const std::string path = file("short\n" + std::string(300'000, 'x'));
  LinesOfFile lines(path, 100'000);
  EXPECT_TRUE(lines.next());
  EXPECT_NE(refusal([&] { (void)lines.next(); }).find(path + ": line 2 is longer than"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)read_text(path, 100'000); }).find("is longer than"),
            std::string::npos);
  EXPECT_EQ(read_text(path).size(), 300'006U);
}

TEST_F(TextFiles, WhatIsNoTextIsSaid) {
  for (const auto& [begin, what] : std::vector<std::pair<std::string, std::string>>{
           {"\x1f\x8b\x08", "is gzip-compressed: unpack it first"},
           {"BZh91", "is bzip2-compressed"},
           {std::string("\xfd"
                        "7zXZ\0",
                        6),
            "is xz-compressed"},
           {"\x28\xb5\x2f\xfd", "is zstd-compressed"},
           {"\xff\xfe", "is UTF-16, expected UTF-8"},
           {std::string("a\0b", 3), "bytes that are 0, expected text"}}) {
    const std::string path = file(begin + "and more");
    EXPECT_EQ(refusal([&] { (void)read_text(path); }).find(path + ": "), 0U);
    EXPECT_NE(refusal([&] { (void)read_text(path); }).find(what), std::string::npos) << what;
    EXPECT_NE(refusal([&] { LinesOfFile lines(path); }).find(what), std::string::npos) << what;
  }
  EXPECT_NE(refusal([] { LinesOfFile lines("/dev/zero"); }).find("bytes that are 0"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)read_text(folder_.string()); }).find("is a directory"),
            std::string::npos);
  EXPECT_NE(refusal([] { (void)read_text("no/such"); }).find("no/such: cannot be read: No such"),
            std::string::npos);
}

TEST_F(TextFiles, APipeIsReadButNotByParts) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal([&] { require_plain_file(path); }),
            path + ": is a pipe, expected a plain file, to be read by parts");
  std::thread writer([&] { std::ofstream(path) << "\xef\xbb\xbfone\ntwo\n"; });
  EXPECT_EQ(lines_of(LinesOfFile(path)), (Lines{{"one", true}, {"two", true}}));
  writer.join();
  require_plain_file(file("plain"));
  require_plain_file("no/such");
  EXPECT_NE(refusal([&] { require_plain_file(file("\x1f\x8b")); }).find("is gzip-compressed"),
            std::string::npos);
  EXPECT_NE(refusal([&] { require_plain_file("/dev/zero"); }).find("is a device"),
            std::string::npos);
}

}  // namespace
}  // namespace bellwether
