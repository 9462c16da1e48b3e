#include "courier/answer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::courier {
namespace {

constexpr std::size_t kMost = 20;

// Returns "<status> <body>", "…" if more bytes are needed, or the refusal. Passes the bytes in
// pieces of that size.
std::string read_in(std::string_view bytes, std::size_t piece) {
  AnswerReader reader(kMost);
  while (!bytes.empty()) {
    const AnswerReader::Read read = reader.add(bytes.substr(0, piece));
    if (!read) return read.error();
    if (*read) return std::to_string((*read)->status) + " " + (*read)->body;
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return "…";
}

TEST(Answer, IsTheSameInPiecesOfAnySize) {
  struct Case {
    std::string bytes;
    std::string expected;
  };
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const Case& c : {
           Case{ok + "Content-Length: 2\r\n\r\n{}", "200 {}"},
           Case{ok + "content-length:2\r\n\r\n{}more", "200 {}"},
           Case{"HTTP/1.0 404 \r\nContent-Length: 0\r\n\r\n", "404 "},
           Case{"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", "404 "},
           Case{ok + "Content-Length: 3\r\n\r\n{}", "…"},
           Case{ok + "Content-Length: 20\r\n\r\n12345678901234567890", "200 12345678901234567890"},
           Case{ok + "Content-Length: 21\r\n\r\n", "its body is larger than 20 bytes"},
           Case{ok + "Content-Length: 1073741824\r\n\r\n", "its body is larger than 20 bytes"},
           Case{ok + "Content-Length: -1\r\n\r\n", "it has a malformed length"},
           Case{ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "it has two lengths"},
           Case{ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "200 {}"},
           Case{ok + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
                "it has both a length and chunks"},
           Case{ok + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n",
                "200 {}"},
           Case{ok + "Transfer-Encoding: chunked\r\n\r\n15\r\n",
                "its body is larger than 20 bytes"},
           Case{ok + "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\nb\r\n",
                "its body is larger than 20 bytes"},
           Case{ok + "Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n", "it has a malformed chunk"},
           Case{ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", "it has a malformed chunk"},
           Case{ok + "Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
                "it has a malformed chunk"},
           Case{ok + "Transfer-Encoding: chunked\r\n\r\n" + std::string(300, '1'),
                "it has a malformed chunk"},
           Case{ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
                "it has a transfer coding other than chunked"},
           Case{ok + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
                "it is compressed, although that was not accepted"},
           Case{ok + "Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}", "200 {}"},
           Case{"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 2\r\n\r\n{}",
                "200 {}"},
           Case{"HTTP/1.1 101 Switching\r\n\r\n", "it changes the protocol"},
           Case{"HTTP/1.1 204 No\r\n\r\n", "204 "},
           Case{"HTTP/2 200 OK\r\n\r\n", "it is not a response of HTTP/1.1"},
           Case{"SSH-2.0-OpenSSH\r\n\r\n", "it is not a response of HTTP/1.1"},
           Case{"HTTP/1.1 099 x\r\n\r\n", "it is not a response of HTTP/1.1"},
           Case{"HTTP/1.1 2000\r\n\r\n", "it is not a response of HTTP/1.1"},
           Case{ok + "no colon\r\n\r\n", "it has a malformed header field"},
           Case{ok + "Name : x\r\n\r\n", "it has a malformed header field"},
           Case{ok + " folded\r\n\r\n", "it has a malformed header field"},
           Case{ok + "Age: 1\n2\r\n\r\n", "it has a malformed header field"},
           Case{ok + "Content-Type: a/b\r\nContent-Type: c/d\r\n\r\n", "it has two types"},
           Case{ok + "X: " + std::string(17'000, 'x'), "its header fields are larger than 16 KiB"},
           Case{ok + "X: " + std::string(17'000, 'x') + "\r\n\r\n",
                "its header fields are larger than 16 KiB"},
       }) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, c.bytes.size()})
      EXPECT_EQ(read_in(c.bytes, piece), c.expected) << c.bytes.substr(0, 80) << " by " << piece;
  }
}

TEST(Answer, HasTheFieldsOfADocument) {
  AnswerReader reader(kMost);
  const auto read = reader.add(
      "HTTP/1.1 200 OK\r\nContent-Type:  application/json; charset=utf-8 \r\n"
      "Cache-Control: public\r\ncache-control: max-age=5\r\nAge: 3\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->content_type, "application/json; charset=utf-8");
  EXPECT_EQ((*read)->cache_control, "public, max-age=5");
  EXPECT_EQ((*read)->age, "3");
}

TEST(Answer, WithoutALengthEndsWithTheConnectionIfThatEndsProperly) {
  for (const bool properly : {true, false}) {
    AnswerReader reader(kMost);
    const auto read = reader.add("HTTP/1.1 200 OK\r\n\r\n{}");
    ASSERT_TRUE(read);
    EXPECT_FALSE(*read);
    const auto end = reader.end(properly);
    ASSERT_EQ(static_cast<bool>(end), properly);
    if (properly) {
      EXPECT_EQ((*end)->body, "{}");
    } else {
      EXPECT_EQ(end.error(), "the connection ended before the response did");
    }
  }
}

TEST(Answer, IsCutOffIfTheConnectionEndsBeforeItsLength) {
  AnswerReader reader(kMost);
  ASSERT_TRUE(reader.add("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"));
  EXPECT_EQ(reader.end(true).error(), "the connection ended before the response did");
}

TEST(Answer, OfAnEndlessBodyIsRefusedAtItsLimit) {
  AnswerReader reader(kMost);
  ASSERT_TRUE(reader.add("HTTP/1.1 200 OK\r\n\r\n"));
  ASSERT_TRUE(reader.add(std::string(kMost, 'x')));
  EXPECT_EQ(reader.add("x").error(), "its body is larger than 20 bytes");
}

}  // namespace
}  // namespace svc::courier
