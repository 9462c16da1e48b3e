// The parsers for an uploaded file. The first byte is a digit that selects one.
// 0: the file's first bytes. 1: the output of ffprobe. 2: a media playlist or an
// initialisation section that ffmpeg wrote. 3: ffmpeg's list of the packets.
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.h"
#include "ingest/codecs.h"
#include "ingest/image.h"
#include "ingest/media_playlist.h"
#include "ingest/sniff.h"
#include "ingest/source.h"
#include "ingest/timeline.h"

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
  if (sniffed.kind != ingest::Kind::Image) return;
  const auto clean = ingest::clean_image(sniffed.ending, head);
  if (!clean) return;
  require(clean->orientation >= 1 && clean->orientation <= 8, "the orientation is one of Exif");
  const auto again = ingest::clean_image(sniffed.ending, clean->bytes);
  require(again && again->bytes == clean->bytes, "a clean image stays as it is");
  require(again->orientation == 1, "a clean image has no metadata");
}

void probe(std::string_view json) {
  const ingest::Limits limits;
  const auto source = ingest::read_source(json, limits);
  if (!source) {
    require(!source.error().empty(), "a refusal has a reason");
    return;
  }
  require(source->video || source->audio, "there is something to play");
  require(!source->claimed || *source->claimed > 0, "a claimed duration is positive");
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

void read_packets(std::string_view text) {
  ingest::TimelineReader reader(true);
  // In two pieces, as a pipe has them.
  reader.read(text.substr(0, text.size() / 2));
  reader.read(text.substr(text.size() / 2));
  const double longest = ingest::Limits().max_duration;
  const ingest::Timeline timeline = reader.finish(1.0 / 30, longest, "");
  require(timeline.end >= 0, "a film does not end before it begins");
  require(timeline.holds.size() <= ingest::kMostHolds, "the holds are bounded");
  for (const ingest::Hold& hold : timeline.holds)
    require(hold.end > hold.begin, "a hold ends after it begins");
}

void run(std::string_view input) {
  if (input.empty()) return;
  const char kind = input.front();
  input.remove_prefix(1);
  switch (kind) {
    case '0': return look_at(input);
    case '1': return probe(input);
    case '2': return measure(input);
    case '3': return read_packets(input);
    default: return;
  }
}

const Registered registered("uploaded_file", run);

}  // namespace
}  // namespace svc::fuzz
