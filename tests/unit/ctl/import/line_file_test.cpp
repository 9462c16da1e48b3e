#include "ctl/import/line_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
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
using Lines = std::vector<std::string>;

constexpr std::size_t kMaxLine = LineFile::kMaxLine;

// The lines, read twice; "too long" for a line that is too long.
Lines lines_of(std::string_view content) {
  const fakes::TemporaryDirectory directory;
  const base::UniqueFd fd(open(directory.write("lines", content).c_str(), O_RDONLY | O_CLOEXEC));
  LineFile file(fd.get());
  const auto text = [&](const LineFile::Line& line) {
    return line.is_too_long() ? "too long" : std::string(file.text(line));
  };
  Lines lines;
  std::vector<LineFile::Line> places;
  while (const auto line = file.next()) {
    lines.push_back(text(*line));
    places.push_back(*line);
    EXPECT_EQ(line->number, lines.size());
  }
  EXPECT_FALSE(file.next()) << "the end stays the end";
  for (std::size_t i = places.size(); i-- > 0;) EXPECT_EQ(text(places[i]), lines[i]);
  return lines;
}

TEST(LineFile, SplitsAFile) {
  struct Case {
    std::string_view name, content;
    Lines lines;
  };
  for (const Case& c : {
           Case{"an empty file", "", {}},
           Case{"one line", "a\n", {"a"}},
           Case{"no end of the last line", "a\nb", {"a", "b"}},
           Case{"empty lines count", "\n\na\n\n", {"", "", "a", ""}},
           Case{"lines that end as on Windows", "a\r\nb\r\n", {"a", "b"}},
           Case{"a carriage return at the end of the file", "a\r", {"a"}},
           Case{"a carriage return within a line", "a\rb\n", {"a\rb"}},
           Case{"only the last of several", "a\r\r\n", {"a\r"}},
           Case{"spaces stay", "  a  \n", {"  a  "}},
           Case{"any byte", "a\0b\n\xff\xfe\n\x80"sv, {std::string("a\0b", 3), "\xff\xfe", "\x80"}},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(lines_of(c.content), c.lines);
  }
}

TEST(LineFile, ReadsLinesOfEveryLengthAroundItsBuffer) {
  std::string content;
  Lines lines;
  for (const std::size_t length :
       {0UL, 100UL, kMaxLine - 102, 0UL, 3UL, kMaxLine - 1, kMaxLine, kMaxLine + 1, kMaxLine + 2,
        5 * kMaxLine + 12345, 2 * kMaxLine + 1, 2 * kMaxLine + 2, 3UL, kMaxLine}) {
    const std::string line(length, static_cast<char>('a' + lines.size()));
    lines.push_back(length > kMaxLine ? "too long" : line);
    content += line + "\n";
  }
  EXPECT_EQ(lines_of(content), lines);
  content.pop_back();
  EXPECT_EQ(lines_of(content), lines) << "without the end of the last line";
  EXPECT_EQ(lines_of(content + "xx").back(), "too long");
}

TEST(LineFile, NoticesThatTheFileChanged) {
  const fakes::TemporaryDirectory directory;
  const std::string path = directory.write("lines", "one\n");
  const base::UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  // The kernel's clock of files has ticks of some milliseconds.
  const timespec times[2]{{1, 0}, {1, 0}};
  ASSERT_EQ(futimens(fd.get(), times), 0);
  LineFile file(fd.get());
  file.must_be_unchanged();
  ASSERT_EQ(pwrite(fd.get(), "two", 3, 0), 3);
  EXPECT_THROW(file.must_be_unchanged(), std::runtime_error);
  // As programs do that copy with the times.
  struct stat before {};
  struct stat now {};
  ASSERT_EQ(fstat(fd.get(), &before), 0);
  do {
    ASSERT_EQ(futimens(fd.get(), times), 0);
    ASSERT_EQ(fstat(fd.get(), &now), 0);
  } while (now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
  EXPECT_THROW(file.must_be_unchanged(), std::runtime_error);
}

TEST(LineFile, ThrowsIfTheFileCannotBeRead) {
  EXPECT_THROW(LineFile(-1), std::runtime_error);
  const fakes::TemporaryDirectory directory;
  const base::UniqueFd folder(open(directory.path(".").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_THROW(LineFile(folder.get()).next(), std::runtime_error);
}

}  // namespace
}  // namespace svc::ctl
