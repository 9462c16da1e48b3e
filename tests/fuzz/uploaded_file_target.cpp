// What is read of an uploaded file. First byte: 0: its first bytes; 1: what
// ffprobe prints of it; 2: what ffmpeg wrote of it, a media playlist or an
// initialisation section. Each is a digit.
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "ingest/codecs.h"
#include "ingest/media_playlist.h"
#include "ingest/sniff.h"
#include "ingest/source.h"

namespace svc::fuzz {
namespace {

void look_at(std::string_view head) {
  const ingest::Sniffed sniffed = ingest::sniff(head.substr(0, ingest::kSniffedBytes));
  require((sniffed.kind == ingest::Kind::Refused) == !sniffed.reason.empty(),
          "a refusal, and no other result, has a reason");
  const bool stored = sniffed.kind == ingest::Kind::Image || sniffed.kind == ingest::Kind::Pdf;
  require(stored == !sniffed.ending.empty(), "a file that is stored as it is has an ending");
  require(!sniffed.size || sniffed.kind == ingest::Kind::Image, "only images have a size");
  require(!sniffed.size || (sniffed.size->width > 0 && sniffed.size->height > 0),
          "sizes are positive");
}

void probe(std::string_view json) {
  const ingest::Limits limits;
  const auto source = ingest::read_source(json, limits);
  if (!source) {
    require(!source.error().empty(), "a refusal has a reason");
    return;
  }
  require(source->video || source->audio, "there is something to play");
  require(!source->duration || (*source->duration > 0 && *source->duration <= limits.max_duration),
          "the duration is within its limit");
  if (!source->video) return;
  const ingest::VideoStream& video = *source->video;
  require(video.size.width > 0 && video.size.width <= limits.max_width && video.size.height > 0 &&
              video.size.height <= limits.max_height,
          "the size is within its limits");
  require(video.rate.value() >= 10 && video.rate.value() <= 60, "the rate is from 10 to 60");
}

void measure(std::string_view text) {
  if (const auto playlist = ingest::read_media_playlist(text)) {
    const std::vector<std::uint64_t> sizes(playlist->segments.size(), 1'000'000);
    if (const auto rates = ingest::measure(*playlist, sizes))
      require(rates->average >= 1 && rates->peak >= rates->average, "the peak is the highest rate");
  }
  if (const auto codecs = ingest::codecs_of(text))
    require(codecs->starts_with("avc1.") && codecs->size() >= 11, "the video is H.264");
}

void run(std::string_view input) {
  if (input.empty()) return;
  const char kind = input.front();
  input.remove_prefix(1);
  switch (kind) {
    case '0': return look_at(input);
    case '1': return probe(input);
    case '2': return measure(input);
    default: return;
  }
}

const Registered registered("uploaded_file", run);

}  // namespace
}  // namespace svc::fuzz
