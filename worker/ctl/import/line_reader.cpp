#include "ctl/import/line_reader.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace svc::ctl {

LineReader::LineReader(int fd) : fd_(fd), buffer_(256 * 1024, '\0') {}

// Moves the unread bytes to the front of the buffer and reads more after them. Returns false at the
// end of the file.
bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  ssize_t got = 0;
  do {
    got = pread(fd_, buffer_.data() + end_, buffer_.size() - end_, static_cast<off_t>(offset_));
  } while (got < 0 && errno == EINTR);
  if (got < 0)
    throw std::runtime_error(std::string("cannot read the file: ") + std::strerror(errno));
  offset_ += static_cast<std::uint64_t>(got);
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  too_long_ = false;
  std::size_t searched = 0;
  bool found_end = false;
  std::size_t length = 0;
  while (true) {
    const void* newline =
        std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched);
    if (newline != nullptr) {
      length =
          static_cast<std::size_t>(static_cast<const char*>(newline) - (buffer_.data() + begin_));
      found_end = true;
      break;
    }
    searched = end_ - begin_;
    if (searched > kMaxLine) {
      too_long_ = true;  // discard the rest of the line
      bytes_ += searched - kMaxLine;
      end_ = begin_ + kMaxLine;
      searched = kMaxLine;
    }
    if (!fill()) {
      length = end_ - begin_;
      break;
    }
  }
  if (!found_end && length == 0) return false;
  too_long_ |= length > kMaxLine;
  line = std::string_view(buffer_).substr(begin_, length);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t taken = length + (found_end ? 1 : 0);
  begin_ += taken;
  bytes_ += taken;
  ++number_;
  return true;
}

}  // namespace svc::ctl
