// A file of captions that a client sends.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "captions/file.h"
#include "captions/subrip.h"
#include "captions/webvtt.h"
#include "fakes/webvtt_reader.h"
#include "fuzz/target.h"
#include "text/utf8.h"

namespace svc::fuzz {
namespace {

// Returns true if all tags of the file are ours.
bool is_harmless(const std::string& webvtt) {
  std::string_view rest = webvtt;
  while ((rest = rest.substr(std::min(rest.find('<'), rest.size()))).size() > 1) {
    rest.remove_prefix(rest[1] == '/' ? 2 : 1);
    const std::string_view name = rest.substr(0, rest.find_first_of(". >"));
    bool known = false;
    for (const std::string_view ours : {"b", "i", "u", "c", "v", "lang", "ruby", "rt"})
      known = known || name == ours;
    if (!known) return false;
  }
  return true;
}

void run(std::string_view input) {
  const auto begin = std::chrono::steady_clock::now();
  const auto cues = captions::read_file(input);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  // A mebibyte takes tens of milliseconds without sanitizers.
  require(taken.count() < 30, "it is read in proportion to its size");
  if (!cues) {
    require(!cues.error().empty(), "a refusal has words");
    return;
  }
  require(!cues->empty(), "a file has a cue");
  std::int64_t last = 0;
  for (const captions::Cue& cue : *cues) {
    require(cue.begin >= last && cue.end > cue.begin, "cues are in order");
    last = cue.begin;
  }
  const std::string webvtt = captions::to_webvtt(*cues);
  require(text::is_utf8(webvtt) && is_harmless(webvtt), "WebVTT is UTF-8 and has no other tags");
  require(fakes::shown_cues(webvtt).size() == cues->size(), "every cue is shown");
  const auto again = captions::read_file(webvtt);
  if (webvtt.size() <= captions::kMaxFileBytes)
    require(again && *again == *cues, "WebVTT is read as it was written");
  const std::string subrip = captions::to_subrip(*cues);
  const auto faces = captions::read_file(subrip);
  if (faces) require(captions::to_subrip(*faces) == subrip, "SubRip is read as it was written");
}

const Registered registered("caption_file", run);

}  // namespace
}  // namespace svc::fuzz
