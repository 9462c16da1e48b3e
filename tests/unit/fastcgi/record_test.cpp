#include "fastcgi/record.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "fakes/fastcgi_bytes.h"

namespace svc::fastcgi {
namespace {

using fakes::fcgi_begin;
using fakes::fcgi_pair;
using fakes::fcgi_record;
using namespace std::string_view_literals;

TEST(FastCgiRecord, IsWrittenAsThePeerReadsIt) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{255}, std::size_t{256}, kMaxContent}) {
    const std::string content(size, 'c');
    std::string out = "before";
    append_record(out, RecordType::Stdout, 258, content);
    EXPECT_EQ(out, "before" + fcgi_record(6, content, 258)) << size;
  }
}

TEST(FastCgiRecord, EndsAfterItsPadding) {
  const std::string bytes = fcgi_record(5, "content", 258, 3) + "next";
  Record record;
  ASSERT_EQ(read_record(bytes, record), RecordState::Whole);
  EXPECT_EQ(record.type, RecordType::Stdin);
  EXPECT_EQ(record.id, 258);
  EXPECT_EQ(record.content, "content");
  EXPECT_EQ(record.size, 8u + 7 + 3);
}

TEST(FastCgiRecord, IsPartialUntilItsLastByteOfPadding) {
  const std::string bytes = fcgi_record(4, "ab", 258, 2);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Record record;
    EXPECT_EQ(read_record(std::string_view(bytes).substr(0, size), record), RecordState::Partial);
    EXPECT_EQ(record.type, size < 2 ? RecordType{} : RecordType::Params) << size;
    EXPECT_EQ(record.id, size < kHeaderSize ? 0 : 258) << size;
  }
}

TEST(FastCgiRecord, AnotherVersionIsBroken) {
  Record record;
  EXPECT_EQ(read_record("\0"sv, record), RecordState::Broken);
  EXPECT_EQ(read_record("\2\1\0\1\0\0\0\0"sv, record), RecordState::Broken);
}

TEST(FastCgiPair, AreTakenInOrderAndRefusedIfIncomplete) {
  const std::string long_value(200'000, 'l');
  const std::string pairs =
      fcgi_pair("NAME", "value") + fcgi_pair("", "") + fcgi_pair(std::string(128, 'N'), long_value);
  std::string_view rest = pairs;
  std::string_view name;
  std::string_view value;
  ASSERT_TRUE(take_pair(rest, name, value));
  EXPECT_EQ(name, "NAME");
  EXPECT_EQ(value, "value");
  ASSERT_TRUE(take_pair(rest, name, value));
  EXPECT_EQ(name, "");
  EXPECT_EQ(value, "");
  ASSERT_TRUE(take_pair(rest, name, value));
  EXPECT_EQ(name, std::string(128, 'N'));
  EXPECT_EQ(value, long_value);
  EXPECT_FALSE(take_pair(rest, name, value));
  for (const std::string_view lie : {"\1"sv, "\2\0a"sv, "\0\2a"sv, "\xff\xff\xff\xff\0"sv,
                                     "\0\xff\xff\xff\xff"sv, "\x80\0\0"sv}) {
    std::string_view bytes = lie;
    EXPECT_FALSE(take_pair(bytes, name, value));
  }
}

TEST(FastCgiPair, IsWrittenWithShortAndLongLengths) {
  for (const std::size_t name : {0u, 1u, 127u, 128u, 300u}) {
    for (const std::size_t value : {0u, 127u, 128u, 70'000u}) {
      const std::string a(name, 'a');
      const std::string b(value, 'b');
      std::string out;
      append_pair(out, a, b);
      EXPECT_EQ(out, fcgi_pair(a, b)) << name << " " << value;
    }
  }
}

TEST(FastCgiRequest, WithoutABodyIsComplete) {
  const std::string pairs = fcgi_pair("REQUEST_METHOD", "GET");
  EXPECT_EQ(
      request_without_body(pairs, KeepConnection::No),
      fcgi_begin(1, 1, false) + fcgi_record(4, pairs) + fcgi_record(4, "") + fcgi_record(5, ""));
  EXPECT_EQ(request_without_body("", KeepConnection::Yes),
            fcgi_begin(1, 1, true) + fcgi_record(4, "") + fcgi_record(5, ""));
}

}  // namespace
}  // namespace svc::fastcgi
