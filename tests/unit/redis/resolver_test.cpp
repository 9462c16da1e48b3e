#include "redis/resolver.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "redis/locator.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

// A name server that replies when the test lets it.
struct NameServer {
  Resolver::LookUp look_up() {
    return [this, may_answer = answered](const std::string& host) -> Resolver::Found {
      ++looks;
      may_answer.wait();
      return Resolver::Addresses{"192.0.2.7", host};
    };
  }

  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  std::atomic<int> looks{0};
};

class Resolving : public ::testing::Test {
 protected:
  static loop::Task<> keep(loop::Task<Locator::Found> finding,
                           std::optional<Locator::Found>& found) {
    found = co_await finding;
  }
  Resolver::Found find(Resolver::LookUp look_up, std::string host) {
    Resolver resolver(loop, std::move(look_up));
    return loop.run_until_done(resolver.find(std::move(host)));
  }

  base::SteadyClock clock;
  loop::Loop loop{clock};
};

TEST_F(Resolving, DoesNotLookUpLiteralAddresses) {
  const auto fails = [](const std::string& host) -> Resolver::Found {
    ADD_FAILURE() << host;
    return base::Refusal{host};
  };
  for (const char* address : {"127.0.0.1", "::1", "2001:db8::5"}) {
    const Resolver::Found found = find(fails, address);
    ASSERT_TRUE(found) << address;
    EXPECT_EQ(*found, Resolver::Addresses{address});
  }
}

// A name server that is silent must not get one more question per attempt.
TEST_F(Resolving, RunsOneSearchAtATimeWhichOutlivesItsCallers) {
  NameServer server;
  ConnectionSettings settings;
  settings.address = *Address::parse("redis://store.example:6381");
  Locator locator(settings, loop, server.look_up());
  std::optional<Locator::Found> found;
  for (int attempt = 0; attempt < 3; ++attempt) {
    loop::Scope gives_up(loop);
    gives_up.spawn(keep(locator.find(), found));
    loop.turn(0s);
    EXPECT_FALSE(found);
  }
  server.answer.set_value();
  loop.run_until_done(keep(locator.find(), found));
  ASSERT_TRUE(*found);
  ASSERT_EQ((*found)->size(), 2u);
  EXPECT_EQ((*found)->front().literal, "192.0.2.7");
  EXPECT_EQ((*found)->front().host, "store.example");
  EXPECT_EQ((*found)->front().port, 6381);
  EXPECT_EQ(server.looks, 1);
  loop.run_until_done(keep(locator.find(), found));
  EXPECT_EQ(server.looks, 2) << "an address is not kept: the store may have moved";
}

TEST(ResolverDeathTest, ReportsThatNoThreadCouldBeStarted) {
  const auto without_room_for_a_stack = [] {
    const base::SteadyClock clock{};
    loop::Loop loop(clock);
    Resolver resolver(loop, [](const std::string& host) { return Resolver::Addresses{host}; });
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 47);
    pthread_setattr_default_np(&attributes);
    const Resolver::Found found = loop.run_until_done(resolver.find("store.example"));
    _exit(!found && found.error().ends_with("could be started to look it up") ? 0 : 1);
  };
  EXPECT_EXIT(without_room_for_a_stack(), testing::ExitedWithCode(0), "");
}

TEST_F(Resolving, MayEndDuringALookup) {
  std::promise<void> answer;
  std::promise<void> ended;
  {
    ConnectionSettings settings;
    settings.address = *Address::parse("redis://store.example");
    Locator locator(settings, loop,
                    [&ended, answered = answer.get_future().share()](const std::string& host) {
                      answered.wait();
                      ended.set_value_at_thread_exit();
                      return Resolver::Found(Resolver::Addresses{host});
                    });
    loop::Scope scope(loop);
    std::optional<Locator::Found> found;
    scope.spawn(keep(locator.find(), found));
    loop.turn(0s);
    EXPECT_FALSE(found);
  }
  answer.set_value();
  ended.get_future().wait();
}

TEST_F(Resolving, ReportsWhyALookupFailed) {
  const auto fails = [](const std::string& host) -> Resolver::Found {
    return base::Refusal{host + ": Name or service not known"};
  };
  const Resolver::Found found = find(fails, "store.example");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), "store.example: Name or service not known");
}

TEST_F(Resolving, UsesTheSystemResolver) {
  const Resolver::Found found = find(Resolver::system_look_up, "localhost");
  ASSERT_TRUE(found);
  for (const std::string& address : *found)
    EXPECT_TRUE(address == "127.0.0.1" || address == "::1") << address;
  // RFC 2606 §2: names in .invalid never exist. Without a network, the lookup
  // fails as well.
  EXPECT_FALSE(find(Resolver::system_look_up, "store.invalid"));
}

}  // namespace
}  // namespace svc::redis
