#include "text/record_gate.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string_view>

#include "text/json_record.h"

namespace svc::text {
namespace {

struct Note {
  std::string title;
  std::string text;
  std::optional<double> length;
};

// Its reader keeps at most four bytes of a title.
struct NoteRecord {
  static constexpr std::size_t kLimit = 64;
  static constexpr auto kMayGrow = std::to_array<std::string_view>({"length"});

  static std::string write(const Note& note) {
    std::string out;
    json::ObjectWriter json(out);
    for_each_field([&](std::string_view, const auto& write, const auto&) { write(json, note); });
    json.end();
    return out;
  }
  static base::Result<Note, std::string> read(std::string_view text) {
    json::Document document;
    return parse_record(document, text, [](JsonRecord& record) -> base::Result<Note, std::string> {
      Note note{record.text("title", 20).substr(0, 4), record.text("text", 200),
                record.optional_number("length", 0, 100)};
      if (!record.ok()) return base::Refusal{record.error()};
      return note;
    });
  }
  template <class Visit>
  static void for_each_field(const Visit& visit) {
    visit(
        "title",
        [](json::ObjectWriter& json, const Note& note) { json.string("title", note.title); },
        [](const Note& written, const Note& read) { return written.title == read.title; });
    visit(
        "text", [](json::ObjectWriter& json, const Note& note) { json.string("text", note.text); },
        [](const Note& written, const Note& read) { return written.text == read.text; });
    visit(
        "length",
        [](json::ObjectWriter& json, const Note& note) {
          if (note.length) json.decimal("length", *note.length);
        },
        [](const Note& written, const Note& read) {
          return is_same_number(written.length, read.length);
        });
  }
};

std::string refusal(const Note& note, const Note* before = nullptr) {
  try {
    static_cast<void>(pass_gate<NoteRecord>(note, before));
    return "";
  } catch (const base::Unwritable& refused) {
    return refused.what();
  }
}

TEST(RecordGate, NamesTheFieldThatDoesNotComeBack) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({"abcd", "text", 1.23456}), "") << "numbers have three decimals";
  EXPECT_EQ(refusal({"abcd", "text", -0.0}), "");
  EXPECT_EQ(refusal({"abcde", "text", {}}), "title would not be read as it is written");
  EXPECT_EQ(refusal({"a", "\xff", {}}), "text would not be read as it is written");
  EXPECT_EQ(refusal({"a", "\xed\xa0\x80", {}}), "text would not be read as it is written");
  EXPECT_EQ(refusal({"a", "text", kNan}), "length would not be read as it is written");
  EXPECT_EQ(refusal({std::string(21, 'a'), "", {}}), "title is longer than 20 bytes");
}

TEST(RecordGate, NamesTheFieldByWhichTheRecordIsTooLarge) {
  const Note full{"a", std::string(64, 'b'), {}};
  EXPECT_EQ(refusal(full),
            "text must be shorter: with it, the record has 87 bytes as stored, of at most 64");
  EXPECT_EQ(refusal({"a", std::string(41, 'b'), {}}), "");
  EXPECT_EQ(refusal({"a", std::string(42, 'b'), {}}).substr(0, 5), "text ");
}

TEST(RecordGate, ARecordAboveTheLimitMayBecomeSmaller) {
  const Note before{"a", std::string(64, 'b'), {}};
  EXPECT_EQ(refusal({"a", std::string(63, 'b'), {}}, &before), "");
  EXPECT_EQ(refusal({"c", std::string(64, 'b'), {}}, &before), "") << "as large";
  EXPECT_EQ(refusal({"ab", std::string(64, 'b'), {}}, &before).substr(0, 6), "title ");
  EXPECT_EQ(refusal({"abcd", std::string(62, 'b'), {}}, &before).substr(0, 6), "title ");
  EXPECT_EQ(refusal({"a", std::string(64, 'b'), 1.5}, &before), "") << "it may grow";
}

TEST(Unwritable, HasTheFieldAndItsProblem) {
  const base::Unwritable plain("name must not be empty");
  EXPECT_EQ(plain.field(), "name");
  EXPECT_EQ(plain.problem(), "must not be empty");
  const base::Unwritable nested("chapters[0]: title must not be empty");
  EXPECT_EQ(nested.field(), "chapters");
  EXPECT_EQ(nested.problem(), "[0]: title must not be empty");
}

}  // namespace
}  // namespace svc::text
