#include "captions/language.h"

#include <unicode/uchar.h>
#include <unicode/uldnames.h>
#include <unicode/uloc.h>
#include <unicode/ures.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "text/ascii.h"
#include "text/language_tag.h"

namespace svc::captions {
namespace {

// ISO 639-2/B where it differs from ISO 639-2/T. ICU lacks these codes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kBibliographic{
    {{"alb", "sq"}, {"arm", "hy"}, {"baq", "eu"}, {"bur", "my"}, {"chi", "zh"},
     {"cze", "cs"}, {"dut", "nl"}, {"fre", "fr"}, {"geo", "ka"}, {"ger", "de"},
     {"gre", "el"}, {"ice", "is"}, {"mac", "mk"}, {"mao", "mi"}, {"may", "ms"},
     {"per", "fa"}, {"rum", "ro"}, {"slo", "sk"}, {"tib", "bo"}, {"wel", "cy"}}};

// Registered scripts that Unicode, and so CLDR, lacks.
constexpr std::array<std::string_view, 28> kOtherScripts{
    "Afak", "Blis", "Cirt", "Cyrs", "Egyd", "Egyh", "Geok", "Inds", "Jurc", "Kitl",
    "Kpel", "Latf", "Latg", "Leke", "Loma", "Maya", "Moon", "Nkgb", "Phlv", "Piqd",
    "Roro", "Sara", "Syre", "Syrj", "Syrn", "Teng", "Visp", "Wole"};

// Those that a form offers beside the languages of CLDR's locales.
constexpr std::array<std::string_view, 14> kFrequent{
    "de-AT", "de-CH", "en-GB", "en-US",   "es-419",  "es-ES",   "es-MX",
    "fr-CA", "pt-BR", "pt-PT", "sr-Cyrl", "sr-Latn", "zh-Hans", "zh-Hant"};

constexpr std::size_t kMaxName = 256;  // UTF-16 units; longer names count as absent

std::vector<std::string> parts_of(std::string_view tag) {
  std::vector<std::string> parts(1);
  for (const char c : text::to_lower(tag)) {
    if (c == '-') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// ISO 639-1 if it has the language, whose deprecated codes ("iw") are those of ICU.
std::string shortest(const std::string& code) {
  const auto* const known = std::ranges::find(
      kBibliographic, code, &std::pair<std::string_view, std::string_view>::first);
  if (known != kBibliographic.end()) return std::string(known->second);
  std::array<char, ULOC_LANG_CAPACITY> found{};
  UErrorCode status = U_ZERO_ERROR;
  const int length = uloc_getLanguage(uloc_getISO3Language(code.c_str()), found.data(),
                                      static_cast<int>(found.size()), &status);
  return U_FAILURE(status) != 0 || length == 0 ? code : std::string(found.data());
}

std::string upper(std::string text, std::size_t count) {
  for (std::size_t i = 0; i < std::min(count, text.size()); ++i) {
    if (text::is_alpha(text[i])) text[i] = static_cast<char>(text[i] & ~0x20);
  }
  return text;
}

// The tag in ICU's form, without extensions: they name no language.
std::string locale_of(std::string_view tag) {
  std::string kept;
  for (const std::string& part : parts_of(tag)) {
    if (part.size() == 1) break;
    if (!kept.empty()) kept += '-';
    kept += part;
  }
  std::array<char, ULOC_FULLNAME_CAPACITY> locale{};
  UErrorCode status = U_ZERO_ERROR;
  uloc_forLanguageTag(kept.c_str(), locale.data(), static_cast<int>(locale.size()), nullptr,
                      &status);
  return U_FAILURE(status) != 0 ? std::string() : std::string(locale.data());
}

// Returns the name of a language in another one; "" if CLDR lacks it.
std::string name_in(const std::string& locale, const std::string& display, UDisplayContext where) {
  if (locale.empty()) return "";  // "und", which ICU takes for its root
  UErrorCode status = U_ZERO_ERROR;
  std::array<UChar, kMaxName> name{};
  // The only function that tells whether it fell back to another language.
  uloc_getDisplayLanguage(locale.c_str(), display.c_str(), name.data(),
                          static_cast<int>(name.size()), &status);
  if (U_FAILURE(status) != 0 || status == U_USING_DEFAULT_WARNING) return "";
  std::array<UDisplayContext, 2> contexts{UDISPCTX_STANDARD_NAMES, where};
  const std::unique_ptr<ULocaleDisplayNames, decltype(&uldn_close)> names(
      uldn_openForContext(display.c_str(), contexts.data(), static_cast<int>(contexts.size()),
                          &status),
      uldn_close);
  const int length = uldn_localeDisplayName(names.get(), locale.c_str(), name.data(),
                                            static_cast<int>(name.size()), &status);
  std::array<char, 3 * kMaxName> utf8{};
  int size = 0;
  u_strToUTF8(utf8.data(), static_cast<int>(utf8.size()), &size, name.data(), length, &status);
  if (U_FAILURE(status) != 0) return "";
  return {utf8.data(), static_cast<std::size_t>(size)};
}

constexpr auto kAsIs = UDISPCTX_CAPITALIZATION_NONE;

struct CloseBundle {
  void operator()(UResourceBundle* bundle) const { ures_close(bundle); }
};
using Bundle = std::unique_ptr<UResourceBundle, CloseBundle>;

std::string to_utf8(const UChar* name, int length) {
  std::array<char, 3 * kMaxName> utf8{};
  int size = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strToUTF8(utf8.data(), static_cast<int>(utf8.size()), &size, name, length, &status);
  return U_FAILURE(status) != 0 ? std::string()
                                : std::string(utf8.data(), static_cast<std::size_t>(size));
}

// `range` is a subtag, or as in UTS #35: "aaa~c" is aaa, aab and aac.
bool is_within(std::string_view subtag, std::string_view range) {
  const std::string_view first = range.substr(0, range.find('~'));
  if (first.size() == range.size()) return subtag == range;
  const std::string_view last = range.substr(first.size() + 1);
  if (subtag.size() != first.size() || last.size() > first.size()) return false;
  const std::size_t same = first.size() - last.size();
  if (subtag.substr(0, same) != first.substr(0, same)) return false;
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (subtag[same + i] < first[same + i] || subtag[same + i] > last[i]) return false;
  }
  return true;
}

// Subtags and ranges of them.
using Ranges = std::vector<std::string>;

// CLDR's lists of valid subtags have the registry of BCP 47: what is deprecated or for private use,
// too.
Ranges read_registry(const char* kind) {
  Ranges ranges;
  UErrorCode status = U_ZERO_ERROR;
  const Bundle all(ures_openDirect(nullptr, "supplementalData", &status));
  const Bundle kinds(ures_getByKey(all.get(), "idValidity", nullptr, &status));
  const Bundle lists(ures_getByKey(kinds.get(), kind, nullptr, &status));
  for (int i = 0; U_SUCCESS(status) != 0 && i < ures_getSize(lists.get()); ++i) {
    const Bundle list(ures_getByIndex(lists.get(), i, nullptr, &status));
    for (int j = 0; U_SUCCESS(status) != 0 && j < ures_getSize(list.get()); ++j) {
      int length = 0;
      const UChar* const range = ures_getStringByIndex(list.get(), j, &length, &status);
      if (U_SUCCESS(status) != 0) ranges.push_back(to_utf8(range, length));
    }
  }
  return ranges;
}

bool is_in(const Ranges& ranges, std::string_view subtag) {
  return std::ranges::any_of(ranges,
                             [&](const std::string& range) { return is_within(subtag, range); });
}

bool is_registered_language(std::string_view subtag) {
  static const Ranges kLanguages = read_registry("language");
  return is_in(kLanguages, subtag);
}

bool is_registered_script(std::string_view subtag) {
  static const Ranges kScripts = read_registry("script");
  return is_in(kScripts, subtag) || std::ranges::find(kOtherScripts, subtag) != kOtherScripts.end();
}

bool is_registered_region(std::string_view subtag) {
  static const Ranges kRegions = read_registry("region");
  return is_in(kRegions, subtag);
}

bool is_registered_variant(std::string_view subtag) {
  static const Ranges kVariants = read_registry("variant");
  return is_in(kVariants, subtag);
}

// Returns the first subtag of a canonical tag that is not registered, or "".
std::string_view unregistered_in(std::string_view tag) {
  for (std::size_t at = 0; at < tag.size();) {
    const std::string_view part = tag.substr(at, tag.find('-', at) - at);
    // RFC 6497 and RFC 6067 registered two extensions, and what follows x is for private use.
    if (part.size() == 1)
      return std::string_view("tux").find(part) == std::string_view::npos ? part : "";
    const bool is_word = text::is_alpha(part.front());
    const bool is_region = part.size() == 2 || (part.size() == 3 && !is_word);
    const bool is_known = at == 0                       ? is_registered_language(part)
                          : is_region                   ? is_registered_region(part)
                          : is_word && part.size() == 4 ? is_registered_script(part)
                                                        : is_registered_variant(part);
    if (!is_known) return part;
    at += part.size() + 1;
  }
  return "";
}

// For comparison without regard to case.
std::string folded(std::string_view name) {
  std::array<UChar, kMaxName> wide{};
  std::array<UChar, kMaxName> low{};
  UErrorCode status = U_ZERO_ERROR;
  int length = 0;
  u_strFromUTF8(wide.data(), static_cast<int>(wide.size()), &length, name.data(),
                static_cast<int>(name.size()), &status);
  length = u_strFoldCase(low.data(), static_cast<int>(low.size()), wide.data(), length,
                         U_FOLD_CASE_DEFAULT, &status);
  return U_FAILURE(status) != 0 ? std::string() : to_utf8(low.data(), length);
}

// Folded names and their tags.
using Names = std::map<std::string, std::string, std::less<>>;

void add_names(Names& names, const std::string& display) {
  for (const char* const* code = uloc_getISOLanguages(); *code != nullptr; ++code) {
    if (const std::string name = name_in(*code, display, kAsIs); !name.empty())
      names.emplace(folded(name), *code);
  }
  for (const std::string_view tag : kFrequent) {
    if (const std::string name = name_in(locale_of(tag), display, kAsIs); !name.empty())
      names.emplace(folded(name), tag);
  }
}

struct Known {
  std::vector<std::string> tags;  // of those that a form offers
  Names names;
};

const Known& known_languages() {
  static const Known kKnown = [] {
    Known known;
    add_names(known.names, "en");
    known.tags.assign(kFrequent.begin(), kFrequent.end());
    for (int i = 0; i < uloc_countAvailable(); ++i) {
      if (std::string locale = uloc_getAvailable(i); locale.find('_') == std::string::npos)
        known.tags.push_back(std::move(locale));
    }
    for (const std::string& tag : known.tags)
      known.names.emplace(folded(Language::parse(tag)->native_name()), tag);
    return known;
  }();
  return kKnown;
}

std::vector<std::string> titles_in(const std::string& display) {
  std::vector<std::string> titles;
  for (const std::string& tag : known_languages().tags) {
    const Language language = *Language::parse(tag);
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
      if (!name.empty() && std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
    };
    add(name_in(locale_of(tag), display, kAsIs));
    add(language.english_name());
    add(language.native_name());
    std::string title = std::move(names.front());
    for (std::size_t i = 1; i < names.size(); ++i) title += " · " + names[i];
    titles.push_back(title + " (" + language.tag() + ")");
  }
  std::ranges::sort(titles);
  return titles;
}

}  // namespace

std::optional<Language> Language::parse(std::string_view text) {
  if (!text::is_language_tag(text)) return std::nullopt;
  std::vector<std::string> parts = parts_of(text);
  if (parts[0] == "x") return Language(text::to_lower(text));
  // RFC 5646 §4.5: an extended language replaces its macrolanguage.
  if (parts.size() > 1 && parts[1].size() == 3 && std::ranges::all_of(parts[1], text::is_alpha))
    parts.erase(parts.begin());
  std::string tag = shortest(parts[0]);
  bool extension = false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    extension = extension || parts[i].size() == 1;
    const bool is_script = parts[i].size() == 4 && text::is_alpha(parts[i].front());
    const std::size_t capitals = extension ? 0 : parts[i].size() == 2 ? 2 : is_script ? 1 : 0;
    tag += '-' + upper(parts[i], capitals);
  }
  return Language(std::move(tag));
}

