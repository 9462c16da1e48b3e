#include "ingest/caption_tracks.h"

#include <algorithm>
#include <optional>

#include "captions/language.h"
#include "text/ascii.h"

namespace svc::ingest {
namespace {

// Leaves room for a number.
constexpr std::size_t kMaxLabelBytes = media::kMaxCaptionsLabelBytes - 8;

std::string label_of(const TextStream& stream, std::string_view language) {
  const std::string_view title = text::trimmed(stream.title);
  if (title.size() <= kMaxLabelBytes && media::is_captions_label(title)) return std::string(title);
  const std::string purpose = stream.forced ? " (forced)" : stream.impaired ? " (SDH)" : "";
  const auto known = captions::Language::parse(language);
  std::string label = known ? known->alone().native_title() : "";
  if (!known || label == known->alone().tag()) return "Captions" + purpose;  // CLDR lacks it
  // "Português (pt-BR)"
  if (known->alone() != known) label += " (" + known->tag() + ")";
  return label + purpose;
}

}  // namespace

std::string language_of(std::string_view tag) {
  const auto language = captions::Language::registered(tag);
  // Codes of three letters are those of a language without one of two, or of none.
  if (!language || language->alone().tag().size() != 2) return "und";
  return language->tag();
}

std::vector<media::Captions> caption_tracks(const std::vector<TextStream>& streams) {
  std::vector<media::Captions> tracks;
  const bool has_default = std::ranges::count(streams, true, &TextStream::marked) == 1;
  for (const TextStream& stream : streams) {
    if (tracks.size() == kMaxConverted) break;
    media::Captions track;
    track.url = "captions-" + std::to_string(tracks.size() + 1) + ".vtt";
    track.language = language_of(stream.language);
    track.by_default = has_default && stream.marked;
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
