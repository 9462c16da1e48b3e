#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/unique_fd.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "integration/asking.h"
#include "integration/redis_server.h"
#include "integration/trips.h"
#include "loop/all.h"
#include "loop/loop.h"
#include "redis/store.h"
#include "stores/functions.h"
#include "stores/replace.lua.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

using integration::has;
using integration::replied;

loop::Task<std::string> text_of(Store& channel, std::string key) {
  Store::Call call = channel.get(key);
  const Reply reply = co_await call;
  co_return std::string(reply.text().value_or("(nil)"));
}

loop::Task<std::string> outcome_of(Store& channel, std::string key) {
  try {
    std::string text = co_await text_of(channel, key);
    co_return text;
  } catch (const ErrorReply& error) {
    co_return std::string("error reply: ") + error.what();
  } catch (const base::Unavailable& error) {
    co_return std::string("unavailable: ") + error.what();
  }
}

loop::Task<> keep(Store& channel, std::string key, std::string& out) {
  out = co_await outcome_of(channel, key);
}

loop::Task<std::string> done(Store& channel, std::vector<std::string> words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  Store::Call call = channel.command(views);
  try {
    const Reply reply = co_await call;
    co_return std::string(reply.text().value_or("(nil)"));
  } catch (const base::Unavailable& error) {
    co_return std::string("unavailable: ") + error.what();
  }
}

loop::Task<> keep_done(Store& channel, std::vector<std::string> words, std::string& out) {
  out = co_await done(channel, std::move(words));
}

loop::Task<std::string> changed(Store& channel, std::string before, std::string after) {
  stores::functions::ReplaceRecord run{.record = "a", .before = before, .after = after};
  try {
    const Reply reply = co_await channel.call(std::move(run));
    co_return std::to_string(reply.integer());
  } catch (const base::Unavailable& error) {
    co_return std::string("unavailable: ") + error.what();
  }
}

class ChannelTest : public ::testing::Test {
 protected:
  Reply ask(Store& to, std::vector<std::string> words) {
    return loop.run_until_done(replied(to, std::move(words)));
  }
  Reply ask(std::vector<std::string> words) { return ask(channel, std::move(words)); }
  std::string text(Store& to, std::vector<std::string> words) {
    return std::string(ask(to, std::move(words)).text().value_or("(nil)"));
  }
  std::string text(std::vector<std::string> words) { return text(channel, std::move(words)); }
  // The message of the outage; "" if the store replies.
  std::string ping(Store& to) {
    try {
      ask(to, {"PING"});
      return "";
    } catch (const base::Unavailable& outage) {
      return outage.what();
    }
  }
  // Turns the loop until every spawned task has finished.
  void finish_all() {
    while (!tasks.is_empty()) loop.turn(100ms);
  }
  std::int64_t commands_of(std::string_view name) {
    const std::string stats = server.text({"INFO", "commandstats"});
    const std::string mark = "cmdstat_" + std::string(name) + ":calls=";
    const std::size_t at = stats.find(mark);
    return at == std::string::npos ? 0 : std::stoll(stats.substr(at + mark.size()));
  }

  integration::RedisServer server;
  base::SteadyClock clock;
  loop::Loop loop{clock};
  Store channel{server.settings(), loop};
  loop::Scope tasks{loop};
};

TEST_F(ChannelTest, EqualReadsOfOneTurnAreSentOnce) {
  server.command({"SET", "a", "1"});
  const std::int64_t before = commands_of("get");
  std::vector<std::string> seen(20);
  for (std::string& one : seen) tasks.spawn(keep(channel, "a", one));
  finish_all();
  EXPECT_EQ(seen, std::vector<std::string>(20, "1"));
  EXPECT_EQ(commands_of("get"), before + 1);
  EXPECT_EQ(loop.run_until_done(text_of(channel, "a")), "1");
  EXPECT_EQ(commands_of("get"), before + 2) << "a reply is never used for a later read";
}

