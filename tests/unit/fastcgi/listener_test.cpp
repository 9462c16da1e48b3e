#include "fastcgi/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "fakes/answers.h"
#include "fakes/fastcgi_bytes.h"
#include "fakes/manual_clock.h"
#include "fakes/memory.h"
#include "fakes/temporary_directory.h"
#include "fakes/wire.h"
#include "fastcgi/listening_socket.h"
#include "loop/loop.h"

namespace svc::fastcgi {
namespace {

using namespace std::chrono_literals;
using namespace svc::fakes;

const std::string kRequest = fcgi_request({{"REQUEST_METHOD", "GET"}, {"DOCUMENT_URI", "/a"}});
const std::string kValues = fcgi_record(kGetValues, fcgi_pair("FCGI_MAX_REQS", ""), 0);
const std::string kOneValue = fcgi_record(10, fcgi_pair("FCGI_MAX_REQS", "1"), 0);
constexpr std::string_view kHead = "Status: 200 OK\r\n\r\n";
const AnswerText kAnswer{std::string(kHead) + "hello", true};

class Willing : public AcceptPolicy {
 public:
  bool may_accept(std::size_t held) override {
    asked_with = held;
    return willing;
  }
  bool willing = true;
  std::size_t asked_with = 0;
};

// A listener on its own socket, with a clock that only the test advances.
class ListenerTest : public testing::Test {
 protected:
  ListenerTest() {
    base::log::set_level(base::log::Level::Off);
    settings_.limits.body = 100;
  }

  Listener& listener() {
    if (!listener_) {
      listener_ = std::make_unique<Listener>(socket_.fd(), settings_, policy_, loop_);
    }
    return *listener_;
  }
  base::UniqueFd connected() const { return connect_to(path_); }

  // Connects and waits until the connection is accepted; no request may be
  // ready.
  base::UniqueFd accepted() {
    base::UniqueFd client = connected();
    const std::size_t before = listener().connections();
    while (listener().connections() == before) EXPECT_EQ(next().size(), 0u);
    return client;
  }

  // The requests of the next turn, at most one per connection.
  std::vector<Ready> next(base::Duration at_most = base::Duration::max()) {
    loop_.turn(std::min(at_most, listener().prepare_wait()));
    const std::span<Ready> ready = listener().take_ready();
    return {ready.begin(), ready.end()};
  }
  // Sends one request on the connection and takes it from the listener.
  Ready take_from(const base::UniqueFd& client) {
    EXPECT_TRUE(send_all(client.get(), kRequest));
    const std::vector<Ready> ready = next();
    EXPECT_EQ(ready.size(), 1u);
    return ready.empty() ? Ready{} : ready[0];
  }
  void answer(const Ready& ready, std::string_view body = "hello",
              Listener::Then then = Listener::Then::Keep) {
    listener().answer(ready.fd, ready.id, {kHead, body}, then);
  }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_.path("s");
  ListeningSocket socket_ = *ListeningSocket::open(path_, 0600, 64);
  ListenerSettings settings_;
  Willing policy_;
  ManualClock clock_;
  loop::Loop loop_{clock_};

