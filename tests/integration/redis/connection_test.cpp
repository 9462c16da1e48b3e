#include "redis/connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"

namespace svc {
namespace {

using namespace std::chrono_literals;
using base::Unavailable;

// A server and the settings of a connection to it. The clock stands still, so a breaker that closed
// stays closed until the test moves it.
class Connection : public testing::Test {
 protected:
  // Long enough for any machine that answers at all, short enough to wait for.
  redis::ConnectionSettings impatient() const {
    redis::ConnectionSettings settings = server_.settings();
    settings.timeout = 1s;
    return settings;
  }

  // What the outage says; "" when there is none.
  template <class Action>
  static std::string outage_of(Action action) {
    try {
      action();
      return "";
    } catch (const Unavailable& outage) {
      return outage.what();
    }
  }
  std::string ping(redis::Connection& connection) {
    return outage_of([&] { connection.read({"PING"}); });
  }
  static std::string text(const redis::ReplyView& reply) {
    return std::string(reply.text().value_or("(nil)"));
  }

  integration::RedisServer server_;
  fakes::ManualClock clock_;
};

constexpr std::string_view kNotAsked = "not asked again yet";
bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Connection, AnswersWithWhatRedisSays) {
  redis::Connection connection(server_.settings(), clock_);
  EXPECT_EQ(connection.command({"SET", "k", std::string_view("a\0b\xff", 4)}).text(), "OK");
  EXPECT_EQ(connection.read({"GET", "k"}).text(), std::string_view("a\0b\xff", 4));
  EXPECT_EQ(connection.read({"GET", "missing"}).text(), std::nullopt);
  EXPECT_EQ(connection.read({"EXISTS", "k"}).integer(), 1);
  const redis::Reply list = connection.read({"MGET", "k", "missing"});
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(list.at(0).text());
  EXPECT_FALSE(list.at(1).text());
  EXPECT_EQ(list.text(), std::nullopt);
  EXPECT_EQ(list.integer(), 0);
}

TEST_F(Connection, AnswersInTheOrderOfItsQuestions) {
  redis::Connection connection(server_.settings(), clock_);
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 300; ++i) {
    connection.send({"SET", "k" + std::to_string(i), i == 150 ? large : std::to_string(i)});
    connection.send({"GET", "k" + std::to_string(i)});
  }
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(connection.receive().text(), "OK");
    EXPECT_EQ(connection.receive().text(), i == 150 ? large : std::to_string(i));
  }
}

TEST_F(Connection, TakesAsManyArgumentsAsThereAre) {
  redis::Connection connection(server_.settings(), clock_);
  for (const std::size_t count : {1u, 15u, 16u, 17u, 5000u}) {
    std::vector<std::string_view> words{"DEL"};
    words.resize(count + 1, "k");
    connection.command({"SET", "k", "v"});
    EXPECT_EQ(connection.read(words).integer(), 1) << count;
  }
}

TEST_F(Connection, FindsAHostByItsName) {
  // A port that was free a moment ago.
  base::UniqueFd probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in bound{};
  bound.sin_family = AF_INET;
  bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof bound;
  ASSERT_EQ(bind(probe.get(), reinterpret_cast<sockaddr*>(&bound), size), 0);
  ASSERT_EQ(getsockname(probe.get(), reinterpret_cast<sockaddr*>(&bound), &size), 0);
  redis::ConnectionSettings settings = server_.settings();
  settings.address =
      *redis::Address::parse("redis://localhost:" + std::to_string(ntohs(bound.sin_port)));
  redis::Connection connection(settings, clock_);
  EXPECT_TRUE(has(ping(connection), "Connection refused")) << "nobody listens there yet";
  probe.reset();
  server_.command({"CONFIG", "SET", "port", std::to_string(ntohs(bound.sin_port))});
  clock_.advance(1s);
  EXPECT_EQ(ping(connection), "");
  settings.address.host = "store.invalid";
  redis::Connection nowhere(settings, clock_);
  EXPECT_NE(ping(nowhere), "");
  EXPECT_TRUE(has(ping(nowhere), kNotAsked));
}

TEST_F(Connection, OpensNothingBeforeItIsNeeded) {
  redis::Connection connection(server_.settings(), clock_);
  EXPECT_FALSE(has(server_.text({"CLIENT", "LIST"}), "name=svc-test "));
  connection.read({"PING"});
  EXPECT_TRUE(has(server_.text({"CLIENT", "LIST"}), "name=svc-test "));
}

