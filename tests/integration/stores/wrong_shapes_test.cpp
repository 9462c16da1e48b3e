// A store that replies in another shape than the command's: the action is
// unavailable, and the process lives. Which shapes are right is learnt from
// Redis, not from the table that is tested.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "base/unix_address.h"
#include "fakes/temporary_directory.h"
#include "integration/every_store.h"
#include "integration/redis_server.h"
#include "integration/store.h"

namespace svc {
namespace {

using integration::EveryStore;

// Returns the length of the first command or reply; 0 if it is not complete.
std::size_t length_of(std::string_view bytes) {
  const std::size_t line = bytes.find("\r\n");
  if (line == std::string_view::npos) return 0;
  std::size_t at = line + 2;
  if (bytes.front() != '$' && bytes.front() != '*') return at;
  const long count = std::stol(std::string(bytes.substr(1, line - 1)));
  if (bytes.front() == '$') {
    if (count >= 0) at += static_cast<std::size_t>(count) + 2;
    return at <= bytes.size() ? at : 0;
  }
  for (long i = 0; i < count; ++i) {
    const std::size_t element = length_of(bytes.substr(at));
    if (element == 0) return 0;
    at += element;
  }
  return at;
}

// Returns the words of a command.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  command.remove_prefix(command.find("\r\n") + 2);
  while (!command.empty()) {
    const std::size_t begin = command.find("\r\n") + 2;
    const std::size_t length = length_of(command);
    words.emplace_back(command.substr(begin, length - begin - 2));
    command.remove_prefix(length);
  }
  return words;
}

// A function is a command of its own.
std::string name_of(const std::vector<std::string>& words) {
  return words[0] + (words[0] == "FCALL" ? " " + words[1] : "");
}

// The type of a reply. A nil takes the place of a string, also as "*-1".
char kind_of(std::string_view reply) { return reply.starts_with("*-") ? '$' : reply.front(); }

base::UniqueFd connected(const std::string& path) {
  const auto address = base::UnixAddress::of(path);
  base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), address->get(), address->size()) != 0)
    throw std::runtime_error("cannot connect to " + path);
  return fd;
}

// Relays to a Redis, and forges the reply to one command.
class LyingStore {
 public:
  explicit LyingStore(const integration::RedisServer& server) : server_(server) {
    const auto address = base::UnixAddress::of(path_);
    if (bind(listener_.get(), address->get(), address->size()) != 0 ||
        listen(listener_.get(), 64) != 0 || pipe(stop_.data()) != 0)
      throw std::runtime_error("no listener");
    thread_ = std::jthread([this] { run(); });
  }
  ~LyingStore() {
    close(stop_[1]);
    thread_.join();
    close(stop_[0]);
  }
  LyingStore(const LyingStore&) = delete;
  LyingStore& operator=(const LyingStore&) = delete;

  redis::ConnectionSettings settings() const {
    redis::ConnectionSettings settings = server_.settings();
    settings.address.path = path_;
    settings.is_quiet = true;
    settings.first_delay = settings.longest_delay = {};
    return settings;
  }

  // Forges the reply to the command after the next `after` ones: `make` returns
  // it from the true one. Handshakes and ECHO do not count.
  template <class Make>
  void forge(std::size_t after, Make make) {
    const std::lock_guard lock(mutex_);
    left_ = after;
    make_ = std::move(make);
    forged_.reset();
  }
  // Returns the command whose reply was forged since then.
  std::optional<std::string> forged() {
    const std::lock_guard lock(mutex_);
    left_.reset();
    return forged_;
  }
  // The first characters of Redis' replies to each command.
  std::map<std::string, std::set<char>> kinds() {
    const std::lock_guard lock(mutex_);
    return kinds_;
  }

 private:
  struct Peer {
    base::UniqueFd client;
    base::UniqueFd redis;
    std::string bytes;
  };

  void run() {
    std::vector<std::unique_ptr<Peer>> peers;
    while (true) {
      std::vector<pollfd> watched{{stop_[0], POLLIN, 0}, {listener_.get(), POLLIN, 0}};
      for (const auto& peer : peers) watched.push_back({peer->client.get(), POLLIN, 0});
      poll(watched.data(), watched.size(), -1);
      if (watched[0].revents != 0) return;
      for (std::size_t i = watched.size(); i-- > 2;) {
        if (watched[i].revents != 0 && !serve(*peers[i - 2]))
          peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(i) - 2);
      }
      if (watched[1].revents != 0) {
        peers.push_back(std::make_unique<Peer>(
            Peer{base::UniqueFd(accept(listener_.get(), nullptr, nullptr)),
                 connected(server_.settings().address.path), std::string()}));
      }
    }
  }

  static bool read_more(int fd, std::string& bytes) {
    std::array<char, 65'536> buffer;
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count > 0) bytes.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }
  static void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  bool serve(Peer& peer) {
    if (!read_more(peer.client.get(), peer.bytes)) return false;
    while (const std::size_t length = peer.bytes.empty() ? 0 : length_of(peer.bytes)) {
      const std::string command = peer.bytes.substr(0, length);
      peer.bytes.erase(0, length);
      write_all(peer.redis.get(), command);
      std::string reply;
      while (reply.empty() || length_of(reply) == 0) {
        if (!read_more(peer.redis.get(), reply)) return false;
      }
      write_all(peer.client.get(), reply_to(words_of(command), std::move(reply)));
    }
    return true;
  }

  std::string reply_to(const std::vector<std::string>& words, std::string reply) {
    const std::lock_guard lock(mutex_);
    if (words[0] == "CLIENT" || words[0] == "ECHO") return reply;
    const std::string name = name_of(words);
    if (reply.front() != '-') kinds_[name].insert(kind_of(reply));
    if (!left_) return reply;
    if (*left_ > 0) return --*left_, reply;
    left_.reset();
    forged_ = name;
    return make_(reply);
  }

  const integration::RedisServer& server_;
  const fakes::TemporaryDirectory directory_;
  const std::string path_ = directory_.path("lying.sock");
  base::UniqueFd listener_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::array<int, 2> stop_{};
  std::jthread thread_;
  std::mutex mutex_;
  std::optional<std::size_t> left_;
  std::function<std::string(const std::string&)> make_;
  std::optional<std::string> forged_;
  std::map<std::string, std::set<char>> kinds_;
};

