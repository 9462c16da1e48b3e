#include "fastcgi/request_inspection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/fastcgi_bytes.h"

namespace svc::fastcgi {

void PrintTo(Verdict verdict, std::ostream* out) {
  constexpr std::string_view kNames[] = {"NeedMore",    "Pass",     "GetValues",
                                         "UnknownType", "Abort",    "Ignore",
                                         "UnknownRole", "TooLarge", "Refuse"};
  *out << kNames[static_cast<std::size_t>(verdict)];
}

namespace {

using fakes::fcgi_begin;
using fakes::fcgi_pair;
using fakes::fcgi_record;
using fakes::fcgi_request;
using fakes::kAbortRequest;
using fakes::kBeginRequest;
using fakes::kGetValues;
using fakes::kParams;
using fakes::kStdin;
using namespace std::string_view_literals;

constexpr Limits kSmall{64, 100};

const std::string kPairs = fcgi_pair("REQUEST_METHOD", "GET");
const std::string kEnd = fcgi_record(kParams, "") + fcgi_record(kStdin, "");

TEST(RequestInspection, PassesACompleteRequest) {
  struct Case {
    std::string_view name;
    std::string bytes;
    std::uint16_t id;
  };
  for (const Case& c : {
           Case{"as nginx sends it", fcgi_request({{"REQUEST_METHOD", "GET"}}), 1},
           Case{"without parameters", fcgi_request({}), 1},
           Case{"with a body", fcgi_request({{"A", "b"}}, "body"), 1},
           Case{"with as much body as allowed", fcgi_request({}, std::string(100, 'b')), 1},
           Case{"with as many parameters as allowed", fcgi_request({{"N", std::string(61, 'v')}}),
                1},
           Case{"the highest id", fcgi_request({{"A", "b"}}, "", 65535), 65535},
           Case{"an id of two bytes", fcgi_request({{"A", "b"}}, "x", 258), 258},
           Case{"not kept", fcgi_begin(1, 1, false) + kEnd, 1},
           Case{"padding everywhere",
                fcgi_record(kBeginRequest, "\0\1\1\0\0\0\0\0"sv, 1, 8) +
                    fcgi_record(kParams, kPairs, 1, 255) + fcgi_record(kParams, "", 1, 1) +
                    fcgi_record(kStdin, "b", 1, 7) + fcgi_record(kStdin, "", 1, 3),
                1},
           Case{"a pair cut within its length",
                fcgi_begin() + fcgi_record(kParams, kPairs.substr(0, 1)) +
                    fcgi_record(kParams, kPairs.substr(1)) + kEnd,
                1},
           Case{"a pair cut within its name",
                fcgi_begin() + fcgi_record(kParams, kPairs.substr(0, 5)) +
                    fcgi_record(kParams, kPairs.substr(5)) + kEnd,
                1},
           Case{"equals signs in a value, also as its first byte",
                fcgi_begin() + fcgi_record(kParams, "\1\4N=a="sv) +
                    fcgi_record(kParams, "=\0\1="sv) + kEnd,
                1},
           Case{"a body in many records",
                fcgi_begin() + fcgi_record(kParams, "") + fcgi_record(kStdin, "a") +
                    fcgi_record(kStdin, "b") + fcgi_record(kStdin, ""),
                1},
           Case{"a short value with a long length",
                fcgi_begin() + fcgi_record(kParams, "\x80\0\0\1\x80\0\0\1NV"sv) + kEnd, 1},
       }) {
    SCOPED_TRACE(c.name);
    const Inspection whole = inspect(c.bytes, kSmall);
    EXPECT_EQ(whole.verdict, Verdict::Pass);
    EXPECT_EQ(whole.request_id, c.id);
    EXPECT_EQ(whole.size, c.bytes.size());
    // Bytes after the request are the next request's and are not counted.
    const Inspection followed = inspect(c.bytes + fcgi_begin(), kSmall);
    EXPECT_EQ(followed.verdict, Verdict::Pass);
    EXPECT_EQ(followed.size, c.bytes.size());
    // Wherever it is cut, more bytes are needed.
    for (std::size_t cut = 0; cut < c.bytes.size(); ++cut) {
      ASSERT_EQ(inspect(std::string_view(c.bytes).substr(0, cut), kSmall).verdict,
                Verdict::NeedMore)
          << "cut behind byte " << cut;
    }
  }
}

TEST(RequestInspection, RefusesInvalidRecords) {
  struct Case {
    std::string_view name;
    std::string bytes;
  };
  const std::string begin = fcgi_begin();
  for (const Case& c : {
           Case{"HTTP", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"},
           Case{"TLS", "\x16\x03\x01\x02"},
           Case{"another version", "\x02"},
           Case{"version 0", std::string(1, '\0')},
           Case{"a whole record of another version", "\2" + begin.substr(1)},
           Case{"an abort of id 0", fcgi_record(kAbortRequest, "", 0)},
           Case{"parameters first", fcgi_record(kParams, kPairs)},
           Case{"a body first", fcgi_record(kStdin, "x")},
           Case{"type 0", fcgi_record(0, "")},
           Case{"an unknown type of a request", fcgi_record(200, "")},
           Case{"a reply to GET_VALUES", fcgi_record(10, "", 0)},
           Case{"an unknown management record within a request", begin + fcgi_record(200, "", 0)},
           Case{"a begin of id 0", fcgi_begin(0)},
           Case{"a begin of 7 bytes", fcgi_record(kBeginRequest, std::string(7, '\1'))},
           Case{"a begin of 9 bytes", fcgi_record(kBeginRequest, "\0\1\1\0\0\0\0\0\0"sv)},
           Case{"an empty begin", fcgi_record(kBeginRequest, "")},
           Case{"GET_VALUES of a request", fcgi_record(kGetValues, "", 1)},
           Case{"two begins", begin + begin},
           Case{"a body before the parameters' end",
                begin + fcgi_record(kParams, kPairs) + fcgi_record(kStdin, "x")},
           Case{"a body without parameters", begin + fcgi_record(kStdin, "")},
           Case{"an abort of another request", begin + fcgi_record(kAbortRequest, "", 2)},
           Case{"GET_VALUES within a request", begin + fcgi_record(kGetValues, "", 0)},
           Case{"another version within a request", begin + "\2"},
           Case{"parameters of another request", begin + fcgi_record(kParams, kPairs, 2)},
           Case{"parameters of id 0", begin + fcgi_record(kParams, kPairs, 0)},
           Case{"the end of another request's parameters", begin + fcgi_record(kParams, "", 2)},
           Case{"a body of another request",
                begin + fcgi_record(kParams, "") + fcgi_record(kStdin, "x", 257)},
           Case{"parameters again behind their end",
                begin + fcgi_record(kParams, "") + fcgi_record(kParams, kPairs)},
           Case{"the end within a length",
                begin + fcgi_record(kParams, "\x80"sv) + fcgi_record(kParams, "")},
           Case{"the end within four bytes of length",
                begin + fcgi_record(kParams, "\x80\0\0"sv) + fcgi_record(kParams, "")},
           Case{"the end between the two lengths",
                begin + fcgi_record(kParams, "\1"sv) + fcgi_record(kParams, "")},
           Case{"the end within a name",
                begin + fcgi_record(kParams, "\4\1NA"sv) + fcgi_record(kParams, "")},
           Case{"the end within a value",
                begin + fcgi_record(kParams, "\1\4NVA"sv) + fcgi_record(kParams, "")},
           Case{"a NUL in a name",
                begin + fcgi_record(kParams, "\2\1N\0V"sv) + fcgi_record(kParams, "")},
           Case{"a NUL in a value",
                begin + fcgi_record(kParams, "\1\3NV\0W"sv) + fcgi_record(kParams, "")},
           Case{"a NUL in a value that comes in pieces",
                begin + fcgi_record(kParams, "\1\3NV"sv) + fcgi_record(kParams, "\0W"sv)},
           Case{"an equals sign in a name",
                begin + fcgi_record(kParams, fcgi_pair("REQUEST_METHOD=GET", "x"))},
           Case{"an equals sign at the end of a name that comes in pieces",
                begin + fcgi_record(kParams, "\2\1N"sv) + fcgi_record(kParams, "=V"sv)},
           Case{"a name that is too long to be honest",
                begin + fcgi_record(kParams, "\xff\xff\xff\xff\1"sv)},
           Case{"a value that is too long to be honest",
                begin + fcgi_record(kParams, "\1\xff\xff\xff\xff"sv)},
           Case{"behind the header of a begin of id 0", fcgi_begin(0).substr(0, 8)},
           Case{"behind the header of GET_VALUES of a request",
                fcgi_record(kGetValues, "xx", 1).substr(0, 8)},
           Case{"behind the type of the next record", begin + "\1\5"},
           Case{"behind its header, by its id",
                begin + fcgi_record(kParams, kPairs, 2).substr(0, 8)},
           Case{"two lengths whose sum is too long", begin + fcgi_record(kParams, "\x21\x21"sv)},
           Case{"more parameters than allowed",
                begin + fcgi_record(kParams, fcgi_pair("N", std::string(62, 'v')))},
           Case{"more parameters than allowed, in pieces",
                begin + fcgi_record(kParams, fcgi_pair("A", std::string(30, 'v'))) +
                    fcgi_record(kParams, fcgi_pair("B", std::string(30, 'v')))},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(inspect(c.bytes, kSmall).verdict, Verdict::Refuse);
    // No later bytes make it valid.
    EXPECT_EQ(inspect(c.bytes + fcgi_request({}), kSmall).verdict, Verdict::Refuse);
  }
  for (const int type : {3, 4, 5, 6, 7, 8, 10, 11}) {
    for (const int id : {0, 1})
      EXPECT_EQ(inspect(fcgi_record(type, std::string(8, '\0'), id), kSmall).verdict,
                Verdict::Refuse)
          << type;
  }
}

// Each is reported once it is complete, and the bytes after it are not counted.
TEST(RequestInspection, ReportsOtherRecordsThanRequests) {
  struct Case {
    std::string_view name;
    std::string bytes;
    Inspection seen;
  };
  const auto as = [](Verdict verdict, std::uint16_t id = 0, std::uint8_t type = 0,
                     bool keeps = false) {
    Inspection seen;
    seen.verdict = verdict;
    seen.request_id = id;
    seen.type = type;
    seen.keeps = keeps;
    return seen;
  };
  const std::string abort = fcgi_record(kAbortRequest, "", 9, 5);
  const std::string params = fcgi_record(kParams, kPairs, 9) + fcgi_record(kParams, "", 9);
  const Inspection kept = as(Verdict::Abort, 9, 0, true);
  std::vector<Case> cases{
      {"GET_VALUES of nothing", fcgi_record(kGetValues, "", 0, 5), as(Verdict::GetValues)},
      {"GET_VALUES", fcgi_record(kGetValues, fcgi_pair("FCGI_MAX_CONNS", ""), 0, 5),
       as(Verdict::GetValues)},
      {"long GET_VALUES", fcgi_record(kGetValues, std::string(300, 'x'), 0, 5),
       as(Verdict::GetValues)},
      {"§3.3: an abort that crossed the response", abort, as(Verdict::Ignore)},
      {"§5.4: an abort instead of parameters", fcgi_begin(9) + abort, kept},
      {"an abort without keep-alive", fcgi_begin(9, 1, false) + abort, as(Verdict::Abort, 9)},
      {"an abort within parameters", fcgi_begin(9) + fcgi_record(kParams, "\4\4NA"sv, 9) + abort,
       kept},
      {"an abort instead of a body", fcgi_begin(9) + params + abort, kept},
      {"an abort within a body", fcgi_begin(9) + params + fcgi_record(kStdin, "x", 9) + abort,
       kept},
  };
  for (const std::uint8_t type : {0, 12, 200, 255}) {  // §4.2
    for (const std::string_view content : {""sv, "content"sv})
      cases.push_back({"of an unknown type", fcgi_record(type, content, 0, 5),
                       as(Verdict::UnknownType, 0, type)});
  }
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Inspection seen = inspect(c.bytes + fcgi_begin(), kSmall);
    EXPECT_EQ(seen.verdict, c.seen.verdict);
    EXPECT_EQ(seen.size, c.bytes.size());
    if (c.seen.request_id != 0) {
      EXPECT_EQ(seen.request_id, c.seen.request_id);
    }
    if (seen.verdict == Verdict::UnknownType) {
      EXPECT_EQ(seen.type, c.seen.type);
    }
    if (seen.verdict == Verdict::Abort) {
      EXPECT_EQ(seen.keeps, c.seen.keeps);
    }
    for (std::size_t cut = 0; cut < c.bytes.size(); ++cut) {
      ASSERT_EQ(inspect(std::string_view(c.bytes).substr(0, cut), kSmall).verdict,
                Verdict::NeedMore);
    }
  }
  for (const int role : {0, 2, 3, 4, 256, 257, 65535}) {
    const Inspection other = inspect(fcgi_begin(9, role), kSmall);
    EXPECT_EQ(other.verdict, Verdict::UnknownRole) << role;
    EXPECT_EQ(other.request_id, 9);
  }
}

TEST(RequestInspection, ItsRepliesAreRecords) {
  EXPECT_EQ(unknown_type(200), fcgi_record(11, '\xc8' + std::string(7, '\0'), 0));
  EXPECT_EQ(aborted(9), fcgi_record(3, std::string(8, '\0'), 9));
  EXPECT_EQ(unknown_role(258), "\1\3\1\2\0\x08\0\0\0\0\0\0\3\0\0\0"sv);
  const std::string text =
      "Status: 413 Content Too Large\r\nContent-Type: application/json; charset=utf-8\r\n"
      "Content-Length: 21\r\n\r\n{\"error\":\"too large\"}";
  EXPECT_EQ(refusal(3, 413, "too large"), fcgi_record(6, text, 3) + fcgi_record(6, "", 3) +
                                              fcgi_record(3, std::string(8, '\0'), 3));
}

TEST(RequestInspection, ReportsATooLargeBody) {
  const Inspection large = inspect(fcgi_request({}, std::string(101, 'b'), 7), kSmall);
  EXPECT_EQ(large.verdict, Verdict::TooLarge);
  EXPECT_EQ(large.request_id, 7);
  const std::string pieces = fcgi_begin() + fcgi_record(kParams, "") +
                             fcgi_record(kStdin, std::string(60, 'b')) +
                             fcgi_record(kStdin, std::string(60, 'b'));
  EXPECT_EQ(inspect(pieces, kSmall).verdict, Verdict::TooLarge);
  EXPECT_EQ(inspect(fcgi_request({}, "b"), {64, 0}).verdict, Verdict::TooLarge);
  EXPECT_EQ(inspect(fcgi_request({}), {64, 0}).verdict, Verdict::Pass);
}

TEST(RequestInspection, LimitsTheNumberOfRecordsPerRequest) {
  std::string dribble = fcgi_begin();
  for (int i = 0; i < 5000; ++i) dribble += fcgi_record(kParams, "\0\0"sv);
  EXPECT_EQ(inspect(dribble + kEnd, {}).verdict, Verdict::Refuse);
  std::string body = fcgi_begin() + fcgi_record(kParams, "");
  for (int i = 0; i < 5000; ++i) body += fcgi_record(kStdin, "b");
  EXPECT_EQ(inspect(body + fcgi_record(kStdin, ""), {}).verdict, Verdict::Refuse);
}

// A valid request with a few bytes changed: if it passes, it is complete and
// begins with BEGIN_REQUEST.
TEST(RequestInspection, PassesOnlyCompleteRequestsWhateverBytesChange) {
  std::mt19937 random(20260602);  // NOLINT: the same every time
  const std::string good =
      fcgi_request({{"REQUEST_METHOD", "GET"}, {"QUERY_STRING", std::string(200, 'q')}}, "body");
  int passed = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string bytes = good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random() & 0xff);
    }
    bytes.resize(bytes.size() - random() % 3);
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const Inspection seen = inspect({exact.data(), exact.size()}, {});
    if (seen.verdict != Verdict::Pass) continue;
    ++passed;
    ASSERT_LE(seen.size, bytes.size());
    ASSERT_EQ(bytes[0], 1);
    ASSERT_EQ(bytes[1], kBeginRequest);
    ASSERT_NE(seen.request_id, 0);
  }
  EXPECT_GT(passed, 1000) << "changes of names and values pass, or nothing was tried here";
}

