#include "fastcgi/request_decoder.h"

#include <gtest/gtest.h>

#include <array>
#include <list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fakes/fastcgi_bytes.h"
#include "fakes/memory.h"
#include "fastcgi/request_inspection.h"

namespace svc::fastcgi {

void PrintTo(RequestDecoder::Outcome outcome, std::ostream* out) {
  constexpr std::string_view kNames[] = {"Whole", "Cut", "WrongLength"};
  *out << kNames[static_cast<std::size_t>(outcome)];
}

namespace {

using namespace svc::fakes;
using namespace std::string_view_literals;
using Outcome = RequestDecoder::Outcome;

// A request and the text that its views point into.
struct Decoded {
  http::Request request;
  std::string text;
};

class RequestDecoderTest : public testing::Test {
 protected:
  Outcome decode(std::string_view bytes) {
    return decoder_.decode(bytes, decoded_.request, decoded_.text);
  }
  const http::Request& request() const { return decoded_.request; }

  RequestDecoder decoder_;
  Decoded decoded_;
};
using Decoding = RequestDecoderTest;

// All fields of a request in one text.
std::string all_of(const http::Request& request) {
  std::string all;
  for (const std::string_view field :
       {request.method, request.path, request.query, request.scheme, request.host,
        request.remote_address, request.request_id, request.content_type, request.if_none_match,
        request.authorization, request.cookie, request.origin, request.body})
    all += std::string(field) + "\n";
  return all;
}

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
                                        {"HTTP_USER_AGENT", "Browser/1"},
                                        {"HTTP_ACCEPT_LANGUAGE", "de"},
                                        {"HTTP_X_ELSE", "ignored"}},
                                       "body");

TEST_F(Decoding, ReadsAllParametersThatNginxSets) {
  ASSERT_EQ(decode(kPost), Outcome::Whole);
  EXPECT_EQ(request().method, "POST");
  EXPECT_EQ(request().path, "/oauth/token");
  EXPECT_EQ(request().query, "a=b");
  EXPECT_EQ(request().scheme, "https");
  EXPECT_EQ(request().host, "api.example");
  EXPECT_EQ(request().remote_address, "192.0.2.1");
  EXPECT_EQ(request().request_id, "f00d");
  EXPECT_EQ(request().content_type, "application/x-www-form-urlencoded");
  EXPECT_EQ(request().if_none_match, "\"e\"");
  EXPECT_EQ(request().authorization, "Basic YTpi");
  EXPECT_EQ(request().cookie, "c=d");
  EXPECT_EQ(request().origin, "null");
  EXPECT_EQ(request().user_agent, "Browser/1");
  EXPECT_EQ(request().accept_language, "de");
  EXPECT_EQ(request().body, "body");
  EXPECT_EQ(request().peer, nullptr);
}

TEST_F(Decoding, TellsAnEmptyConditionFromNone) {
  ASSERT_EQ(decode(fcgi_request({{"REQUEST_METHOD", "PUT"}, {"HTTP_IF_MATCH", ""}})),
            Outcome::Whole);
  EXPECT_EQ(request().if_match, ",") << "a list without an entity tag, RFC 9110 §5.6.1";
  ASSERT_EQ(decode(fcgi_request({{"REQUEST_METHOD", "PUT"}})), Outcome::Whole);
  EXPECT_EQ(request().if_match, "");
}

TEST_F(Decoding, KeepsNothingOfThePreviousRequest) {
  ASSERT_EQ(decode(kPost), Outcome::Whole);
  ASSERT_EQ(decode(fcgi_request({{"REQUEST_METHOD", "GET"}})), Outcome::Whole);
  http::Request bare;
  bare.method = "GET";
  EXPECT_EQ(all_of(request()), all_of(bare));
}

// libfcgi carries no bytes over from one request to the next.
TEST_F(Decoding, BytesAfterARequestAreNeverTheNextRequest) {
  const std::string forged = fcgi_request({{"REQUEST_METHOD", "GET"}, {"DOCUMENT_URI", "/forged"}});
  ASSERT_EQ(decode(kPost + forged), Outcome::Whole);
  EXPECT_EQ(request().path, "/oauth/token");
  EXPECT_EQ(request().body, "body");
  ASSERT_EQ(decode(fcgi_request({{"DOCUMENT_URI", "/next"}})), Outcome::Whole);
  EXPECT_EQ(request().path, "/next");
}

