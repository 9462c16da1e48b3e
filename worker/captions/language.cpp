#include "captions/language.h"

#include <unicode/uldnames.h>
#include <unicode/uloc.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
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

}  // namespace

std::optional<Language> Language::parse(std::string_view text) {
  if (!text::is_language_tag(text)) return std::nullopt;
  std::vector<std::string> parts = parts_of(text);
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

Language Language::alone() const { return Language(tag_.substr(0, tag_.find('-'))); }

}  // namespace svc::captions