base::Result<Language, std::string> Language::registered(std::string_view text) {
  const auto language = parse(text);
  if (!language) return base::Refusal{std::string()};
  // Of an extended language, parse() drops the first subtag.
  const std::string first = parts_of(text)[0];
  if (first != "x" && !is_registered_language(shortest(first))) return base::Refusal{first};
  if (const std::string_view unknown = unregistered_in(language->tag()); !unknown.empty())
    return base::Refusal{std::string(unknown)};
  return *language;
}

std::string Language::allowed_instead_of(std::string_view refusal) {
  std::string text(kAllowed);
  if (!refusal.empty()) text.append("; ").append(refusal).append(" is not registered");
  return text;
}

base::Result<Language, std::string> Language::written(std::string_view text,
                                                      std::string_view display) {
  auto language = registered(text);
  if (language) return language;
  const std::string name = folded(text);
  const auto find = [&](const Names& names) -> std::optional<Language> {
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : parse(found->second);
  };
  auto named = find(known_languages().names);
  if (!named && display != "en") {
    Names names;
    add_names(names, locale_of(display));
    named = find(names);
  }
  if (named) return *named;
  const std::size_t open = text.rfind('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return language;
  auto offered = registered(text.substr(open + 1, text.size() - open - 2));
  return offered ? offered : language;
}

const std::vector<std::string>& Language::offered(std::string_view display) {
  static std::map<std::string, std::vector<std::string>, std::less<>> kept;
  auto found = kept.find(display);
  if (found == kept.end())
    found = kept.emplace(std::string(display), titles_in(locale_of(display))).first;
  return found->second;
}

std::string Language::code() const {
  if (tag_.find('-') != std::string::npos) return tag_;
  const std::string code = uloc_getISO3Language(tag_.c_str());
  return code.empty() ? tag_ : code;
}

std::string Language::english_name() const {
  const std::string name = name_in(locale_of(tag_), "en", kAsIs);
  return name.empty() ? tag_ : name;
}

std::string Language::native_name() const {
  const std::string locale = locale_of(tag_);
  const std::string name = name_in(locale, locale, kAsIs);
  return name.empty() ? english_name() : name;
}

std::string Language::native_title() const {
  const std::string locale = locale_of(tag_);
  const std::string name =
      name_in(locale, locale, UDISPCTX_CAPITALIZATION_FOR_BEGINNING_OF_SENTENCE);
  return name.empty() ? english_name() : name;
}

Language::Likely Language::likely() const {
  if (tag_.starts_with("x-")) return {};
  const std::string locale = locale_of(tag_);
  std::array<char, ULOC_FULLNAME_CAPACITY> whole{};
  UErrorCode status = U_ZERO_ERROR;
  uloc_addLikelySubtags(locale.c_str(), whole.data(), static_cast<int>(whole.size()), &status);
  const auto part = [&](auto get) {
    std::array<char, ULOC_FULLNAME_CAPACITY> found{};
    get(whole.data(), found.data(), static_cast<int>(found.size()), &status);
    return std::string(found.data());
  };
  Likely likely{part(uloc_getLanguage), part(uloc_getScript), part(uloc_getCountry)};
  if (U_FAILURE(status) != 0) return {};
  if (likely.language == "no") likely.language = "nb";
  return likely;
}

Language Language::alone() const {
  return tag_.starts_with("x-") ? *this : Language(tag_.substr(0, tag_.find('-')));
}

}  // namespace svc::captions