TEST_F(ChannelTest, AnErrorReplyFailsItsOwnCommandOnly) {
  server.command({"SET", "a", "1"});
  server.command({"LPUSH", "list", "x"});
  const std::int64_t id = ask({"CLIENT", "ID"}).integer();
  std::vector<std::string> seen(5);
  tasks.spawn(keep(channel, "a", seen[0]));
  tasks.spawn(keep(channel, "list", seen[1]));
  tasks.spawn(keep(channel, "missing", seen[2]));
  tasks.spawn(keep(channel, "list", seen[3]));
  tasks.spawn(keep(channel, "a", seen[4]));
  finish_all();
  EXPECT_EQ(seen[0], "1");
  EXPECT_TRUE(seen[1].starts_with("error reply: WRONGTYPE")) << seen[1];
  EXPECT_EQ(seen[2], "(nil)");
  EXPECT_EQ(seen[3], seen[1]);
  EXPECT_EQ(seen[4], "1");
  EXPECT_EQ(ask({"CLIENT", "ID"}).integer(), id) << "on the same connection";
}

// For each kind of command: its keys are known, also if the command's text is not kept.
TEST_F(ChannelTest, AValueThatACommandCannotUseIsLoggedWithItsKeyAndAskedForOnce) {
  for (const char* key : {"a", "wrong:read", "wrong:large"}) server.command({"LPUSH", key, "x"});
  server.command({"HSET", "wrong:field", "f", "x"});
  base::log::set_level(base::log::Level::Info);
  testing::internal::CaptureStderr();
  const auto is_wrong = [this](std::vector<std::string> words) {
    try {
      ask(std::move(words));
      return false;
    } catch (const WrongValue&) {
      return true;
    }
  };
  EXPECT_TRUE(is_wrong({"GET", "wrong:read"}));
  EXPECT_TRUE(is_wrong({"GET", "wrong:read"}));
  EXPECT_TRUE(is_wrong({"HSET", "wrong:large", "f", std::string(1 << 20, 'x')}));
  EXPECT_TRUE(is_wrong({"HINCRBY", "wrong:field", "f", "1"}));
  EXPECT_TRUE(loop.run_until_done(changed(channel, "1", "2")).find("WRONGTYPE") !=
              std::string::npos);
  server.command({"SET", "wrong:forgotten", "x"});
  channel.send_and_forget({"INCRBY", "wrong:forgotten", "1"});
  EXPECT_EQ(ping(channel), "");
  const std::string said = testing::internal::GetCapturedStderr();
  base::log::set_level(base::log::Level::Off);
  for (const char* line : {R"("key":"wrong:read","reason":"its key has another type")",
                           R"("key":"wrong:large","reason":"its key has another type")",
                           R"("key":"wrong:field","reason":"its value cannot be used")",
                           R"("key":"a","reason":"its key has another type")",
                           R"("key":"wrong:forgotten","reason":"its value cannot be used")"}) {
    const std::size_t at = said.find(line);
    EXPECT_NE(at, std::string::npos) << line << said;
    EXPECT_EQ(said.find(line, at + 1), std::string::npos) << line << " twice";
  }
}

TEST_F(ChannelTest, FunctionsThatRedisHasNotAreAnOutageUntilTheyAreLoaded) {
  EXPECT_EQ(loop.run_until_done(changed(channel, "", "1")), "1");
  EXPECT_EQ(server.text({"GET", "a"}), "1");
  server.command({"FUNCTION", "FLUSH"});
  EXPECT_TRUE(
      loop.run_until_done(changed(channel, "1", "2"))
          .ends_with("it has not the functions of this version: svcctl catalog load-functions"));
  std::string newer(stores::functions::library());
  newer.replace(newer.find("protocol < 1"), 12, "protocol < 2");
  server.command({"FUNCTION", "LOAD", newer});
  EXPECT_TRUE(loop.run_until_done(changed(channel, "1", "2")).starts_with("unavailable: "));
  EXPECT_EQ(server.text({"GET", "a"}), "1");
  server.command({"FUNCTION", "LOAD", "REPLACE", stores::functions::library()});
  EXPECT_EQ(loop.run_until_done(changed(channel, "1", "2")), "1");
}

TEST_F(ChannelTest, ACallDestroyedBeforeItIsAwaitedDoesNotShiftReplies) {
  server.command({"SET", "a", "1"});
  server.command({"SET", "b", "2"});
  { const Store::Call dropped = channel.get("a"); }
  EXPECT_EQ(loop.run_until_done(text_of(channel, "b")), "2");
  { const Store::Call shared = channel.get("b"); }
  EXPECT_EQ(loop.run_until_done(text_of(channel, "b")), "2");
}