// As in a worker: many requests exist simultaneously and outlive the bytes that
// they were read from.
TEST_F(Decoding, SimultaneousRequestsStaySeparate) {
  std::list<Decoded> all;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    std::string bytes = i % 2 == 0
                            ? fcgi_request({{"DOCUMENT_URI", "/" + number}})
                            : fcgi_request({{"QUERY_STRING", number},
                                            {"CONTENT_LENGTH", std::to_string(number.size())}},
                                           number);
    Decoded& one = all.emplace_back();
    ASSERT_EQ(decoder_.decode(bytes, one.request, one.text), Outcome::Whole);
    bytes.assign(bytes.size(), '#');
  }
  int i = 0;
  for (const Decoded& one : all) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(one.request.path, i % 2 == 0 ? "/" + number : "");
    EXPECT_EQ(one.request.query, i % 2 == 0 ? "" : number);
    EXPECT_EQ(one.request.body, i % 2 == 0 ? "" : number);
    ++i;
  }
}

TEST_F(Decoding, IsWholeOnlyWithTheBodyThatWasAnnounced) {
  struct Case {
    std::string name;
    std::string bytes;
    Outcome outcome;
  };
  const auto with = [](std::string_view length, std::string_view body) {
    return fcgi_request({{"DOCUMENT_URI", "/a"}, {"CONTENT_LENGTH", length}}, body);
  };
  std::vector<Case> cases{
      {"longer", with("3", "body"), Outcome::WrongLength},
      {"no length at all", fcgi_request({{"DOCUMENT_URI", "/a"}}, "body"), Outcome::WrongLength},
      {"shorter", with("5", "body"), Outcome::Cut},
      {"none", with("1", ""), Outcome::Cut},
  };
  for (const std::string length :
       {"-1", "4 ", " 4", "+4", "0x4", "4,4", "4e0", "four", "99999999999999999999"}) {
    for (const std::string_view body : {"body", ""})
      cases.push_back({length, with(length, body), Outcome::WrongLength});
  }
  for (const std::size_t size :
       {kPost.size() - 1, kPost.size() - 9, std::size_t{40}, std::size_t{1}, std::size_t{0}})
    cases.push_back({std::to_string(size) + " bytes", kPost.substr(0, size), Outcome::Cut});
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode(c.bytes), c.outcome);
    if (c.outcome == Outcome::WrongLength) {
      EXPECT_EQ(request().path, "/a") << "for the log";
    }
    EXPECT_EQ(decode(kPost), Outcome::Whole) << "the next";
  }
}

