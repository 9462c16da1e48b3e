// WorkerTest: a worker in this process, its endpoints, and clients that talk to it.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/unavailable.h"
#include "fakes/answers.h"
#include "fakes/door.h"
#include "fakes/fastcgi_bytes.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "fakes/wire.h"
#include "fastcgi/listening_socket.h"
#include "pool/worker/worker.h"

namespace svc::pool::worker_tests {

using namespace std::chrono_literals;
using fakes::AnswerText;
using http::CacheUse;

inline http::Response text(std::string body) {
  http::Response response;
  response.content_type = "text/plain";
  response.body = std::move(body);
  return response;
}

// Shares its response between equal requests until its key changes.
class Shared : public http::Endpoint {
 public:
  loop::Task<http::Response> answer(const http::Request& request) override {
    ++asked;
    const std::string key(request.query);
    if (waits) co_await door.pass();
    if (away) throw base::Unavailable("away");
    http::Response response = text("shared " + key);
    response.made_from = {key};
    response.counts_for = 1001;
    co_return response;
  }
  bool shares_answers(const http::Request&) const override { return true; }

  int asked = 0;
  bool away = false;
  bool waits = false;
  fakes::Door door;
};

// Waits until the test lets it through, then responds with the query and the
// body.
class Waiting : public http::Endpoint {
 public:
  loop::Task<http::Response> answer(const http::Request& request) override {
    if (request.query.starts_with("hash")) request.peer->takes_longer(std::chrono::seconds(10));
    co_await door.pass();
    ++passed;
    left = request.peer->has_left();
    if (request.query == "away") throw base::Unavailable("away");
    co_return text("waited " + std::string(request.query) + std::string(request.body));
  }
  fakes::Door door;
  int passed = 0;     // number of requests that were let through
  bool left = false;  // whether the peer of the last request had left
};

class WithoutStore : public http::Endpoint {
 public:
  loop::Task<http::Response> answer(const http::Request&) override { co_return text("fixed"); }
};

class AlwaysUp : public cache::InvalidationFeed {
 public:
  explicit AlwaysUp(const base::Clock& clock) : clock_(clock) {}
  bool is_up() const override { return true; }
  base::TimePoint received_until() const override {
    return hears ? clock_.now() : base::TimePoint();
  }
  bool hears = true;

 private:
  const base::Clock& clock_;
};

// Like nginx: a connection with one request after another.
class Client {
 public:
  explicit Client(base::UniqueFd fd) : fd_(std::move(fd)) {}

  void send(std::string_view path, std::string_view query = "", std::string_view method = "GET",
            std::string_view body = "", std::uint16_t id = 1) {
    send_bytes(fakes::fcgi_request({{"REQUEST_METHOD", method},
                                    {"DOCUMENT_URI", path},
                                    {"QUERY_STRING", query},
                                    {"CONTENT_LENGTH", std::to_string(body.size())}},
                                   body, id));
  }
  void send_bytes(const std::string& bytes) { EXPECT_TRUE(fakes::send_all(fd_.get(), bytes)); }
  void leave() { fd_.reset(); }
  // Sends no next request, but reads the response.
  void close_half() { EXPECT_EQ(shutdown(fd_.get(), SHUT_WR), 0); }

  // The bytes since the last complete response.
  std::string bytes() {
    got_ += fakes::read_some(fd_.get());
    return got_;
  }
  // The text of the next response; "" until it is complete.
  std::string answer() {
    const AnswerText answer = fakes::answer_in(bytes());
    if (!answer.whole) return "";
    got_.clear();
    return answer.text;
  }
  // The status and the body of the next response: "200 body".
  std::string says() {
    const std::string answered = answer();
    if (answered.empty()) return "";
    return answered.substr(8, 4) + answered.substr(answered.find("\r\n\r\n") + 4);
  }
  bool is_open() const { return fakes::is_open(fd_.get()); }

 private:
  base::UniqueFd fd_;
  std::string got_;
};

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() {
    base::log::set_level(base::log::Level::Off);
    settings_.name = "embed";
    router_.add("/shared", shared_);
    router_.add("/wait", waiting_);
    router_.add({.pattern = "/fixed", .methods = "", .needs_store = false}, fixed_);
    responses_.use_feed(feed_);
  }
  ~WorkerTest() override {
    worker_.reset();
    EXPECT_EQ(loop_.tasks(), 0u);
    EXPECT_EQ(waiting_.door.waiting() + shared_.door.waiting(), 0u);
  }

  Worker& worker() {
    if (!worker_) {
      Worker::Work work{responses_, [this] { ++seconds_; },
                        [this](std::int64_t account) { counted_.push_back(account); },
                        [](std::string_view, std::int64_t) {}, [this] { return store_answers(); }};
      worker_ =
          std::make_unique<Worker>(socket_.fd(), settings_, board_, slot_, std::move(work), loop_);
    }
    return *worker_;
  }
  loop::Task<bool> store_answers() { co_return store_answers_; }
  // Returns false once the worker has ended.
  bool turn() { return worker().turn(0s); }
  Client connect() {
    Client client(fakes::connect_to(path_));
    const std::uint64_t before = counters_.accepted;
    for (int i = 0; i < 10 && counters_.accepted == before; ++i) turn();
    EXPECT_EQ(counters_.accepted, before + 1);
    return client;
  }
  // Connects and sends a request, which the worker takes.
  Client ask(std::string_view path, std::string_view query = "", std::string_view method = "GET") {
    Client client = connect();
    client.send(path, query, method);
    turn();
    return client;
  }
  void pass(base::Duration time) {
    clock_.advance(time);
    turn();
  }
  static WorkerSettings without_limits() {
    WorkerSettings settings;
    settings.max_requests = 0;
    settings.memory_limit = 0;
    return settings;
  }
  // The number of responses of all endpoints in this class of statuses.
  std::uint64_t answered(std::size_t hundreds) const {
    std::uint64_t sum = 0;
    for (const EndpointCounters& endpoint : counters_.endpoints)
      sum += endpoint.statuses[hundreds - 1];
    return sum;
  }
  std::uint64_t cache(CacheUse use) const { return counters_.cache[static_cast<std::size_t>(use)]; }

  const fakes::TemporaryDirectory directory_;
  const std::string path_ = directory_.path("s");
  fastcgi::ListeningSocket socket_ = *fastcgi::ListeningSocket::open(path_, 0600, 64);
  fakes::ManualClock clock_;
  loop::Loop loop_{clock_};
  bool store_answers_ = true;
  Shared shared_;
  Waiting waiting_;
  WithoutStore fixed_;
  http::Router router_;
  AlwaysUp feed_{clock_};
  cache::ResponseCache responses_{router_, {}, cache::Hasher{7}, loop_};
  Scoreboard board_{1};
  Slot& slot_ = board_.slot(0);
  Counters& counters_ = board_.counters(0);
  WorkerSettings settings_ = without_limits();
  int seconds_ = 0;
  std::vector<std::int64_t> counted_;

 private:
  std::unique_ptr<Worker> worker_;
};
using Working = WorkerTest;

inline constexpr std::string_view kUnavailable = "503 {\"error\":\"temporarily unavailable\"}";

}  // namespace svc::pool::worker_tests
