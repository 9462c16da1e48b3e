// Entered: the values that a user sent with a form of the settings, and their problems. It is the
// only way in which a page reads a form, refuses it and shows it again (PagesOf::form()).
//
// A form that is opened shows the saved values; a form that was refused shows the typed values, and
// its problems at the fields and above all. The field `edition` has a digest of the values saved
// when the form was opened, so that a form does not undo the change of another user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unwritable.h"
#include "http/response.h"
#include "oauth/scope_set.h"
#include "pages/template.h"
#include "text/form.h"

namespace svc::pages {

// The status of a page with a form that was refused, or that another user's change has overtaken.
inline constexpr int kNotSavedStatus = 422;
inline constexpr int kOvertakenStatus = 409;

// A digest of the values with which a form was filled in.
std::string edition_of(std::string_view text);

// A problem of a form.
struct FieldProblem {
  std::string field;  // "": the whole form
  std::string text;   // a sentence
};

// Why a form was not applied: Entered has the problems.
enum class NotSaved : std::uint8_t { Refused, Overtaken };
// The response to a form that was applied, mostly Settings::done().
using Applied = base::Result<http::Response, NotSaved>;

class Entered {
 public:
  // A form that is opened; and a form that was sent, which outlives it.
  Entered() = default;
  explicit Entered(const text::Form& sent)
      : sent_(&sent), edition_(sent.find("edition").value_or("")) {}

  const text::Form* sent() const { return sent_; }
  // Returns the typed value of that field, as tidy(); "" if the field is missing. In a form that is
  // opened: `saved`.
  std::string text(std::string_view field, std::string_view saved = "") const;
  bool has(std::string_view field) const { return sent_ != nullptr && sent_->find(field); }
  // Whether the field has that value; in a form that is opened: `saved`.
  bool is(std::string_view field, std::string_view value, bool saved) const;

  // The edition for the form: `now`, unless the form was sent and must be corrected.
  std::string edition(const std::string& now) const { return edition_.value_or(now); }
  // Whether the form was filled in with that edition; a condition that this is so for a record.
  bool began_with(std::string_view edition) const { return edition_ == edition; }
  template <class Record>
  std::function<bool(const Record&)> unless_changed(std::string (*digest)(const Record&)) const {
    return [this, digest](const Record& record) { return began_with(digest(record)); };
  }

  // Adds a problem. The result is for `co_return`.
  base::Refusal<NotSaved> refuse(std::string_view field, std::string text,
                                 int status = kNotSavedStatus);
  // The record changed or was deleted since the form was opened: it is shown with the new record.
  base::Refusal<NotSaved> overtaken();
  base::Refusal<NotSaved> refused() const { return {NotSaved::Refused}; }
  // 429.
  void wait(std::int64_t retry_after) { retry_after_ = retry_after; }

  const std::vector<FieldProblem>& problems() const { return problems_; }
  bool has_problems() const { return !problems_.empty(); }
  bool is_overtaken() const { return is_overtaken_; }
  int status() const { return status_; }
  std::int64_t retry_after() const { return retry_after_; }  // s; 0: within the limits
  // "Not saved: Sites".
  std::string title(std::string_view title) const;

 private:
  const text::Form* sent_ = nullptr;
  std::optional<std::string> edition_{};
  std::vector<FieldProblem> problems_{};
  bool is_overtaken_ = false;
  int status_ = 200;
  std::int64_t retry_after_ = 0;
};

// Shows at its field why a record is not stored.
void refuse_unwritable(Entered& entered, const base::Unwritable& refused);

// Refuses a name of more than `most` characters in the field `name`, and an empty one.
void refuse_name(Entered& entered, const std::string& name, std::size_t most);

// Shows the problems at their fields and in the summary: HAS_PROBLEMS, SUMMARY, <FIELD>_WRONG and
// <FIELD>_PROBLEM; PROBLEM for one of the whole form; OVERTAKEN.
void show_problems(Values& body, const Entered& entered);

// Adds a choice to a form: `section` with VALUE, NAME and CHOSEN.
void show_choice(Values& values, std::string_view section, std::string_view value,
                 std::string_view name, bool is_chosen);

// Adds a choice of scopes to a form: `section` with VALUE, TITLE, TEXT, CHECKED and FULL.
void show_scope_choices(Values& values, std::string_view section, const oauth::ScopeSet& chosen);

}  // namespace svc::pages
