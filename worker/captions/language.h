// language: the language of captions, whichever code names it. ICU stops here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace svc::captions {

class Language {
 public:
  // Reads a code of ISO 639-1 or ISO 639-2, of which both kinds count, or a tag of BCP 47, in any
  // case. Looks up no registry: "qqq" is a language. Returns nullopt for a text that is not a tag
  // (text::is_language_tag()).
  static std::optional<Language> parse(std::string_view text);

  // The same for a language that is given anew: each subtag is in the registry of BCP 47, as ICU
  // has it, or for private use. The refusal is the first subtag that is not, or "" if the text is
  // not a tag.
  static base::Result<Language, std::string> registered(std::string_view text);
  static constexpr std::string_view kAllowed =
      "a language code of ISO 639 or a tag of BCP 47, such as en or pt-BR";
  // Returns `kAllowed`, and the refusal of registered() if it is a subtag.
  static std::string allowed_instead_of(std::string_view refusal);

  // Reads what a user wrote: a registered language, one of offered(), or a name in English, in
  // `display` or in the language itself, without regard to case.
  static base::Result<Language, std::string> written(std::string_view text,
                                                     std::string_view display = "en");

  // What a form offers, such as "German · Deutsch (de)", by the first name: the languages of CLDR's
  // locales, and the frequent scripts and regions. In another `display` than English, the name in
  // that is before the English one: "Allemand · German · Deutsch (de)". The first call for a
  // `display`, or that of written(), takes some ten milliseconds. Keeps the lists of all.
  static const std::vector<std::string>& offered(std::string_view display = "en");

  // In the canonical form of BCP 47: "de", "pt-BR", "zh-Hant", "haw".
  const std::string& tag() const { return tag_; }

  // Returns the code of ISO 639-2/T, "deu", of a language alone that has such a code. Otherwise
  // returns the tag.
  std::string code() const;

  // As CLDR has it: "Portuguese (Brazil)". If CLDR lacks the language: the tag.
  std::string english_name() const;

  // "português (Brasil)". If CLDR lacks it: the English name.
  std::string native_name() const;

  // As at the beginning of a sentence: "Português (Brasil)".
  std::string native_title() const;

  // Without script, region and variants. A tag for private use only stays as it is.
  Language alone() const;

  // The language, the script and the region that it most often has (UTS #35, likely subtags):
  // "zh", "Hant" and "TW" for "zh-TW" and "zh-Hant". Norwegian without more is Bokmål, "nb".
  struct Likely {
    std::string language, script, region;
    bool operator==(const Likely&) const = default;
  };
  Likely likely() const;

  bool operator==(const Language&) const = default;

 private:
  explicit Language(std::string tag) : tag_(std::move(tag)) {}

  std::string tag_;
};

}  // namespace svc::captions
