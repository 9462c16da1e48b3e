#include "fastcgi/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "fakes/fastcgi_bytes.h"
#include "fakes/manual_clock.h"
#include "fakes/memory.h"
#include "fakes/temporary_directory.h"
#include "fakes/wire.h"
#include "fastcgi/listening_socket.h"

namespace svc::fastcgi {
namespace {

using namespace std::chrono_literals;
using namespace svc::fakes;

class Willing : public AcceptPolicy {
 public:
  bool may_accept(std::size_t held) override {
    asked_with = held;
    return willing;
  }
  bool willing = true;
  std::size_t asked_with = 0;
};

// A listener on a socket of its own; the clock stands still.
class ListenerTest : public testing::Test {
 protected:
  ListenerTest() {
    base::log::set_level(base::log::Level::Off);
    sigemptyset(&none_);
    settings_.limits.body = 100;
  }

  Listener& listener() {
    if (!listener_) {
      listener_ = std::make_unique<Listener>(socket_.fd(), settings_, policy_, clock_);
    }
    return *listener_;
  }
  base::UniqueFd connected() const { return connect_to(path_); }

  // Waits until a connection is accepted, which must have nothing to say yet.
  base::UniqueFd accepted() {
    base::UniqueFd client = connected();
    const std::size_t before = listener().connections();
    while (listener().connections() == before) EXPECT_EQ(listener().wait(none_).size(), 0u);
    return client;
  }

  // The next requests, at most one of each connection.
  std::vector<Ready> next() {
    const std::span<Ready> ready = listener().wait(none_);
    return {ready.begin(), ready.end()};
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_.path("s");
  ListeningSocket socket_ = *ListeningSocket::open(path_, 0600, 64);
  ListenerSettings settings_;
  Willing policy_;
  ManualClock clock_;
  sigset_t none_{};

 private:
  std::unique_ptr<Listener> listener_;
};
using Listening = ListenerTest;

const std::string kRequest = fcgi_request({{"REQUEST_METHOD", "GET"}, {"DOCUMENT_URI", "/a"}});
const std::string kValues = fcgi_record(kGetValues, fcgi_pair("FCGI_MAX_REQS", ""), 0);
const std::string kOneValue = fcgi_record(10, fcgi_pair("FCGI_MAX_REQS", "1"), 0);

TEST_F(Listening, HandsOutAWholeRequestAndNothingOfItIsLeftInTheSocket) {
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  const std::vector<Ready> ready = next();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_TRUE(ready[0].alone);
  EXPECT_EQ(ready[0].request, kRequest);
  EXPECT_EQ(read_some(ready[0].fd), "");
}

TEST_F(Listening, HandsOutTheRequestsOfManyConnectionsAtOnce) {
  std::vector<base::UniqueFd> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(accepted());
  for (const base::UniqueFd& client : clients) ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next().size(), 5u);
  EXPECT_EQ(listener().connections(), 5u);
}

TEST_F(Listening, P4CollectsARequestThatComesInPieces) {
  const base::UniqueFd client = accepted();
  for (const std::size_t cut : {1u, 8u, 20u}) {
    ASSERT_TRUE(send_all(client.get(), kRequest.substr(0, cut)));
    EXPECT_EQ(next().size(), 0u);
    ASSERT_TRUE(send_all(client.get(), kRequest.substr(cut)));
    const std::vector<Ready> ready = next();
    ASSERT_EQ(ready.size(), 1u);
    EXPECT_EQ(ready[0].request, kRequest);
    listener().keep(ready[0].fd);
  }
}

TEST_F(Listening, SaysThatANextRequestIsThereAlready) {
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest + kRequest));
  const std::vector<Ready> ready = next();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_FALSE(ready[0].alone);
  EXPECT_EQ(ready[0].request, kRequest);
}

TEST_F(Listening, P4AnswersGetValuesItself) {
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kValues + kValues + kRequest));
  EXPECT_EQ(next().size(), 1u);
  EXPECT_EQ(read_some(client.get()), kOneValue + kOneValue);
}

