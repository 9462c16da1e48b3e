#include "http/response.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "fakes/headers.h"

namespace svc::http {
namespace {

using fakes::header;

Response page(std::string body) {
  Response response;
  response.content_type = "text/plain";
  response.body = std::move(body);
  return response.with("Cache-Control", "public");
}

TEST(EntityTag, AnswersNotModifiedIfATagMatches) {
  const std::string weak = header(with_entity_tag(page("one"), ""), "ETag");
  const std::string strong = weak.substr(2);
  const std::string opaque = strong.substr(1, strong.size() - 2);
  struct Case {
    std::string_view name;
    std::string if_none_match;
    int status;
  };
  for (const Case& c : {
           Case{"not asked", "", 200},
           Case{"our tag", weak, 304},
           Case{"our tag as a strong one", strong, 304},
           Case{"in a list, first", weak + ", \"x\"", 304},
           Case{"in a list, last", "\"x\",W/\"y\" ,\t" + weak, 304},
           Case{"in a list, strong", "\"x\", " + strong, 304},
           Case{"empty members of a list", ", ,," + weak, 304},
           Case{"behind 7 KB of commas", std::string(7000, ',') + weak, 304},
           Case{"bytes and a backslash in another tag", "\"\\\xe9\xff\", " + weak, 304},
           Case{"anything", "*", 304},
           Case{"anything, in blanks", " \t* \t", 304},
           Case{"blanks only", " \t", 200},
           Case{"anything, in a list", "\"x\", *", 200},
           Case{"anything and more", "*\"x\"", 200},
           Case{"another tag", "W/\"0000000000000000\"", 200},
           Case{"our tag without its quotes", opaque, 200},
           Case{"our tag within another", "\"x" + opaque + "\"", 200},
           Case{"a longer tag that begins as ours", "\"" + opaque + "0\"", 200},
           Case{"a comma in another tag", "\"x," + opaque + "\"", 200},
           Case{"w/ in lower case is no weak tag", "w/" + strong, 200},
           Case{"a tag that does not end", "W/\"" + opaque, 200},
           Case{"nonsense", "no tags here", 200},
           Case{"commas only", ",,, ", 200},
           Case{"a quote", "\"", 200},
           Case{"quotes", std::string(7001, '"'), 200},
           Case{"single quotes", "'" + opaque + "'", 200},
           Case{"anything, twice", "**", 200},
           Case{"anything, quoted", "\"*\"", 200},
           Case{"anything, weak", "W/*", 200},
       }) {
    SCOPED_TRACE(c.name);
    const Response response = with_entity_tag(page("one"), c.if_none_match);
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(response.body, c.status == 304 ? "" : "one");
    EXPECT_EQ(response.content_type, c.status == 304 ? "" : "text/plain");
    // RFC 9110 §15.4.5: a 304 has the caching headers of the 200.
    EXPECT_EQ(header(response, "ETag"), weak);
    EXPECT_EQ(header(response, "Cache-Control"), "public");
  }
}

std::string head_of(const Response& response) {
  std::string head = "before ";
  append_head(head, response);
  return head;
}

TEST(Head, HasStatusLengthAndHeaders) {
  EXPECT_EQ(head_of(page("hello")),
            "before Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
            "Cache-Control: public\r\n\r\n");
  Response response = page("");
  for (const auto& [status, head] :
       {std::pair(302, "302 Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n"),
        {204, "204 No Content\r\n"},
        {304, "304 Not Modified\r\n"},
        {299, "299 Unknown\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n"}}) {
    response.status = status;
    EXPECT_EQ(head_of(response),
              "before Status: " + std::string(head) + "Cache-Control: public\r\n\r\n");
  }
}

TEST(Head, OmitsHeadersWithControlCharacters) {
  Response response = page("hello");
  response.with("Location", "/a\r\nSet-Cookie: b")
      .with("X-Nul", std::string("a\0b", 3))
      .with("X-Good", "c");
  const std::string head = head_of(response);
  for (const char* left_out : {"Set-Cookie", "Location", "X-Nul"})
    EXPECT_EQ(head.find(left_out), std::string::npos) << head;
  EXPECT_NE(head.find("X-Good: c\r\n"), std::string::npos) << head;
}

}  // namespace
}  // namespace svc::http
