#include "ctl/import/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "fakes/temporary_directory.h"

namespace svc::ctl {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMaxLine = LineReader::kMaxLine;

class File {
 public:
  explicit File(std::string_view content)
      : fd_(open(directory_.write("lines", content).c_str(), O_RDONLY | O_CLOEXEC)) {}
  int fd() const { return fd_.get(); }

 private:
  fakes::TemporaryDirectory directory_;
  base::UniqueFd fd_;
};

std::vector<std::string> lines_of(std::string_view content) {
  const File file(content);
  LineReader reader(file.fd());
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) {
    EXPECT_FALSE(reader.too_long());
    lines.emplace_back(line);
    EXPECT_EQ(reader.number(), lines.size());
  }
  EXPECT_EQ(reader.bytes_read(), content.size());
  EXPECT_FALSE(reader.next(line)) << "the end stays the end";
  return lines;
}

TEST(LineReader, TakesAFileApart) {
  using Lines = std::vector<std::string>;
  struct Case {
    std::string_view name, content;
    Lines lines;
  };
  for (const Case& c : {
           Case{"an empty file", "", {}},
           Case{"one line", "a\n", {"a"}},
           Case{"no end of the last line", "a\nb", {"a", "b"}},
           Case{"one empty line", "\n", {""}},
           Case{"empty lines count", "\n\na\n\n", {"", "", "a", ""}},
           Case{"lines that end as on Windows", "a\r\nb\r\n", {"a", "b"}},
           Case{"mixed ends", "a\r\nb\nc\r\n", {"a", "b", "c"}},
           Case{"a carriage return at the end of the file", "a\r", {"a"}},
           Case{"a carriage return within a line", "a\rb\n", {"a\rb"}},
           Case{"only the last of several", "a\r\r\n", {"a\r"}},
           Case{"spaces stay", "  a  \n", {"  a  "}},
           Case{"a NUL is a byte like others", "a\0b\nc\n"sv, {std::string("a\0b", 3), "c"}},
           Case{"any byte", "\xff\xfe\n\x80", {"\xff\xfe", "\x80"}},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(lines_of(c.content), c.lines);
  }
}

TEST(LineReader, ReadsLinesOfEveryLengthAroundItsBuffer) {
  std::string content;
  std::vector<std::string> lines;
  for (const std::size_t length : {0UL, 1UL, 100UL, 262'143UL, 262'144UL, 262'145UL, 524'287UL,
                                   524'288UL, 1'000'000UL, kMaxLine - 1, kMaxLine, 3UL}) {
    lines.push_back(std::string(length, static_cast<char>('a' + lines.size())));
    content += lines.back() + "\n";
  }
  EXPECT_EQ(lines_of(content), lines);
  content.pop_back();
  EXPECT_EQ(lines_of(content), lines) << "without the end of the last line";
}

TEST(LineReader, SaysWhichLinesAreTooLongAndGoesOnBehindThem) {
  for (const std::size_t length :
       {kMaxLine + 1, kMaxLine + 2, 2 * kMaxLine, 2 * kMaxLine + 1, 5 * kMaxLine + 12345}) {
    SCOPED_TRACE(length);
    const std::string content = "first\n" + std::string(length, 'x') + "\nthird\n" +
                                std::string(kMaxLine, 'y') + "\n" + std::string(length, 'z');
    const File file(content);
    LineReader reader(file.fd());
    std::string_view line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "first");
    EXPECT_FALSE(reader.too_long());
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(reader.too_long());
    EXPECT_TRUE(line.starts_with("xxx"));
    EXPECT_EQ(reader.number(), 2u);
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "third");
    EXPECT_FALSE(reader.too_long());
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, std::string(kMaxLine, 'y'));
    EXPECT_FALSE(reader.too_long());
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(reader.too_long());
    EXPECT_EQ(reader.number(), 5u);
    EXPECT_FALSE(reader.next(line));
    EXPECT_EQ(reader.bytes_read(), content.size());
  }
}

TEST(LineReader, LeavesTheFilesOwnPositionAlone) {
  const File file("a\nb\n");
  LineReader one(file.fd());
  LineReader other(file.fd());
  std::string_view line;
  ASSERT_TRUE(one.next(line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(other.next(line));
  EXPECT_EQ(line, "a");
  EXPECT_EQ(lseek(file.fd(), 0, SEEK_CUR), 0);
}

TEST(LineReader, ThrowsWhenTheFileCannotBeRead) {
  LineReader reader(-1);
  std::string_view line;
  EXPECT_THROW(reader.next(line), std::runtime_error);
}

}  // namespace
}  // namespace svc::ctl
