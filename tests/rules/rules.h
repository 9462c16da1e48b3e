// Rules: the fixture of a rule's tests. A browser at a Site, and tables of requests with their
// responses.
//
// A suite whose name ends in OnTheWire also runs through the shipped nginx
// (e2e/test_rules_on_the_wire.py): it leaves records and clocks alone, and does not read stores.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/site.h"

namespace svc::rules {

struct Row {
  std::string name;  // describes the case
  Ask ask;
  int status = 200;
  std::string type{};              // Content-Type; "": any
  std::vector<std::string> has{};  // each is in the body
};

// Keeps cookies. Follows a redirect only in follow().
class Browser {
 public:
  explicit Browser(Site& site) : site_(site) {}

  Answer ask(const Ask& ask);
  Answer post(const std::string& target, const Ask::Fields& fields);
  // Sends the form of `page` with that action: its own fields, with those of `fields` added or
  // replaced. Throws if the page has no such form.
  Answer submit(const Answer& page, const std::string& action, const Ask::Fields& fields = {});
  // What submit() sends, with the cookies.
  Ask form(const Answer& page, const std::string& action, const Ask::Fields& fields = {}) const;
  // Asks for the Location of a redirect.
  Answer follow(const Answer& redirect);
  // Begins a session without a login.
  void log_in(std::int64_t contact, std::string_view address = "192.0.2.1");

  std::map<std::string, std::string> cookies;

 private:
  Ask with_cookies(Ask ask) const;

  Site& site_;
};

// The fields of the form with that action, as a browser sends them: without buttons and unchecked
// boxes.
Ask::Fields form_in(const std::string& html, const std::string& action);

// Decodes the entities that our pages write.
std::string unescaped(std::string_view html);

class Rules : public testing::Test {
 protected:
  explicit Rules(std::vector<std::string> settings = {})
      : site_(std::move(settings)), browser_(site_) {}

  Answer ask(const Ask& ask) { return site_.ask(ask); }
  void expect(const std::vector<Row>& rows);
  Stores& stores() { return site_.stores(); }

  Site site_;
  Browser browser_;
};

}  // namespace svc::rules
