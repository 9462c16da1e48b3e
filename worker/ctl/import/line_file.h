// LineFile: the lines of a file, which is read in large pieces. Its memory is bounded by kMaxLine.
//
// All functions throw std::runtime_error if the file cannot be read.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::ctl {

class LineFile {
 public:
  // The caller keeps ownership of `fd`.
  explicit LineFile(int fd);

  struct Line {
    std::uint64_t begin = 0;   // in bytes
    std::uint32_t size = 0;    // without the newline; kMaxLine + 1 if the line is too long
    std::uint32_t number = 0;  // from 1

    bool is_too_long() const { return size > kMaxLine; }
  };

  // Returns the next line, or nullopt at the end of the file.
  std::optional<Line> next();
  // Returns the line without a carriage return at its end. The view is valid until the next call.
  std::string_view text(const Line& line);

  std::uint64_t bytes() const { return static_cast<std::uint64_t>(opened_.st_size); }
  // Throws std::runtime_error if the file is not the same as when this object was made.
  void must_be_unchanged() const;

  static constexpr std::size_t kMaxLine = 1 << 20;

 private:
  struct stat status() const;
  std::string_view buffered(std::uint64_t from) const;
  std::string_view read(std::uint64_t from);

  const int fd_;
  const struct stat opened_;
  std::string buffer_;  // the bytes from `begin_` on
  std::uint64_t begin_ = 0;
  std::uint64_t next_ = 0;  // begin of the next line
  std::uint32_t number_ = 0;
};

}  // namespace svc::ctl
