#include "pool/worker/worker.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
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
#include "pool/signals.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;
using fakes::AnswerText;
using http::CacheUse;

http::Response text(std::string body) {
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
    left = request.peer->has_left();
    if (request.query == "away") throw base::Unavailable("away");
    co_return text("waited " + std::string(request.query) + std::string(request.body));
  }
  fakes::Door door;
  bool left = false;  // whether the peer of the last request had left
};

class WithoutStore : public http::Endpoint {
 public:
  loop::Task<http::Response> answer(const http::Request&) override {
    if (looks) looks();
    co_return text("fixed");
  }
  bool needs_store() const override { return false; }

  std::function<void()> looks;
};

class Large : public http::Endpoint {
 public:
  loop::Task<http::Response> answer(const http::Request&) override {
    co_return text(std::string(3'000'000, 'x'));
  }
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

loop::Task<bool> always() { co_return true; }

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() {
    base::log::set_level(base::log::Level::Off);
    settings_.name = "embed";
    router_.add("/shared", shared_);
    router_.add("/wait", waiting_);
    router_.add("/fixed", fixed_);
    router_.add("/large", large_);
    responses_.use_feed(feed_);
  }
  ~WorkerTest() override {
    waiting_.door.let_all_through();
    shared_.door.let_all_through();
    loop_.turn(0s);
    EXPECT_EQ(loop_.tasks(), 0u);
  }

