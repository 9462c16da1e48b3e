#include "base/look_up.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <memory>

namespace svc::base {

Result<std::vector<std::string>, std::string> look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &first);
  if (error != 0) return Refusal{host + ": " + gai_strerror(error)};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(first, &freeaddrinfo);
  std::vector<std::string> literals;
  for (const addrinfo* at = first; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(at->ai_addr, at->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      literals.emplace_back(text.data());
    }
  }
  if (literals.empty()) return Refusal{host + ": has no address"};
  return literals;
}

}  // namespace svc::base
