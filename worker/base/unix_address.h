// unix_address: the address of a Unix-domain socket (unix(7)) for connect(),
// bind() and sendto().
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace svc::base {

// The longest path in bytes: the kernel's limit, less a terminating zero.
inline constexpr std::size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

class UnixAddress {
 public:
  // Returns nullopt if the path is longer than kMaxSocketPath. With `abstract`,
  // a path that begins with '@' is a name in the abstract namespace.
  static std::optional<UnixAddress> of(std::string_view path, bool abstract = false) {
    if (path.size() > kMaxSocketPath) return std::nullopt;
    UnixAddress made;
    made.address_.sun_family = AF_UNIX;
    path.copy(made.address_.sun_path, path.size());
    made.size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    // An abstract name begins with a zero byte and is not terminated by one.
    if (abstract && path.starts_with('@')) {
      made.address_.sun_path[0] = '\0';
    } else {
      ++made.size_;
    }
    return made;
  }

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return size_; }

 private:
  UnixAddress() = default;

  sockaddr_un address_{};
  socklen_t size_ = 0;
};

}  // namespace svc::base
