// RedisServer: a redis-server of one test, on a unix socket in its own
// directory.
//
// It has neither files on disk nor a port. It is killed by its process id, or by
// the kernel when the test process ends.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "fakes/temporary_directory.h"
#include "redis/connection_settings.h"
#include "redis/reply.h"

namespace svc::integration {

class RedisServer {
 public:
  // Starts the server with additional arguments and waits until it replies. The
  // first argument may be a configuration file, which a Sentinel needs.
  explicit RedisServer(std::vector<std::string> more = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  void stop();
  void start();
  void restart() {
    stop();
    start();
  }

  // Between pause() and resume(), the server accepts connections but sends no
  // reply, like a machine that swaps.
  void pause();
  void resume();

  redis::Address address(int database = 0) const;
  redis::ConnectionSettings settings() const;

  // Runs one command on a separate connection. Throws if it fails.
  redis::Reply command(std::initializer_list<std::string_view> words);
  std::string text(std::initializer_list<std::string_view> words);  // "(nil)" for no text

  // Every key and its value, without the index of the catalog, which follows from the records. The
  // value of a set is its members, separated by spaces.
  std::map<std::string, std::string> dump();
  // Changes with every key, type and value, and with whether a key expires; forgets the epochs of
  // indexes, which differ between equal catalogs.
  std::string digest();

 private:
  bool answers();
  void load_functions();
  void send_signal(int number);

  const std::vector<std::string> more_;
  const fakes::TemporaryDirectory directory_;
  pid_t pid_ = 0;
};

}  // namespace svc::integration
