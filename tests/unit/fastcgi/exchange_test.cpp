#include "fastcgi/exchange.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "fakes/fastcgi_bytes.h"
#include "fakes/memory.h"
#include "fakes/wire.h"
#include "fastcgi/gate.h"

namespace svc::fastcgi {
namespace {

using namespace svc::fakes;
using namespace std::string_view_literals;

// What came on STDOUT, and whether the answer is whole: END_REQUEST with complete, and nothing
// else.
struct Answer {
  std::string text;
  bool whole = false;
};
Answer answer_in(std::string_view bytes) {
  Answer answer;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  while (bytes.size() >= 8) {
    const std::size_t length = static_cast<std::size_t>(byte(4) << 8 | byte(5));
    const std::size_t size = 8 + length + byte(6);
    if (bytes.size() < size) return answer;
    if (byte(1) == 6) answer.text += bytes.substr(8, length);
    if (byte(1) == 3) answer.whole = bytes.substr(8, length) == "\0\0\0\0\0\0\0\0"sv;
    if (byte(1) == 7 && length > 0) ADD_FAILURE() << "something on STDERR";
    bytes.remove_prefix(size);
  }
  return answer;
}

constexpr timeval kLimit{0, 50'000};

// A connection with that time limit for what the other end does not read.
std::pair<base::UniqueFd, base::UniqueFd> limited_pair() {
  auto ends = socket_pair();
  setsockopt(ends.second.get(), SOL_SOCKET, SO_SNDTIMEO, &kLimit, sizeof kLimit);
  return ends;
}

// How long this machine takes just now to find that nothing more fits.
std::chrono::steady_clock::duration one_limit() {
  const auto [peer, ours] = limited_pair();
  const std::string piece(8192, 'x');
  const auto began = std::chrono::steady_clock::now();
  while (send(ours.get(), piece.data(), piece.size(), MSG_NOSIGNAL) > 0) {
  }
  return std::chrono::steady_clock::now() - began;
}

class ExchangeTest : public testing::Test {
 protected:
  bool receive(std::string_view bytes) { return exchange_.receive({ours_.get(), true, bytes}); }
  static http::Response hello() {
    http::Response response;
    response.content_type = "text/plain";
    response.body = "hello";
    return response;
  }
  Answer read_answer() { return answer_in(read_some(peer_.get())); }

  std::pair<base::UniqueFd, base::UniqueFd> ends_ = socket_pair();
  base::UniqueFd& peer_ = ends_.first;
  base::UniqueFd& ours_ = ends_.second;
  Exchange exchange_;
};
using ExchangeOf = ExchangeTest;

const std::string kPost = fcgi_request({{"REQUEST_METHOD", "POST"},
                                        {"DOCUMENT_URI", "/oauth/token"},
                                        {"QUERY_STRING", "a=b"},
                                        {"REQUEST_SCHEME", "https"},
                                        {"HTTP_HOST", "api.example"},
                                        {"REMOTE_ADDR", "192.0.2.1"},
                                        {"REQUEST_ID", "f00d"},
                                        {"CONTENT_TYPE", "application/x-www-form-urlencoded"},
                                        {"CONTENT_LENGTH", "4"},
                                        {"HTTP_IF_NONE_MATCH", "\"e\""},
                                        {"HTTP_AUTHORIZATION", "Basic YTpi"},
                                        {"HTTP_COOKIE", "c=d"},
                                        {"HTTP_ORIGIN", "null"},
                                        {"HTTP_X_ELSE", "ignored"}},
                                       "body");
constexpr std::string_view kHello =
    "Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";

TEST_F(ExchangeOf, ARequestReadsAllThatNginxSets) {
  ASSERT_TRUE(receive(kPost));
  const http::Request& request = exchange_.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/oauth/token");
  EXPECT_EQ(request.query, "a=b");
  EXPECT_EQ(request.scheme, "https");
  EXPECT_EQ(request.host, "api.example");
  EXPECT_EQ(request.remote_address, "192.0.2.1");
  EXPECT_EQ(request.request_id, "f00d");
  EXPECT_EQ(request.content_type, "application/x-www-form-urlencoded");
  EXPECT_EQ(request.if_none_match, "\"e\"");
  EXPECT_EQ(request.authorization, "Basic YTpi");
  EXPECT_EQ(request.cookie, "c=d");
  EXPECT_EQ(request.origin, "null");
  EXPECT_EQ(request.body, "body");
  EXPECT_FALSE(exchange_.refused());
  exchange_.respond(hello());
  EXPECT_TRUE(exchange_.may_keep());
  const Answer answer = read_answer();
  EXPECT_EQ(answer.text, kHello);
  EXPECT_TRUE(answer.whole);
}

TEST_F(ExchangeOf, ARequestTakesNothingFromTheOneBefore) {
  ASSERT_TRUE(receive(kPost));
  exchange_.respond(hello());
  ASSERT_TRUE(exchange_.may_keep());
  ASSERT_TRUE(receive(fcgi_request({{"REQUEST_METHOD", "GET"}})));
  EXPECT_EQ(exchange_.request().path, "");
  EXPECT_EQ(exchange_.request().body, "");
  EXPECT_EQ(exchange_.request().authorization, "");
  exchange_.respond(hello());
  EXPECT_TRUE(exchange_.may_keep());
}

TEST_F(ExchangeOf, AConnectionIsKeptOnlyForWhoeverAsksForIt) {
  ASSERT_TRUE(
      receive(fcgi_begin(1, 1, false) + fcgi_record(kParams, "") + fcgi_record(kStdin, "")));
  exchange_.respond(hello());
  EXPECT_FALSE(exchange_.may_keep());
  EXPECT_TRUE(read_answer().whole);
  // The first bytes of a next request were taken with this one's.
  ASSERT_TRUE(exchange_.receive({ours_.get(), false, kPost}));
  exchange_.respond(hello());
  EXPECT_FALSE(exchange_.may_keep());
}

// libfcgi keeps nothing of a request for the next: neither what came behind it, nor what it lacked.
TEST_F(ExchangeOf, P5WhatIsBehindARequestIsNeverTheNextOne) {
  const std::string forged = fcgi_request({{"REQUEST_METHOD", "GET"}, {"DOCUMENT_URI", "/forged"}});
  ASSERT_TRUE(exchange_.receive({ours_.get(), false, kPost + forged}));
  exchange_.respond(hello());
  EXPECT_FALSE(exchange_.may_keep());
  ASSERT_TRUE(receive(fcgi_request({{"DOCUMENT_URI", "/next"}})));
  EXPECT_EQ(exchange_.request().path, "/next");
  exchange_.respond(hello());
  EXPECT_TRUE(exchange_.may_keep());
}

// As a round of a worker does it: all are read before the first is answered.
TEST_F(ExchangeOf, ManyRequestsAtOnceAreToldApart) {
  auto other_ends = socket_pair();
  Exchange other;
  ASSERT_TRUE(receive(fcgi_request({{"DOCUMENT_URI", "/a"}})));
  ASSERT_TRUE(other.receive({other_ends.second.get(), true, kPost}));
  EXPECT_EQ(exchange_.request().path, "/a");
  other.respond(hello());
  http::Response response = hello();
  response.body = "first";
  exchange_.respond(response);
  EXPECT_TRUE(read_answer().text.ends_with("first"));
  EXPECT_EQ(answer_in(read_some(other_ends.first.get())).text, kHello);
}

TEST_F(ExchangeOf, HeadGetsTheHeadAlone) {
  ASSERT_TRUE(receive(fcgi_request({{"REQUEST_METHOD", "HEAD"}})));
  exchange_.respond(hello());
  EXPECT_TRUE(exchange_.may_keep());
  EXPECT_EQ(read_answer().text, kHello.substr(0, kHello.size() - 5));
}

TEST_F(ExchangeOf, AnAnswerWithoutABodyHasNoLength) {
  for (const int status : {204, 304}) {
    ASSERT_TRUE(receive(fcgi_request({{"REQUEST_METHOD", "GET"}})));
    http::Response response;
    response.status = status;
    exchange_.respond(response.with("ETag", "W/\"e\""));
    EXPECT_TRUE(exchange_.may_keep());
    const std::string text = read_answer().text;
    EXPECT_EQ(text, "Status: " + std::to_string(status) + ' ' +
                        std::string(http::reason_phrase(status)) + "\r\nETag: W/\"e\"\r\n\r\n");
  }
}

TEST_F(ExchangeOf, AHeaderWithALineEndIsLeftOut) {
  ASSERT_TRUE(receive(fcgi_request({{"REQUEST_METHOD", "GET"}})));
  http::Response response = hello();
  response.with("Location", "/a\r\nSet-Cookie: b").with("X-Good", "c");
  exchange_.respond(response);
  const std::string text = read_answer().text;
  EXPECT_EQ(text.find("Set-Cookie"), std::string::npos);
  EXPECT_NE(text.find("X-Good: c\r\n"), std::string::npos);
}

TEST_F(ExchangeOf, P5ABodyLongerThanAnnouncedIsRefusedAndToldOf) {
  const std::string bytes = fcgi_request(
      {{"DOCUMENT_URI", "/a"}, {"QUERY_STRING", "code=secret"}, {"CONTENT_LENGTH", "3"}}, "body");
  EXPECT_FALSE(receive(bytes));
  EXPECT_FALSE(exchange_.may_keep());
  ASSERT_TRUE(exchange_.refused());
  EXPECT_EQ(exchange_.refused()->path, "/a");
  EXPECT_EQ(exchange_.refused()->status, 400);
  EXPECT_EQ(read_answer().text.substr(0, 11), "Status: 400");
  ASSERT_TRUE(receive(kPost));
  EXPECT_FALSE(exchange_.refused()) << "told once";
  exchange_.respond(hello());
  EXPECT_TRUE(exchange_.may_keep());
}

TEST_F(ExchangeOf, P5ALengthThatIsNoNumberIsRefused) {
  for (const std::string_view length : {"-1", "4 ", "+4", "0x4", "four", "99999999999999999999"}) {
    SCOPED_TRACE(length);
    EXPECT_FALSE(receive(fcgi_request({{"CONTENT_LENGTH", length}}, "body")));
    EXPECT_FALSE(exchange_.may_keep());
    EXPECT_EQ(read_answer().text.substr(0, 11), "Status: 400");
  }
}

TEST_F(ExchangeOf, P5ABodyShorterThanAnnouncedIsNotAnswered) {
  EXPECT_FALSE(receive(fcgi_request({{"CONTENT_LENGTH", "5"}}, "body")));
  EXPECT_FALSE(exchange_.refused());
  EXPECT_FALSE(exchange_.may_keep());
  EXPECT_EQ(read_some(peer_.get()), "");
}

TEST_F(ExchangeOf, P5ARequestThatIsCutOffIsNotAnswered) {
  const std::string whole = kPost;
  for (const std::size_t size : {whole.size() - 1, whole.size() - 9, std::size_t{40}}) {
    SCOPED_TRACE(size);
    EXPECT_FALSE(receive(std::string_view(whole).substr(0, size)));
    EXPECT_FALSE(exchange_.may_keep());
    EXPECT_EQ(read_some(peer_.get()), "");
    EXPECT_TRUE(is_open(peer_.get())) << "not libfcgi's to close";
  }
}

TEST_F(ExchangeOf, ALargeAnswerComesWhole) {
  http::Response response = hello();
  response.body.assign(150'000, 'x');
  ASSERT_TRUE(receive(kPost));
  exchange_.respond(response);
  EXPECT_TRUE(exchange_.may_keep());
  const Answer answer = read_answer();
  EXPECT_TRUE(answer.whole);
  EXPECT_EQ(answer.text.substr(answer.text.find("\r\n\r\n") + 4), response.body);
}

// It broke once: `= {}` empties a string, and keeps its room.
TEST_F(ExchangeOf, ALargeAnswerLeavesNoRoomOfItsSizeBehind) {
  const auto answer_of = [&](std::size_t size) {
    http::Response response = hello();
    response.body.assign(size, 'x');
    ends_ = socket_pair();
    EXPECT_TRUE(receive(kPost));
    peer_.reset();
    exchange_.respond(response);
  };
  answer_of(1000);
  const std::size_t before = memory_in_use();
  answer_of(10'000'000);
  EXPECT_LT(memory_in_use(), before + 1'000'000);
}

// A peer that reads nothing, and a short time limit. It broke once: each further piece of the
// answer waited for as long again.
TEST_F(ExchangeOf, P6APeerThatDoesNotReadIsGivenUpOnce) {
  http::Response response = hello();
  response.body.assign(1'000'000, 'x');
  ends_ = limited_pair();
  ASSERT_TRUE(receive(kPost));
  const auto began = std::chrono::steady_clock::now();
  exchange_.respond(response);
  EXPECT_FALSE(exchange_.may_keep());
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took, 10 * one_limit()) << "forty pieces of it are left";
  EXPECT_FALSE(read_answer().whole);
}

// It broke once: two of them in one round took as long as a request that hangs.
TEST_F(ExchangeOf, P6APeerThatDoesNotReadIsNotWaitedForWithARefusal) {
  ends_ = limited_pair();
  const std::string piece(8192, 'x');
  while (send(ours_.get(), piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
  }
  // The shortest of some, since other programs run here too.
  auto shortest = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 10; ++i) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(receive(fcgi_request({{"CONTENT_LENGTH", "3"}}, "body")));
    shortest = std::min(shortest, std::chrono::steady_clock::now() - began);
  }
  EXPECT_LT(shortest, std::chrono::microseconds(kLimit.tv_usec) / 2);
  EXPECT_TRUE(exchange_.refused());
}

TEST_F(ExchangeOf, P6APeerThatIsGoneIsNoSignalAndNoAnswer) {
  ends_ = socket_pair();
  ASSERT_TRUE(receive(kPost));
  peer_.reset();
  exchange_.respond(hello());
  EXPECT_FALSE(exchange_.may_keep());
}

}  // namespace
}  // namespace svc::fastcgi