TEST_F(Decoding, ReadsALargeBodyOfManyRecords) {
  std::string body;
  while (body.size() < 200'000) body += std::to_string(body.size()) + '\0';
  ASSERT_EQ(decode(fcgi_request({{"CONTENT_LENGTH", std::to_string(body.size())}}, body)),
            Outcome::Whole);
  EXPECT_EQ(request().body, body);
}

TEST_F(Decoding, ALargeRequestDoesNotKeepItsMemoryInTheDecoder) {
  const std::size_t before = memory_in_use();
  {
    const std::string body(5'000'000, 'b');
    Decoded large;
    ASSERT_EQ(decoder_.decode(fcgi_request({{"CONTENT_LENGTH", "5000000"}}, body), large.request,
                              large.text),
              Outcome::Whole);
  }
  EXPECT_LT(memory_in_use(), before + 1'000'000);
}

// The view of a request that a worker uses before it copies anything.
class ViewOfARequest : public RequestDecoderTest {
 protected:
  static bool view(std::string_view bytes, http::Request& request) {
    return view_request(bytes, request);
  }
  // Returns whether the request can be viewed. If so, the view must equal the
  // decoded request.
  bool agrees(const std::string& bytes) {
    http::Request seen;
    if (!view(bytes, seen)) return false;
    EXPECT_EQ(decode(bytes), Outcome::Whole);
    EXPECT_EQ(all_of(seen), all_of(request()));
    return true;
  }
};

TEST_F(ViewOfARequest, EqualsTheDecodedRequestWithoutCopying) {
  const std::string get = fcgi_request({{"REQUEST_METHOD", "GET"},
                                        {"DOCUMENT_URI", "/oembed"},
                                        {"QUERY_STRING", "url=a"},
                                        {"REQUEST_SCHEME", "https"},
                                        {"HTTP_HOST", "api.example"},
                                        {"REMOTE_ADDR", "192.0.2.1"},
                                        {"REQUEST_ID", "f00d"},
                                        {"CONTENT_TYPE", ""},
                                        {"CONTENT_LENGTH", ""},
                                        {"HTTP_IF_NONE_MATCH", "\"e\""},
                                        {"HTTP_AUTHORIZATION", "Basic YTpi"},
                                        {"HTTP_COOKIE", "c=d"},
                                        {"HTTP_ORIGIN", "null"},
                                        {"HTTP_USER_AGENT", "Browser/1"},
                                        {"HTTP_X_ELSE", "ignored"}});
  http::Request seen;
  ASSERT_TRUE(view(get, seen));
  EXPECT_EQ(seen.method, "GET");
  EXPECT_EQ(seen.path, "/oembed");
  EXPECT_EQ(seen.query, "url=a");
  EXPECT_GE(seen.path.data(), get.data()) << "nothing is copied";
  EXPECT_LT(seen.path.data(), get.data() + get.size());
  EXPECT_TRUE(agrees(get));
  EXPECT_TRUE(agrees(fcgi_request({{"REQUEST_METHOD", "GET"}})));
  EXPECT_TRUE(agrees(fcgi_request({{"CONTENT_LENGTH", "0"}, {"REQUEST_METHOD", "HEAD"}})));
  EXPECT_TRUE(agrees(fcgi_request({{"QUERY_STRING", "first"}, {"QUERY_STRING", "second"}})))
      << "the same of two";
  EXPECT_TRUE(agrees(fcgi_request({{"QUERY_STRING", std::string(300, 'q')}, {"", ""}})));
  EXPECT_TRUE(agrees(fcgi_request({{"QUERY_STRING", "a"}}, "", 65535)));
  EXPECT_TRUE(agrees(fcgi_request({{"HTTP_IF_MATCH", ""}})));
}

TEST_F(ViewOfARequest, IsRefusedForRequestsThatAreNotPlain) {
  const std::string pairs = fcgi_pair("REQUEST_METHOD", "GET") + fcgi_pair("DOCUMENT_URI", "/a");
  const std::string end = fcgi_record(kParams, "") + fcgi_record(kStdin, "");
  struct Case {
    std::string_view name;
    std::string bytes;
  };
  for (const Case& c : {
           Case{"a body", kPost},
           Case{"a body that is not announced", fcgi_request({{"DOCUMENT_URI", "/a"}}, "b")},
           Case{"an announced body", fcgi_request({{"CONTENT_LENGTH", "1"}})},
           Case{"a length that is no number", fcgi_request({{"CONTENT_LENGTH", "0x0"}})},
           Case{"parameters in two records", fcgi_begin() +
                                                 fcgi_record(kParams, pairs.substr(0, 5)) +
                                                 fcgi_record(kParams, pairs.substr(5)) + end},
           Case{"no parameters", fcgi_request({})},
           Case{"padding behind the end", fcgi_begin() + fcgi_record(kParams, pairs) +
                                              fcgi_record(kParams, "") +
                                              fcgi_record(kStdin, "", 1, 8)},
           Case{"bytes of a next request", fcgi_request({{"DOCUMENT_URI", "/a"}}) + "\1"},
           Case{"nothing", ""},
       }) {
    SCOPED_TRACE(c.name);
    http::Request seen;
    EXPECT_FALSE(view(c.bytes, seen));
  }
  for (const std::string whole = fcgi_request({{"DOCUMENT_URI", "/a"}});
       const std::size_t size : {whole.size() - 1, whole.size() - 8, std::size_t{20}}) {
    http::Request seen;
    EXPECT_FALSE(view(whole.substr(0, size), seen)) << size;
  }
}

// Random requests that pass the inspection: if a request can be viewed, the view
// equals the request that libfcgi reads.
TEST_F(ViewOfARequest, EqualsTheRequestThatLibfcgiReads) {
  std::mt19937 random(7);
  const std::array<std::string_view, 6> names{"REQUEST_METHOD", "DOCUMENT_URI", "QUERY_STRING",
                                              "CONTENT_LENGTH", "HTTP_COOKIE",  "X"};
  int viewed = 0;
  for (int i = 0; i < 3'000; ++i) {
    std::string pairs;
    for (std::size_t left = random() % 6; left > 0; --left) {
      const std::string_view name = names[random() % names.size()];
      std::string value(random() % 4 == 0 ? random() % 400 : random() % 4, 'v');
      if (name == "CONTENT_LENGTH") value = std::to_string(random() % 2);
      for (char& c : value) c = c == 'v' ? static_cast<char>(random() % 255 + 1) : c;
      pairs += fcgi_pair(name, value);
    }
    const std::size_t cut = random() % 4 == 0 ? random() % (pairs.size() + 1) : pairs.size();
    std::string bytes = fcgi_begin();
    if (cut > 0) bytes += fcgi_record(kParams, pairs.substr(0, cut), 1, random() % 9);
    if (cut < pairs.size()) bytes += fcgi_record(kParams, pairs.substr(cut));
    bytes += fcgi_record(kParams, "");
    if (random() % 4 == 0) bytes += fcgi_record(kStdin, "b", 1, random() % 9);
    bytes += fcgi_record(kStdin, "", 1, random() % 4 == 0 ? 3 : 0);
    if (inspect(bytes, {}).verdict != Verdict::Pass) continue;
    viewed += agrees(bytes) ? 1 : 0;
  }
  EXPECT_GT(viewed, 500);
}

}  // namespace
}  // namespace svc::fastcgi
