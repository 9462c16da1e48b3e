#include "text/unicode.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::text {
namespace {

TEST(Unicode, NfcComposes) {
  struct Case {
    std::string_view text, composed;
  };
  for (const Case& c : {
           Case{"", ""},
           Case{"abc", "abc"},
           Case{"\u00e9", "\u00e9"},
           Case{"e\u0301", "\u00e9"},
           Case{"\u212b", "\u00c5"},
           Case{"\u1112\u1161\u11ab", "\ud55c"},
           Case{"q\u0307\u0323", "q\u0323\u0307"},
           Case{"\ufb01", "\ufb01"},  // a ligature differs from f and i: that is NFKC
           Case{"\xff\u0301", "\xff\u0301"},
           Case{std::string_view("a\0e\u0301", 5), std::string_view("a\0\u00e9", 4)},
       }) {
    EXPECT_EQ(nfc(c.text), c.composed) << c.text;
  }
}

TEST(Unicode, DomainsHaveTwoForms) {
  struct Case {
    std::string_view domain, ascii, unicode;
  };
  for (const Case& c : {
           Case{"acme.example", "acme.example", "acme.example"},
           Case{"ACME.Example", "ACME.Example", "ACME.Example"},
           Case{"exämple.de", "xn--exmple-cua.de", "exämple.de"},
           Case{"EXÄMPLE.DE", "xn--exmple-cua.de", "exämple.de"},
           Case{"exa\u0308mple.de", "xn--exmple-cua.de", "exämple.de"},
           Case{"XN--EXMPLE-CUA.de", "XN--EXMPLE-CUA.de", "EXäMPLE.de"},
           Case{"faß.de", "xn--fa-hia.de", "faß.de"},
           Case{"日本。jp", "xn--wgv71a.jp", "日本.jp"},
           Case{"a\uff0ede", "a.de", "a.de"},
           Case{"ａcme.de", "acme.de", "acme.de"},
           // Not domain names.
           Case{"", "", ""},
           Case{"xn--a", "xn--a", "xn--a"},
           Case{"Ä b", "Ä b", "Ä b"},
           Case{"\xff.de", "\xff.de", "\xff.de"},
           Case{std::string_view("ä\0.de", 6), std::string_view("ä\0.de", 6),
                std::string_view("ä\0.de", 6)},
       }) {
    EXPECT_EQ(ascii_domain(c.domain), c.ascii) << c.domain;
    EXPECT_EQ(unicode_domain(ascii_domain(c.domain)), c.unicode) << c.domain;
  }
}

TEST(Unicode, FoldsCaseAndComposition) {
  EXPECT_EQ(folded("ABC x"), "abc x");
  EXPECT_EQ(folded("STRASSE"), folded("Straße"));
  EXPECT_EQ(folded("E\xcc\x81T\xc3\x89"), "été");
  EXPECT_EQ(folded("A\xff"), "a\xff") << "not UTF-8";
  EXPECT_EQ(folded(""), "");
}

TEST(Unicode, BeginsWithACapital) {
  EXPECT_EQ(with_capital("upload files"), "Upload files");
  EXPECT_EQ(with_capital("être"), "Être");
  EXPECT_EQ(with_capital("Dateien"), "Dateien");
  EXPECT_EQ(with_capital("メディアを見る"), "メディアを見る");
  EXPECT_EQ(with_capital("{x"), "{x");
  EXPECT_EQ(with_capital("\xff"), "\xff") << "not UTF-8";
  EXPECT_EQ(with_capital(""), "");
}

}  // namespace
}  // namespace svc::text
