#include "fastcgi/codec_io.h"

#include <fcgios.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace svc::fastcgi::codec_io {
namespace {

std::string_view unread;
std::string* written = nullptr;

}  // namespace

void read_from(std::string_view bytes) {
  unread = bytes;
  written = nullptr;
}

void write_to(std::string& bytes) {
  unread = {};
  written = &bytes;
}

}  // namespace svc::fastcgi::codec_io

using svc::fastcgi::codec_io::unread;
using svc::fastcgi::codec_io::written;

// Declared in fcgios.h; only libfcgi calls them.
int OS_Read(int /*fd*/, char* buffer, size_t size) {
  const std::size_t count = std::min(size, unread.size());
  if (count == 0) return 0;
  std::memcpy(buffer, unread.data(), count);
  unread.remove_prefix(count);
  return static_cast<int>(count);
}

int OS_Write(int /*fd*/, char* bytes, size_t size) {
  if (written == nullptr) {
    errno = EBADF;
    return -1;
  }
  written->append(bytes, size);
  return static_cast<int>(size);
}

// Does nothing: the Listener closes connections.
int OS_IpcClose(int /*fd*/, int /*shutdown*/) { return 0; }