TEST_F(ChannelTest, ReconnectsIfTheConnectionIsClosedWhileIdle) {
  EXPECT_EQ(loop.run_until_done(done(channel, {"SET", "a", "1"})), "OK");
  server.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  while (!loop.turn(100ms)) {
  }
  EXPECT_EQ(loop.run_until_done(done(channel, {"SET", "a", "2"})), "OK");
}

// The outcome of the command is unknown then, so it is not sent twice. A read
// is.
TEST_F(ChannelTest, ACommandInFlightFailsIfThePeerClosesTheConnection) {
  EXPECT_EQ(loop.run_until_done(text_of(channel, "a")), "(nil)");
  server.pause();
  std::string read;
  std::string written;
  tasks.spawn(keep(channel, "a", read));
  tasks.spawn(keep_done(channel, {"INCR", "counter"}, written));
  loop.turn(0ms);
  server.restart();
  finish_all();
  EXPECT_EQ(read, "(nil)");
  EXPECT_TRUE(written.ends_with("the connection was closed")) << written;
  EXPECT_EQ(server.text({"GET", "counter"}), "(nil)");
}

TEST_F(ChannelTest, ReturnsTheRepliesOfRedis) {
  const std::string bytes("a\0b\xff", 4);
  EXPECT_EQ(loop.run_until_done(done(channel, {"SET", "k", bytes})), "OK");
  EXPECT_EQ(text({"GET", "k"}), bytes);
  EXPECT_EQ(ask({"GET", "missing"}).text(), std::nullopt);
  EXPECT_EQ(ask({"EXISTS", "k"}).integer(), 1);
  const Reply list = ask({"MGET", "k", "missing"});
  ASSERT_EQ(list.size(), 2U);
  EXPECT_TRUE(list.at(0).text());
  EXPECT_FALSE(list.at(1).text());
  EXPECT_EQ(list.text(), std::nullopt);
  EXPECT_EQ(list.integer(), 0);
  const Reply value = ask({"GET", "k"});
  for (const ReplyView& beyond :
       {list.at(2), list.at(1'000'000), list.at(0).at(0), value.at(0), value.at(3).at(7)}) {
    EXPECT_EQ(beyond.text(), std::nullopt);
    EXPECT_EQ(beyond.integer(), 0);
    EXPECT_EQ(beyond.size(), 0U);
  }
}

loop::Task<> set_and_get_many(Store& channel, std::vector<std::string>& seen) {
  const std::string large(1 << 20, 'x');
  Store::Calls calls(channel);
  for (int i = 0; i < 300; ++i) {
    const std::string key = "k" + std::to_string(i);
    const std::string value = i == 150 ? large : std::to_string(i);
    calls.command({"SET", key, value});
    calls.get(key);
  }
  while (calls.left() > 0) {
    const Reply set = co_await calls.next();
    EXPECT_EQ(set.text(), "OK");
    const Reply got = co_await calls.next();
    seen.emplace_back(got.text().value_or("(nil)"));
  }
}

TEST_F(ChannelTest, RepliesToManyCallsAreInTheirOrder) {
  std::vector<std::string> seen;
  loop.run_until_done(set_and_get_many(channel, seen));
  ASSERT_EQ(seen.size(), 300U);
  for (std::size_t i = 0; i < 300; ++i)
    EXPECT_EQ(seen[i], i == 150 ? std::string(1 << 20, 'x') : std::to_string(i));
}

TEST_F(ChannelTest, ACommandHasAnyNumberOfArguments) {
  for (const std::size_t count : {1U, 15U, 16U, 17U, 5000U}) {
    server.command({"SET", "k", "v"});
    std::vector<std::string> words(count + 1, "k");
    words[0] = "EXISTS";
    EXPECT_EQ(ask(words).integer(), static_cast<std::int64_t>(count));
  }
}

TEST_F(ChannelTest, ConnectsOnlyWhenNeeded) {
  EXPECT_FALSE(has(server.text({"CLIENT", "LIST"}), "name=svc-test "));
  EXPECT_EQ(ping(channel), "");
  EXPECT_TRUE(has(server.text({"CLIENT", "LIST"}), "name=svc-test "));
}

