#include "ctl/import/line_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace svc::ctl {
namespace {

[[noreturn]] void cannot_read() {
  throw std::runtime_error(std::string("cannot read the file: ") + std::strerror(errno));
}

}  // namespace

LineFile::LineFile(int fd) : fd_(fd), opened_(status()) {}

struct stat LineFile::status() const {
  struct stat status {};
  if (fstat(fd_, &status) != 0) cannot_read();
  return status;
}

void LineFile::must_be_unchanged() const {
  const struct stat now = status();
  const auto differ = [](const timespec& one, const timespec& other) {
    return one.tv_sec != other.tv_sec || one.tv_nsec != other.tv_nsec;
  };
  // Programs can set the time of the content back, but not that of the status.
  if (now.st_size != opened_.st_size || differ(now.st_mtim, opened_.st_mtim) ||
      differ(now.st_ctim, opened_.st_ctim))
    throw std::runtime_error("the file changed while it was read");
}

std::string_view LineFile::buffered(std::uint64_t from) const {
  if (from < begin_ || from - begin_ > buffer_.size()) return {};
  return std::string_view(buffer_).substr(static_cast<std::size_t>(from - begin_));
}

// Fills the buffer, which has room for a line of kMaxLine and its newline.
std::string_view LineFile::read(std::uint64_t from) {
  buffer_.resize(kMaxLine + 1);
  begin_ = from;
  std::size_t size = 0;
  while (size < buffer_.size()) {
    const ssize_t got =
        pread(fd_, buffer_.data() + size, buffer_.size() - size, static_cast<off_t>(from + size));
    if (got == 0) break;
    if (got > 0) size += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) cannot_read();
  }
  buffer_.resize(size);
  return buffer_;
}

std::optional<LineFile::Line> LineFile::next() {
  std::string_view rest = buffered(next_);
  std::size_t size = rest.find('\n');
  if (size == std::string_view::npos) {
    rest = read(next_);
    size = rest.find('\n');
  }
  if (rest.empty()) return std::nullopt;
  const Line line{next_, static_cast<std::uint32_t>(std::min(size, rest.size())), ++number_};
  while (size == std::string_view::npos && !rest.empty()) {
    next_ += rest.size();
    rest = read(next_);
    size = rest.find('\n');
  }
  if (!rest.empty()) next_ += size + 1;
  return line;
}

std::string_view LineFile::text(const Line& line) {
  std::string_view text = buffered(line.begin);
  if (text.size() < line.size) text = read(line.begin);
  text = text.substr(0, line.size);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace svc::ctl
