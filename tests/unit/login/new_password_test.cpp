#include "login/new_password.h"

#include <gtest/gtest.h>

namespace svc::login {
namespace {

TEST(NewPassword, IsLongEnoughAndNotTheEmailAddress) {
  struct Case {
    std::string_view name;
    std::string password;
    std::string_view why;
  };
  for (const Case& c : {
           Case{"twelve letters", "twelveletter", ""},
           Case{"eleven letters", "elevenlette",
                "must have at least 12 characters; several words make a good one"},
           Case{"twelve letters of two bytes", "éééééééééééé", ""},
           Case{"eleven letters of two bytes", "ééééééééééé",
                "must have at least 12 characters; several words make a good one"},
           Case{"nothing", "", "must not be empty"},
           Case{"a kilobyte", std::string(1024, 'x'), ""},
           Case{"more", std::string(1025, 'x'), "must not be longer than 1,024 bytes"},
           Case{"the email address", "Olivia@Acme.example", "must not be the email address"},
           Case{"eleven letters, some of two characters", "abcdefghij" + std::string("e\u0301"),
                "must have at least 12 characters; several words make a good one"},
           Case{"what is no UTF-8", std::string(12, '\xff'),
                "must be UTF-8 text without control characters"},
           Case{"a line feed", "twelve letter\n", "must be UTF-8 text without control characters"},
           Case{"a tab", "twelve\tletter", "must be UTF-8 text without control characters"},
           Case{"a NUL", std::string("twelve\0letter", 13),
                "must be UTF-8 text without control characters"},
           Case{"a C1 control", "twelve\u0085letter",
                "must be UTF-8 text without control characters"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(why_not_password(c.password, "olivia@acme.example"), c.why);
  }
}

}  // namespace
}  // namespace svc::login
