#include "fakes/webvtt_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace svc::fakes {
namespace {

// WebVTT §6.4: the tokenizer.
void show(std::string_view payload, ShownCue& cue) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kReferences{
      {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&nbsp;", "\u00a0"}}};
  while (!payload.empty()) {
    std::size_t length = 1;
    std::string_view shown = payload.substr(0, 1);
    if (payload.front() == '<') {
      length = std::min(payload.find('>'), payload.size() - 1) + 1;
      cue.tags += payload.substr(0, length);
      shown = {};
    }
    for (const auto& [reference, character] : kReferences) {
      if (!payload.starts_with(reference)) continue;
      length = reference.size();
      shown = character;
    }
    cue.text += shown;
    payload.remove_prefix(length);
  }
}

}  // namespace

std::vector<ShownCue> shown_cues(std::string_view file) {
  std::vector<ShownCue> cues;
  if (!file.starts_with("WEBVTT")) return cues;
  std::string payload;
  bool within = false;
  const auto end = [&] {
    if (within) show(payload, cues.back());
    payload.clear();
    within = false;
  };
  while (!file.empty()) {
    const std::size_t length = std::min(file.find('\n'), file.size());
    const std::string_view line = file.substr(0, length);
    file.remove_prefix(std::min(length + 1, file.size()));
    if (line.find("-->") != std::string_view::npos) {
      end();
      cues.push_back({std::string(line), "", ""});
      within = true;
    } else if (line.empty()) {
      end();
    } else if (within) {
      payload += (payload.empty() ? "" : "\n") + std::string(line);
    }
  }
  end();
  return cues;
}

}  // namespace svc::fakes