// libfcgi does not skip padding after BEGIN_REQUEST or after the end of PARAMS.
TEST(RequestInspection, ReportsPaddingThatLibfcgiWouldReadAsARecord) {
  const std::string begin_body("\0\1\1\0\0\0\0\0"sv);
  struct Case {
    std::string_view name;
    std::size_t begin, params, params_end, body, body_end;
    bool padded;
  };
  for (const Case& c : {
           Case{"none", 0, 0, 0, 0, 0, false},
           Case{"behind BEGIN_REQUEST", 8, 0, 0, 0, 0, true},
           Case{"behind the end of PARAMS", 0, 0, 8, 0, 0, true},
           Case{"one byte of it", 0, 0, 1, 0, 0, true},
           Case{"behind PARAMS, where it is skipped", 0, 5, 0, 0, 0, false},
           Case{"behind STDIN, where it is skipped", 0, 0, 0, 5, 0, false},
       }) {
    SCOPED_TRACE(c.name);
    const auto request = [&](bool with_padding) {
      const auto size = [&](std::size_t padding) { return with_padding ? padding : 0; };
      return fcgi_record(kBeginRequest, begin_body, 1, size(c.begin)) +
             fcgi_record(kParams, kPairs, 1, size(c.params)) +
             fcgi_record(kParams, "", 1, size(c.params_end)) +
             fcgi_record(kStdin, "body", 1, size(c.body)) +
             fcgi_record(kStdin, "", 1, size(c.body_end));
    };
    const Inspection seen = inspect(request(true), kSmall);
    EXPECT_EQ(seen.verdict, Verdict::Pass);
    EXPECT_EQ(seen.padded, c.padded);
    EXPECT_EQ(without_padding(request(true)), request(false));
    EXPECT_FALSE(inspect(without_padding(request(true)), kSmall).padded);
  }
}

