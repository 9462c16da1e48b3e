#include "media/email.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace svc::media {
namespace {

TEST(Email, HasOneCanonicalSpelling) {
  for (const char* email :
       {"Jo@exämple.de", "Jo@EXÄMPLE.de", "Jo@exa\u0308mple.de", "Jo@xn--exmple-cua.de"}) {
    EXPECT_EQ(canonical_email(email), "Jo@xn--exmple-cua.de") << email;
    EXPECT_EQ(spellings_of_email(email),
              (std::vector<std::string>{"Jo@xn--exmple-cua.de", "Jo@exämple.de"}))
        << email;
  }
  EXPECT_EQ(spellings_of_email("Jo@XN--exmple-CUA.DE").back(), "Jo@exämple.DE");
  EXPECT_EQ(canonical_email("j\u00f6@acme.example"), "j\u00f6@acme.example");
  EXPECT_EQ(spellings_of_email("jo@ACME.example"), std::vector<std::string>{"jo@ACME.example"});
  for (const char* text : {"", "jo", "@", "jo@"}) {
    EXPECT_EQ(canonical_email(text), text);
    EXPECT_EQ(spellings_of_email(text), std::vector<std::string>{text});
  }
}

TEST(Email, AcceptsOnlyAddressesThatAFormSends) {
  for (const std::string& email :
       std::vector<std::string>{"jo@" + std::string(63, 'a'), "a@b", "olivia@acme.example",
                                "a.!#$%&'*+/=?^_`{|}~-z@x-y.example", "jo@exämple.de",
                                "jo@xn--exmple-cua.de", "jo@127.0.0.1"})
    EXPECT_TRUE(is_form_email(email)) << email;
  const std::string label(64, 'a');
  for (const std::string& email :
       std::vector<std::string>{"",        "a",          "@b",
                                "a@",      "a@b@c",      "jö@acme.example",
                                "a b@c",   "\"a\"@c",    "a(b)@c",
                                "a,b@c",   "a@b c",      "a@b_c",
                                "a@-b",    "a@b-",       "a@b..c",
                                "a@.b",    "a@b.",       "a@[127.0.0.1]",
                                "a@i❤.ws", "a@" + label, std::string(250, 'a') + "@bc.de",
                                "a\\b@c",  "a;b@c",      "a@\xff.de"})
    EXPECT_FALSE(is_form_email(email)) << email;
}

}  // namespace
}  // namespace svc::media