TEST_F(Connection, D1SetsNameAndDatabaseAgainOnEveryReconnect) {
  redis::ConnectionSettings settings = server_.settings();
  settings.address.database = 3;
  redis::Connection connection(settings, clock_);
  for (const char* when : {"at first", "after a restart", "after another"}) {
    SCOPED_TRACE(when);
    const std::string info = text(connection.read({"CLIENT", "INFO"}));
    EXPECT_TRUE(has(info, " name=svc-test ")) << info;
    EXPECT_TRUE(has(info, " db=3 ")) << info;
    server_.restart();
  }
}

TEST_F(Connection, D1SendsItsPasswordAgainOnEveryReconnect) {
  integration::RedisServer locked({"--requirepass", "hunter2"});
  redis::ConnectionSettings settings = locked.settings();
  settings.password = "hunter2";
  settings.address.database = 1;
  redis::Connection connection(settings, clock_);
  EXPECT_EQ(ping(connection), "");
  locked.restart();
  EXPECT_EQ(ping(connection), "");
  EXPECT_TRUE(has(text(connection.read({"CLIENT", "INFO"})), " db=1 "));
}

TEST_F(Connection, D1IsUnavailableWithoutTheRightPassword) {
  integration::RedisServer locked({"--requirepass", "hunter2"});
  redis::ConnectionSettings settings = locked.settings();
  redis::Connection without(settings, clock_);
  EXPECT_TRUE(has(ping(without), "NOAUTH"));
  settings.password = "hunter3";
  redis::Connection wrong(settings, clock_);
  const std::string outage = ping(wrong);
  EXPECT_TRUE(has(outage, "WRONGPASS")) << outage;
  EXPECT_FALSE(has(outage, "hunter")) << outage;
}

TEST_F(Connection, LogsInAsAUser) {
  server_.command({"ACL", "SETUSER", "svc", "on", ">pw", "~catalog:*", "+@all"});
  redis::ConnectionSettings settings = server_.settings();
  settings.username = "svc";
  settings.password = "pw";
  redis::Connection connection(settings, clock_);
  EXPECT_EQ(text(connection.read({"ACL", "WHOAMI"})), "svc");
  EXPECT_TRUE(has(outage_of([&] { connection.read({"GET", "oauth:x"}); }), "NOPERM"));
  settings.password = "wrong";
  redis::Connection wrong(settings, clock_);
  EXPECT_TRUE(has(ping(wrong), "WRONGPASS"));
}

TEST_F(Connection, D1IsUnavailableWhenNoAnswerComesInTime) {
  server_.command({"SET", "a", "of a"});
  server_.command({"SET", "b", "of b"});
  redis::Connection connection(impatient(), clock_);
  ASSERT_EQ(ping(connection), "");
  server_.pause();
  EXPECT_TRUE(has(outage_of([&] { connection.read({"GET", "a"}); }), "no answer within 1000 ms"));
  server_.resume();
  clock_.advance(1s);
  // The late answer is never taken for that of another question.
  EXPECT_EQ(text(connection.read({"GET", "b"})), "of b");
}

TEST_F(Connection, D1IsUnavailableWhenAServerTakesAConnectionAndSaysNothing) {
  server_.pause();
  redis::Connection connection(impatient(), clock_);
  EXPECT_NE(ping(connection), "");
  EXPECT_TRUE(has(ping(connection), kNotAsked));
  server_.resume();
  clock_.advance(1s);
  EXPECT_EQ(ping(connection), "");
}

TEST_F(Connection, D1IsUnavailableWhenTheServerHoldsClientsBack) {
  redis::Connection connection(impatient(), clock_);
  ASSERT_EQ(ping(connection), "");
  server_.command({"CLIENT", "PAUSE", "600000", "WRITE"});
  EXPECT_TRUE(has(outage_of([&] { connection.command({"SET", "k", "v"}); }), "no answer within"));
  server_.command({"CLIENT", "UNPAUSE"});
  clock_.advance(1s);
  EXPECT_EQ(ping(connection), "");
}