  Worker& worker() {
    if (!worker_) {
      Worker::Work work{responses_, [this] { ++seconds_; },
                        [this](std::int64_t account) { counted_.push_back(account); },
                        [this] { return store_answers(); }};
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
  Client ask(std::string_view path, std::string_view query = "") {
    Client client = connect();
    client.send(path, query);
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
  Large large_;
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

constexpr std::string_view kUnavailable = "503 {\"error\":\"temporarily unavailable\"}";

TEST_F(Working, AnswersSuccessiveRequestsOnAKeepAliveConnection) {
  Client client = connect();
  for (const std::string_view query : {"a", "b", "a"}) {
    client.send("/shared", query);
    turn();
    EXPECT_EQ(client.says(), "200 shared " + std::string(query));
  }
  client.send("/nothing");
  turn();
  EXPECT_EQ(client.says(), "404 {\"error\":\"not found\"}");
  client.send("/shared", "a", "HEAD");
  turn();
  EXPECT_EQ(client.says(), "200 ");
  client.send("/wait", "q=", "POST", "the body");
  turn();
  waiting_.door.let_one_through();
  EXPECT_EQ(client.says(), "200 waited q=the body");
  EXPECT_TRUE(client.is_open());
  EXPECT_EQ(counters_.accepted, 1u);
  EXPECT_EQ(slot_.requests, 6u);
  EXPECT_EQ(cache(CacheUse::Memory), 2u);
  EXPECT_EQ(cache(CacheUse::Miss), 2u);
  EXPECT_EQ(answered(2), 5u);
  EXPECT_EQ(answered(4), 1u);
}

TEST_F(Working, OembedM5CountsGetResponsesForTheirAccount) {
  Client client = connect();
  client.send("/shared", "a");
  turn();
  client.send("/shared", "a");
  turn();
  client.send("/shared", "a", "HEAD");
  turn();
  client.send("/fixed");
  turn();
  EXPECT_EQ(counted_, (std::vector<std::int64_t>{1001, 1001}));
}

TEST_F(Working, OperationsP3AnswersFromMemoryWhileAnotherRequestWaits) {
  ask("/shared", "a");
  Client waits = ask("/wait", "w");
  EXPECT_EQ(slot_.in_flight, 1u);
  EXPECT_EQ(slot_.phase, Phase::Handling);
  Client hot = connect();
  for (int i = 0; i < 3; ++i) {
    hot.send("/shared", "a");
    turn();
    EXPECT_EQ(hot.says(), "200 shared a");
  }
  EXPECT_EQ(cache(CacheUse::Memory), 3u);
  EXPECT_EQ(waits.says(), "");
  waiting_.door.let_one_through();
  EXPECT_EQ(waits.says(), "200 waited w");
  turn();
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_EQ(slot_.phase, Phase::Idle);
}

TEST_F(Working, OperationsP3SimultaneousRequestsGetTheirOwnResponses) {
  std::vector<Client> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(connect());
  for (std::size_t i = 0; i < clients.size(); ++i)
    clients[i].send("/wait", std::to_string(i), "GET", "", static_cast<std::uint16_t>(i + 1));
  turn();
  ASSERT_EQ(waiting_.door.waiting(), clients.size());
  EXPECT_EQ(slot_.in_flight, clients.size());
  std::mt19937 random(1);
  while (waiting_.door.waiting() > 0) {
    waiting_.door.let_one_through(random() % waiting_.door.waiting());
    if (random() % 3 == 0) turn();
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::string answer = clients[i].bytes();
    std::string_view rest = answer;
    for (const fakes::FcgiRecord& record : fakes::take_records(rest)) EXPECT_EQ(record.id, i + 1);
    EXPECT_EQ(clients[i].says(), "200 waited " + std::to_string(i));
  }
}

TEST_F(Working, OembedC3CoalescesConcurrentRequests) {
  shared_.waits = true;
  std::vector<Client> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(ask("/shared", "a"));
  EXPECT_EQ(shared_.asked, 1);
  shared_.door.let_one_through();
  turn();
  for (Client& client : clients) EXPECT_EQ(client.says(), "200 shared a");
  EXPECT_EQ(cache(CacheUse::Miss), 1u);
  EXPECT_EQ(cache(CacheUse::Handover), 4u);
}

TEST_F(Working, OperationsD3Answers503IfTheStoreIsUnavailable) {
  Client client = ask("/wait", "away");
  waiting_.door.let_one_through();
  const std::string answer = client.answer();
  EXPECT_TRUE(answer.starts_with("Status: 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_TRUE(client.is_open());
  EXPECT_EQ(counters_.slow, 0u);
}

// operations-P8: a request that hangs does not end its worker.
TEST_F(Working, OperationsP8ALateRequestGetsA503AndItsLateResultIsDropped) {
  Client client = ask("/wait", "late");
  pass(2999ms);
  EXPECT_EQ(client.bytes(), "");
  pass(1ms);
  const std::string answer = client.answer();
  EXPECT_TRUE(answer.starts_with("Status: 503 ")) << answer;
  EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos);
  EXPECT_EQ(counters_.slow, 1u);
  EXPECT_EQ(counters_.refused, 0u);
  EXPECT_EQ(answered(5), 1u);
  EXPECT_EQ(slot_.in_flight, 1u) << "its task goes on";
  EXPECT_TRUE(client.is_open());
  pass(3s);
  EXPECT_EQ(counters_.slow, 1u) << "once";
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(client.bytes(), "");
  EXPECT_EQ(slot_.requests, 1u);
  EXPECT_EQ(answered(2), 0u);
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_TRUE(waiting_.left) << "nobody would have read it";
  client.send("/fixed");
  turn();
  EXPECT_EQ(client.says(), "200 fixed");
}

TEST_F(Working, OperationsP8ALateResultIsNotSentToTheNextRequest) {
  Client client = ask("/wait", "first");
  pass(3s);
  EXPECT_EQ(client.says(), kUnavailable);
  client.send("/wait", "second");
  turn();
  ASSERT_EQ(waiting_.door.waiting(), 2u);
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(client.bytes(), "");
  waiting_.door.let_one_through();
  EXPECT_EQ(client.says(), "200 waited second");
  EXPECT_FALSE(waiting_.left);
}

TEST_F(Working, OperationsP8ALateResultIsNotSentToAConnectionWithTheSameNumber) {
  Client first = connect();
  first.send_bytes(fakes::fcgi_begin(1, 1, false) +
                   fakes::fcgi_record(fakes::kParams, fakes::fcgi_pair("DOCUMENT_URI", "/wait")) +
                   fakes::fcgi_record(fakes::kParams, "") + fakes::fcgi_record(fakes::kStdin, ""));
  turn();
  pass(3s);
  EXPECT_EQ(first.says(), kUnavailable);
  EXPECT_FALSE(first.is_open()) << "not kept";
  Client second = ask("/wait", "second");
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(second.bytes(), "");
  waiting_.door.let_one_through();
  EXPECT_EQ(second.says(), "200 waited second");
}

TEST_F(Working, OperationsP8EachRequestHasItsOwnTimeout) {
  Client first = ask("/wait", "1");
  pass(1s);
  Client second = ask("/wait", "2");
  pass(1s);
  Client third = ask("/wait", "3");
  waiting_.door.let_one_through(1);
  EXPECT_EQ(second.says(), "200 waited 2");
  pass(1s);
  EXPECT_EQ(first.says(), kUnavailable);
  pass(1s);
  EXPECT_EQ(third.bytes(), "");
  pass(1s);
  EXPECT_EQ(third.says(), kUnavailable);
  EXPECT_EQ(counters_.slow, 2u);
}

// Hashing yields to all other work, so such a request has ten more seconds;
// others have not.
TEST_F(Working, OperationsP8ARequestThatHashesHasALongerTimeout) {
  Client hashes = ask("/wait", "hash");
  pass(1s);
  Client before = ask("/wait", "before");
  pass(3s);
  EXPECT_EQ(before.says(), kUnavailable);
  Client behind = ask("/wait", "behind");
  pass(3s);
  EXPECT_EQ(behind.says(), kUnavailable);
  EXPECT_EQ(hashes.bytes(), "");
  pass(5s);
  EXPECT_EQ(hashes.bytes(), "");
  pass(1s);
  EXPECT_EQ(hashes.says(), kUnavailable) << "13 s after it came";
  EXPECT_EQ(counters_.slow, 3u);
}

TEST_F(Working, OperationsD3ALateRequestGetsTheStaleResponse) {
  ask("/shared", "a");
  feed_.hears = false;
  pass(6s);
  shared_.waits = true;
  Client client = ask("/shared", "a");
  pass(3s);
  EXPECT_EQ(client.says(), "200 shared a");
  EXPECT_EQ(cache(CacheUse::Stale), 1u);
  EXPECT_EQ(counters_.slow, 1u);
}

class Full : public WorkerTest {
 protected:
  Full() {
    settings_.max_in_flight = 2;
    settings_.max_queued = 2;
  }
};

TEST_F(Full, LimitsRequestsInFlightQueuesSomeAndRefusesTheRest) {
  std::vector<Client> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  EXPECT_EQ(waiting_.door.waiting(), 2u);
  EXPECT_EQ(slot_.in_flight, 2u);
  EXPECT_EQ(slot_.queued, 2u);
  EXPECT_EQ(counters_.refused, 2u);
  for (const std::size_t refused : {4u, 5u}) {
    const std::string answer = clients[refused].answer();
    EXPECT_TRUE(answer.starts_with("Status: 503 ")) << answer;
    EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos);
    EXPECT_TRUE(clients[refused].is_open());
  }
  // Queued requests start in their order, each when an earlier request has
  // ended.
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[1].says(), "200 waited 1");
  turn();
  EXPECT_EQ(waiting_.door.waiting(), 2u);
  EXPECT_EQ(slot_.queued, 1u);
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[2].says(), "200 waited 2");
  turn();
  EXPECT_EQ(slot_.in_flight, 2u);
  EXPECT_EQ(slot_.queued, 0u);
  waiting_.door.let_all_through();
  EXPECT_EQ(clients[0].says(), "200 waited 0");
  EXPECT_EQ(clients[3].says(), "200 waited 3");
  turn();
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_EQ(counters_.refused, 2u);
  EXPECT_EQ(counters_.slow, 0u);
}

TEST_F(Full, QueuedRequestsAreNotOvertaken) {
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  waiting_.door.let_one_through();
  // A place is free, but this request comes before the queued request takes it.
  clients.push_back(ask("/wait", "3"));
  ASSERT_EQ(waiting_.door.waiting(), 2u);
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[2].says(), "200 waited 2");
  EXPECT_EQ(clients[3].bytes(), "");
  turn();
  waiting_.door.let_one_through(1);
  EXPECT_EQ(clients[3].says(), "200 waited 3");
}

TEST_F(Full, AnswersRequestsThatNeedNoStore) {
  ask("/shared", "a");
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  ASSERT_EQ(slot_.queued, 2u);
  EXPECT_EQ(ask("/fixed").says(), "200 fixed");
  EXPECT_EQ(ask("/shared", "a").says(), "200 shared a");
  EXPECT_EQ(ask("/nothing").says(), "404 {\"error\":\"not found\"}");
  EXPECT_EQ(ask("/shared", "b").says(), kUnavailable);
  EXPECT_EQ(counters_.refused, 1u);
}

TEST_F(Full, OperationsD3RefusedRequestsGetTheStaleResponse) {
  ask("/shared", "a");
  feed_.hears = false;
  pass(6s);
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  EXPECT_EQ(ask("/shared", "a").says(), "200 shared a");
  EXPECT_EQ(cache(CacheUse::Stale), 1u);
  EXPECT_EQ(counters_.refused, 1u);
}

TEST_F(Full, RequestsThatAreQueuedTooLongAreRefused) {
  Client runs = ask("/wait", "runs");
  Client too = ask("/wait", "too");
  Client early = ask("/wait", "early");
  pass(600ms);
  Client late = ask("/wait", "late");
  pass(399ms);
  EXPECT_EQ(early.bytes(), "");
  pass(1ms);
  EXPECT_EQ(early.says(), kUnavailable) << "a second after it came";
  EXPECT_EQ(late.bytes(), "");
  EXPECT_EQ(slot_.queued, 1u);
  EXPECT_EQ(counters_.refused, 1u);
  // The queue has a free place again.
  Client next = ask("/wait", "next");
  EXPECT_EQ(slot_.queued, 2u);
  pass(600ms);
  EXPECT_EQ(late.says(), kUnavailable);
  EXPECT_EQ(next.bytes(), "");
  waiting_.door.let_one_through();
  EXPECT_EQ(runs.says(), "200 waited runs");
  turn();
  waiting_.door.let_one_through(1);
  EXPECT_EQ(next.says(), "200 waited next");
  EXPECT_EQ(counters_.refused, 2u);
  EXPECT_EQ(counters_.slow, 0u);
}

TEST_F(Full, ATimedOutRequestLeavesTheQueue) {
  settings_.queue_timeout = 10s;
  Client runs = ask("/wait", "runs");
  Client too = ask("/wait", "too");
  Client queued = ask("/wait", "queued");
  pass(3s);
  for (Client* each : {&runs, &too, &queued}) EXPECT_EQ(each->says(), kUnavailable);
  EXPECT_EQ(counters_.slow, 3u);
  EXPECT_EQ(counters_.refused, 0u);
  EXPECT_EQ(slot_.in_flight, 2u);
  Client behind = ask("/wait", "behind");
  EXPECT_EQ(slot_.queued, 2u);
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(slot_.queued, 0u) << "nothing is made for one that is answered";
  waiting_.door.let_one_through(1);
  EXPECT_EQ(behind.says(), "200 waited behind");
  pass(10s);
  EXPECT_EQ(queued.bytes(), "");
}

TEST_F(Full, DoesNotStartAQueuedRequestWhoseClientHasLeft) {
  Client one = ask("/wait", "1");
  Client two = ask("/wait", "2");
  {
    const Client leaves = ask("/wait", "leaves");
    EXPECT_EQ(slot_.queued, 1u);
  }
  turn();
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(slot_.queued, 0u);
  EXPECT_EQ(slot_.in_flight, 1u);
}

TEST_F(Full, OembedC3AQueuedRequestUsesAResponseCachedInTheMeantime) {
  shared_.waits = true;
  Client first = ask("/shared", "a");
  Client other = ask("/wait", "w");
  Client queued = ask("/shared", "a");
  EXPECT_EQ(slot_.queued, 1u);
  shared_.door.let_one_through();
  turn();
  EXPECT_EQ(first.says(), "200 shared a");
  EXPECT_EQ(queued.says(), "200 shared a");
  EXPECT_EQ(shared_.asked, 1);
  EXPECT_EQ(cache(CacheUse::Memory), 1u);
}

// Such a request waits for a thread, not for the store, and may do so for long.
TEST_F(Full, ARequestThatHashesFreesItsPlace) {
  Client one = ask("/wait", "hash1");
  Client two = ask("/wait", "hash2");
  EXPECT_EQ(slot_.in_flight, 0u);
  Client three = ask("/wait", "3");
  Client four = ask("/wait", "4");
  EXPECT_EQ(slot_.in_flight, 2u);
  EXPECT_EQ(slot_.queued, 0u);
  waiting_.door.let_all_through();
  turn();
  EXPECT_EQ(one.says(), "200 waited hash1");
  EXPECT_EQ(four.says(), "200 waited 4");
  EXPECT_EQ(slot_.in_flight, 0u);
}

// The tasks of requests that were answered at their deadline still use the
// store.
TEST_F(Full, ARequestAnsweredAtItsDeadlineCountsUntilItsTaskEnds) {
  Client one = ask("/wait", "1");
  Client two = ask("/wait", "2");
  pass(3s);
  Client three = ask("/wait", "3");
  EXPECT_EQ(slot_.queued, 1u);
  EXPECT_EQ(waiting_.door.waiting(), 2u);
  waiting_.door.let_one_through();
  turn();
  EXPECT_EQ(slot_.queued, 0u);
  waiting_.door.let_one_through(1);
  EXPECT_EQ(three.says(), "200 waited 3");
}

TEST_F(Working, OauthL4DetectsThatAClientHasLeft) {
  Client client = ask("/wait", "w");
  Client stays = ask("/wait", "s");
  client.leave();
  turn();
  EXPECT_EQ(slot_.connections, 2u);
  waiting_.door.let_one_through();
  EXPECT_TRUE(waiting_.left);
  turn();
  turn();
  EXPECT_EQ(slot_.connections, 1u);
  waiting_.door.let_one_through();
  EXPECT_FALSE(waiting_.left);
  EXPECT_EQ(stays.says(), "200 waited s");
}

TEST_F(Full, ServesTheOthersIfAClientLeavesTheQueue) {
  Client one = ask("/wait", "1");
  Client two = ask("/wait", "2");
  Client leaves = ask("/wait", "leaves");
  Client stays = ask("/wait", "stays");
  leaves.leave();
  turn();
  while (waiting_.door.waiting() > 0) {
    waiting_.door.let_one_through();
    turn();
  }
  EXPECT_EQ(one.says(), "200 waited 1");
  EXPECT_EQ(two.says(), "200 waited 2");
  EXPECT_EQ(stays.says(), "200 waited stays");
  turn();
  EXPECT_EQ(slot_.connections, 3u);
}

TEST_F(Working, OperationsP6ASlowReaderDoesNotBlockOtherClients) {
  Client client = ask("/large");
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_EQ(slot_.phase, Phase::Idle);
  EXPECT_EQ(ask("/fixed").says(), "200 fixed");
  std::string answer;
  for (int i = 0; i < 10'000 && answer.empty(); ++i) {
    answer = client.answer();
    turn();
  }
  EXPECT_GT(answer.size(), 3'000'000u);
}

TEST_F(Working, OperationsP5RefusesABodyOfTheWrongLengthAndCloses) {
  Client client = connect();
  client.send_bytes(
      fakes::fcgi_request({{"DOCUMENT_URI", "/wait"}, {"CONTENT_LENGTH", "3"}}, "body"));
  turn();
  EXPECT_EQ(client.says(), "400 {\"error\":\"the body's length is not what Content-Length says\"}");
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(counters_.endpoints[board_.endpoint("/wait")].statuses[3], 1u);
  EXPECT_EQ(waiting_.door.waiting(), 0u);
  Client cut = connect();
  cut.send_bytes(fakes::fcgi_request({{"DOCUMENT_URI", "/wait"}, {"CONTENT_LENGTH", "5"}}, "body"));
  turn();
  EXPECT_EQ(cut.bytes(), "");
  EXPECT_FALSE(cut.is_open());
  EXPECT_EQ(waiting_.door.waiting(), 0u);
  EXPECT_EQ(answered(4), 1u);
}

TEST_F(Working, CountsRequestsThatTheListenerRefuses) {
  settings_.listener.limits.body = 10;
  Client client = connect();
  client.send("/wait", "", "POST", std::string(11, 'b'));
  turn();
  EXPECT_EQ(client.says(), "413 {\"error\":\"the request body is too large\"}");
  EXPECT_EQ(counters_.endpoints[board_.endpoint("/wait")].statuses[3], 1u);
}

TEST_F(Working, OperationsP5ClosesAfterARequestWithExtraBytes) {
  Client client = connect();
  const std::string request = fakes::fcgi_request({{"DOCUMENT_URI", "/fixed"}});
  client.send_bytes(request + request);
  turn();
  EXPECT_EQ(client.says(), "200 fixed");
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(slot_.requests, 1u);
}

TEST_F(Working, OperationsP6DrainsWithoutLosingARequest) {
  Client in_flight = ask("/wait", "1");
  Client idle = ask("/fixed");
  EXPECT_EQ(idle.says(), "200 fixed");
  worker().drain();
  EXPECT_EQ(slot_.phase, Phase::Draining);
  Client late(fakes::connect_to(path_));
  late.send("/fixed");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(turn());
  EXPECT_EQ(late.bytes(), "") << "for a worker that stays";
  waiting_.door.let_one_through();
  EXPECT_EQ(in_flight.says(), "200 waited 1");
  EXPECT_FALSE(in_flight.is_open());
  EXPECT_TRUE(turn()) << "a kept connection may still bring a request";
  idle.send("/wait", "2");
  EXPECT_TRUE(turn());
  EXPECT_EQ(slot_.phase, Phase::Draining);
  waiting_.door.let_one_through();
  EXPECT_EQ(idle.says(), "200 waited 2");
  EXPECT_FALSE(idle.is_open());
  EXPECT_FALSE(turn());
}

TEST_F(Full, OperationsP6DrainsItsQueueToo) {
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(ask("/wait", std::to_string(i)));
  worker().drain();
  for (std::size_t left = clients.size(); left > 0; --left) {
    EXPECT_TRUE(turn());
    waiting_.door.let_one_through();
  }
  EXPECT_FALSE(turn());
  for (std::size_t i = 0; i < clients.size(); ++i)
    EXPECT_EQ(clients[i].says(), "200 waited " + std::to_string(i));
}

TEST_F(Working, OperationsP6DrainsForAtMostTheDrainTimeout) {
  Client idle = ask("/fixed");
  Client hangs = ask("/wait", "hangs");
  worker().drain();
  pass(3s);
  EXPECT_EQ(hangs.says(), kUnavailable);
  EXPECT_FALSE(hangs.is_open());
  clock_.advance(16s);
  EXPECT_TRUE(turn());
  clock_.advance(1s);
  EXPECT_FALSE(turn());
}

TEST_F(Working, OperationsP6StopClosesIdleConnections) {
  Client idle = ask("/fixed");
  EXPECT_EQ(idle.says(), "200 fixed");
  Client in_flight = ask("/wait", "1");
  worker().stop();
  EXPECT_FALSE(idle.is_open());
  EXPECT_TRUE(turn());
  waiting_.door.let_one_through();
  EXPECT_EQ(in_flight.says(), "200 waited 1");
  EXPECT_FALSE(turn());
}

// A request that was already answered does not delay the exit: its task is
// abandoned.
TEST_F(Working, OperationsP6ExitsDespiteAHungTask) {
  Client client = ask("/wait", "hangs");
  pass(3s);
  EXPECT_EQ(client.says(), kUnavailable);
  worker().stop();
  EXPECT_FALSE(turn());
  EXPECT_EQ(loop_.tasks(), 1u);
}

TEST_F(Working, OperationsP8RetiresAfterMaxRequests) {
  settings_.max_requests = 3;
  Client client = connect();
  for (int i = 0; i < 2; ++i) {
    client.send("/fixed");
    turn();
    EXPECT_EQ(client.says(), "200 fixed");
  }
  EXPECT_TRUE(client.is_open());
  client.send("/wait", "3");
  EXPECT_TRUE(turn());
  EXPECT_EQ(slot_.phase, Phase::Draining);
  waiting_.door.let_one_through();
  EXPECT_EQ(client.says(), "200 waited 3");
  EXPECT_FALSE(client.is_open());
  EXPECT_FALSE(turn());
}

// Its successor could not fill its memory cache.
TEST_F(Working, OperationsP8DoesNotRetireWhileTheStoreIsUnavailable) {
  settings_.max_requests = 1;
  store_answers_ = false;
  Client client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send("/fixed");
    EXPECT_TRUE(turn());
    EXPECT_EQ(client.says(), "200 fixed");
  }
  EXPECT_NE(slot_.phase, Phase::Draining);
  store_answers_ = true;
  turn();
  EXPECT_NE(slot_.phase, Phase::Draining) << "asks once a second";
  pass(1s);
  EXPECT_EQ(slot_.phase, Phase::Draining);
}

