#include "redis/channel.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "integration/redis_server.h"
#include "loop/loop.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

loop::Task<std::string> text_of(Channel& channel, std::string key) {
  Channel::Call call = channel.get(key);
  const Reply reply = co_await call;
  co_return std::string(reply.text().value_or("(nil)"));
}

loop::Task<std::string> outcome_of(Channel& channel, std::string key) {
  try {
    std::string text = co_await text_of(channel, key);
    co_return text;
  } catch (const ErrorReply& error) {
    co_return std::string("error reply: ") + error.what();
  } catch (const base::Unavailable& error) {
    co_return std::string("unavailable: ") + error.what();
  }
}

loop::Task<> keep(Channel& channel, std::string key, std::string& out) {
  out = co_await outcome_of(channel, key);
}

loop::Task<std::string> done(Channel& channel, std::vector<std::string> words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  Channel::Call call = channel.command(views);
  try {
    const Reply reply = co_await call;
    co_return std::string(reply.text().value_or("(nil)"));
  } catch (const base::Unavailable& error) {
    co_return std::string("unavailable: ") + error.what();
  }
}

loop::Task<> keep_done(Channel& channel, std::vector<std::string> words, std::string& out) {
  out = co_await done(channel, std::move(words));
}

loop::Task<std::string> evaluated(Channel& channel, const Script& script, std::string key,
                                  std::string argument) {
  std::vector<std::string> keys{key};
  std::vector<std::string> arguments{argument};
  const Reply reply = co_await channel.eval(script, std::move(keys), std::move(arguments));
  co_return std::string(reply.text().value_or("(nil)"));
}

class ChannelTest : public ::testing::Test {
 protected:
  // Turns until every spawned task has finished.
  void finish_all() {
    while (loop.tasks() > 0) loop.turn(100ms);
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
  Channel channel{server.settings(), loop};
};

TEST_F(ChannelTest, RepliesMatchCommandsByPosition) {
  server.command({"SET", "a", "1"});
  server.command({"SET", "b", "2"});
  std::vector<std::string> seen(4);
  loop.spawn(keep(channel, "a", seen[0]));
  loop.spawn(keep(channel, "missing", seen[1]));
  loop.spawn(keep(channel, "b", seen[2]));
  loop.spawn(keep(channel, "a", seen[3]));
  finish_all();
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "(nil)", "2", "1"}));
}

TEST_F(ChannelTest, EqualReadsInFlightAreSentOnce) {
  server.command({"SET", "a", "1"});
  const std::int64_t before = commands_of("get");
  std::vector<std::string> seen(20);
  for (std::string& one : seen) loop.spawn(keep(channel, "a", one));
  finish_all();
  EXPECT_EQ(seen, std::vector<std::string>(20, "1"));
  EXPECT_EQ(commands_of("get"), before + 1);
  EXPECT_EQ(loop.run_until_done(text_of(channel, "a")), "1");
  EXPECT_EQ(commands_of("get"), before + 2) << "a reply is never used for a later read";
}

TEST_F(ChannelTest, AnErrorReplyFailsItsOwnCommandOnly) {
  server.command({"SET", "a", "1"});
  server.command({"LPUSH", "list", "x"});
  std::vector<std::string> seen(5);
  loop.spawn(keep(channel, "a", seen[0]));
  loop.spawn(keep(channel, "list", seen[1]));
  loop.spawn(keep(channel, "missing", seen[2]));
  loop.spawn(keep(channel, "list", seen[3]));
  loop.spawn(keep(channel, "a", seen[4]));
  finish_all();
  EXPECT_EQ(seen[0], "1");
  EXPECT_TRUE(seen[1].starts_with("error reply: WRONGTYPE")) << seen[1];
  EXPECT_EQ(seen[2], "(nil)");
  EXPECT_EQ(seen[3], seen[1]);
  EXPECT_EQ(seen[4], "1");
}

TEST_F(ChannelTest, AScriptIsSentByItsTextIfRedisDoesNotKnowIt) {
  const Script script("return redis.call('SET', KEYS[1], ARGV[1]).ok");
  EXPECT_EQ(loop.run_until_done(evaluated(channel, script, "a", "1")), "OK");
  EXPECT_EQ(server.text({"GET", "a"}), "1");
  EXPECT_EQ(loop.run_until_done(evaluated(channel, script, "a", "2")), "OK");
  EXPECT_EQ(commands_of("eval"), 1);
  server.command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(loop.run_until_done(evaluated(channel, script, "a", "3")), "OK");
  EXPECT_EQ(server.text({"GET", "a"}), "3");
}

TEST_F(ChannelTest, ACallThatIsDestroyedUnawaitedShiftsNoReply) {
  server.command({"SET", "a", "1"});
  server.command({"SET", "b", "2"});
  { const Channel::Call dropped = channel.get("a"); }
  EXPECT_EQ(loop.run_until_done(text_of(channel, "b")), "2");
  { const Channel::Call shared = channel.get("b"); }
  EXPECT_EQ(loop.run_until_done(text_of(channel, "b")), "2");
}

TEST_F(ChannelTest, ForgottenRepliesAreReadAndDropped) {
  channel.send_and_forget({"SET", "a", "1"});
  channel.send_and_forget({"LPUSH", "a", "an error"});
  EXPECT_EQ(loop.run_until_done(text_of(channel, "a")), "1");
}

