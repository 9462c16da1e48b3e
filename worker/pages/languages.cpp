#include "pages/languages.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "pages/language_files.h"
#include "text/ascii.h"
#include "text/form.h"
#include "text/language_choice.h"
#include "text/language_tag.h"
#include "text/words.h"

namespace svc::pages {
namespace {

constexpr std::string_view kEnglish = "en";
constexpr std::string_view kExtension = ".po";

// Languages whose usual script runs from right to left, and such scripts (ISO 15924).
constexpr std::array<std::string_view, 14> kRightToLeft{
    "ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"};
constexpr std::array<std::string_view, 8> kRightToLeftScripts{"adlm", "arab", "hebr", "mand",
                                                              "nkoo", "rohg", "syrc", "thaa"};

// A placeholder, as in {{NAME}} or {name}, or a tag.
struct Mark {
  std::string_view text;
  bool is_tag() const { return text.starts_with('<'); }
};

std::vector<Mark> marks_of(std::string_view text) {
  std::vector<Mark> marks;
  for (std::size_t at = text.find_first_of("{<"); at != text.npos; at = text.find_first_of("{<")) {
    text.remove_prefix(at);
    const std::string_view closing = text.starts_with('<')    ? ">"
                                     : text.starts_with("{{") ? "}}"
                                                              : "}";
    const std::size_t end = text.find(closing);
    const std::size_t length = end == text.npos ? text.size() : end + closing.size();
    marks.push_back({text.substr(0, length)});
    text.remove_prefix(length);
  }
  return marks;
}

std::vector<std::string> sorted(const std::vector<Mark>& marks) {
  std::vector<std::string> texts;
  for (const Mark& mark : marks) texts.emplace_back(mark.text);
  std::ranges::sort(texts);
  return texts;
}

// Returns true if each tag that is opened is closed, in reverse order.
bool is_nested(const std::vector<Mark>& marks) {
  constexpr std::array<std::string_view, 2> kVoid{"br", "wbr"};
  std::vector<std::string_view> open;
  for (const Mark& mark : marks) {
    if (!mark.is_tag()) continue;
    const bool closes = mark.text.starts_with("</");
    std::string_view name = mark.text.substr(closes ? 2 : 1);
    name = name.substr(0, name.find_first_of(" >"));
    if (std::ranges::find(kVoid, name) != kVoid.end()) continue;
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

std::string listed_marks(const std::vector<std::string>& marks) {
  std::string list;
  for (const std::string& mark : marks) list += (list.empty() ? "" : " ") + mark;
  return list;
}

// Returns an empty result if the text is not a tag.
captions::Language::Likely likely_of(std::string_view tag) {
  const auto language = captions::Language::parse(tag);
  return language ? language->likely() : captions::Language::Likely{};
}

base::Result<std::string, std::string> read_catalog(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return base::Refusal{std::string("cannot read it: ") + std::strerror(errno)};
  // A file that is too large is read as far as the catalog refuses it.
  std::string bytes(text::MessageCatalog::kMaxBytes + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return base::Refusal{std::string("cannot read it")};
  return bytes;
}

}  // namespace

Language::Language(std::string tag, std::vector<text::MessageCatalog> catalogs)
    : tag_(std::move(tag)), catalogs_(std::move(catalogs)) {}

std::string_view Language::direction() const {
  const std::string tag = text::to_lower(tag_);
  std::string_view rest = tag;
  const auto next = [&] {
    const std::string_view part = rest.substr(0, rest.find('-'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    return part;
  };
  const std::string_view language = next();
  const std::string_view second = next();
  const bool is_script = second.size() == 4 && text::is_alpha(second.front());
  const bool leftwards =
      is_script ? std::ranges::find(kRightToLeftScripts, second) != kRightToLeftScripts.end()
                : std::ranges::find(kRightToLeft, language) != kRightToLeft.end();
  return leftwards ? "rtl" : "ltr";
}

std::optional<std::string_view> Language::find(std::string_view message) const {
  for (const text::MessageCatalog& catalog : catalogs_) {
    if (const auto found = catalog.find(message)) return found;
  }
  return std::nullopt;
}

std::string Language::translate(std::string_view message) const {
  return std::string(find(message).value_or(message));
}

std::string Language::translate(
    std::string_view message,
    std::initializer_list<std::pair<std::string_view, std::string_view>> values) const {
  return text::filled(find(message).value_or(message), values);
}

std::string Language::plural(std::string_view one, std::string_view many,
                             std::int64_t number) const {
  std::string_view form = number == 1 ? one : many;
  const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
  for (const text::MessageCatalog& catalog : catalogs_) {
    if (const auto found = catalog.find(one, size)) {
      form = *found;
      break;
    }
  }
  const std::string count = std::to_string(number);
  return text::filled(form, {{"count", count}});
}

void Language::prefer(text::MessageCatalog catalog) {
  catalogs_.insert(catalogs_.begin(), std::move(catalog));
}

const Language& english() {
  static const Language kLanguage{std::string(kEnglish)};
  return kLanguage;
}

Languages::Languages()
    : tags_{std::string(kEnglish)}, languages_{english()}, likely_{likely_of(kEnglish)} {
  for (const TemplateFile& file : language_files()) {
    auto catalog = text::MessageCatalog::parse(file.text);
    if (!catalog) std::abort();  // a bug of the build
    add(file.name.substr(0, file.name.size() - kExtension.size()), std::move(*catalog));
  }
}

void Languages::add(std::string_view tag, text::MessageCatalog catalog) {
  const auto known = std::ranges::find_if(
      tags_, [&](const std::string& one) { return text::equal_ignoring_case(one, tag); });
  if (known != tags_.end()) {
    languages_.at(static_cast<std::size_t>(known - tags_.begin())).prefer(std::move(catalog));
    return;
  }
  tags_.emplace_back(tag);
  languages_.emplace_back(std::string(tag));
  languages_.back().prefer(std::move(catalog));
  likely_.push_back(likely_of(tag));
}

// RFC 4647 lookup, but a language in the script that is asked for comes before its shorter form:
// for "zh-TW", "zh-Hant" is nearer than "zh", which is in another script.
std::optional<std::size_t> Languages::find_one(std::string_view range) const {
  const std::array<std::string_view, 1> ranges{range};
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    if (text::equal_ignoring_case(tags_[i], range)) return i;
  }
  const captions::Language::Likely wished = likely_of(range);
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < tags_.size() && !wished.script.empty(); ++i) {
    const captions::Language::Likely& likely = likely_[i];
    if (likely.language != wished.language || likely.script != wished.script) continue;
    if (likely.region == wished.region) return i;
    // If several match, prefer the shorter tag: it does not name a region.
    if (!nearest || tags_[i].size() < tags_[*nearest].size()) nearest = i;
  }
  return nearest ? nearest : text::lookup_language(ranges, tags_);
}

std::optional<std::size_t> Languages::find(const std::vector<std::string_view>& ranges) const {
  for (const std::string_view range : ranges) {
    if (const auto found = find_one(range)) return found;
  }
  return std::nullopt;
}

base::Result<Languages, std::string> Languages::load(const std::string& folder) {
  Languages languages;
  if (folder.empty()) return languages;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == kExtension) files.push_back(at->path());
  }
  if (error) return base::Refusal{"cannot read the folder " + folder + ": " + error.message()};
  if (files.size() > kMaxFiles) {
    return base::Refusal{folder + " has " + std::to_string(files.size()) + " files *" +
                         std::string(kExtension) + "; allowed are at most " +
                         std::to_string(kMaxFiles)};
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    const auto wrong = [&](const std::string& why) {
      return base::Refusal{file.string() + ": " + why};
    };
    const std::string tag = file.stem().string();
    if (!text::is_language_tag(tag) || tag.starts_with("x-"))
      return wrong("the name must be a language tag and .po, such as it.po or zh-Hant.po");
    const auto bytes = read_catalog(file);
    if (!bytes) return wrong(bytes.error());
    auto catalog = text::MessageCatalog::parse(*bytes);
    if (!catalog) return wrong(catalog.error());
    if (const std::string why = why_not_usable(*catalog); !why.empty()) return wrong(why);
    languages.add(tag, std::move(*catalog));
  }
  return languages;
}

const Language& Languages::choose(const http::Request& request, std::string_view query) const {
  const text::Form parameters = text::Form::parse(query);
  const auto wished = text::languages_between_spaces(parameters.find("ui_locales").value_or(""));
  auto found = find(wished);
  if (!found) found = find(text::accepted_languages(request.accept_language));
  return languages_.at(found.value_or(0));
}

std::string why_not_usable(const text::MessageCatalog& catalog) {
  static const std::vector<TemplateText> kOfTemplates = template_texts();
  for (const auto& [id, message] : catalog.messages()) {
    const auto expected = sorted(marks_of(id));
    for (const std::string& translation : message.translations) {
      const std::vector<Mark> marks = marks_of(translation);
      const auto found = sorted(marks);
      if (found == expected && is_nested(marks)) {
        if (std::ranges::find(kOfTemplates, id, &TemplateText::text) == kOfTemplates.end())
          continue;
        const auto problem = translation_problem(id, translation);
        if (!problem) continue;
        return "line " + std::to_string(message.line) + ": the translation of \"" + id +
               "\" does not fit its page: " + *problem;
      }
      const std::string allowed =
          expected.empty() ? "neither placeholders in braces nor tags"
                           : "exactly these placeholders and tags, with tags closed in reverse "
                             "order: " +
                                 listed_marks(expected);
      return "line " + std::to_string(message.line) + ": the translation of \"" + id +
             "\" must have " + allowed + (found.empty() ? "" : "; it has " + listed_marks(found));
    }
  }
  return "";
}

}  // namespace svc::pages