 private:
  std::unique_ptr<Listener> listener_;
};
using Listening = ListenerTest;

// The replies to the bytes that the peer of a new connection sends in one write, by the sections of
// the FastCGI 1.0 specification.
TEST_F(Listening, ReturnsTheFirstRequestAndRepliesToTheRecordsBeforeIt) {
  struct Case {
    std::string_view name;
    std::string sent;
    std::string request;  // "" for none
    std::string replies;
    std::size_t first = 0;  // bytes sent before the rest
  };
  const std::string begun = fcgi_record(kParams, fcgi_pair("DOCUMENT_URI", "/aborted"));
  const std::string abort = fcgi_record(kAbortRequest, "");
  const std::string begin("\0\1\1\0\0\0\0\0", 8);
  const std::string pairs = fcgi_pair("DOCUMENT_URI", "/a");
  const auto times = [](int count, const std::string& text) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  // Regression test: a connection that kept sending GET_VALUES occupied its worker.
  const std::string values = times(1000, kValues);
  const std::string values_replies = times(32, kOneValue);
  for (const Case& c : {
           Case{"a request", kRequest, kRequest, ""},
           Case{"GET_VALUES", kValues + kValues + kRequest, kRequest, kOneValue + kOneValue},
           Case{"§4.2: a management record of an unknown type",
                fcgi_record(200, "content", 0, 3) + kRequest, kRequest, unknown_type(200)},
           Case{"§5.4: an aborted request", fcgi_begin() + begun + abort + kRequest, kRequest,
                aborted(1)},
           Case{"§5.1: one that is not kept", fcgi_begin(7, 1, false) + fcgi_record(2, "", 7), "",
                aborted(7)},
           Case{"§3.3: a response and an abort that crossed", abort + kRequest, kRequest, ""},
           Case{"a flood of aborts", times(1000, fcgi_begin() + abort), "", times(32, aborted(1))},
           Case{"a flood of GET_VALUES", values, "", values_replies},
           Case{"a flood of GET_VALUES in two pieces", values, "", values_replies, 3},
           Case{"padding, which libfcgi would read as the next record",
                fcgi_record(kBeginRequest, begin, 1, 8) + fcgi_record(kParams, pairs, 1, 5) +
                    fcgi_record(kParams, "", 1, 3) + fcgi_record(kStdin, ""),
                fcgi_request({{"DOCUMENT_URI", "/a"}}), ""},
           Case{"HTTP", "GET / HTTP/1.1\r\n\r\n", "", ""},
           Case{"parameters first", fcgi_record(kParams, "x"), "", ""},
           Case{"an unknown type of a request", fcgi_record(200, "x"), "", ""},
           Case{"an abort of another", fcgi_begin() + fcgi_record(kAbortRequest, "", 2), "", ""},
           Case{"a body first", fcgi_begin() + fcgi_record(kStdin, "b"), "", ""},
       }) {
    SCOPED_TRACE(c.name);
    const base::UniqueFd client = accepted();
    if (c.first > 0) {
      ASSERT_TRUE(send_all(client.get(), c.sent.substr(0, c.first)));
      EXPECT_EQ(next().size(), 0u);
    }
    ASSERT_TRUE(send_all(client.get(), c.sent.substr(c.first)));
    const std::vector<Ready> ready = next();
    ASSERT_EQ(ready.size(), c.request.empty() ? 0u : 1u);
    if (!ready.empty()) {
      EXPECT_EQ(ready[0].request, c.request);
      EXPECT_TRUE(ready[0].alone);
      EXPECT_TRUE(ready[0].keeps);
      EXPECT_EQ(read_some(ready[0].fd), "") << "nothing is left in the socket";
      EXPECT_EQ(fcntl(ready[0].fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
      listener().drop(ready[0].fd);
    }
    EXPECT_EQ(read_some(client.get()), c.replies);
    EXPECT_TRUE(at_end(client.get()));
    EXPECT_EQ(listener().connections(), 0u);
  }
  EXPECT_TRUE(listener().take_refused().empty());
}

TEST_F(Listening, ReportsTheKnownPartOfARequest) {
  const base::UniqueFd client = connected();
  const std::string closes =
      fcgi_begin(7, 1, false) + fcgi_record(kParams, "", 7) + fcgi_record(kStdin, "", 7);
  ASSERT_TRUE(send_all(client.get(), closes + kRequest));
  const std::vector<Ready> ready = next();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_FALSE(ready[0].keeps);
  EXPECT_FALSE(ready[0].alone) << "the next one has arrived";
  EXPECT_EQ(ready[0].id, 7);
  EXPECT_EQ(ready[0].request, closes);
}

TEST_F(Listening, ReturnsTheRequestsOfManyConnectionsTogether) {
  std::vector<base::UniqueFd> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(accepted());
  for (const base::UniqueFd& client : clients) ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next().size(), 5u);
  EXPECT_EQ(listener().connections(), 5u);
}

TEST_F(Listening, CollectsARequestThatComesInPieces) {
  const base::UniqueFd client = accepted();
  for (const std::size_t cut : {1u, 8u, 20u}) {
    ASSERT_TRUE(send_all(client.get(), kRequest.substr(0, cut)));
    EXPECT_EQ(next().size(), 0u);
    ASSERT_TRUE(send_all(client.get(), kRequest.substr(cut)));
    const std::vector<Ready> ready = next();
    ASSERT_EQ(ready.size(), 1u);
    EXPECT_EQ(ready[0].request, kRequest);
    answer(ready[0]);
    EXPECT_EQ(answer_in(read_some(client.get())), kAnswer);
  }
}

// It is read up to its end, and the bytes after it stay for the next request.
TEST_F(Listening, LosesNoByteAfterGetValuesThatComesInPieces) {
  const std::string asked = fcgi_record(kGetValues, fcgi_pair(std::string(65'527, 'n'), ""), 0, 1);
  const base::UniqueFd client = accepted();
  for (const std::string& piece : {asked.substr(0, 8), asked.substr(8) + kRequest.substr(0, 20)}) {
    ASSERT_TRUE(send_all(client.get(), piece));
    EXPECT_EQ(next().size(), 0u);
  }
  EXPECT_EQ(read_some(client.get()), fcgi_record(10, "", 0));
  ASSERT_TRUE(send_all(client.get(), kRequest.substr(20)));
  const std::vector<Ready> ready = next();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0].request, kRequest);
}

// Regression test: the buffer was released only if bytes followed a request.
TEST_F(Listening, LongGetValuesDoNotKeepTheirMemory) {
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

TEST_F(Listening, DoesNotLimitGetValuesOfAPeerThatReadsTheReplies) {
  const base::UniqueFd client = accepted();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(send_all(client.get(), kValues));
    EXPECT_EQ(next().size(), 0u);
    ASSERT_EQ(read_some(client.get()), kOneValue) << i;
  }
}

TEST_F(Listening, RefusesATooLargeBodyAndReportsIt) {
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
    const std::vector<Refused> refused = listener().take_refused();
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].path, "/oauth/token");
    EXPECT_EQ(refused[0].status, 413);
    EXPECT_EQ(read_some(client.get()), refusal(1, 413, "the request body is too large"));
    EXPECT_TRUE(at_end(client.get()));
  }
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next().size(), 1u);
  EXPECT_TRUE(listener().take_refused().empty()) << "told once";
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

TEST_F(Listening, ClosesAfterTheReadOrIdleTimeout) {
  settings_.read_timeout = 5s;
  settings_.idle_timeout = 120s;
  const base::UniqueFd idle = accepted();
  const base::UniqueFd half = accepted();
  ASSERT_TRUE(send_all(half.get(), kRequest.substr(0, 20)));
  EXPECT_EQ(next().size(), 0u);
  clock_.advance(4s);
  // The read timeout runs from the first byte to the last, whatever arrives in
  // between.
  ASSERT_TRUE(send_all(half.get(), kRequest.substr(20, 1)));
  EXPECT_EQ(next().size(), 0u);
  EXPECT_EQ(listener().connections(), 2u);
  clock_.advance(2s);
  ASSERT_TRUE(send_all(idle.get(), kValues));  // so that next() does not wait
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

TEST_F(Listening, KeepsOrClosesTheConnectionAfterTheResponse) {
  base::UniqueFd kept = accepted();
  base::UniqueFd closed = accepted();
  base::UniqueFd dropped = accepted();
  answer(take_from(kept));
  answer(take_from(closed), "hello", Listener::Then::Close);
  listener().drop(take_from(dropped).fd);
  EXPECT_EQ(listener().connections(), 1u);
  EXPECT_EQ(answer_in(read_some(kept.get())), kAnswer);
  EXPECT_TRUE(is_open(kept.get()));
  EXPECT_EQ(answer_in(read_some(closed.get())), kAnswer);
  EXPECT_TRUE(at_end(closed.get()));
  EXPECT_TRUE(at_end(dropped.get()));
  listener().drop(-1);
  answer({.fd = -1, .id = 1, .request = {}});
  answer(take_from(kept), "");
  EXPECT_EQ(answer_in(read_some(kept.get())), (AnswerText{std::string(kHead), true}));
}

TEST_F(Listening, AcceptsNothingWhileItsPolicyRefuses) {
  policy_.willing = false;
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next().size(), 0u);
  EXPECT_EQ(listener().connections(), 0u);
  policy_.willing = true;
  EXPECT_EQ(next().size(), 1u);
  EXPECT_EQ(policy_.asked_with, 0u);
}

TEST_F(Listening, StopsAcceptingAndServesItsConnections) {
  const base::UniqueFd held = accepted();
  listener().stop_accepting();
  const base::UniqueFd late = connected();
  ASSERT_TRUE(send_all(late.get(), kRequest));
  ASSERT_TRUE(send_all(held.get(), kRequest));
  EXPECT_EQ(next().size(), 1u);
  EXPECT_EQ(listener().connections(), 1u);
}

TEST_F(Listening, DropIdleSparesConnectionsWithABegunRequest) {
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

TEST_F(Listening, ARequestMayTakeLongerThanTheIdleTimeout) {
  const base::UniqueFd client = accepted();
  const Ready ready = take_from(client);
  clock_.advance(settings_.idle_timeout * 2);
  EXPECT_EQ(next(0s).size(), 0u);
  listener().drop_idle();
  EXPECT_EQ(listener().connections(), 1u);
  EXPECT_FALSE(listener().has_left(ready.fd));
  EXPECT_EQ(ready.request, kRequest);
  answer(ready);
  EXPECT_EQ(answer_in(read_some(client.get())), kAnswer);
  clock_.advance(settings_.idle_timeout / 2);
  EXPECT_EQ(next(0s).size(), 0u);
  EXPECT_EQ(listener().connections(), 1u) << "its idle time begins with the answer";
}

TEST_F(Listening, ANextRequestWaitsForTheCurrentOneWithoutABusyLoop) {
  const base::UniqueFd client = accepted();
  const Ready ready = take_from(client);
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next(0s).size(), 0u);
  EXPECT_FALSE(loop_.turn(0s)) << "no busy loop";
  EXPECT_FALSE(listener().has_left(ready.fd));
  answer(ready);
  const std::vector<Ready> second = next();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].request, kRequest);
  answer(second[0]);
  const AnswerText both = answer_in(read_some(client.get()));
  EXPECT_EQ(both.text, kAnswer.text + kAnswer.text);
}