TEST_F(ChannelTest, AReadIsRepeatedIfThePeerClosedTheConnection) {
  server.command({"SET", "a", "1"});
  EXPECT_EQ(loop.run_until_done(text_of(channel, "a")), "1");
  server.restart();
  EXPECT_EQ(loop.run_until_done(text_of(channel, "a")), "(nil)");
}

TEST_F(ChannelTest, AConnectionThatIsClosedWhileNothingIsInFlightIsOpenedAgain) {
  EXPECT_EQ(loop.run_until_done(done(channel, {"SET", "a", "1"})), "OK");
  server.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  while (!loop.turn(100ms)) {
  }
  EXPECT_EQ(loop.run_until_done(done(channel, {"SET", "a", "2"})), "OK");
}

// The outcome of a command is not known then, so it is not sent twice. A read is.
TEST_F(ChannelTest, ACommandInFlightFailsIfThePeerClosesTheConnection) {
  EXPECT_EQ(loop.run_until_done(text_of(channel, "a")), "(nil)");
  server.pause();
  std::string read;
  std::string written;
  loop.spawn(keep(channel, "a", read));
  loop.spawn(keep_done(channel, {"INCR", "counter"}, written));
  loop.turn(0ms);
  server.restart();
  finish_all();
  EXPECT_EQ(read, "(nil)");
  EXPECT_TRUE(written.ends_with("the connection was closed")) << written;
  EXPECT_EQ(server.text({"GET", "counter"}), "(nil)");
}

TEST_F(ChannelTest, ManyLargeValuesComeBackWhole) {
  const std::string large(1'000'000, 'x');
  server.command({"SET", "large", large});
  std::vector<std::string> seen(8);
  // Other commands between them, so that they are not shared.
  for (std::string& one : seen) {
    loop.spawn(keep(channel, "large", one));
    loop.run_until_done(done(channel, {"SET", "other", large}));
  }
  finish_all();
  for (const std::string& one : seen) EXPECT_EQ(one.size(), large.size());
}

// A server that takes the connection and never answers.
class HangingStore : public ::testing::Test {
 protected:
  HangingStore() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    directory.path("redis.sock").copy(address.sun_path, sizeof address.sun_path - 1);
    listening.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listening.get(), 8) != 0)
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
};

TEST_F(HangingStore, FailsEverythingInFlightAtTheTimeout) {
  Channel channel(settings, loop);
  std::vector<std::string> seen(3);
  loop.spawn(keep(channel, "a", seen[0]));
  loop.turn(0ms);
  clock.advance(300ms);
  loop.spawn(keep(channel, "b", seen[1]));
  loop.turn(0ms);
  EXPECT_EQ(loop.tasks(), 2U);
  clock.advance(201ms);
  loop.turn(0ms);
  loop.turn(0ms);
  EXPECT_TRUE(seen[0].ends_with("no answer within 500 ms")) << seen[0];
  EXPECT_EQ(seen[1], seen[0]) << "no reply of that connection can be trusted any more";
  loop.run_until_done(keep(channel, "c", seen[2]));
  EXPECT_EQ(seen[2], seen[0]) << "the breaker is open: no new connection yet";
  EXPECT_EQ(channel.pending(), 0U);
}

TEST_F(HangingStore, TriesAgainWhenTheBreakerCloses) {
  Channel channel(settings, loop);
  std::string seen;
  for (const base::Duration delay : {20ms, 40ms, 80ms, 160ms, 320ms, 500ms, 500ms}) {
    loop.spawn(keep(channel, "a", seen));
    loop.turn(0ms);
    clock.advance(501ms);
    loop.turn(0ms);
    loop.turn(0ms);
    ASSERT_EQ(loop.tasks(), 0U);
    clock.advance(delay - 1ms);
    loop.run_until_done(keep(channel, "a", seen));
    EXPECT_EQ(channel.pending(), 0U) << "open for " << delay.count() << " ns";
    clock.advance(2ms);
  }
}

TEST(ChannelWithoutAStore, FailsAtOnce) {
  const fakes::TemporaryDirectory directory;
  fakes::ManualClock clock;
  loop::Loop loop(clock);
  ConnectionSettings settings;
  settings.address.path = directory.path("nobody.sock");
  Channel channel(settings, loop);
  std::string seen;
  loop.run_until_done(keep(channel, "a", seen));
  EXPECT_NE(seen.find("No such file"), std::string::npos) << seen;
}

TEST(ChannelWithoutAStore, ANameIsResolvedBesideTheLoop) {
  base::SteadyClock clock;
  loop::Loop loop(clock);
  ConnectionSettings settings;
  settings.address.host = "localhost";
  settings.address.port = 1;  // nobody listens there
  Channel channel(settings, loop);
  std::string seen;
  loop.run_until_done(keep(channel, "a", seen));
  EXPECT_NE(seen.find("refused"), std::string::npos) << seen;
}

TEST(ChannelWithAPassword, AWrongOneFailsEverything) {
  integration::RedisServer server({"--requirepass", "right"});
  base::SteadyClock clock;
  loop::Loop loop(clock);
  ConnectionSettings settings = server.settings();
  settings.password = "wrong";
  std::string seen;
  {
    Channel channel(settings, loop);
    loop.run_until_done(keep(channel, "a", seen));
  }
  EXPECT_NE(seen.find("WRONGPASS"), std::string::npos) << seen;
  settings.password = "right";
  settings.address.database = 3;
  Channel channel(settings, loop);
  loop.run_until_done(keep(channel, "a", seen));
  EXPECT_EQ(seen, "(nil)");
}

}  // namespace
}  // namespace svc::redis
