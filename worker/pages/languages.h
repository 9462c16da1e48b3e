// Languages: the languages of the pages before and around a login, and which of them a request
// gets.
//
// A text is written in English where it is used, in a template or in the program, and is the key of
// its translations in the catalogs: those of pages/languages, and those of the operator's folder,
// which take precedence. Without a translation the English text is shown.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "captions/language.h"
#include "http/request.h"
#include "pages/template.h"
#include "text/message_catalog.h"

namespace svc::pages {

class Language : public Translations {
 public:
  // `catalogs`: the first that has a text translates it.
  explicit Language(std::string tag, std::vector<text::MessageCatalog> catalogs = {});

  const std::string& tag() const { return tag_; }  // BCP 47
  std::string_view direction() const;              // as in `dir`: "ltr" or "rtl"

  std::optional<std::string_view> find(std::string_view message) const override;
  // Returns the translation, or else the text itself.
  std::string translate(std::string_view message) const;
  // The same with values in the place of "{name}".
  std::string translate(
      std::string_view message,
      std::initializer_list<std::pair<std::string_view, std::string_view>> values) const;
  // Returns the translation in the plural form for that number, with the number for "{count}".
  // `one` is the English text for 1, `many` for other numbers.
  std::string plural(std::string_view one, std::string_view many, std::int64_t number) const;

  const std::vector<text::MessageCatalog>& catalogs() const { return catalogs_; }
  void prefer(text::MessageCatalog catalog);

 private:
  std::string tag_;
  std::vector<text::MessageCatalog> catalogs_;
};

// The language of pages that are not translated.
const Language& english();

class Languages {
 public:
  static constexpr std::size_t kMaxFiles = 100;

  Languages();  // those of the program
  // Adds the catalogs of a folder, such as it.po: files whose names are a language tag (BCP 47) and
  // ".po". The error names the file, the line, the problem and the allowed form.
  static base::Result<Languages, std::string> load(const std::string& folder);

  // Returns the first language that exists of: `ui_locales` in that query, Accept-Language,
  // English.
  const Language& choose(const http::Request& request, std::string_view query) const;
  const Language& choose(const http::Request& request) const {
    return choose(request, request.query);
  }

  const std::vector<std::string>& tags() const { return tags_; }  // English first

 private:
  void add(std::string_view tag, text::MessageCatalog catalog);
  // Returns the index of the language of the first range that selects one.
  std::optional<std::size_t> find(const std::vector<std::string_view>& ranges) const;
  std::optional<std::size_t> find_one(std::string_view range) const;

  std::vector<std::string> tags_;
  std::vector<Language> languages_;                 // in the order of tags_
  std::vector<captions::Language::Likely> likely_;  // the same
};

// Returns "" if the translations of a catalog can be used, otherwise the reason: a translation has
// other placeholders or tags than its text.
std::string why_not_usable(const text::MessageCatalog& catalog);

}  // namespace svc::pages