TEST_F(Listening, DetectsThatThePeerOfARequestHasLeft) {
  base::UniqueFd client = accepted();
  const Ready ready = take_from(client);
  const base::UniqueFd other = accepted();
  EXPECT_FALSE(listener().has_left(ready.fd));
  client.reset();
  EXPECT_EQ(next().size(), 0u);
  EXPECT_TRUE(listener().has_left(ready.fd));
  EXPECT_FALSE(loop_.turn(0s)) << "no busy loop";
  EXPECT_EQ(listener().connections(), 2u) << "it is in hand";
  answer(ready);
  EXPECT_EQ(listener().connections(), 1u);
  EXPECT_TRUE(listener().has_left(ready.fd));
  EXPECT_TRUE(is_open(other.get()));
}

TEST_F(Listening, DetectsThatThePeerHasLeftAfterANextRequest) {
  base::UniqueFd client = accepted();
  const Ready ready = take_from(client);
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next().size(), 0u);
  client.reset();
  EXPECT_EQ(next().size(), 0u);
  EXPECT_TRUE(listener().has_left(ready.fd));
  EXPECT_FALSE(loop_.turn(0s)) << "no busy loop";
  answer(ready);
  EXPECT_EQ(listener().connections(), 0u);
}

// The peer of a half-closed connection can read the response but cannot send a
// next request.
TEST_F(Listening, AnswersAHalfClosedConnectionAndCloses) {
  const base::UniqueFd client = connected();
  ASSERT_TRUE(send_all(client.get(), kRequest));
  ASSERT_EQ(shutdown(client.get(), SHUT_WR), 0);
  std::vector<Ready> ready;
  while (ready.empty()) ready = next();
  next(0s);
  answer(ready[0]);
  EXPECT_EQ(answer_in(read_some(client.get())), kAnswer);
  next(0s);
  EXPECT_EQ(listener().connections(), 0u);
}

