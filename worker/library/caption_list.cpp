#include "library/caption_list.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace svc::library {
namespace {

bool has_label(const std::vector<media::Captions>& list, const std::string& label) {
  return std::ranges::find(list, label, &media::Captions::label) != list.end();
}

// In at most media::kMaxCaptionsLabelBytes: the label is cut between two characters.
std::string with_tag(std::string_view label, const std::string& tag) {
  const std::string end = " (" + tag + ")";
  std::size_t length = std::min(label.size(), media::kMaxCaptionsLabelBytes - end.size());
  while (length > 0 && length < label.size() && (label[length] & 0xc0) == 0x80) --length;
  return std::string(label.substr(0, length)) + end;
}

std::string unique_label(const std::string& wanted, const captions::Language& language,
                         const std::vector<media::Captions>& list) {
  std::string label = wanted;
  if (has_label(list, label)) label = with_tag(wanted, language.tag());
  for (int i = 2; has_label(list, label); ++i)
    label = with_tag(wanted, language.tag() + " " + std::to_string(i));
  return label;
}

}  // namespace

captions::Language language_of(const media::Captions& captions) {
  const auto language = captions::Language::parse(captions.language);
  return language ? *language : *captions::Language::parse("und");
}

const media::Captions* find_captions(const std::vector<media::Captions>& list,
                                     const captions::Language& language) {
  const media::Captions* found = nullptr;
  for (const media::Captions& captions : list) {
    if (language_of(captions) != language) continue;
    if (captions.by_default) return &captions;
    if (found == nullptr) found = &captions;
  }
  return found;
}

std::string label_for(const captions::Language& language,
                      const std::vector<media::Captions>& list) {
  std::string title = language.native_title();
  if (title.size() > media::kMaxCaptionsLabelBytes / 2 || !media::is_captions_label(title))
    title = language.tag();
  return unique_label(title, language, list);
}

std::vector<media::Captions> with_set_captions(std::vector<media::Captions> made,
                                               const std::vector<media::Captions>& stored) {
  // Those of an earlier call.
  std::erase_if(made, [](const media::Captions& captions) { return !captions.version().empty(); });
  for (const media::Captions& captions : stored) {
    if (captions.version().empty()) continue;
    const captions::Language language = language_of(captions);
    std::erase_if(made, [&](const media::Captions& other) {
      return other.version().empty() && language_of(other) == language;
    });
  }
  const bool has_default = std::ranges::any_of(made, &media::Captions::by_default);
  for (media::Captions captions : stored) {
    if (captions.version().empty()) continue;
    captions.label = unique_label(captions.label, language_of(captions), made);
    captions.by_default = captions.by_default && !has_default;
    made.push_back(std::move(captions));
  }
  return made;
}

}  // namespace svc::library