TEST(GetValues, ReturnEachKnownNameOnce) {
  const std::string conns = fcgi_pair("FCGI_MAX_CONNS", "1024");
  const std::string reqs = fcgi_pair("FCGI_MAX_REQS", "1");
  const std::string multiplex = fcgi_pair("FCGI_MPXS_CONNS", "0");
  struct Case {
    std::string_view name;
    std::string asked, answered;
  };
  for (const Case& c : {
           Case{"nothing", "", ""},
           Case{"one", fcgi_pair("FCGI_MPXS_CONNS", ""), multiplex},
           Case{"all, in our order",
                fcgi_pair("FCGI_MPXS_CONNS", "") + fcgi_pair("FCGI_MAX_REQS", "") +
                    fcgi_pair("FCGI_MAX_CONNS", ""),
                conns + reqs + multiplex},
           Case{"one twice", fcgi_pair("FCGI_MAX_REQS", "") + fcgi_pair("FCGI_MAX_REQS", ""), reqs},
           Case{"with a value", fcgi_pair("FCGI_MAX_REQS", "99"), reqs},
           Case{"unknown ones",
                fcgi_pair("FCGI_SECRET", "") + fcgi_pair("", "") + fcgi_pair("FCGI_MAX_REQS", ""),
                reqs},
           Case{"in lower case", fcgi_pair("fcgi_max_reqs", ""), ""},
           Case{"a long name",
                fcgi_pair(std::string(300, 'N'), "") + fcgi_pair("FCGI_MAX_REQS", ""), reqs},
           Case{"a name that ends behind the record", fcgi_pair("FCGI_MAX_REQS", "") + "\x0d",
                reqs},
           Case{"a length that is a lie", "\xff\xff\xff\xff\xff\xff\xff\xff", ""},
           Case{"half a length", "\x80\1", ""},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(answer_get_values(fcgi_record(kGetValues, c.asked, 0, 3)),
              fcgi_record(10, c.answered, 0));
  }
  EXPECT_EQ(answer_get_values(fcgi_record(kGetValues, "abc", 0).substr(0, 9)), "")
      << "half a record";
}

TEST(Parameter, IsFoundAcrossRecordBoundaries) {
  const std::string pairs = fcgi_pair("QUERY_STRING", "a=b") + fcgi_pair("DOCUMENT_URI", "/a/b") +
                            fcgi_pair("DOCUMENT_URI", "/second") +
                            fcgi_pair("LONG", std::string(300, 'l'));
  for (std::size_t cut = 1; cut < pairs.size(); ++cut) {
    const std::string request = fcgi_begin() + fcgi_record(kParams, pairs.substr(0, cut), 1, 3) +
                                fcgi_record(kParams, pairs.substr(cut)) + fcgi_record(kParams, "") +
                                fcgi_record(kStdin, fcgi_pair("BODY", "no parameter"));
    ASSERT_EQ(parameter(request, "DOCUMENT_URI"), "/a/b") << cut;
    ASSERT_EQ(parameter(request, "LONG"), std::string(300, 'l'));
    ASSERT_EQ(parameter(request, "BODY"), "");
    ASSERT_EQ(parameter(request, "DOCUMENT"), "");
  }
  EXPECT_EQ(parameter("", "A"), "");
}

TEST(RequestInspection, ReportsWhetherToKeepTheConnection) {
  EXPECT_TRUE(inspect(fcgi_request({{"A", "b"}}), {}).keeps);
  const std::string closes = fcgi_begin(1, 1, false) + fcgi_record(kParams, kPairs) + kEnd;
  EXPECT_EQ(inspect(closes, {}).verdict, Verdict::Pass);
  EXPECT_FALSE(inspect(closes, {}).keeps);
  // The other bits of the flags are ignored.
  const std::string others = fcgi_record(kBeginRequest, "\0\1\xfe\0\0\0\0\0"sv) + kEnd;
  EXPECT_EQ(inspect(others, {}).verdict, Verdict::Pass);
  EXPECT_FALSE(inspect(others, {}).keeps);
}

TEST(SingleParams, AreReturnedForOneParamsRecordWithoutABody) {
  EXPECT_EQ(single_params(fcgi_begin() + fcgi_record(kParams, kPairs) + kEnd), kPairs);
  EXPECT_EQ(single_params(fcgi_begin(65535) + fcgi_record(kParams, kPairs, 65535, 5) +
                          fcgi_record(kParams, "", 65535) + fcgi_record(kStdin, "", 65535)),
            kPairs)
      << "nginx pads them";
  for (const std::string& bytes : {
           std::string(),
           fcgi_begin(),
           fcgi_request({}),
           fcgi_begin() + fcgi_record(kParams, kPairs),
           fcgi_begin() + fcgi_record(kParams, kPairs) + fcgi_record(kParams, kPairs) + kEnd,
           fcgi_request({{"A", "b"}}, "body"),
           fcgi_request({{"A", "b"}}) + "x",
       }) {
    EXPECT_EQ(single_params(bytes), std::nullopt);
  }
}

}  // namespace
}  // namespace svc::fastcgi