TEST_F(Connection, D3CostsNearlyNothingWhileTheStoreIsAway) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  server_.stop();
  base::Duration closed = 20ms;
  for (const char* attempt : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    SCOPED_TRACE(attempt);
    const std::string outage = ping(connection);
    EXPECT_NE(outage, "");
    EXPECT_FALSE(has(outage, kNotAsked)) << outage;
    EXPECT_TRUE(has(ping(connection), kNotAsked));
    clock_.advance(closed - 1ns);
    EXPECT_TRUE(has(ping(connection), kNotAsked));
    clock_.advance(1ns);
    closed = std::min<base::Duration>(closed * 2, 500ms);
  }
}

// Each retry blocks the caller for the timeout.
TEST_F(Connection, D3RetriesAStoreThatHangsOnlyRarely) {
  redis::ConnectionSettings settings = server_.settings();
  settings.timeout = 5ms;
  settings.longest_delay = 5s;
  server_.pause();
  redis::Connection connection(settings, clock_);
  int retries = 0;
  for (int i = 0; i < 6000; ++i) {
    if (!has(ping(connection), kNotAsked)) ++retries;
    clock_.advance(10ms);
  }
  server_.resume();
  // In 60 s: after 20, 40, … 2560 ms, then every 5 s. Up to 500 ms apart there would be 120.
  EXPECT_GE(retries, 15);
  EXPECT_LE(retries, 20);
  clock_.advance(5s);
  redis::Connection other(server_.settings(), clock_);
  EXPECT_EQ(ping(other), "");
}

TEST_F(Connection, D3RecoversWithinASecondOfTheStoresReturn) {
  redis::Connection connection(server_.settings(), clock_);
  server_.stop();
  for (int i = 0; i < 50; ++i) {
    EXPECT_NE(ping(connection), "");
    clock_.advance(500ms);
  }
  EXPECT_NE(ping(connection), "");
  server_.start();
  EXPECT_TRUE(has(ping(connection), kNotAsked));
  clock_.advance(1s);
  EXPECT_EQ(ping(connection), "");
  // And the next outage begins with a short delay again.
  server_.stop();
  EXPECT_NE(ping(connection), "");
  server_.start();
  clock_.advance(20ms);
  EXPECT_EQ(ping(connection), "");
}

TEST_F(Connection, ReadsOnceMoreAfterTheServerWasRestarted) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  for (int i = 0; i < 3; ++i) {
    server_.restart();
    server_.command({"SET", "k", "new"});
    EXPECT_EQ(text(connection.read({"GET", "k"})), "new") << "and no breaker closed";
  }
}

TEST_F(Connection, ReadsOnceMoreAfterTheServerClosedTheConnection) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  server_.command({"CLIENT", "KILL", "TYPE", "normal"});
  EXPECT_EQ(ping(connection), "");
}

TEST_F(Connection, ReadsOnceMoreOnlyOnce) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  server_.stop();
  EXPECT_NE(ping(connection), "");
  EXPECT_TRUE(has(ping(connection), kNotAsked));
}

TEST_F(Connection, SendsACommandExactlyOnce) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(connection.command({"INCR", "n"}).integer(), 1);
  server_.restart();
  EXPECT_NE(outage_of([&] { connection.command({"INCR", "n"}); }), "");
  EXPECT_EQ(server_.text({"GET", "n"}), "(nil)");
  clock_.advance(1s);
  EXPECT_EQ(connection.command({"INCR", "n"}).integer(), 1);
}

TEST_F(Connection, TakesAnErrorForAnOutage) {
  server_.command({"RPUSH", "list", "x"});
  redis::Connection connection(server_.settings(), clock_);
  EXPECT_TRUE(has(outage_of([&] { connection.read({"GET", "list"}); }), "WRONGTYPE"));
  clock_.advance(1s);
  EXPECT_TRUE(has(outage_of([&] { connection.command({"NO-SUCH-COMMAND"}); }), "unknown command"));
  clock_.advance(1s);
  EXPECT_EQ(ping(connection), "");
}

TEST_F(Connection, NeverTakesAnAnswerOfBeforeAnErrorForOneBehindIt) {
  redis::Connection connection(server_.settings(), clock_);
  server_.command({"SET", "k", "v"});
  connection.send({"GET", "k"});
  connection.send({"NO-SUCH-COMMAND"});
  connection.send({"GET", "k"});
  EXPECT_EQ(text(connection.receive()), "v");
  EXPECT_NE(outage_of([&] { connection.receive(); }), "");
  EXPECT_NE(outage_of([&] { connection.receive(); }), "") << "it went with the connection";
  clock_.advance(1s);
  EXPECT_EQ(text(connection.read({"ECHO", "hello"})), "hello");
}

