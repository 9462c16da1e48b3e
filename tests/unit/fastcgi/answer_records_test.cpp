#include "fastcgi/answer_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/answers.h"

namespace svc::fastcgi {
namespace {

using fakes::answer_in;
using fakes::FcgiRecord;

constexpr std::size_t kEndSize = 3 * 8;  // the end of STDOUT, and END_REQUEST with its content

std::string bytes_of(const AnswerRecords& records) {
  std::string bytes;
  for (const iovec& piece : records.pieces())
    bytes.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  return bytes;
}

// A text in which a lost or doubled byte shows.
std::string text_of(std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size()) + ' ';
  text.resize(size);
  return text;
}

TEST(AnswerRecords, AreCompleteForEverySize) {
  for (const std::size_t size : {0u, 1u, 2u, 127u, 8'192u, 65'534u, 65'535u, 65'536u, 65'537u,
                                 131'070u, 131'071u, 200'000u}) {
    const std::string text = text_of(size);
    for (const std::size_t head : {std::size_t{0}, std::size_t{1}, size / 2, size,
                                   std::size_t{65'535}, std::size_t{65'536}}) {
      if (head > size) continue;
      SCOPED_TRACE(std::to_string(head) + " of " + std::to_string(size));
      const AnswerRecords records(258, std::string_view(text).substr(0, head),
                                  std::string_view(text).substr(head));
      const std::string bytes = bytes_of(records);
      EXPECT_EQ(bytes.size(), records.size());
      EXPECT_TRUE(answer_in(bytes).whole);
      EXPECT_EQ(answer_in(bytes).text, text);
      std::string_view rest = bytes;
      const std::vector<FcgiRecord> all = fakes::take_records(rest);
      EXPECT_TRUE(std::ranges::all_of(all, [](const FcgiRecord& one) { return one.id == 258; }));
      EXPECT_EQ(
          std::ranges::count_if(
              all, [](const FcgiRecord& one) { return one.type == 6 && one.content.empty(); }),
          1)
          << "an empty one is the end";
      EXPECT_LE(records.pieces().size(), 4u);
    }
  }
}

TEST(AnswerRecords, MatchTheBytesOfTheSpecification) {
  using namespace std::string_view_literals;
  EXPECT_EQ(bytes_of(AnswerRecords(0x0102, "he", "ad")),
            "\1\6\1\2\0\4\0\0head"
            "\1\6\1\2\0\0\0\0"
            "\1\3\1\2\0\10\0\0\0\0\0\0\0\0\0\0"sv);
}

TEST(AnswerRecords, DoNotCopyTextsThatFitIntoOneRecord) {
  const std::string head = text_of(100);
  const std::string body = text_of(65'435);
  const AnswerRecords records(1, head, body);
  EXPECT_EQ(records.size(), 8 + 65'535 + kEndSize);
  ASSERT_EQ(records.pieces().size(), 4u);
  EXPECT_EQ(records.pieces()[1].iov_base, head.data());
  EXPECT_EQ(records.pieces()[2].iov_base, body.data());
}

TEST(AnswerRecords, AppendTheRestFromAnyOffset) {
  for (const std::size_t size : {8u, 200'000u}) {
    const std::string body = text_of(size);
    const AnswerRecords records(1, "head", body);
    const std::string all = bytes_of(records);
    std::vector<std::size_t> offsets{11, 12, 65'555, all.size() - 1, all.size()};
    for (std::size_t offset = 0; offset < 60; ++offset) offsets.push_back(offset);
    for (const std::size_t offset : offsets) {
      if (offset > all.size()) continue;
      std::string out = "before ";
      records.append_from(offset, out);
      EXPECT_EQ(out, "before " + all.substr(offset)) << offset;
    }
  }
}

}  // namespace
}  // namespace svc::fastcgi
