// PluralRule: which of a language's plural forms a number takes, as a gettext catalog states it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::text {

class PluralRule {
 public:
  static constexpr std::size_t kMaxForms = 6;

  // One form for 1, another for every other number, as in English.
  PluralRule() = default;

  // Reads "nplurals=2; plural=n != 1;": an expression of C with the variable n. Returns nullopt for
  // any other text, and for a rule that names a form that does not exist for a number up to 1000.
  static std::optional<PluralRule> parse(std::string_view text);

  std::size_t forms() const { return forms_; }
  // Returns the index of the form, less than forms().
  std::size_t form_of(std::uint64_t number) const;

 private:
  std::size_t forms_ = 2;
  std::string expression_ = "n != 1";
};

}  // namespace svc::text