std::string array_of(std::size_t count, std::string_view element) {
  std::string text = "*" + std::to_string(count) + "\r\n";
  for (std::size_t i = 0; i < count; ++i) text += element;
  return text;
}

struct Lie {
  const char* name;
  std::string reply;  // empty: the true reply with one element more
};

const std::vector<Lie>& lies() {
  static const std::vector<Lie> kLies{
      {"nil", "$-1\r\n"},
      {"a nil array", "*-1\r\n"},
      {"a number", ":7\r\n"},
      {"a status", "+OK\r\n"},
      {"another status", "+QUEUED\r\n"},
      {"a string", "$3\r\nfoo\r\n"},
      {"an empty array", "*0\r\n"},
      {"an array", array_of(1000, "$1\r\nx\r\n")},
      {"an array of numbers", array_of(2, ":1\r\n")},
      {"nested arrays", "*1\r\n*1\r\n*1\r\n*1\r\n$1\r\nx\r\n"},
      {"an array with an error", "*1\r\n-ERR wrong\r\n"},
      {"an error", "-ERR wrong\r\n"},
      {"a map", "%1\r\n+a\r\n:1\r\n"},
      {"a null of RESP3", "_\r\n"},
      {"a boolean", "#t\r\n"},
      {"a push", ">2\r\n+message\r\n+x\r\n"},
      {"an array that claims to be huge", "*2147483647\r\n"},
      {"one element more", ""},
  };
  return kLies;
}

std::string lengthened(const std::string& reply) {
  if (reply.front() != '*' || reply[1] == '-') return "*1\r\n$1\r\nx\r\n";
  const std::size_t line = reply.find("\r\n");
  return "*" + std::to_string(std::stoul(reply.substr(1, line - 1)) + 1) + reply.substr(line) +
         "$1\r\nx\r\n";
}

// These return exactly one reply per key or field: any other number is forged.
bool has_fixed_length(std::string_view name) { return name == "MGET" || name == "HMGET"; }

TEST(WrongShapes, OperationsD47AReplyOfAnotherShapeIsAnOutage) {
  std::map<std::string, std::set<char>> kinds;
  {
    integration::RedisServer server;
    LyingStore store(server);
    EveryStore life(store.settings());
    life.write();
    for (const EveryStore::Action& action : life.actions()) action.run();
    kinds = store.kinds();
  }
  std::set<std::string> unawaited;
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    integration::RedisServer server;
    LyingStore store(server);
    EveryStore life(store.settings());
    life.write();
    int said = 0;
    for (const EveryStore::Action& action : life.actions()) {
      SCOPED_TRACE(action.name);
      for (std::size_t after = 0;; ++after) {
        store.forge(after, [&lie](const std::string& truth) {
          return lie.reply.empty() ? lengthened(truth) : lie.reply;
        });
        bool is_unavailable = false;
        try {
          action.run();
        } catch (const base::Unavailable&) {
          is_unavailable = true;
        } catch (const std::runtime_error&) {  // an earlier iteration has already made this change
        }
        const std::string own = "reply " + std::to_string(++said);
        // The next request on this connection must get its own reply.
        for (redis::Store* channel : {&life.state(), &life.cache()}) {
          try {
            ASSERT_EQ(life.echo(*channel, own), own);
          } catch (const base::Unavailable&) {  // the reply to a command that nothing awaits
            ASSERT_EQ(life.echo(*channel, own), own);
          }
        }
        const auto forged = store.forged();
        if (!forged) break;
        const std::set<char>& right = kinds[*forged];
        const bool is_longer = lie.reply.empty() && right.contains('*');
        const bool is_wrong =
            is_longer
                ? has_fixed_length(*forged)
                : !right.empty() && !right.contains(lie.reply.empty() ? '*' : kind_of(lie.reply));
        if (is_wrong && !is_unavailable) unawaited.insert(*forged);
      }
    }
  }
  // Nothing awaits their replies, or a failure is only a cache miss. The function keeps a
  // rendering. BLPOP may also find nothing. ZINCRBY is only for the order of the media that were
  // played most. EXISTS and ZSCORE: a request that has closed a film waits no longer for its files.
  std::set<std::string> names;
  for (const std::string& name : unawaited) names.insert(name.substr(0, name.find(' ')));
  EXPECT_EQ(names, (std::set<std::string>{"BLPOP", "EXISTS", "EXPIRE", "FCALL", "HGET", "HINCRBY",
                                          "HSET", "SET", "ZADD", "ZINCRBY", "ZREM",
                                          "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE", "ZSCORE"}));
  EXPECT_EQ(unawaited.size(), names.size());
}

}  // namespace
}  // namespace svc