TEST_F(Working, OperationsP8RetiresAboveItsMemoryLimit) {
  settings_.memory_limit = 1;
  Client client = connect();
  int answers = 0;
  for (bool open = true; open && answers < 1000; open = client.is_open()) {
    client.send("/fixed");
    turn();
    answers += client.says() == "200 fixed" ? 1 : 0;
  }
  EXPECT_EQ(answers, 257) << "it looks every 256 requests, and answers what comes meanwhile";
  EXPECT_FALSE(turn());
}

TEST_F(Working, OperationsP9UpdatesItsSlotAndCounters) {
  EXPECT_TRUE(turn());
  EXPECT_EQ(slot_.phase, Phase::Idle);
  EXPECT_EQ(slot_.beat, clock_.now().time_since_epoch().count());
  Client client = ask("/wait", "secret");
  EXPECT_EQ(slot_.phase, Phase::Handling);
  EXPECT_EQ(slot_.path_text(), "/wait");
  const int before = seconds_;
  pass(10ms);
  EXPECT_EQ(slot_.beat, clock_.now().time_since_epoch().count()) << "though a request waits";
  EXPECT_EQ(seconds_, before);
  pass(1s);
  EXPECT_EQ(seconds_, before + 1);
  waiting_.door.let_one_through();
  EXPECT_EQ(client.says(), "200 waited secret");
  const EndpointCounters& counted = counters_.endpoints[board_.endpoint("/wait")];
  EXPECT_EQ(counted.statuses[1], 1u);
  EXPECT_EQ(counted.durations.nanoseconds, 1'010'000'000u) << "from its last byte to its answer";
  ask("/shared", "a");
  EXPECT_EQ(slot_.cache_entries, 1u);
  EXPECT_GT(slot_.cache_bytes, 0u);
  responses_.invalidated("a");
  turn();
  EXPECT_EQ(slot_.cache_entries, 0u);
  EXPECT_EQ(counters_.cache_invalidated, 1u);
  EXPECT_EQ(counters_.cache_invalidations, 1u);
}

// Whatever happens simultaneously, every request whose client waits gets one
// response: its own or a 503.
TEST_F(Working, OperationsP3EveryRequestGetsAResponseUnderRandomTraffic) {
  settings_.max_in_flight = 4;
  settings_.max_queued = 4;
  settings_.listener.idle_timeout = 100h;
  shared_.waits = true;
  struct Asking {
    Client client;
    std::string expected{};  // the expected response; "" if no request waits
  };
  std::vector<std::unique_ptr<Asking>> all;
  std::mt19937 random(11);
  const auto below = [&](std::size_t end) { return random() % end; };
  int answers = 0;
  int refusals = 0;
  const auto look = [&](Asking& one) {
    if (one.expected.empty()) return;
    const std::string said = one.client.says();
    if (said.empty()) return;
    (said == kUnavailable ? refusals : answers) += 1;
    if (said != kUnavailable) {
      EXPECT_EQ(said, one.expected);
    }
    one.expected.clear();
  };
  const auto ask_something = [&](Asking& one, int number) {
    const std::string query = std::to_string(below(3));
    const std::string own = (below(8) == 0 ? "hash" : "") + std::to_string(number);
    switch (below(3)) {
      case 0:
        one.client.send("/fixed");
        one.expected = "200 fixed";
        break;
      case 1:
        one.client.send("/shared", query);
        one.expected = "200 shared " + query;
        break;
      default: one.client.send("/wait", own); one.expected = "200 waited " + own;
    }
  };
  for (int step = 0; step < 20'000; ++step) {
    Asking* one = all.empty() ? nullptr : all[below(all.size())].get();
    switch (below(9)) {
      case 0:
        if (all.size() < 20) {
          all.push_back(std::make_unique<Asking>(Asking{Client(fakes::connect_to(path_))}));
          if (below(2) == 0) ask_something(*all.back(), step);
        }
        break;
      case 1:
        if (one != nullptr && below(3) == 0)
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(below(all.size())));
        break;
      case 2:
      case 3:
        if (one != nullptr && one->expected.empty()) ask_something(*one, step);
        break;
      case 4:
        if (waiting_.door.waiting() > 0)
          waiting_.door.let_one_through(below(waiting_.door.waiting()));
        break;
      case 5:
        if (shared_.door.waiting() > 0) shared_.door.let_one_through(below(shared_.door.waiting()));
        break;
      case 6:
        if (below(4) == 0) responses_.invalidated(std::to_string(below(3)));
        if (below(50) == 0) responses_.feed_began();
        if (below(20) == 0) shared_.away = !shared_.away;
        break;
      case 7: clock_.advance(std::chrono::milliseconds(below(600))); break;
      default: turn();
    }
    ASSERT_LE(slot_.in_flight, 4u);
    ASSERT_LE(slot_.queued, 4u);
    if (one != nullptr && !all.empty()) look(*all[below(all.size())]);
  }
  shared_.away = false;
  for (int i = 0; i < 100; ++i) {
    turn();
    waiting_.door.let_all_through();
    shared_.door.let_all_through();
  }
  for (const auto& each : all) {
    look(*each);
    EXPECT_EQ(each->expected, "") << "it has no answer";
    EXPECT_TRUE(each->client.is_open());
  }
  turn();
  EXPECT_EQ(slot_.connections, all.size());
  EXPECT_EQ(slot_.in_flight, 0u);
  EXPECT_EQ(slot_.queued, 0u);
  EXPECT_GT(answers, 1000);
  EXPECT_GT(refusals, 100);
  EXPECT_GT(counters_.slow, 10u);
  EXPECT_GT(counters_.refused, 10u);
  EXPECT_GT(cache(CacheUse::Handover), 10u);
  EXPECT_GT(cache(CacheUse::Memory), 10u);
}

