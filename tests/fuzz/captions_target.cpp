// Captions of an upload. First byte: 'a': a script in ASS; 's', 'm' or 't':
// packets of SubRip, mov_text or plain text, after their list and an empty line.
#include <algorithm>
#include <string>
#include <vector>

#include "captions/webvtt.h"
#include "fakes/webvtt_reader.h"
#include "fuzz/target.h"
#include "ingest/cues.h"
#include "text/utf8.h"

namespace svc::fuzz {
namespace {

using captions::Cue;
using ingest::TextFormat;

std::vector<Cue> read(char kind, std::string_view input) {
  if (kind == 'a') return ingest::read_ass(input);
  const std::size_t end = std::min(input.find("\n\n"), input.size());
  const std::string_view bytes = input.substr(std::min(end + 2, input.size()));
  const TextFormat format = kind == 's'   ? TextFormat::SubRip
                            : kind == 'm' ? TextFormat::MovText
                                          : TextFormat::Plain;
  return ingest::read_packets(format, input.substr(0, end), bytes);
}

// The bytes of a text that neither WebVTT nor a replacement changes.
std::string plain(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char c) { return c > ' ' && c <= '~'; });
  return kept;
}

void run(std::string_view input) {
  if (input.empty()) return;
  const std::vector<Cue> cues = read(input.front(), input.substr(1));
  const std::string webvtt = captions::to_webvtt(captions::in_order(cues));
  require(text::is_utf8(webvtt), "WebVTT is UTF-8");
  std::vector<std::string> expected;
  for (const Cue& cue : cues) {
    std::string text;
    for (const captions::Part& part : cue.parts) {
      if (part.kind == captions::Part::Kind::Text) text += plain(part.text);
    }
    if (!text.empty()) expected.push_back(text);
  }
  std::vector<std::string> shown;
  for (const auto& cue : fakes::shown_cues(webvtt)) {
    const std::string text = plain(cue.text);
    if (!text.empty()) shown.push_back(text);
  }
  // Cues that end before the film are left out.
  std::ranges::sort(expected);
  std::ranges::sort(shown);
  require(std::ranges::includes(expected, shown), "a shown text is that of a cue");
  if (std::ranges::all_of(cues, [](const Cue& cue) { return cue.begin >= 0; }))
    require(shown == expected, "every text is shown");
}

const Registered registered("captions", run);

}  // namespace
}  // namespace svc::fuzz
