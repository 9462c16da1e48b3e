#include "text/message_catalog.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::text {
namespace {

constexpr std::string_view kHeader =
    "msgid \"\"\n"
    "msgstr \"\"\n"
    "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
    "\"Plural-Forms: nplurals=2; plural=n != 1;\\n\"\n";

std::string after_header(std::string_view po) { return std::string(kHeader) + std::string(po); }

MessageCatalog read(std::string_view po) {
  auto catalog = MessageCatalog::parse(po);
  EXPECT_TRUE(catalog) << (catalog ? "" : catalog.error());
  return catalog ? *catalog : MessageCatalog();
}

std::string why_not(std::string_view po) {
  const auto catalog = MessageCatalog::parse(po);
  return catalog ? "none" : catalog.error();
}

TEST(MessageCatalog, TranslatesMessages) {
  const MessageCatalog german = read(after_header(R"(
# Of a translator.
#. Of a programmer.
#: worker/pages/templates/login.tpl
msgid "Log in"
msgstr "Anmelden"

#: nginx/player/src/player/trouble.js
#, some-flag
msgid ""
"Two "
"lines"
msgstr "\"Zwei\"\n"
"\tZeilen \\"
msgid "{count} minute"
msgid_plural "{count} minutes"
msgstr[0] "{count} Minute"
msgstr[1] "{count} Minuten")"));
  EXPECT_EQ(german.find("Log in"), "Anmelden");
  EXPECT_EQ(german.find("Two lines"), "\"Zwei\"\n\tZeilen \\");
  EXPECT_EQ(german.find("{count} minute", 1), "{count} Minute");
  EXPECT_EQ(german.find("{count} minute", 0), "{count} Minuten");
  EXPECT_EQ(german.find("Log out"), std::nullopt);
  EXPECT_EQ(german.find(""), std::nullopt);
  EXPECT_EQ(german.find("Log in", 1), std::nullopt) << "it has no number";
  EXPECT_FALSE(german.messages().at("Log in").is_of_player);
  EXPECT_TRUE(german.messages().at("Two lines").is_of_player);
  EXPECT_EQ(german.messages().at("Log in").line, 9);
}

TEST(MessageCatalog, LeavesOutWhatIsNotTranslated) {
  const MessageCatalog german = read("\xef\xbb\xbf" + after_header(R"(
#, fuzzy
msgid "Guessed"
msgstr "Geraten"
msgid "Empty"
msgstr ""
msgid "{count} second"
msgid_plural "{count} seconds"
msgstr[0] "{count} Sekunde"
msgstr[1] ""
#~ msgid "Obsolete"
#~ msgstr "Veraltet"
)"));
  EXPECT_TRUE(german.messages().empty());
  EXPECT_TRUE(read("").messages().empty());
  EXPECT_EQ(read("msgid \"A\"\r\nmsgstr \"B\"\r\n").find("A"), "B");
}

TEST(MessageCatalog, NamesTheLineOfAMistake) {
  struct Case {
    std::string name, po, why;
  };
  for (const Case& c : {
           Case{"another keyword", "hello\n", "line 1: write msgid or a comment here"},
           Case{"a context", "\nmsgctxt \"a\"\nmsgid \"b\"\nmsgstr \"c\"", "line 2: msgctxt"},
           Case{"no translation", "msgid \"a\"\n\nmsgid \"b\"\n",
                "line 3: write msgstr after msgid"},
           Case{"the end", "msgid \"a\"\n", "line 1: write msgstr after msgid"},
           Case{"no quotation mark", "msgid \"a\nmsgstr \"b\"",
                "line 1: write a text in quotation"},
           Case{"text after it", "msgid \"a\" b\nmsgstr \"b\"",
                "line 1: write a text in quotation"},
           Case{"an unknown escape", "msgid \"a\"\nmsgstr \"\\x41\"", "line 2: write a text in"},
           Case{"a backslash at the end", "msgid \"a\"\nmsgstr \"b\\", "line 2: write a text in"},
           Case{"a repeated message", "msgid \"a\"\nmsgstr \"b\"\nmsgid \"a\"\nmsgstr \"c\"",
                "line 3: the message of line 1 is repeated"},
           Case{"another encoding",
                "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"",
                "line 1: the header's Content-Type must be text/plain; charset=UTF-8"},
           Case{"a rule that is none",
                "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                "\"Plural-Forms: nplurals=2; plural=n;\\n\"",
                "line 1: the header's Plural-Forms must be like"},
           Case{"no rule", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"d\"",
                "line 1: a message with msgid_plural needs Plural-Forms"},
           Case{"a form too few", after_header("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\""),
                "line 5: the header's Plural-Forms has 2 forms, so write msgstr[0] to msgstr[1]"},
           Case{"no form", after_header("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"c\""),
                "line 7: write msgstr[0]"},
           Case{"bytes", "msgid \"\xff\"\nmsgstr \"a\"", "a catalog must be UTF-8"},
           Case{"a large file", std::string(MessageCatalog::kMaxBytes + 1, '\n'),
                "a catalog has at most 1048576 bytes, and this one has 1048577"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_TRUE(why_not(c.po).starts_with(c.why)) << why_not(c.po);
  }
  std::string many;
  for (std::size_t i = 0; i <= MessageCatalog::kMaxMessages; ++i)
    many += "msgid \"" + std::to_string(i) + "\"\nmsgstr \"a\"\n";
  EXPECT_EQ(why_not(many), "line 10001: a catalog has at most 5000 messages");
}

}  // namespace
}  // namespace svc::text