// More than a socket buffer holds, in a pattern that shows a lost or doubled
// byte.
std::string large_body() {
  std::string body;
  while (body.size() < 3'000'000) body += std::to_string(body.size()) + ' ';
  return body;
}

TEST_F(Listening, SendsTheRestOfAResponseWhenThePeerReads) {
  const std::string body = large_body();
  for (const auto then : {Listener::Then::Keep, Listener::Then::Close}) {
    const base::UniqueFd client = accepted();
    answer(take_from(client), body, then);
    EXPECT_FALSE(loop_.turn(0s)) << "no busy loop while it does not read";
    // Other connections are served in the meantime.
    const base::UniqueFd other = accepted();
    answer(take_from(other));
    EXPECT_EQ(answer_in(read_some(other.get())), kAnswer);
    std::string bytes;
    for (int reads = 0; !answer_in(bytes).whole && reads < 10'000; ++reads) {
      bytes += read_some(client.get());
      next(0s);
    }
    EXPECT_EQ(answer_in(bytes).text, std::string(kHead) + body);
    EXPECT_TRUE(answer_in(bytes).whole);
    if (then == Listener::Then::Close) {
      EXPECT_TRUE(at_end(client.get()));
    } else {
      answer(take_from(client));
      EXPECT_EQ(answer_in(read_some(client.get())), kAnswer) << "kept for the next";
    }
  }
}