// Like the status page.
TEST_F(Working, OperationsP9ARequestForTheStatusSeesItself) {
  Client waits = ask("/wait", "w");
  std::uint64_t accepted = 0;
  Phase phase = Phase::Free;
  std::string path;
  std::uint32_t in_flight = 0;
  fixed_.looks = [&] {
    accepted = counters_.accepted;
    phase = slot_.phase;
    path = slot_.path_text();
    in_flight = slot_.in_flight;
  };
  Client looks(fakes::connect_to(path_));
  looks.send("/fixed");
  for (int i = 0; i < 3 && accepted == 0; ++i) turn();
  EXPECT_EQ(looks.says(), "200 fixed");
  EXPECT_EQ(accepted, 2u);
  EXPECT_EQ(phase, Phase::Handling);
  EXPECT_EQ(path, "/fixed");
  EXPECT_EQ(in_flight, 1u);
}

// In a child process, because handlers and masks apply to the whole process.
TEST_F(Working, OperationsP6EndsOnASignal) {
  for (const int signal : {SIGTERM, SIGQUIT}) {
    Scoreboard board(1);
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      const sigset_t waiting = signals::prepare();
      const base::SteadyClock clock;
      loop::Loop loop(clock);
      cache::ResponseCache responses(router_, {}, cache::Hasher{7}, loop);
      Worker::Work work{responses, [] {}, [](std::int64_t) {}, &always};
      Worker worker(socket_.fd(), settings_, board, board.slot(0), std::move(work), loop);
      raise(signal);
      _exit(worker.run(waiting) == 0 && board.slot(0).phase == Phase::Draining ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << signal;
  }
}

}  // namespace
}  // namespace svc::pool
