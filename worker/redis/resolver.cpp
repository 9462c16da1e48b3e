#include "redis/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <array>
#include <memory>
#include <system_error>
#include <utility>

namespace svc::redis {
namespace {

bool is_literal(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

loop::Task<Resolver::Found> Resolver::find(std::string host) {
  if (is_literal(host)) co_return Addresses{host};
  try {
    if (!threads_) threads_.emplace(loop_);
    std::function<Found()> work = [look_up = look_up_, host] { return look_up(host); };
    loop::Task<Found> looking = threads_->run<Found>(std::move(work));
    Found found = co_await looking;
    co_return found;
  } catch (const std::system_error&) {
  }
  co_return base::Refusal{host + ": no thread could be started to look it up"};
}

Resolver::Found Resolver::system_look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &first);
  if (error != 0) return base::Refusal{host + ": " + gai_strerror(error)};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(first, &freeaddrinfo);
  Addresses addresses;
  for (const addrinfo* at = first; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(at->ai_addr, at->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  if (addresses.empty()) return base::Refusal{host + ": has no address"};
  return addresses;
}

}  // namespace svc::redis
