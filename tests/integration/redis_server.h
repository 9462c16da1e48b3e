// RedisServer: a real redis-server of one test, on a unix socket in a directory of its own.
//
// It keeps nothing on disk and listens on no port. It is ended by its own process id, and with this
// process, however that ends.
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
  // Starts it, with more words behind its command line, and waits until it answers.
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

  // Between the two it takes connections and answers nothing, as a machine that swaps does.
  void pause();
  void resume();

  redis::Address address(int database = 0) const;
  redis::ConnectionSettings settings() const;

  // One command of a connection that is not the one under test. Throws when it fails.
  redis::Reply command(std::initializer_list<std::string_view> words);
  std::string text(std::initializer_list<std::string_view> words);  // "(nil)" for nothing

  // Every key and value: strings, and sets as their members with spaces between.
  std::map<std::string, std::string> dump();
  // Changes with anything in the store: keys, values, types, times to live.
  std::string digest();

 private:
  bool answers();
  void send_signal(int number);

  const std::vector<std::string> more_;
  const fakes::TemporaryDirectory directory_;
  pid_t pid_ = 0;
};

}  // namespace svc::integration
