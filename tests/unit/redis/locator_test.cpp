#include "redis/locator.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "base/look_up.h"
#include "base/unavailable.h"

namespace svc::redis {
namespace {

using namespace std::chrono_literals;

using Looked = base::Result<Locator::Literals, std::string>;

// A name server that replies when the test lets it.
struct NameServer {
  Locator::LookUp look_up() {
    return [this, may_answer = answered](const std::string& host) -> Looked {
      ++looks;
      may_answer.wait();
      return Locator::Literals{"192.0.2.7", host};
    };
  }

  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  std::atomic<int> looks{0};
};

class Locating : public ::testing::Test {
 protected:
  static loop::Task<> keep(loop::Task<std::vector<Located>> finding, std::vector<Located>& found) {
    found = co_await finding;
  }
  static ConnectionSettings settings_of(const std::string& host) {
    ConnectionSettings settings;
    settings.address = Address::of({host, 6381});
    return settings;
  }
  // Returns the literals of the addresses.
  Locator::Literals find(Locator::LookUp look_up, const std::string& host) {
    Locator locator(settings_of(host), loop, std::move(look_up));
    Locator::Literals literals;
    for (const Located& server : loop.run_until_done(locator.find()))
      literals.push_back(server.literal);
    return literals;
  }
  // Returns why nothing is found, "" if something is.
  std::string failure(Locator::LookUp look_up, const std::string& host) {
    try {
      find(std::move(look_up), host);
      return "";
    } catch (const base::Unavailable& error) {
      return error.what();
    }
  }

  base::SteadyClock clock;
  loop::Loop loop{clock};
};

TEST_F(Locating, DoesNotLookUpLiteralAddresses) {
  const auto fails = [](const std::string& host) -> Looked {
    ADD_FAILURE() << host;
    return base::Refusal{host};
  };
  for (const char* address : {"127.0.0.1", "::1", "2001:db8::5"}) {
    EXPECT_EQ(find(fails, address), Locator::Literals{address});
  }
}

// A name server that is silent must not get one more question per attempt.
TEST_F(Locating, RunsOneSearchAtATimeWhichOutlivesItsCallers) {
  NameServer server;
  Locator locator(settings_of("store.example"), loop, server.look_up());
  std::vector<Located> found;
  for (int attempt = 0; attempt < 3; ++attempt) {
    loop::Scope gives_up(loop);
    gives_up.spawn(keep(locator.find(), found));
    loop.turn(0s);
    EXPECT_TRUE(found.empty());
  }
  server.answer.set_value();
  loop.run_until_done(keep(locator.find(), found));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found.front().literal, "192.0.2.7");
  EXPECT_EQ(found.front().host, "store.example");
  EXPECT_EQ(found.front().port, 6381);
  EXPECT_EQ(server.looks, 1);
  loop.run_until_done(keep(locator.find(), found));
  EXPECT_EQ(server.looks, 2) << "an address is not kept: the store may have moved";
}

class LocatingDeathTest : public Locating {};

TEST_F(LocatingDeathTest, ReportsThatNoThreadCouldBeStarted) {
  const auto without_room_for_a_stack = [this] {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 47);
    pthread_setattr_default_np(&attributes);
    _exit(failure([](const std::string& host) { return Locator::Literals{host}; }, "store.example")
                  .ends_with("could be started to look it up")
              ? 0
              : 1);
  };
  EXPECT_EXIT(without_room_for_a_stack(), testing::ExitedWithCode(0), "");
}

TEST_F(Locating, MayEndDuringALookup) {
  std::promise<void> answer;
  std::promise<void> ended;
  {
    Locator locator(settings_of("store.example"), loop,
                    [&ended, answered = answer.get_future().share()](const std::string& host) {
                      answered.wait();
                      ended.set_value_at_thread_exit();
                      return Looked(Locator::Literals{host});
                    });
    loop::Scope scope(loop);
    std::vector<Located> found;
    scope.spawn(keep(locator.find(), found));
    loop.turn(0s);
    EXPECT_TRUE(found.empty());
  }
  answer.set_value();
  ended.get_future().wait();
}

TEST_F(Locating, ReportsWhyALookupFailed) {
  const auto fails = [](const std::string& host) -> Looked {
    return base::Refusal{host + ": Name or service not known"};
  };
  EXPECT_EQ(failure(fails, "store.example"), "store.example: Name or service not known");
}

TEST_F(Locating, UsesTheSystemResolver) {
  for (const std::string& address : find(base::look_up, "localhost"))
    EXPECT_TRUE(address == "127.0.0.1" || address == "::1") << address;
  // RFC 2606 §2: names in .invalid never exist. Without a network, the lookup
  // fails as well.
  EXPECT_NE(failure(base::look_up, "store.invalid"), "");
}

}  // namespace
}  // namespace svc::redis