TEST(ChannelWithAPassword, OperationsD1SetsUpEveryReconnect) {
  integration::RedisServer server({"--requirepass", "hunter2"});
  base::SteadyClock clock;
  loop::Loop loop(clock);
  ConnectionSettings settings = server.settings();
  settings.password = "hunter2";
  settings.address.database = 3;
  Store other(settings, loop);
  for (const char* when : {"at first", "after a restart", "after another"}) {
    SCOPED_TRACE(when);
    const Reply reply = loop.run_until_done(replied(other, {"CLIENT", "INFO"}));
    const std::string info(*reply.text());
    EXPECT_TRUE(has(info, " name=svc-test ")) << info;
    EXPECT_TRUE(has(info, " db=3 ")) << info;
    server.restart();
  }
}

TEST_F(ChannelTest, RepeatsReadsAfterForgottenCommands) {
  ASSERT_EQ(ping(channel), "");
  for (int round = 0; round < 3; ++round) {
    channel.send_and_forget({"INCR", "n"});
    server.restart();
    server.command({"MSET", "a", "1", "b", "2"});
    const auto both = loop.run_until_done(loop::all(text_of(channel, "a"), text_of(channel, "b")));
    EXPECT_EQ(both, std::tuple("1", "2")) << "and the breaker is not open";
  }
}

TEST_F(ChannelTest, SendAndForgetDoesNotMixUpReplies) {
  server.command({"MSET", "a", "1", "b", "2"});
  for (int round = 0; round < 100; ++round) {
    channel.send_and_forget({"INCR", "n"});
    const Store::Call dropped = channel.get("a");
    channel.send_and_forget({"INCR", "n"});
    EXPECT_EQ(text({"GET", "b"}), "2");
    channel.send_and_forget({"LPUSH", "a", "an error"});
    EXPECT_EQ(text({"GET", "a"}), "1");
    channel.send_and_forget({"INCR", "n"});
  }
  EXPECT_EQ(text({"GET", "n"}), "300");
}

TEST_F(ChannelTest, SendAndForgetIgnoresAnOutage) {
  server.stop();
  for (int i = 0; i < 3; ++i) channel.send_and_forget({"INCR", "n"});
  EXPECT_NE(ping(channel), "");
}

// The reply may be on its way, and older than a revocation that the second
// caller knows of.
TEST_F(ChannelTest, OauthV2ALaterReadDoesNotShareAReadInFlight) {
  const std::int64_t before = commands_of("get");
  std::vector<std::string> seen(2);
  tasks.spawn(keep(channel, "a", seen[0]));
  loop.turn(0ms);
  tasks.spawn(keep(channel, "a", seen[1]));
  finish_all();
  EXPECT_EQ(seen, (std::vector<std::string>{"(nil)", "(nil)"}));
  EXPECT_EQ(commands_of("get"), before + 2);
}

TEST_F(ChannelTest, AnEqualReadAfterAWriteIsSentAgain) {
  const std::int64_t before = commands_of("get");
  std::vector<std::string> seen(4);
  tasks.spawn(keep(channel, "a", seen[0]));
  tasks.spawn(keep(channel, "a", seen[1]));
  tasks.spawn(keep_done(channel, {"SET", "a", "1"}, seen[2]));
  tasks.spawn(keep(channel, "a", seen[3]));
  finish_all();
  EXPECT_EQ(seen, (std::vector<std::string>{"(nil)", "(nil)", "OK", "1"}));
  EXPECT_EQ(commands_of("get"), before + 2);
}

TEST_F(ChannelTest, CommandsOfOneTurnTakeOneRoundTrip) {
  server.command({"HSET", "h", "a", "1", "b", "2"});
  server.command({"SET", "s", "3"});
  integration::Trips trips;
  ConnectionSettings settings = server.settings();
  settings.observer = &trips;
  Store other(settings, loop);
  ASSERT_EQ(ping(other), "");
  trips.count = 0;
  const auto both = loop.run_until_done(
      loop::all(replied(other, {"HMGET", "h", "b", "a", "c"}), replied(other, {"GET", "s"})));
  const auto& [fields, value] = both;
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields.at(0).text(), "2");
  EXPECT_EQ(fields.at(2).text(), std::nullopt);
  EXPECT_EQ(value.text(), "3");
  EXPECT_EQ(trips.count, 1);
}

