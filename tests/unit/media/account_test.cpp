#include "media/account.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/json_fields.h"

namespace svc::media {
namespace {

using fakes::JsonFields;

const JsonFields kAccount{{"id", "1001"},
                          {"name", R"("Acme Films")"},
                          {"host", R"("acme.svc.localhost")"},
                          {"url", R"("https://acme.svc.localhost")"},
                          {"oauth_enabled", "true"}};
const JsonFields kProject{{"id", R"("prj1launch")"},
                          {"account_id", "1001"},
                          {"name", R"("Launch films")"},
                          {"created", R"("2026-01-05T09:00:00Z")"},
                          {"updated", R"("2026-06-01T12:00:00Z")"}};

template <class T>
base::Result<T, std::string> read(const std::string& json,
                                  base::Result<T, std::string> from_record(text::JsonRecord&),
                                  const std::vector<std::string_view>& keys) {
  text::json::Document document;
  const auto value = document.parse(json);
  if (!value) return base::Refusal{"not JSON: " + value.error()};
  text::JsonRecord record(*value);
  record.be_strict();
  record.allow_only(keys);
  return from_record(record);
}
auto read_account(const JsonFields& fields) {
  return read(fields.text(), account_from_record, kAccountKeys);
}
auto read_project(const JsonFields& fields) {
  return read(fields.text(), project_from_record, kProjectKeys);
}

TEST(AccountRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name;
    JsonFields record;
    std::string_view error;
  };
  for (
      const Case& c : {
          Case{"no id", kAccount.without("id"), "id is missing"},
          Case{"a text for an id", kAccount.with("id", R"("1001")"),
               "id must be an integer from 1 to 9007199254740991"},
          Case{"id 0", kAccount.with("id", "0"),
               "id must be an integer from 1 to 9007199254740991"},
          Case{"the largest id", kAccount.with("id", "9007199254740991"), "accepted"},
          Case{"a port in the url", kAccount.with("url", R"("http://h:8080/a?b=c")"), "accepted"},
          Case{"an empty name", kAccount.with("name", R"("")"), "name must not be empty"},
          Case{"an invisible name", kAccount.with("name", R"("\u200b\ufeff")"),
               "name must have a visible character"},
          Case{"a name with a tab", kAccount.with("name", R"("a\tb")"),
               "name must not have control characters"},
          Case{"a name that turns", kAccount.with("name", R"("a\u202eb")"),
               "name must not have control characters"},
          Case{"joiners in a name", kAccount.with("name", R"("a\u200db\u00a0c")"), "accepted"},
          Case{"no host", kAccount.without("host"), "host is missing"},
          Case{"an empty host", kAccount.with("host", R"("")"), "host must be a host name"},
          Case{"a host with a port", kAccount.with("host", R"("h:80")"),
               "host must be a host name"},
          Case{"a host with a path", kAccount.with("host", R"("h/a")"), "host must be a host name"},
          Case{"a host with a user", kAccount.with("host", R"("u@h")"), "host must be a host name"},
          Case{"a host with a space", kAccount.with("host", R"("a b")"),
               "host must be a host name"},
          Case{"a logo elsewhere", kAccount.with("logo", R"("https://h/a.svg")"), "accepted"},
          Case{"a logo of ours", kAccount.with("logo", R"("/files/a/original.png")"), "accepted"},
          Case{"no logo", kAccount.with("logo", R"("")"), "accepted"},
          Case{"a logo without TLS", kAccount.with("logo", R"("http://h/a.svg")"),
               "logo must be an https URI, a path that begins with one slash, or empty"},
          Case{"a script for a logo", kAccount.with("logo", R"("javascript:alert`1`")"),
               "logo must be an https URI, a path that begins with one slash, or empty"},
          Case{"a colour", kAccount.with("colour", R"("54bbFF")"), "accepted"},
          Case{"a name for a colour", kAccount.with("colour", R"("red")"),
               "colour must be six hex digits or empty"},
          Case{"no url", kAccount.without("url"), "url is missing"},
          Case{"a relative url", kAccount.with("url", R"("/a")"),
               "url must be an absolute http(s) URI"},
          Case{"another scheme", kAccount.with("url", R"("javascript:x")"),
               "url must be an absolute http(s) URI"},
          Case{"a text for a boolean", kAccount.with("oauth_enabled", R"("yes")"),
               "oauth_enabled must be true or false"},
          Case{"a text for the switch of uploads", kAccount.with("uploads_enabled", R"("yes")"),
               "uploads_enabled must be true or false"},
          Case{"an unknown key", kAccount.with("plan", R"("pro")"),
               "plan is an unknown key; the allowed keys are kind, id, name, host, url, "
               "oauth_enabled, uploads_enabled, allowed_domains, allow_no_referrer, logo, colour"},
          Case{"domains", kAccount.with("allowed_domains", R"(["site.example","*.b.example"])"),
               "accepted"},
          Case{"no domains", kAccount.with("allowed_domains", "[]"), "accepted"},
          Case{
              "a wrong domain", kAccount.with("allowed_domains", R"(["site.example","x"])"),
              "allowed_domains has x, which must be a host name such as site.example, "
              "*.site.example for "
              "all below it, or the origin of an application such as capacitor://localhost; a port "
              "only after localhost, 127.0.0.1 or in such an origin"},
          Case{
              "a number for a domain", kAccount.with("allowed_domains", "[5]"),
              "allowed_domains has an entry without text, which must be a host name such as "
              "site.example, *.site.example for all below it, or the origin of an application such "
              "as capacitor://localhost; a port only after localhost, 127.0.0.1 or in such an "
              "origin"},
          Case{"a text for a consent", kAccount.with("allow_no_referrer", R"("no")"),
               "allow_no_referrer must be true or false"},
      }) {
    SCOPED_TRACE(c.name);
    const auto account = read_account(c.record);
    EXPECT_EQ(account ? "accepted" : account.error(), c.error);
  }
}

TEST(ProjectRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name;
    JsonFields record;
    std::string_view error;
  };
  for (const Case& c : {
           Case{"no id", kProject.without("id"), "id is missing"},
           Case{"an id with a colon", kProject.with("id", R"("a:b")"),
                "id must be 1 to 64 letters, digits, '_' and '-'"},
           Case{"no account", kProject.without("account_id"), "account_id is missing"},
           Case{"an empty name", kProject.with("name", R"("")"), "name must not be empty"},
           Case{"no creation", kProject.without("created"), "created is missing"},
           Case{"a wrong update", kProject.with("updated", R"("yesterday")"),
                "updated must be an RFC 3339 time such as 2026-03-01T10:00:00Z"},
           Case{"an unknown key", kProject.with("public", "true"),
                "public is an unknown key; the allowed keys are kind, id, account_id, name, "
                "description, created, updated"},
       }) {
    SCOPED_TRACE(c.name);
    const auto project = read_project(c.record);
    EXPECT_EQ(project ? "accepted" : project.error(), c.error);
  }
}

}  // namespace
}  // namespace svc::media
