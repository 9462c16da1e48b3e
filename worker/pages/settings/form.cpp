#include "pages/settings/form.h"

#include "base/digest.h"
#include "base/hex.h"
#include "oauth/application_settings.h"
#include "pages/formatting.h"
#include "pages/scope_descriptions.h"
#include "text/ascii.h"

namespace svc::pages {
namespace {

constexpr std::size_t kEditionDigits = 16;

}  // namespace

std::string edition_of(std::string_view text) {
  return base::to_hex(base::sha256(text)).substr(0, kEditionDigits);
}

std::string Entered::text(std::string_view field, std::string_view saved) const {
  return sent_ == nullptr ? std::string(saved) : tidy(sent_->find(field).value_or(""));
}

bool Entered::is(std::string_view field, std::string_view value, bool saved) const {
  return sent_ == nullptr ? saved : sent_->find(field) == value;
}

base::Refusal<NotSaved> Entered::refuse(std::string_view field, std::string text, int status) {
  problems_.push_back({std::string(field), std::move(text)});
  status_ = status;
  return refused();
}

base::Refusal<NotSaved> Entered::overtaken() {
  edition_.reset();
  is_overtaken_ = true;
  status_ = kOvertakenStatus;
  return {NotSaved::Overtaken};
}

std::string Entered::title(std::string_view title) const {
  return (status_ == 200 ? "" : "Not saved: ") + std::string(title);
}

void refuse_name(Entered& entered, const std::string& name, std::size_t most) {
  const std::string why = oauth::why_not_name(name, most);
  if (!why.empty())
    entered.refuse("name", name.empty() ? "Enter a name." : "The name " + why + ".");
}

void refuse_unwritable(Entered& entered, const base::Unwritable& refused) {
  const std::string field(refused.field());
  entered.refuse(entered.has(field) ? field : "", "The " + std::string(refused.what()) + ".");
}

void show_problems(Values& body, const Entered& entered) {
  if (entered.is_overtaken()) body.show("OVERTAKEN");
  for (const FieldProblem& problem : entered.problems()) {
    if (problem.field.empty()) {
      body.show_with("PROBLEM").set("PROBLEM", problem.text);
      continue;
    }
    body.show("HAS_PROBLEMS");
    body.show_with("SUMMARY").set("FIELD", problem.field).set("PROBLEM", problem.text);
    std::string section;
    for (const char c : problem.field) section += c == '-' ? '_' : text::to_upper(c);
    body.show(section + "_WRONG");
    body.show_with(section + "_PROBLEM").set("PROBLEM", problem.text);
  }
}

void show_choice(Values& values, std::string_view section, std::string_view value,
                 std::string_view name, bool is_chosen) {
  Values one = values.show_with(section);
  one.set("VALUE", value).set("NAME", name);
  if (is_chosen) one.show("CHOSEN");
}

void show_scope_choices(Values& values, std::string_view section, const oauth::ScopeSet& chosen) {
  oauth::ScopeSet all;
  for (const std::string_view name : oauth::ScopeSet::kNames) all.add(name);
  for (const std::string_view name : in_display_order(all)) {
    oauth::ScopeSet one;
    one.add(name);
    const ScopeDescription description = describe_scope(name);
    Values choice = values.show_with(section);
    choice.set("VALUE", name).set("TITLE", description.title).set("TEXT", description.text);
    if (chosen.covers(one)) choice.show("CHECKED");
    if (name == kFullAccess) choice.show("FULL");
  }
}

}  // namespace svc::pages