TEST_F(Listening, ANextRequestWaitsUntilTheResponseIsSent) {
  const base::UniqueFd client = accepted();
  answer(take_from(client), large_body());
  ASSERT_TRUE(send_all(client.get(), kRequest));
  EXPECT_EQ(next(0s).size(), 0u);
  EXPECT_FALSE(loop_.turn(0s)) << "no busy loop";
  std::string bytes;
  std::vector<Ready> second;
  for (int reads = 0; second.empty() && reads < 10'000; ++reads) {
    bytes += read_some(client.get());
    second = next(0s);
  }
  ASSERT_EQ(second.size(), 1u);
  bytes += read_some(client.get());
  EXPECT_TRUE(answer_in(bytes).whole);
  EXPECT_EQ(second[0].request, kRequest);
}

TEST_F(Listening, ClosesAfterTheWriteTimeout) {
  settings_.write_timeout = 2s;
  const base::UniqueFd client = accepted();
  answer(take_from(client), large_body());
  clock_.advance(1500ms);
  EXPECT_EQ(next(0s).size(), 0u);
  // Each piece that the peer reads restarts the timeout.
  EXPECT_NE(read_some(client.get()), "");
  EXPECT_EQ(next().size(), 0u);
  clock_.advance(1500ms);
  EXPECT_EQ(next(0s).size(), 0u);
  EXPECT_EQ(listener().connections(), 1u);
  clock_.advance(1500ms);
  EXPECT_EQ(next(0s).size(), 0u);
  EXPECT_EQ(listener().connections(), 0u);
  EXPECT_FALSE(answer_in(read_some(client.get())).whole);
  EXPECT_TRUE(at_end(client.get()));
}

TEST_F(Listening, ForgetsAPeerThatLeavesDuringItsResponse) {
  base::UniqueFd client = accepted();
  answer(take_from(client), large_body());
  EXPECT_EQ(listener().connections(), 1u);
  listener().drop_idle();
  EXPECT_EQ(listener().connections(), 1u) << "an answer is going out";
  client.reset();
  while (listener().connections() > 0) EXPECT_EQ(next().size(), 0u);
}

TEST_F(Listening, WritingToAClosedPeerRaisesNoSignal) {
  base::UniqueFd client = accepted();
  const Ready ready = take_from(client);
  client.reset();
  answer(ready);
  EXPECT_EQ(listener().connections(), 0u);
}

// Regression test: `= {}` empties a string but keeps its memory.
TEST_F(Listening, ALargeResponseDoesNotKeepItsMemory) {
  const base::UniqueFd client = accepted();
  answer(take_from(client), std::string(1000, 'x'));
  read_some(client.get());
  const std::size_t before = memory_in_use();
  {
    const std::string body = large_body();
    answer(take_from(client), body);
    std::size_t got = 0;
    while (got < body.size()) {
      got += read_some(client.get()).size();
      next(0s);
    }
  }
  EXPECT_EQ(listener().connections(), 1u);
  EXPECT_LT(memory_in_use(), before + 1'000'000);
}

}  // namespace
}  // namespace svc::fastcgi
