#include "text/multipart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace svc::text {
namespace {

// Reads a body in memory, and counts the bytes.
struct Body {
  std::string text;
  std::size_t got = 0;

  base::Result<Multipart, std::string> read(std::string_view boundary = "B") {
    return read_multipart(boundary, text.size(), [this](std::uint64_t offset, std::size_t length) {
      std::string piece = text.substr(offset, length);
      got += piece.size();
      return piece;
    });
  }
};

std::string field(std::string_view name, std::string_view value) {
  return "--B\r\nContent-Disposition: form-data; name=\"" + std::string(name) + "\"\r\n\r\n" +
         std::string(value) + "\r\n";
}
std::string file(std::string_view bytes, std::string_view name = "film.mp4",
                 std::string_view of = "file") {
  return "--B\r\nContent-Disposition: form-data; name=\"" + std::string(of) + "\"; filename=\"" +
         std::string(name) + "\"\r\nContent-Type: video/mp4\r\n\r\n" + std::string(bytes) + "\r\n";
}
constexpr const char* kEnd = "--B--\r\n";

TEST(MultipartBoundary, IsFoundInTheContentType) {
  struct Case {
    std::string type;
    std::string_view boundary;  // empty: refused
  };
  for (const Case& c : {
           Case{"multipart/form-data; boundary=abc", "abc"},
           Case{"Multipart/Form-Data;boundary=\"a b'()+_,-./:=?c\"", "a b'()+_,-./:=?c"},
           Case{"multipart/form-data; charset=utf-8; Boundary=x ; more=1", "x"},
           Case{"multipart/form-data", ""},
           Case{"multipart/form-data; boundary=", ""},
           Case{"multipart/form-data; boundary=\"abc", ""},
           Case{"multipart/form-data; boundary=\"abc \"", ""},
           Case{"multipart/form-data; boundary=a\tb", ""},
           Case{"multipart/form-data; boundary=" + std::string(71, 'a'), ""},
           Case{"multipart/mixed; boundary=abc", ""},
           Case{"application/x-www-form-urlencoded", ""},
           Case{"", ""},
       }) {
    EXPECT_EQ(multipart_boundary(c.type).value_or(""), c.boundary) << c.type;
  }
}

TEST(Multipart, HasFieldsAroundTheFile) {
  Body body{field("name", "A film") + file("0123456789") + field("project_id", "p1") + kEnd};
  const auto form = body.read();
  ASSERT_TRUE(form) << form.error();
  ASSERT_EQ(form->fields.size(), 2u);
  EXPECT_EQ(*form->find("name"), "A film");
  EXPECT_EQ(*form->find("project_id"), "p1");
  EXPECT_EQ(form->find("file"), nullptr);
  ASSERT_TRUE(form->file);
  EXPECT_EQ(form->file->field, "file");
  EXPECT_EQ(form->file->name, "film.mp4");
  EXPECT_EQ(body.text.substr(form->file->offset, form->file->length), "0123456789");
}

TEST(Multipart, ReadsOnlyTheEndsOfALongBody) {
  std::string bytes(5'000'000, 'x');
  Body body{field("name", "A film") + file(bytes) + field("project_id", "p1") + kEnd};
  const auto form = body.read();
  ASSERT_TRUE(form) << form.error();
  EXPECT_EQ(form->file->length, bytes.size());
  EXPECT_EQ(*form->find("project_id"), "p1");
  EXPECT_LE(body.got, 2 * Multipart::kWindow);
}

// Every size around the places where the windows meet.
TEST(Multipart, FindsTheEndOfAFileOfAnySize) {
  for (const std::size_t window : {Multipart::kWindow, 2 * Multipart::kWindow}) {
    for (std::size_t size = window - 300; size < window + 300; ++size) {
      Body body{file(std::string(size, 'x')) + field("name", "n") + kEnd};
      const auto form = body.read();
      ASSERT_TRUE(form) << size << form.error();
      ASSERT_EQ(form->file->length, size);
      ASSERT_EQ(*form->find("name"), "n");
    }
  }
}

TEST(Multipart, DecodesNamesAsBrowsersAndCurlWriteThem) {
  Body body{file("x", "a%22b%0D%0Ac.mp4") + kEnd};
  EXPECT_EQ(body.read()->file->name, "a\"b  c.mp4");
  Body by_curl{file("x", "a\\\"b.mp4") + kEnd};
  EXPECT_EQ(by_curl.read()->file->name, "a\"b.mp4");
  Body windows{file("x", "C:\\films\\b.mp4") + kEnd};
  EXPECT_EQ(windows.read()->file->name, "C:\\films\\b.mp4");
  Body token{"--B\r\ncontent-disposition: FORM-DATA; name=file; filename=b.mp4\r\n\r\nx\r\n--B--"};
  EXPECT_EQ(token.read()->file->name, "b.mp4");
}

TEST(Multipart, RefusesEverythingElse) {
  struct Case {
    std::string_view name;
    std::string body;
    std::string_view why;  // how the refusal begins
  };
  std::string many;
  for (int i = 0; i < 65; ++i) many += field("f", "v");
  for (const Case& c : {
           Case{"nothing", "", "the form is malformed"},
           Case{"another boundary", "--C\r\n", "the form is malformed"},
           Case{"a preamble", "hello\r\n" + file("x") + kEnd, "the form is malformed"},
           Case{"only the boundary", "--B", "the form is cut off"},
           Case{"no headers", "--B\r\n\r\nx\r\n--B--", "the form is "},
           Case{"no name", "--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--",
                "the form is malformed"},
           Case{"an attachment", "--B\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--B--",
                "the form is malformed"},
           Case{"a line without a colon", "--B\r\nhello\r\n\r\nx\r\n--B--",
                "the form is malformed"},
           Case{"a quote without an end",
                "--B\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--B--",
                "the form is malformed"},
           Case{"long headers", "--B\r\n" + std::string(9000, 'a') + ": b\r\n\r\nx\r\n--B--",
                "the form is malformed"},
           Case{"a cut field", "--B\r\nContent-Disposition: form-data; name=a\r\n\r\nx",
                "the form is cut off"},
           Case{"a cut file", file("x").substr(0, file("x").size() - 2), "the form is cut off"},
           Case{"a cut end", file("x") + "--B", "the form is cut off"},
           Case{"two files", file("x") + file("y") + kEnd, "the form has more than one file"},
           Case{"many fields", many + kEnd, "the form has more than 64 fields"},
           Case{"long fields in front", field("a", std::string(Multipart::kWindow, 'a')) + kEnd,
                "the form is cut off, or its fields are too long"},
           Case{"long fields behind",
                file("x") + field("a", std::string(2 * Multipart::kWindow, 'a')) + kEnd,
                "the form is cut off, or its fields are too long"},
       }) {
    Body body{c.body};
    const auto form = body.read();
    ASSERT_FALSE(form) << c.name;
    EXPECT_TRUE(form.error().starts_with(c.why)) << c.name << ": " << form.error();
  }
}

// The body is on disk, which may fail.
TEST(Multipart, RefusesABodyThatCannotBeRead) {
  for (const std::size_t readable : {0u, 1u, 50u, 200u}) {
    const std::string text = file(std::string(300'000, 'x')) + kEnd;
    const auto form =
        read_multipart("B", text.size(), [&](std::uint64_t offset, std::size_t length) {
          return offset > 0 ? std::string() : text.substr(0, std::min(length, readable));
        });
    EXPECT_FALSE(form) << readable;
  }
}

}  // namespace
}  // namespace svc::text
