#include "redis/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

namespace svc::redis {
namespace {

bool is_literal(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

// Blocks all signals in the new thread: the main thread waits for them.
void run_in_thread(std::packaged_task<Resolver::Found()> task) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {
    // No thread could be started. The task is destroyed, so its future throws.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void Resolver::begin(const std::string& host) {
  if (under_way_.valid()) return;
  // Capture by value: the thread may outlive this object.
  std::packaged_task<Found()> task([look_up = look_up_, host] { return look_up(host); });
  under_way_ = task.get_future();
  run_in_thread(std::move(task));
}

std::optional<Resolver::Found> Resolver::poll(const std::string& host) {
  if (is_literal(host)) return Addresses{host};
  begin(host);
  if (under_way_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return std::nullopt;
  try {
    return under_way_.get();
  } catch (const std::future_error&) {
    return base::Refusal{host + ": no thread could be started to look it up"};
  }
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
