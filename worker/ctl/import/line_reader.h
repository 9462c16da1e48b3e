// LineReader: the lines of a file, read in large pieces, with little memory whatever their length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::ctl {

class LineReader {
 public:
  // `fd` is read from its beginning and stays the caller's.
  explicit LineReader(int fd);

  // The next line without its end; false at the end of the file. A line longer than kMaxLine comes
  // back cut, with too_long() true. The view lives until the next call. Throws std::runtime_error
  // when the file cannot be read.
  bool next(std::string_view& line);

  bool too_long() const { return too_long_; }
  std::size_t number() const { return number_; }       // of the line last read, from 1
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
