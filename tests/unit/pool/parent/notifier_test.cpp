#include "pool/parent/notifier.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"

namespace svc::pool {
namespace {

using namespace std::chrono_literals;

// The service manager's end of the protocol.
class Manager {
 public:
  explicit Manager(std::string name) : name_(std::move(name)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name_.data(), name_.size());
    if (name_.front() == '@') address.sun_path[0] = '\0';
    const std::size_t size =
        offsetof(sockaddr_un, sun_path) + name_.size() + (name_.front() == '@' ? 0U : 1U);
    EXPECT_EQ(
        bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size)),
        0);
  }

  // The messages since the last call.
  std::vector<std::string> heard() {
    std::vector<std::string> messages;
    std::array<char, 512> text{};
    for (ssize_t size = 0; (size = recv(fd_.get(), text.data(), text.size(), 0)) >= 0;)
      messages.emplace_back(text.data(), static_cast<std::size_t>(size));
    return messages;
  }

  const std::string& name() const { return name_; }

 private:
  const std::string name_;
  const base::UniqueFd fd_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
};

using Messages = std::vector<std::string>;

class NotifierTest : public testing::Test {
 protected:
  // Sets the heartbeat of a worker to now.
  void beat(std::size_t slot, Phase phase = Phase::Idle) {
    board_.slot(slot).phase = phase;
    board_.slot(slot).beat = clock_.now().time_since_epoch().count();
  }
  void look(Notifier& notifier) { notifier.look(board_.slots(), clock_.now(), 5s); }
  // Returns whether look() feeds the watchdog this time.
  bool feeds(Notifier& notifier) {
    look(notifier);
    const Messages said = manager_.heard();
    return std::find(said.begin(), said.end(), "WATCHDOG=1") != said.end();
  }

  const fakes::TemporaryDirectory directory_;
  Manager manager_{directory_.path("notify")};
  fakes::ManualClock clock_;
  Scoreboard board_{4};
};

TEST_F(NotifierTest, SendsReadyAndStopping) {
  Manager abstract("@" + directory_.path("abstract"));
  for (Manager* manager : {&manager_, &abstract}) {
    Notifier notifier({manager->name(), 0s});
    notifier.ready();
    EXPECT_EQ(manager->heard(), Messages{"READY=1"});
    notifier.stopping();
    EXPECT_EQ(manager->heard(), Messages{"STOPPING=1"});
    notifier.ready();
    EXPECT_EQ(manager->heard(), Messages{});
  }
}

TEST_F(NotifierTest, RetriesMessagesThatCouldNotBeSent) {
  const std::string name = directory_.path("late");
  Notifier notifier({name, 0s});
  notifier.ready();
  Manager late(name);
  look(notifier);
  const Messages said = late.heard();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], "READY=1");
  EXPECT_EQ(said[1].substr(0, 7), "STATUS=");
  look(notifier);
  EXPECT_EQ(late.heard(), Messages{});
}

TEST_F(NotifierTest, SendsTheStatusWhenItChanges) {
  Notifier notifier({manager_.name(), 0s});
  board_.slot(0).phase = Phase::Starting;
  look(notifier);
  EXPECT_EQ(manager_.heard(), Messages{"STATUS=0 of 1 workers up, 0 busy; 0.0 requests/s"});

  beat(0);
  beat(1, Phase::Handling);
  board_.slot(0).requests = 10;
  clock_.advance(4s);
  look(notifier);
  EXPECT_EQ(manager_.heard(), Messages{}) << "every five seconds";
  clock_.advance(1s);
  look(notifier);
  EXPECT_EQ(manager_.heard(), Messages{"STATUS=2 of 2 workers up, 1 busy; 2.0 requests/s"});

  clock_.advance(5s);
  board_.slot(0).requests = 20;
  look(notifier);
  EXPECT_EQ(manager_.heard(), Messages{}) << "the same again";

  // The worker was replaced; its replacement has handled five requests.
  clock_.advance(5s);
  board_.slot(0).requests = 5;
  look(notifier);
  EXPECT_EQ(manager_.heard(), Messages{"STATUS=2 of 2 workers up, 1 busy; 1.0 requests/s"});

  // A change of the pool's state is sent immediately.
  notifier.stopping();
  look(notifier);
  EXPECT_EQ(manager_.heard(),
            (Messages{"STOPPING=1", "STATUS=stopping: 2 of 2 workers up, 1 busy; 0.0 requests/s"}));
}

