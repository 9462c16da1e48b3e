// LineReader: reads the lines of a file in large pieces. Its memory is bounded by kMaxLine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::ctl {

class LineReader {
 public:
  // Reads `fd` from its beginning. The caller keeps ownership of it.
  explicit LineReader(int fd);

  // Sets `line` to the next line without its newline; returns false at the end of the file. A line
  // of more than kMaxLine bytes is truncated, and too_long() is true. The view is valid until the
  // next call. Throws std::runtime_error if the file cannot be read.
  bool next(std::string_view& line);

  bool too_long() const { return too_long_; }
  std::size_t number() const { return number_; }       // of the last line, from 1
  std::uint64_t bytes_read() const { return bytes_; }  // for a progress bar

  static constexpr std::size_t kMaxLine = 1 << 20;

 private:
  bool fill();

  const int fd_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t number_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t bytes_ = 0;
  bool too_long_ = false;
};

}  // namespace svc::ctl
