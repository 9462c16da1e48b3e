#include "ingest/caption_tracks.h"

#include <algorithm>
#include <array>

#include "text/ascii.h"
#include "text/language_tag.h"

namespace svc::ingest {
namespace {

// Leaves room for a number.
constexpr std::size_t kMaxLabelBytes = media::kMaxCaptionsLabelBytes - 8;

struct Language {
  std::string_view terminology;    // ISO 639-2/T
  std::string_view bibliographic;  // ISO 639-2/B
  std::string_view tag;            // ISO 639-1
  std::string_view name;           // in the language itself
};

constexpr std::array<Language, 52> kLanguages{{
    {"eng", "eng", "en", "English"},       {"deu", "ger", "de", "Deutsch"},
    {"fra", "fre", "fr", "Français"},      {"spa", "spa", "es", "Español"},
    {"ita", "ita", "it", "Italiano"},      {"por", "por", "pt", "Português"},
    {"nld", "dut", "nl", "Nederlands"},    {"rus", "rus", "ru", "Русский"},
    {"pol", "pol", "pl", "Polski"},        {"ces", "cze", "cs", "Čeština"},
    {"slk", "slo", "sk", "Slovenčina"},    {"slv", "slv", "sl", "Slovenščina"},
    {"hrv", "hrv", "hr", "Hrvatski"},      {"srp", "srp", "sr", "Српски"},
    {"bos", "bos", "bs", "Bosanski"},      {"mkd", "mac", "mk", "Македонски"},
    {"bul", "bul", "bg", "Български"},     {"ukr", "ukr", "uk", "Українська"},
    {"hun", "hun", "hu", "Magyar"},        {"ron", "rum", "ro", "Română"},
    {"ell", "gre", "el", "Ελληνικά"},      {"tur", "tur", "tr", "Türkçe"},
    {"dan", "dan", "da", "Dansk"},         {"swe", "swe", "sv", "Svenska"},
    {"nor", "nor", "no", "Norsk"},         {"nob", "nob", "nb", "Norsk bokmål"},
    {"nno", "nno", "nn", "Norsk nynorsk"}, {"fin", "fin", "fi", "Suomi"},
    {"isl", "ice", "is", "Íslenska"},      {"est", "est", "et", "Eesti"},
    {"lav", "lav", "lv", "Latviešu"},      {"lit", "lit", "lt", "Lietuvių"},
    {"zho", "chi", "zh", "中文"},          {"jpn", "jpn", "ja", "日本語"},
    {"kor", "kor", "ko", "한국어"},        {"vie", "vie", "vi", "Tiếng Việt"},
    {"tha", "tha", "th", "ไทย"},           {"ind", "ind", "id", "Bahasa Indonesia"},
    {"msa", "may", "ms", "Bahasa Melayu"}, {"hin", "hin", "hi", "हिन्दी"},
    {"ben", "ben", "bn", "বাংলা"},         {"tam", "tam", "ta", "தமிழ்"},
    {"tel", "tel", "te", "తెలుగు"},         {"urd", "urd", "ur", "اردو"},
    {"fas", "per", "fa", "فارسی"},         {"ara", "ara", "ar", "العربية"},
    {"heb", "heb", "he", "עברית"},         {"cat", "cat", "ca", "Català"},
    {"eus", "baq", "eu", "Euskara"},       {"glg", "glg", "gl", "Galego"},
    {"gle", "gle", "ga", "Gaeilge"},       {"cym", "wel", "cy", "Cymraeg"},
}};

std::string label_of(const TextStream& stream, std::string_view language) {
  const std::string_view title = text::trimmed(stream.title);
  if (title.size() <= kMaxLabelBytes && media::is_captions_label(title)) return std::string(title);
  const std::string_view primary = language.substr(0, language.find('-'));
  const auto* const known = std::ranges::find(kLanguages, primary, &Language::tag);
  if (known == kLanguages.end()) return "Captions";
  // "Português (pt-BR)"
  std::string label(known->name);
  if (primary != language) label += " (" + std::string(language) + ")";
  return label;
}

}  // namespace

std::string language_of(std::string_view tag) {
  const std::string low = text::to_lower(tag);
  const auto* const known = std::ranges::find_if(kLanguages, [&](const Language& language) {
    return language.terminology == low || language.bibliographic == low;
  });
  if (known != kLanguages.end()) return std::string(known->tag);
  const std::string_view primary = tag.substr(0, tag.find('-'));
  if (primary.size() == 2 && text::is_language_tag(tag)) return std::string(tag);
  return "und";
}

std::vector<media::Captions> caption_tracks(const std::vector<TextStream>& streams) {
  std::vector<media::Captions> tracks;
  for (const TextStream& stream : streams) {
    if (tracks.size() == kMaxCaptions) break;
    media::Captions track;
    track.url = "captions-" + std::to_string(tracks.size() + 1) + ".vtt";
    track.language = language_of(stream.language);
    const std::string label = label_of(stream, track.language);
    track.label = label;
    const auto is_taken = [&](const media::Captions& other) { return other.label == track.label; };
    for (int number = 2; std::ranges::any_of(tracks, is_taken); ++number)
      track.label = label + " " + std::to_string(number);
    tracks.push_back(std::move(track));
  }
  return tracks;
}

}  // namespace svc::ingest
