#include "integration/tcp.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <stdexcept>

namespace svc::integration {

Bound bound() {
  Bound one{base::UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(one.fd.get(), generic, size) == 0 && getsockname(one.fd.get(), generic, &size) == 0) {
    one.port = ntohs(address.sin_port);
  }
  return one;
}

ServerOnPort start_on_port(
    const std::function<std::vector<std::string>(const std::string& port)>& arguments) {
  // Another process may take the port before the server does.
  for (int attempt = 0;; ++attempt) {
    const std::uint16_t port = bound().port;
    std::vector<std::string> words = arguments(std::to_string(port));
    words.insert(words.end(), {"--bind", "127.0.0.1"});
    try {
      return {std::make_unique<RedisServer>(words), port};
    } catch (const std::runtime_error&) {
      if (attempt == 9) throw;
    }
  }
}

}  // namespace svc::integration