TEST_F(Connection, HandsOverWhatWasSentWhenItIsFlushed) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  connection.send({"SET", "k", "v"});
  connection.flush();
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  while (server_.text({"GET", "k"}) != "v" && std::chrono::steady_clock::now() < give_up) {
  }
  EXPECT_EQ(server_.text({"GET", "k"}), "v");
  EXPECT_EQ(text(connection.receive()), "OK");
}

TEST_F(Connection, SendsAndForgetsWithoutMixingUpAnswers) {
  redis::Connection connection(server_.settings(), clock_);
  server_.command({"MSET", "a", "1", "b", "2"});
  for (int round = 0; round < 100; ++round) {
    connection.expect("a");
    connection.send_and_forget({"INCR", "n"});
    connection.send_and_forget({"INCR", "n"});
    connection.expect("b");
    EXPECT_EQ(text(connection.get("b")), "2");
    connection.send_and_forget({"INCR", "n"});
    EXPECT_EQ(text(connection.get("a")), "1");
    connection.settle();
    connection.send_and_forget({"INCR", "n"});
  }
  EXPECT_EQ(text(connection.read({"GET", "n"})), "400");
}

TEST_F(Connection, BearsARefusalOfWhatItForgot) {
  server_.command({"RPUSH", "list", "x"});
  redis::Connection connection(server_.settings(), clock_);
  for (int round = 0; round < 3; ++round) {
    connection.send_and_forget({"INCR", "list"});
    EXPECT_EQ(text(connection.read({"ECHO", "hello"})), "hello") << "and no breaker closed";
  }
}

TEST_F(Connection, ReadsOnceMoreBehindWhatItForgot) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  connection.send_and_forget({"INCR", "n"});
  server_.restart();
  EXPECT_EQ(text(connection.read({"ECHO", "hello"})), "hello");
  connection.send_and_forget({"INCR", "n"});
  connection.expect("k");
  server_.restart();
  server_.command({"SET", "k", "v"});
  EXPECT_EQ(text(connection.get("k")), "v");
}

TEST_F(Connection, SaysWhenItCannotSendWhatItWouldForget) {
  server_.stop();
  redis::Connection connection(server_.settings(), clock_);
  EXPECT_NE(outage_of([&] { connection.send_and_forget({"INCR", "n"}); }), "");
}

// GETs that are asked for early.

TEST_F(Connection, GetsWhatWasExpectedInAnyOrder) {
  server_.command({"MSET", "a", "1", "b", "2", "c", "3"});
  redis::Connection connection(server_.settings(), clock_);
  for (int round = 0; round < 3; ++round) {
    for (const char* key : {"a", "b", "missing", "c", "a"}) connection.expect(key);
    EXPECT_EQ(text(connection.get("c")), "3");
    EXPECT_EQ(text(connection.get("a")), "1");
    EXPECT_EQ(text(connection.get("missing")), "(nil)");
    EXPECT_EQ(text(connection.get("a")), "1");
    EXPECT_EQ(text(connection.get("b")), "2");
    connection.settle();
  }
}

TEST_F(Connection, GetsWhatWasNotExpectedToo) {
  server_.command({"MSET", "a", "1", "b", "2"});
  redis::Connection connection(server_.settings(), clock_);
  connection.expect("a");
  EXPECT_EQ(text(connection.get("b")), "2");
  EXPECT_EQ(text(connection.read({"ECHO", "between"})), "between");
  EXPECT_EQ(text(connection.get("a")), "1");
  connection.settle();
  EXPECT_EQ(text(connection.get("a")), "1");
}

TEST_F(Connection, KeepsAViewUntilTheRoundIsSettled) {
  redis::Connection connection(server_.settings(), clock_);
  server_.command({"SET", "k", "a value that is longer than any small string"});
  const redis::ReplyView view = connection.get("k");
  for (int i = 0; i < 1000; ++i) connection.get("other" + std::to_string(i));
  EXPECT_EQ(view.text(), "a value that is longer than any small string");
}

