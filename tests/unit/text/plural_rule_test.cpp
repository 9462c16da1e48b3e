#include "text/plural_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace svc::text {
namespace {

// The forms of the numbers from 0 to 25, as digits.
std::string forms_of(std::string_view text) {
  const auto rule = PluralRule::parse(text);
  if (!rule) return "none";
  std::string forms;
  for (std::uint64_t n = 0; n <= 25; ++n) forms += std::to_string(rule->form_of(n));
  return forms;
}

TEST(PluralRule, ChoosesTheFormOfALanguage) {
  struct Case {
    std::string_view name, rule, forms;
  };
  for (const Case& c : {
           Case{"German", "nplurals=2; plural=(n != 1);", "10111111111111111111111111"},
           Case{"French", "nplurals=2; plural=n > 1;", "00111111111111111111111111"},
           Case{"Japanese", "nplurals=1; plural=0;", "00000000000000000000000000"},
           Case{
               "Polish",
               "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : "
               "2);",
               "20111222222222222222221112"},
           Case{"Irish", "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4",
                "20122223333444444444444444"},
           Case{"precedence", "nplurals=3; plural=1+n*0-!0%2;", "00000000000000000000000000"},
           Case{"negation", "nplurals=2; plural=!!n;", "01111111111111111111111111"},
           Case{"a division that is not reached", "nplurals=2; plural=n && 4 / n > 1;",
                "01100000000000000000000000"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(forms_of(c.rule), c.forms);
  }
  EXPECT_EQ(PluralRule().form_of(1), 0u);
  EXPECT_EQ(PluralRule().form_of(0), 1u);
}

TEST(PluralRule, RefusesEveryOtherText) {
  for (const std::string_view text :
       {"", "nplurals=2;", "plural=n;", "nplurals=2; plural=;", "nplurals=2; plural=n;",
        "nplurals=0; plural=0;", "nplurals=7; plural=0;", "nplurals=2; plural=n != 1; more",
        "nplurals=2; plural=1/n;", "nplurals=2; plural=n%0;", "nplurals=2; plural=m;",
        "nplurals=2; plural=(n;", "nplurals=2; plural=n ? 1;", "nplurals=2; plural=n 1;",
        "nplurals=2; plural=99999999999999999999;", "nplurals=2; plural=0-1;",
        "nplurals=x; plural=0;"}) {
    EXPECT_EQ(forms_of(text), "none") << text;
  }
  const std::string deep = std::string(200, '(') + "0" + std::string(200, ')');
  EXPECT_EQ(forms_of("nplurals=1; plural=" + deep + ";"), "none");
  EXPECT_EQ(forms_of("nplurals=1; plural=0" + std::string(600, ' ') + "+0;"), "none");
}

}  // namespace
}  // namespace svc::text