TEST_F(NotifierTest, SendsTheBeginningAndTheOutcomeOfAReload) {
  Notifier notifier({manager_.name(), 0s});
  beat(0);
  clock_.advance(1s);
  notifier.reloading(clock_.now());
  const auto time =
      std::chrono::duration_cast<std::chrono::microseconds>(clock_.now().time_since_epoch());
  EXPECT_EQ(manager_.heard(),
            Messages{"RELOADING=1\nMONOTONIC_USEC=" + std::to_string(time.count())});
  notifier.reloaded("reload refused: line 3:\nunknown", true);
  look(notifier);
  EXPECT_EQ(manager_.heard(),
            (Messages{"READY=1",
                      "STATUS=1 of 1 workers up, 0 busy; 0.0 requests/s; reload refused: "
                      "line 3: unknown"}));
  // A pool that was never ready stays so after a failed reload.
  notifier.reloaded("", false);
  beat(1, Phase::Draining);
  look(notifier);
  EXPECT_EQ(manager_.heard(),
            Messages{"STATUS=1 of 1 workers up, 0 busy, 1 leaving; 0.0 requests/s"});
}

TEST_F(NotifierTest, FeedsTheWatchdogTwicePerInterval) {
  Notifier notifier({manager_.name(), 10s});
  beat(0);
  EXPECT_TRUE(feeds(notifier));
  clock_.advance(4900ms);
  beat(0);
  EXPECT_FALSE(feeds(notifier));
  clock_.advance(100ms);
  EXPECT_TRUE(feeds(notifier));
  Notifier unasked({manager_.name(), 0s});
  EXPECT_FALSE(feeds(unasked));
}

TEST_F(NotifierTest, FeedsTheWatchdogOnlyWhileAWorkerResponds) {
  struct Case {
    const char* name;
    Phase phase;
    base::Duration beat_ago, since_ago;
    bool fed;
  };
  for (const Case& c : {
           Case{"looked up", Phase::Idle, 1s, 60s, true},
           Case{"silent", Phase::Idle, 6s, 60s, false},
           Case{"busy, and not too long", Phase::Handling, 6s, 4s, true},
           Case{"busy for too long", Phase::Handling, 60s, 6s, false},
           Case{"answering its last", Phase::Draining, 1s, 60s, true},
           Case{"not up yet", Phase::Starting, 60s, 0s, false},
           Case{"nobody", Phase::Free, 0s, 0s, false},
       }) {
    SCOPED_TRACE(c.name);
    clock_.advance(100s);
    Notifier notifier({manager_.name(), 10s});
    const auto now = clock_.now().time_since_epoch();
    board_.slot(2).phase = c.phase;
    board_.slot(2).beat = (now - c.beat_ago).count();
    board_.slot(2).since = (now - c.since_ago).count();
    EXPECT_EQ(feeds(notifier), c.fed);
    // One healthy worker is enough: the parent itself ends the others.
    beat(0);
    clock_.advance(5s);
    EXPECT_TRUE(feeds(notifier));
    board_.slot(0).reset();
  }
}

TEST_F(NotifierTest, SendsNothingWithoutAUsableSocket) {
  Notifier notifier({"", 10s});
  beat(0);
  notifier.ready();
  look(notifier);
  notifier.stopping();
  Notifier elsewhere({"vsock:2:1234", 10s});
  elsewhere.ready();
  Notifier long_one({"/" + std::string(107, 'x'), 10s});
  long_one.ready();
  EXPECT_EQ(manager_.heard(), Messages{});
}

TEST_F(NotifierTest, RemovesItsVariablesFromTheEnvironment) {
  for (const auto& [pid, fed] :
       {std::pair(std::to_string(getpid()), true), std::pair(std::to_string(getppid()), false),
        std::pair(std::string(), true)}) {
    SCOPED_TRACE(pid);
    setenv("NOTIFY_SOCKET", manager_.name().c_str(), 1);
    setenv("WATCHDOG_USEC", "10000000", 1);
    if (!pid.empty()) setenv("WATCHDOG_PID", pid.c_str(), 1);
    Notifier notifier(base::ServiceManager::from_environment());
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
      EXPECT_EQ(std::getenv(name), nullptr) << name;
    beat(0);
    clock_.advance(100s);
    beat(0);
    EXPECT_EQ(feeds(notifier), fed);
    notifier.ready();
    EXPECT_EQ(manager_.heard(), Messages{"READY=1"});
  }
}

}  // namespace
}  // namespace svc::pool