// A server that accepts connections and never replies.
class HangingStore : public ::testing::Test {
 protected:
  HangingStore() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    directory.path("redis.sock").copy(address.sun_path, sizeof address.sun_path - 1);
    listening.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listening.get(), 64) != 0)
      throw std::runtime_error("no socket");
    settings.address.path = directory.path("redis.sock");
    settings.name = "svc-test";
    settings.timeout = 500ms;
  }

  const fakes::TemporaryDirectory directory;
  base::UniqueFd listening;
  ConnectionSettings settings;
  fakes::ManualClock clock;
  loop::Loop loop{clock};
  loop::Scope tasks{loop};
};

TEST_F(HangingStore, FailsEverythingInFlightAtTheTimeout) {
  Store channel(settings, loop);
  std::vector<std::string> seen(3);
  tasks.spawn(keep(channel, "a", seen[0]));
  loop.turn(0ms);
  clock.advance(300ms);
  tasks.spawn(keep(channel, "b", seen[1]));
  loop.turn(0ms);
  EXPECT_EQ(seen[0] + seen[1], "");
  clock.advance(201ms);
  loop.turn(0ms);
  loop.turn(0ms);
  EXPECT_TRUE(seen[0].ends_with("no reply within 500 ms")) << seen[0];
  EXPECT_EQ(seen[1], seen[0]) << "no reply of that connection can be trusted any more";
  loop.run_until_done(keep(channel, "c", seen[2]));
  EXPECT_EQ(seen[2], seen[0]) << "the breaker is open: no new connection yet";
  EXPECT_EQ(channel.pending(), 0U);
}

// Otherwise the server would later execute commands whose callers were told
// that it is unavailable.
TEST_F(HangingStore, GetsNoCommandBeforeItRepliesToTheHandshake) {
  Store channel(settings, loop);
  std::string seen;
  tasks.spawn(keep_done(channel, {"INCR", "a"}, seen));
  loop.turn(0ms);
  const base::UniqueFd peer(accept(listening.get(), nullptr, nullptr));
  std::array<char, 4096> bytes{};
  const auto read_all = [&] {
    const ssize_t got = recv(peer.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  };
  EXPECT_EQ(read_all(), "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$8\r\nsvc-test\r\n");
  ASSERT_EQ(send(peer.get(), "+OK\r\n", 5, 0), 5);
  for (int i = 0; i < 3; ++i) loop.turn(0ms);
  EXPECT_EQ(read_all(), "*2\r\n$4\r\nINCR\r\n$1\r\na\r\n");
  ASSERT_EQ(send(peer.get(), ":1\r\n", 4, 0), 4);
  for (int i = 0; i < 3; ++i) loop.turn(0ms);
  EXPECT_TRUE(tasks.is_empty());
}

class Failures : public TripObserver {
 public:
  void answered(base::Duration) override { ADD_FAILURE(); }
  void failed() override { ++count; }
  int count = 0;
};

TEST_F(HangingStore, IsRetriedWhenTheBreakerCloses) {
  for (const base::Duration longest : {500ms, 5000ms}) {
    SCOPED_TRACE(longest.count());
    Failures failures;
    settings.longest_delay = std::chrono::duration_cast<std::chrono::milliseconds>(longest);
    settings.observer = &failures;
    Store channel(settings, loop);
    std::string seen;
    base::Duration delay = 20ms;
    for (int tries = 1; tries <= 10; ++tries) {
      tasks.spawn(keep(channel, "a", seen));
      loop.turn(0ms);
      clock.advance(501ms);
      loop.turn(0ms);
      loop.turn(0ms);
      ASSERT_TRUE(tasks.is_empty());
      clock.advance(delay - 1ms);
      loop.run_until_done(keep(channel, "a", seen));
      EXPECT_EQ(channel.pending(), 0U) << "open for " << delay.count() << " ns";
      EXPECT_EQ(failures.count, tries) << "one try per delay";
      clock.advance(2ms);
      delay = std::min(delay * 2, longest);
    }
  }
}

// A server that the test stops and starts, with a manual clock.
class ChannelAndOutages : public ::testing::Test {
 protected:
  ConnectionSettings impatient() const {
    ConnectionSettings settings = server.settings();
    settings.timeout = 1s;
    return settings;
  }
  std::string outcome(Store& to, const std::string& key) {
    return loop.run_until_done(outcome_of(to, key));
  }
  // The outcome of a command that the store does not reply to.
  std::string timed_out(Store& to, std::vector<std::string> words) {
    std::string seen;
    tasks.spawn(keep_done(to, std::move(words), seen));
    loop.turn(0ms);
    clock.advance(1001ms);
    while (!tasks.is_empty()) loop.turn(10ms);
    return seen;
  }

  integration::RedisServer server;
  fakes::ManualClock clock;
  loop::Loop loop{clock};
  loop::Scope tasks{loop};
};

TEST_F(ChannelAndOutages, OperationsD1DropsLateReplies) {
  server.command({"MSET", "a", "of a", "b", "of b"});
  Store channel(impatient(), loop);
  ASSERT_EQ(outcome(channel, "a"), "of a");
  server.pause();
  EXPECT_TRUE(has(timed_out(channel, {"GET", "a"}), "no reply within 1000 ms"));
  server.resume();
  clock.advance(1s);
  EXPECT_EQ(outcome(channel, "b"), "of b");
}

TEST_F(ChannelAndOutages, RecoversWithinASecond) {
  Store channel(server.settings(), loop);
  server.stop();
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(outcome(channel, "a").starts_with("unavailable: "));
    clock.advance(500ms);
  }
  EXPECT_NE(outcome(channel, "a"), "(nil)");
  server.start();
  EXPECT_NE(outcome(channel, "a"), "(nil)") << "the breaker is open";
  clock.advance(1s);
  EXPECT_EQ(outcome(channel, "a"), "(nil)");
  // The next outage begins with a short delay again.
  server.stop();
  while (!loop.turn(100ms)) {
  }
  EXPECT_NE(outcome(channel, "a"), "(nil)");
  server.start();
  clock.advance(19ms);
  EXPECT_NE(outcome(channel, "a"), "(nil)");
  clock.advance(1ms);
  EXPECT_EQ(outcome(channel, "a"), "(nil)");
}

