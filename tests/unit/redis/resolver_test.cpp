#include "redis/resolver.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <optional>
#include <string>

#include "fakes/waiting.h"

namespace svc::redis {
namespace {

// Polls until the lookup has ended.
std::optional<Resolver::Found> outcome_of(Resolver& resolver, const std::string& host) {
  std::optional<Resolver::Found> found;
  fakes::wait_until([&] {
    found = resolver.poll(host);
    return found.has_value();
  });
  return found;
}

TEST(Resolver, DoesNotLookUpLiteralAddresses) {
  Resolver resolver([](const std::string& host) -> Resolver::Found {
    ADD_FAILURE() << host;
    return base::Refusal{host};
  });
  for (const char* address : {"127.0.0.1", "::1", "2001:db8::5"}) {
    const auto found = resolver.poll(address);
    ASSERT_TRUE(found && *found) << address;
    EXPECT_EQ(**found, Resolver::Addresses{address});
  }
}

// The lookup ends only when the test lets it: a resolver that waited for it
// would never return.
TEST(Resolver, PollsWithoutWaitingAndRunsOneLookupAtATime) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  std::atomic<int> looks{0};
  Resolver resolver([&looks, answered](const std::string& host) -> Resolver::Found {
    ++looks;
    answered.wait();
    return Resolver::Addresses{"192.0.2.7", host};
  });
  for (int attempt = 0; attempt < 3; ++attempt) EXPECT_FALSE(resolver.poll("store.example"));
  answer.set_value();
  const auto found = outcome_of(resolver, "store.example");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, (Resolver::Addresses{"192.0.2.7", "store.example"}));
  EXPECT_EQ(looks, 1);
  ASSERT_TRUE(outcome_of(resolver, "store.example"));
  EXPECT_EQ(looks, 2) << "an address is not kept: the store may have moved";
}

TEST(ResolverDeathTest, ReportsThatNoThreadCouldBeStarted) {
  const auto without_room_for_a_stack = [] {
    Resolver resolver([](const std::string& host) { return Resolver::Addresses{host}; });
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 47);
    pthread_setattr_default_np(&attributes);
    const auto found = resolver.poll("store.example");
    const bool right =
        found && !*found && found->error().ends_with("could be started to look it up");
    _exit(right ? 0 : 1);
  };
  EXPECT_EXIT(without_room_for_a_stack(), testing::ExitedWithCode(0), "");
}

TEST(Resolver, MayBeDestroyedDuringALookup) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  std::promise<void> ended;
  {
    Resolver resolver([&ended, answered](const std::string& host) -> Resolver::Found {
      answered.wait();
      ended.set_value_at_thread_exit();
      return Resolver::Addresses{host};
    });
    EXPECT_FALSE(resolver.poll("store.example"));
  }
  answer.set_value();
  ended.get_future().wait();
}

TEST(Resolver, ReportsWhyALookupFailed) {
  Resolver resolver([](const std::string& host) -> Resolver::Found {
    return base::Refusal{host + ": Name or service not known"};
  });
  const auto found = outcome_of(resolver, "store.example");
  ASSERT_TRUE(found);
  ASSERT_FALSE(*found);
  EXPECT_EQ(found->error(), "store.example: Name or service not known");
}

TEST(Resolver, UsesTheSystemResolver) {
  Resolver of_localhost;
  const auto found = outcome_of(of_localhost, "localhost");
  ASSERT_TRUE(found && *found);
  for (const std::string& address : **found)
    EXPECT_TRUE(address == "127.0.0.1" || address == "::1") << address;
  // RFC 2606 §2: names in .invalid never exist. Without a network, the lookup
  // fails as well.
  Resolver of_nothing;
  const auto nothing = outcome_of(of_nothing, "store.invalid");
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(*nothing);
}

}  // namespace
}  // namespace svc::redis