TEST_F(Connection, NeverUsesAnAnswerOfAnEarlierRound) {
  redis::Connection connection(server_.settings(), clock_);
  server_.command({"SET", "k", "old"});
  connection.expect("k");
  EXPECT_EQ(text(connection.get("k")), "old");
  connection.expect("never-got");
  server_.command({"SET", "k", "new"});
  connection.settle();
  connection.expect("k");
  EXPECT_EQ(text(connection.get("k")), "new");
}

TEST_F(Connection, AsksAgainForWhatARestartSwallowed) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  for (int round = 0; round < 3; ++round) {
    connection.expect("a");
    connection.expect("b");
    server_.restart();
    server_.command({"MSET", "a", "1", "b", "2"});
    EXPECT_EQ(text(connection.get("a")), "1");
    EXPECT_EQ(text(connection.get("b")), "2");
    connection.settle();
  }
}

TEST_F(Connection, IsUnavailableForWhatWasExpectedInVain) {
  redis::Connection connection(impatient(), clock_);
  ASSERT_EQ(ping(connection), "");
  server_.pause();
  connection.expect("a");
  connection.expect("b");
  EXPECT_TRUE(has(outage_of([&] { connection.get("a"); }), "no answer within"));
  EXPECT_TRUE(has(outage_of([&] { connection.get("b"); }), kNotAsked));
  EXPECT_NE(outage_of([&] { connection.expect("c"); }), "");
  connection.settle();
  server_.resume();
  clock_.advance(1s);
  server_.command({"SET", "a", "1"});
  connection.expect("a");
  EXPECT_EQ(text(connection.get("a")), "1");
}

TEST_F(Connection, SettlesARoundWhoseStoreHasGone) {
  redis::Connection connection(server_.settings(), clock_);
  ASSERT_EQ(ping(connection), "");
  connection.expect("a");
  server_.stop();
  connection.settle();
  connection.settle();
  server_.start();
  clock_.advance(1s);
  EXPECT_EQ(ping(connection), "");
}

TEST_F(Connection, RunsAScriptThatRedisDoesNotKnowYet) {
  redis::Connection connection(server_.settings(), clock_);
  const redis::Script add("return redis.call('INCRBY', KEYS[1], ARGV[1])");
  const std::vector<std::string> keys{"sum"};
  const std::vector<std::string> five{"5"};
  EXPECT_EQ(connection.eval(add, keys, five).integer(), 5);
  EXPECT_EQ(connection.eval(add, keys, five).integer(), 10);
  server_.command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(connection.eval(add, keys, five).integer(), 15);
}

TEST_F(Connection, RunsAScriptAfterTheStoreWasRestarted) {
  redis::Connection connection(server_.settings(), clock_);
  const redis::Script one("return 1");
  EXPECT_EQ(connection.eval(one, {}, {}).integer(), 1);
  server_.restart();
  EXPECT_EQ(connection.eval(one, {}, {}).integer(), 1);
}

TEST_F(Connection, ReadsOfAnyKindShareATrip) {
  redis::Connection connection(server_.settings(), clock_);
  server_.command({"HSET", "h", "a", "1", "b", "2"});
  server_.command({"SET", "s", "3"});
  connection.expect({"HMGET", "h", "b", "a", "c"});
  connection.expect("s");
  const redis::ReplyView fields = connection.fetch({"HMGET", "h", "b", "a", "c"});
  ASSERT_EQ(fields.size(), 3u);
  EXPECT_EQ(text(fields.at(0)), "2");
  EXPECT_EQ(text(fields.at(2)), "(nil)");
  EXPECT_EQ(text(connection.get("s")), "3");
  // Until the round ends, the same question has the same answer.
  server_.command({"HSET", "h", "b", "9"});
  EXPECT_EQ(text(connection.fetch({"HMGET", "h", "b", "a", "c"}).at(0)), "2");
  connection.settle();
  EXPECT_EQ(text(connection.fetch({"HMGET", "h", "b", "a", "c"}).at(0)), "9");
}

// D1: no caller sees the reply to another caller's command.

TEST_F(Connection, D1AnErrorInAPipelineLeavesNoReplyToTheNextCaller) {
  server_.command({"RPUSH", "list", "x"});
  server_.command({"SET", "k", "of another"});
  redis::Connection connection(server_.settings(), clock_);
  for (int round = 0; round < 3; ++round) {
    connection.send({"GET", "list"});
    connection.send({"GET", "k"});
    connection.send({"GET", "k"});
    EXPECT_TRUE(has(outage_of([&] { connection.receive(); }), "WRONGTYPE"));
    EXPECT_EQ(text(connection.read({"ECHO", "mine"})), "mine") << "and no breaker closed";
    EXPECT_NE(outage_of([&] { connection.receive(); }), "") << "its reply was never read";
    EXPECT_EQ(text(connection.read({"ECHO", "mine"})), "mine");
  }
}

