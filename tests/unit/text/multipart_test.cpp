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

// RFC 2046 §5.1.1: body := [preamble CRLF] dash-boundary transport-padding CRLF
// … close-delimiter transport-padding [CRLF epilogue].
TEST(Multipart, AcceptsAPreamblePaddingAndAnEpilogue) {
  const std::string parts = field("name", "A film") + file("0123456789");
  std::string padded = parts;
  for (std::size_t at = 0; (at = padded.find("--B\r\n", at)) != std::string::npos; at += 5)
    padded.insert(at + 3, " \t");
  for (const std::string& body :
       {"\r\n" + parts + kEnd, "\r\n\r\n" + parts + kEnd, "hello\r\n" + parts + kEnd,
        "\n" + parts + kEnd, "This is MIME.\r\nSee --B here.\r\n" + parts + kEnd, padded + kEnd,
        parts + "--B--", parts + "--B-- \t\r\n", parts + "--B--\r\nan epilogue\r\n--B\r\n",
        parts + "--B--x"}) {
    Body sent{body};
    const auto form = sent.read();
    ASSERT_TRUE(form) << body << form.error();
    EXPECT_EQ(*form->find("name"), "A film") << body;
    ASSERT_TRUE(form->file) << body;
    EXPECT_EQ(body.substr(form->file->offset, form->file->length), "0123456789");
  }
}

TEST(Multipart, HasTheReadableFileName) {
  struct Case {
    std::string_view parameters, name;
  };
  for (const Case& c : {
           Case{"filename*=UTF-8''na%C3%AFve%20%22film%22.mp4", "naïve \"film\".mp4"},
           Case{"filename*=utf-8'en'a.mp4", "a.mp4"},
           Case{"filename*=\"UTF-8''%E6%97%A5.mp4\"", "日.mp4"},
           Case{"filename*=iso-8859-1''na%EFve.mp4", "naïve.mp4"},
           Case{"filename=a.mp4; filename*=UTF-8''b.mp4", "b.mp4"},
           Case{"filename*=UTF-8''b.mp4; filename=a.mp4", "b.mp4"},
           Case{"filename=\"=?utf-8?B?5pel5pysLm1wNA==?=\"; "
                "filename*=utf-8''%E6%97%A5%E6%9C%AC.mp4",
                "日本.mp4"},
           Case{"filename=\"=?utf-8?B?5pel5pysLm1wNA==?=\"", "日本.mp4"},
           Case{"filename=\"=?UTF-8?q?na=C3=AFve_film=2Emp4?=\"", "naïve film.mp4"},
           Case{"filename=\"=?ISO-8859-1*en?Q?na=EFve?=\r\n =?utf-8?b?Lm1wNA==?=\"", "naïve.mp4"},
           Case{"filename=\"a =?utf-8?q?b?= c.mp4\"", "a b c.mp4"},
           Case{"\r\n\tfilename*0*=UTF-8''na%C3%AFve;\r\n filename*1=\" 100%\";\r\n "
                "filename*2*=%20.mp4",
                "naïve 100% .mp4"},
           // A name that cannot be decoded stays as it was sent, or the other of two names is used.
           Case{"filename=\"=?utf-8?B?5pel5pysLm1wNA?=\"", "=?utf-8?B?5pel5pysLm1wNA?="},
           Case{"filename=\"=?utf-8?Q?=C3?=\"", "=?utf-8?Q?=C3?="},
           Case{"filename=\"=?utf-8?Q?a=?=\"", "=?utf-8?Q?a=?="},
           Case{"filename=\"=?koi8-r?B?YQ==?=\"", "=?koi8-r?B?YQ==?="},
           Case{"filename=\"=?utf-8?X?a?=\"", "=?utf-8?X?a?="},
           Case{"filename=\"=?\"", "=?"},
           Case{"filename=a.mp4; filename*=UTF-8''%FF.mp4", "a.mp4"},
           Case{"filename=a.mp4; filename*=UTF-8''%F.mp4", "a.mp4"},
           Case{"filename=a.mp4; filename*=b.mp4", "a.mp4"},
           Case{"filename=a.mp4; filename*=", "a.mp4"},
           Case{"filename=a.mp4; filename*=koi8-r''b.mp4", "a.mp4"},
           Case{"filename*=koi8-r''b.mp4", ""},
       }) {
    Body body{"--B\r\nContent-Disposition: form-data; name=\"file\"; " + std::string(c.parameters) +
              "\r\n\r\nx\r\n--B--"};
    const auto form = body.read();
    ASSERT_TRUE(form) << c.parameters << form.error();
    ASSERT_TRUE(form->file) << c.parameters;
    EXPECT_EQ(form->file->name, c.name) << c.parameters;
  }
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
           Case{"only another boundary at a line's start", "hello --B\r\n",
                "the form is malformed"},
           Case{"a long preamble", std::string(Multipart::kWindow, 'x') + "\r\n" + file("x") + kEnd,
                "the form is malformed"},
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
