#include "base/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace svc::base {
namespace {
constexpr std::size_t kMaxFileBytes = 64 * 1024;
}

Result<std::string, std::string> read_secret_file(const std::string& name,
                                                  const std::string& path) {
  // O_NONBLOCK: refuse a FIFO instead of waiting for its writer.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return Refusal{"cannot open " + name + " " + path + ": " + std::strerror(errno)};
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Refusal{name + " " + path + " is not a regular file"};
  }
  if ((status.st_mode & (S_IRWXO | S_IWGRP | S_IXGRP)) != 0) {
    return Refusal{
        name + " " + path +
        " must have mode 0400, 0440, 0600 or 0640, so that other users cannot read or write it"};
  }
  std::string text(kMaxFileBytes, '\0');
  std::size_t size = 0;
  for (ssize_t got = 0; size < text.size() &&
                        (got = ::read(file.get(), text.data() + size, text.size() - size)) > 0;) {
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace svc::base