// It broke once: only what stood behind a request gave its room back.
TEST_F(Listening, LongGetValuesLeaveNoRoomOfTheirSizeBehind) {
  const std::string asked = fcgi_record(kGetValues, fcgi_pair(std::string(60'000, 'n'), ""), 0);
  std::vector<base::UniqueFd> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(accepted());
  const std::size_t before = memory_in_use();
  for (const base::UniqueFd& client : clients) {
    ASSERT_TRUE(send_all(client.get(), asked));
    EXPECT_EQ(next().size(), 0u);
    EXPECT_NE(read_some(client.get()), "");
  }
  EXPECT_EQ(listener().connections(), clients.size());
  EXPECT_LT(memory_in_use(), before + clients.size() * asked.size() / 2);
}

// It broke once: one connection that went on asking kept its worker for itself.
TEST_F(Listening, P4CutsOffAFloodOfGetValues) {
  struct Case {
    std::string_view name;
    std::size_t first;  // bytes of it that come alone
  };
  for (const Case& c : {Case{"at once", 0}, Case{"in two pieces", 3}}) {
    SCOPED_TRACE(c.name);
    std::string flood;
    for (int i = 0; i < 1000; ++i) flood += kValues;
    const base::UniqueFd client = accepted();
    if (c.first > 0) {
      ASSERT_TRUE(send_all(client.get(), flood.substr(0, c.first)));
      EXPECT_EQ(next().size(), 0u);
    }
    ASSERT_TRUE(send_all(client.get(), flood.substr(c.first)));
    EXPECT_EQ(next().size(), 0u);
    EXPECT_EQ(read_some(client.get()).size(), 32 * kOneValue.size());
    EXPECT_TRUE(at_end(client.get()));
    EXPECT_EQ(listener().connections(), 0u);
  }
}

TEST_F(Listening, P4AnswersGetValuesAsOftenAsSomebodyWaitsForTheAnswer) {
  const base::UniqueFd client = accepted();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(send_all(client.get(), kValues));
    EXPECT_EQ(next().size(), 0u);
    ASSERT_EQ(read_some(client.get()), kOneValue) << i;
  }
}

TEST_F(Listening, P4ClosesOnWhatIsNoRequest) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), fcgi_record(kParams, "x"),
        fcgi_record(kAbortRequest, ""), fcgi_begin() + fcgi_record(kStdin, "b")}) {
    const base::UniqueFd client = connected();
    ASSERT_TRUE(send_all(client.get(), bytes));
    EXPECT_EQ(next().size(), 0u);
    EXPECT_TRUE(at_end(client.get()));
    EXPECT_EQ(listener().connections(), 0u);
  }
  EXPECT_TRUE(listener().refused().empty());
}

TEST_F(Listening, RefusesABodyThatIsTooLargeAndTellsOfIt) {
  const std::string large = fcgi_request(
      {{"QUERY_STRING", "code=secret"}, {"DOCUMENT_URI", "/oauth/token"}}, std::string(101, 'b'));
  for (const std::size_t cut : {std::size_t{0}, std::size_t{30}}) {
    SCOPED_TRACE(cut);
    const base::UniqueFd client = accepted();
    if (cut > 0) {
      ASSERT_TRUE(send_all(client.get(), large.substr(0, cut)));
      EXPECT_EQ(next().size(), 0u);
    }
    ASSERT_TRUE(send_all(client.get(), large.substr(cut)));
    EXPECT_EQ(next().size(), 0u);
    ASSERT_EQ(listener().refused().size(), 1u);
    EXPECT_EQ(listener().refused()[0].path, "/oauth/token");
    EXPECT_EQ(listener().refused()[0].status, 413);
    EXPECT_EQ(read_some(client.get()), refusal(1, 413, "the request body is too large"));
    EXPECT_TRUE(at_end(client.get()));
  }
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next().size(), 1u);
  EXPECT_TRUE(listener().refused().empty()) << "told once";
}

TEST_F(Listening, ForgetsAConnectionThatItsPeerCloses) {
  base::UniqueFd silent = accepted();
  base::UniqueFd half = accepted();
  ASSERT_TRUE(send_all(half.get(), kRequest.substr(0, 20)));
  EXPECT_EQ(next().size(), 0u);
  silent.reset();
  half.reset();
  while (listener().connections() > 0) EXPECT_EQ(next().size(), 0u);
}