TEST_F(Connection, D1TheLastErrorOfAPipelineKeepsTheConnection) {
  server_.command({"RPUSH", "list", "x"});
  redis::Connection connection(server_.settings(), clock_);
  const std::int64_t id = connection.read({"CLIENT", "ID"}).integer();
  connection.send({"ECHO", "first"});
  connection.send({"GET", "list"});
  EXPECT_EQ(text(connection.receive()), "first");
  EXPECT_TRUE(has(outage_of([&] { connection.receive(); }), "WRONGTYPE"));
  EXPECT_EQ(connection.read({"CLIENT", "ID"}).integer(), id);
}

TEST_F(Connection, D1AnAbandonedPipelineLeavesNoReplyToTheNextCaller) {
  server_.command({"MSET", "k", "mine", "other", "of another"});
  const redis::Script script("return 'mine'");
  const std::vector<std::string> words{"GET", "k"};
  struct Case {
    const char* name;
    std::function<std::string(redis::Connection&)> run;
  };
  for (const Case& c : {
           Case{"read",
                [](auto& to) {
                  return text(to.read({"ECHO", "mine"}));
                }},
           Case{"command",
                [](auto& to) {
                  return text(to.command({"ECHO", "mine"}));
                }},
           Case{"get", [](auto& to) { return text(to.get("k")); }},
           Case{"expect and get",
                [](auto& to) {
                  to.expect("k");
                  return text(to.get("k"));
                }},
           Case{"eval", [&](auto& to) { return text(to.eval(script, {}, {})); }},
           Case{
               "start and finish a script",
               [&](auto& to) { return text(to.finish(to.start(script, {}, {}), script, {}, {})); }},
           Case{"start and finish a command",
                [&](auto& to) { return text(*to.finish(to.start(words))); }},
           Case{"try_command",
                [](auto& to) {
                  to.try_command({"SET", "k", "mine"});
                  return text(to.read({"GET", "k"}));
                }},
           Case{"send_and_forget",
                [](auto& to) {
                  to.send_and_forget({"SET", "k", "mine"});
                  return text(to.read({"GET", "k"}));
                }},
           Case{"the end of a round, then a pipeline",
                [](auto& to) {
                  to.settle();
                  to.send({"ECHO", "mine"});
                  return text(to.receive());
                }},
       }) {
    SCOPED_TRACE(c.name);
    redis::Connection connection(server_.settings(), clock_);
    connection.send({"GET", "other"});
    connection.send({"GET", "other"});
    connection.receive();
    EXPECT_EQ(c.run(connection), "mine");
    EXPECT_EQ(text(connection.read({"ECHO", "mine"})), "mine");
  }
}

TEST_F(Connection, D1AnErrorOfAnExpectedReadIsItsOwnOnly) {
  server_.command({"RPUSH", "list", "x"});
  server_.command({"MSET", "a", "1", "b", "2"});
  redis::Connection connection(server_.settings(), clock_);
  for (int round = 0; round < 3; ++round) {
    for (const char* key : {"a", "list", "b"}) connection.expect(key);
    EXPECT_TRUE(has(outage_of([&] { connection.get("list"); }), "WRONGTYPE"));
    EXPECT_EQ(text(connection.get("b")), "2");
    EXPECT_EQ(text(connection.get("a")), "1");
    connection.settle();
  }
}

TEST_F(Connection, D1AReplyHasNothingBehindItsEnd) {
  redis::Connection connection(server_.settings(), clock_);
  server_.command({"SET", "k", "v"});
  const redis::Reply list = connection.read({"MGET", "k", "missing"});
  const redis::Reply value = connection.read({"GET", "k"});
  for (const redis::ReplyView& view :
       {list.at(2), list.at(1'000'000), list.at(0).at(0), value.at(0), value.at(3).at(7)}) {
    EXPECT_EQ(view.text(), std::nullopt);
    EXPECT_EQ(view.integer(), 0);
    EXPECT_EQ(view.size(), 0u);
  }
}

}  // namespace
}  // namespace svc
