#include "base/service_manager.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/number.h"
#include "base/unique_fd.h"
#include "base/unix_address.h"

namespace svc::base {
namespace {

std::string take_variable(const char* name) {
  const char* text = std::getenv(name);
  std::string value = text == nullptr ? "" : text;
  unsetenv(name);
  return value;
}

}  // namespace

ServiceManager ServiceManager::from_environment() {
  std::string socket = take_variable("NOTIFY_SOCKET");
  const std::int64_t microseconds =
      parse_number<std::int64_t>(take_variable("WATCHDOG_USEC")).value_or(0);
  const std::string pid = take_variable("WATCHDOG_PID");
  const bool ours = pid.empty() || parse_number<pid_t>(pid) == getpid();
  return {std::move(socket), std::chrono::microseconds(ours ? microseconds : 0)};
}

ServiceManager::ServiceManager(std::string socket, Duration watchdog)
    : socket_(std::move(socket)), watchdog_(watchdog) {
  const bool known = socket_.starts_with('/') || socket_.starts_with('@');
  if (!known || socket_.size() > kMaxSocketPath) socket_.clear();
}

bool ServiceManager::send(std::string_view message) const {
  const auto address = UnixAddress::of(socket_, true);
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return fd && address &&
         sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL, address->get(),
                address->size()) >= 0;
}

}  // namespace svc::base