TEST_F(ChannelAndOutages, ResolvesAHostName) {
  // A port that is free at this moment, below the kernel's ports for outgoing connections, which
  // could take it.
  std::uniform_int_distribution<int> ports(10'000, 32'000);
  std::random_device random;
  base::UniqueFd probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in bound{};
  bound.sin_family = AF_INET;
  bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  do {
    bound.sin_port = htons(static_cast<std::uint16_t>(ports(random)));
  } while (bind(probe.get(), reinterpret_cast<sockaddr*>(&bound), sizeof bound) != 0);
  const base::SteadyClock steady;
  loop::Loop own(steady);
  ConnectionSettings settings = server.settings();
  settings.first_delay = 1ms;
  settings.address = *Address::parse("redis://localhost:" + std::to_string(ntohs(bound.sin_port)));
  Store channel(settings, own);
  const std::string outage = own.run_until_done(outcome_of(channel, "a"));
  EXPECT_TRUE(has(outage, "Connection refused")) << outage;
  probe.reset();
  server.command({"CONFIG", "SET", "port", std::to_string(ntohs(bound.sin_port))});
  while (own.run_until_done(outcome_of(channel, "a")) != "(nil)") own.turn(1ms);
  settings.address = Address::of({"store.invalid"});
  Store nowhere(settings, own);
  EXPECT_TRUE(own.run_until_done(outcome_of(nowhere, "a")).starts_with("unavailable: "));
}

TEST(ChannelWithAPassword, LogsInAsAUser) {
  integration::RedisServer server;
  server.command({"ACL", "SETUSER", "svc", "on", ">pw", "~catalog:*", "+@all"});
  base::SteadyClock clock;
  loop::Loop loop(clock);
  ConnectionSettings settings = server.settings();
  settings.username = "svc";
  settings.password = "pw";
  Store channel(settings, loop);
  EXPECT_EQ(loop.run_until_done(replied(channel, {"ACL", "WHOAMI"})).text(), "svc");
  EXPECT_TRUE(has(loop.run_until_done(outcome_of(channel, "oauth:x")), "NOPERM"));
  settings.password = "hunter3";
  Store wrong(settings, loop);
  const std::string outage = loop.run_until_done(outcome_of(wrong, "catalog:x"));
  EXPECT_TRUE(has(outage, "WRONGPASS")) << outage;
  EXPECT_FALSE(has(outage, "hunter")) << outage;
}

}  // namespace
}  // namespace svc::redis