TEST_F(Listening, P6ClosesWhatIsSilentForTooLong) {
  settings_.read_timeout = 5s;
  settings_.idle_timeout = 120s;
  const base::UniqueFd idle = accepted();
  const base::UniqueFd half = accepted();
  ASSERT_TRUE(send_all(half.get(), kRequest.substr(0, 20)));
  EXPECT_EQ(next().size(), 0u);
  clock_.advance(4s);
  // However often a piece of it comes: the time is that from the first byte to the last.
  ASSERT_TRUE(send_all(half.get(), kRequest.substr(20, 1)));
  EXPECT_EQ(next().size(), 0u);
  EXPECT_EQ(listener().connections(), 2u);
  clock_.advance(2s);
  ASSERT_TRUE(send_all(idle.get(), kValues));  // so that nothing has to be waited for
  EXPECT_EQ(next().size(), 0u);
  EXPECT_TRUE(at_end(half.get()));
  EXPECT_EQ(listener().connections(), 1u);
  EXPECT_TRUE(is_open(idle.get()));
  clock_.advance(121s);
  const base::UniqueFd other = connected();
  ASSERT_TRUE(send_all(other.get(), kRequest));
  EXPECT_EQ(next().size(), 1u);
  EXPECT_EQ(read_some(idle.get()), kOneValue);
  EXPECT_TRUE(at_end(idle.get()));
}

TEST_F(Listening, KeepsAndDropsAsItIsTold) {
  base::UniqueFd clients[2] = {accepted(), accepted()};
  for (const base::UniqueFd& client : clients) ASSERT_TRUE(send_all(client.get(), kRequest));
  const std::vector<Ready> ready = next();
  ASSERT_EQ(ready.size(), 2u);
  listener().keep(ready[0].fd);
  listener().drop(ready[1].fd);
  EXPECT_EQ(listener().connections(), 1u);
  EXPECT_LT(fcntl(ready[1].fd, F_GETFD), 0);
  int open = 0;
  for (const base::UniqueFd& client : clients) open += is_open(client.get()) ? 1 : 0;
  EXPECT_EQ(open, 1);
  listener().drop(-1);
  listener().keep(-1);
}

TEST_F(Listening, P3LeavesConnectionsToOthersWhileItsPolicySaysSo) {
  policy_.willing = false;
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next().size(), 0u);
  EXPECT_EQ(listener().connections(), 0u);
  policy_.willing = true;
  EXPECT_EQ(next().size(), 1u);
  EXPECT_EQ(policy_.asked_with, 0u);
}

TEST_F(Listening, P7AcceptsNothingOnceItIsToldAndServesWhatItHas) {
  const base::UniqueFd held = accepted();
  listener().stop_accepting();
  const base::UniqueFd late = connected();
  ASSERT_TRUE(send_all(late.get(), kRequest));
  ASSERT_TRUE(send_all(held.get(), kRequest));
  EXPECT_EQ(next().size(), 1u);
  EXPECT_EQ(listener().connections(), 1u);
}

TEST_F(Listening, P7DropsOnlyThoseOnWhichNoRequestHasBegun) {
  const base::UniqueFd idle = accepted();
  const base::UniqueFd half = accepted();
  const base::UniqueFd whole = accepted();
  ASSERT_TRUE(send_all(half.get(), kRequest.substr(0, 20)));
  EXPECT_EQ(next().size(), 0u);
  ASSERT_TRUE(send_all(whole.get(), kRequest));
  listener().drop_idle();
  EXPECT_EQ(listener().connections(), 2u);
  EXPECT_TRUE(at_end(idle.get()));
  ASSERT_TRUE(send_all(half.get(), kRequest.substr(20)));
  EXPECT_EQ(next().size(), 2u);
}

TEST_F(Listening, GivesConnectionsToNoProgramThatIsStarted) {
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  const std::vector<Ready> ready = next();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(fcntl(ready[0].fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST_F(Listening, L4NeitherWatchesNorClosesWhatIsSetAside) {
  base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  const std::vector<Ready> ready = next();
  ASSERT_EQ(ready.size(), 1u);
  listener().set_aside(ready[0].fd);
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(listener().wait(none_, 10ms).size(), 0u) << "its next request waits too";
  clock_.advance(settings_.idle_timeout * 2);
  EXPECT_EQ(listener().wait(none_, 10ms).size(), 0u);
  listener().drop_idle();
  EXPECT_EQ(listener().connections(), 1u);
  listener().keep(ready[0].fd);
  EXPECT_EQ(next().size(), 1u);
}

}  // namespace
}  // namespace svc::fastcgi
