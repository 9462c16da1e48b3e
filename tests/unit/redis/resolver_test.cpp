#include "redis/resolver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

TEST(Resolver, LooksNothingUpForALiteralAddress) {
  Resolver resolver([](const std::string& host) -> Resolver::Found {
    ADD_FAILURE() << host;
    return base::Refusal{host};
  });
  for (const char* address : {"127.0.0.1", "::1", "2001:db8::5"}) {
    const auto found = resolver.resolve(address, 1ms);
    ASSERT_TRUE(found) << address;
    EXPECT_EQ(*found, Resolver::Addresses{address});
  }
}

// The look-up ends only when the test says so: a resolver that waited for it would never return.
TEST(Resolver, WaitsNoLongerThanItMayAndLooksUpOnlyOnceAtATime) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  std::atomic<int> looks{0};
  Resolver resolver([&looks, answered](const std::string& host) -> Resolver::Found {
    ++looks;
    answered.wait();
    return Resolver::Addresses{"192.0.2.7", host};
  });
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto found = resolver.resolve("store.example", 5ms);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error(), "no address of store.example within 5 ms");
  }
  answer.set_value();
  const auto found = resolver.resolve("store.example", 1h);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(*found, (Resolver::Addresses{"192.0.2.7", "store.example"}));
  EXPECT_EQ(looks, 1);
  ASSERT_TRUE(resolver.resolve("store.example", 1h));
  EXPECT_EQ(looks, 2) << "an address is not kept: the store may have moved";
}

TEST(Resolver, MayGoWhileALookUpIsUnderWay) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  std::promise<void> ended;
  {
    Resolver resolver([&ended, answered](const std::string& host) -> Resolver::Found {
      answered.wait();
      ended.set_value_at_thread_exit();
      return Resolver::Addresses{host};
    });
    EXPECT_FALSE(resolver.resolve("store.example", 1ms));
  }
  answer.set_value();
  ended.get_future().wait();
}

TEST(Resolver, SaysWhyThereIsNoAddress) {
  Resolver resolver([](const std::string& host) -> Resolver::Found {
    return base::Refusal{host + ": Name or service not known"};
  });
  const auto found = resolver.resolve("store.example", 1h);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), "store.example: Name or service not known");
}

TEST(Resolver, AsksTheSystem) {
  const auto found = Resolver().resolve("localhost", 1min);
  ASSERT_TRUE(found) << found.error();
  for (const std::string& address : *found)
    EXPECT_TRUE(address == "127.0.0.1" || address == "::1") << address;
  // RFC 2606 §2: no such name, ever; a resolver without a network says so, too.
  EXPECT_FALSE(Resolver().resolve("store.invalid", 1min));
}

}  // namespace
}  // namespace svc::redis
