#include "integration/redis_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/log.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "fakes/waiting.h"
#include "integration/store.h"
#include "stores/functions.h"

namespace svc::integration {
namespace {

using namespace std::chrono_literals;

// Guards against a hang; never the measured time.
constexpr auto kPatience = 300s;

bool listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const base::UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

loop::Task<redis::Reply> reply_to(redis::Store& channel,
                                  std::initializer_list<std::string_view> words) {
  redis::Store::Call call = channel.command(words);
  co_return co_await call;
}

bool is_set(const std::string& key) {
  return key.starts_with("oauth:account_clients:") || key == "oauth:ending_clients" ||
         key == "oauth:public_clients" || key == "oauth:resources";
}

constexpr std::array<std::string_view, 4> kOfIndex{
    "catalog:index:", "catalog:directory:", "catalog:block:", "catalog:unindexed:"};

loop::Task<> read_all(redis::Store& channel, std::map<std::string, std::string>& values) {
  redis::Store::Calls calls(channel);
  for (const auto& [key, value] : values) {
    if (is_set(key)) {
      calls.read({"SORT", key, "ALPHA"});
    } else {
      calls.get(key);
    }
  }
  for (auto& [key, value] : values) {
    const redis::Reply reply = co_await calls.next();
    if (!is_set(key)) value = reply.text().value_or("(nil)");
    for (std::size_t i = 0; i < reply.size(); ++i) {
      value += i > 0 ? " " : "";
      value += *reply.at(i).text();
    }
  }
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> more) : more_(std::move(more)) {
  // As in both programs. Otherwise the first write to a stopped server would
  // end the test.
  signal(SIGPIPE, SIG_IGN);
  base::log::set_level(base::log::Level::Off);
  start();
}

RedisServer::~RedisServer() { stop(); }

void RedisServer::start() {
  std::vector<std::string> words{"redis-server",
                                 "--port",
                                 "0",
                                 "--unixsocket",
                                 address().path,
                                 "--save",
                                 "",
                                 "--appendonly",
                                 "no",
                                 "--daemonize",
                                 "no",
                                 "--enable-debug-command",
                                 "yes",
                                 "--dir",
                                 directory_.path(""),
                                 "--logfile",
                                 directory_.path("redis.log")};
  const bool has_file = !more_.empty() && !more_.front().starts_with("--");
  if (has_file) words.insert(words.begin() + 1, more_.front());
  words.insert(words.end(), more_.begin() + (has_file ? 1 : 0), more_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  fakes::wait_until([&] {
    if (answers()) return true;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == 0) return false;
    pid_ = 0;
    throw std::runtime_error("redis-server has ended: " + content_of(directory_.path("redis.log")));
  });
  load_functions();
}

// As the unit does after each start. A server with a password, a replica and a Sentinel refuse it.
void RedisServer::load_functions() {
  try {
    command({"FUNCTION", "LOAD", "REPLACE", stores::functions::library()});
  } catch (const base::Unavailable&) {
  }
}

bool RedisServer::answers() {
  if (!listens(address().path)) return false;
  try {
    command({"PING"});
    return true;
  } catch (const base::Unavailable& outage) {
    // The server is ready, even if its reply is that a password is needed.
    return std::string_view(outage.what()).find("NOAUTH") != std::string_view::npos;
  }
}

void RedisServer::stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void RedisServer::send_signal(int number) {
  if (kill(pid_, number) != 0) throw std::runtime_error("redis-server is not running");
}

void RedisServer::pause() {
  send_signal(SIGSTOP);
  // kill() only sends the signal: wait until the server has stopped.
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) == pid_ && !WIFSTOPPED(status)) {
  }
}

void RedisServer::resume() { send_signal(SIGCONT); }

redis::Address RedisServer::address(int database) const {
  redis::Address address;
  address.path = directory_.path("redis.sock");
  address.database = database;
  return address;
}

redis::ConnectionSettings RedisServer::settings() const {
  redis::ConnectionSettings settings;
  settings.address = address();
  settings.name = "svc-test";
  settings.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience);
  return settings;
}

redis::Reply RedisServer::command(std::initializer_list<std::string_view> words) {
  redis::ConnectionSettings own = settings();
  own.name = "svc-test-probe";
  Store store(own);
  return store.run(reply_to(store.redis(), words));
}

std::string RedisServer::text(std::initializer_list<std::string_view> words) {
  return std::string(command(words).text().value_or("(nil)"));
}

std::map<std::string, std::string> RedisServer::dump() {
  std::map<std::string, std::string> all;
  const redis::Reply keys = command({"KEYS", "*"});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(*keys.at(i).text());
    const bool is_of_index = std::ranges::any_of(
        kOfIndex, [&](std::string_view prefix) { return key.starts_with(prefix); });
    if (!is_of_index) all.emplace(key, "");
  }
  if (all.empty()) return all;
  Store store(*this);
  store.run(read_all(store.redis(), all));
  return all;
}

std::string RedisServer::digest() {
  const redis::Reply indexes = command({"KEYS", "catalog:index:*"});
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const std::string key(*indexes.at(i).text());
    command({"HDEL", key, "epoch"});
  }
  return text({"DEBUG", "DIGEST"});
}

}  // namespace svc::integration
