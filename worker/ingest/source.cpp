#include "ingest/source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/number.h"
#include "ingest/encryption.h"
#include "text/ascii.h"
#include "text/json.h"

namespace svc::ingest {

// Not on the list although Debian has them: hls, dash, concat, image2, lavfi,
// sdp, rtsp, tty, and scripts, which read other files, URLs or patterns.
const std::string_view kDemuxers =
    "mov,matroska,avi,mpegts,mpeg,flv,asf,ogg,mxf,mp3,aac,wav,w64,flac,aiff,caf";
const std::string_view kDecoders =
    "h264,hevc,vp8,vp9,libdav1d,libvpx,libvpx-vp9,av1,mpeg1video,mpeg2video,mpegvideo,mpeg4,"
    "msmpeg4,msmpeg4v1,msmpeg4v2,h263,flv,vp6,vp6f,vp6a,theora,prores,dnxhd,dvvideo,mjpeg,wmv1,"
    "wmv2,wmv3,vc1,ffv1,huffyuv,rawvideo,qtrle,png,"
    "aac,aac_latm,mp3,mp3float,mp2,mp2float,mp1,mp1float,opus,libopus,vorbis,libvorbis,flac,alac,"
    "ac3,eac3,dca,truehd,wmav1,wmav2,wmapro,amrnb,amrwb,adpcm_ima_wav,adpcm_ima_qt,adpcm_ms,"
    "adpcm_swf,nellymoser,speex,libspeex,pcm_u8,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,"
    "pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw,pcm_dvd,"
    "pcm_bluray,pcm_s16le_planar,"
    "mov_text,subrip,srt,ass,ssa,webvtt,text";

namespace {

using text::json::Value;

constexpr double kMinRate = 10;
constexpr double kMaxRate = 60;
constexpr int kMinScore = 26;  // above ffmpeg's AVPROBE_SCORE_RETRY: less is a guess
constexpr double kSenselessDuration = 1e9;
constexpr double kMostPixels = 1e6;  // per side
constexpr int kBt2020 = 9;           // H.273: primaries, and the matrix with constant coefficients
constexpr std::int64_t kMostChannels = 1024;

// What ffprobe calls a codec → whether kDecoders has a decoder for it. The names
// of codecs and decoders are the same but for these.
bool can_decode(std::string_view codec) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames{
      {{"dts", "dca"},
       {"msmpeg4v3", "msmpeg4"},
       {"flv1", "flv"},
       {"amr_nb", "amrnb"},
       {"amr_wb", "amrwb"}}};
  for (const auto& [name, decoder] : kNames) {
    if (name == codec) codec = decoder;
  }
  std::string_view rest = kDecoders;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (name == codec) return true;
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return false;
}

std::optional<Value> member(const std::optional<Value>& object, std::string_view name) {
  return object && object->is_object() ? object->find(name) : std::nullopt;
}

std::string text_of(const std::optional<Value>& object, std::string_view name) {
  const auto value = member(object, name);
  const auto text = value ? value->string() : std::nullopt;
  return std::string(text.value_or(""));
}

std::optional<std::int64_t> integer_of(const std::optional<Value>& object, std::string_view name) {
  const auto value = member(object, name);
  return value ? value->integer() : std::nullopt;
}

bool flag_of(const Value& stream, std::string_view name) {
  return integer_of(member(stream, "disposition"), name).value_or(0) != 0;
}

// "12.480000" → seconds. Negative, infinite and senseless durations count as
// unknown.
std::optional<double> seconds(std::string_view text) {
  const auto number = base::parse_number<double>(text, 0, kSenselessDuration);
  return number && *number > 0 ? number : std::nullopt;
}

// "00:01:02.500000000", as Matroska has it per stream.
std::optional<double> clock_seconds(std::string_view text) {
  double total = 0;
  for (int i = 0; i < 2; ++i) {
    const auto part = base::parse_number<double>(text.substr(0, text.find(':')), 0, 1e6);
    const std::size_t colon = text.find(':');
    if (!part || colon == std::string_view::npos) return std::nullopt;
    total = (total + *part) * 60;
    text.remove_prefix(colon + 1);
  }
  const auto rest = base::parse_number<double>(text, 0, 60);
  return rest && total + *rest > 0 ? std::optional(total + *rest) : std::nullopt;
}

std::optional<Fraction> fraction(std::string_view text, char between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return std::nullopt;
  const auto numerator = base::parse_number<std::int64_t>(text.substr(0, at), 1);
  const auto denominator = base::parse_number<std::int64_t>(text.substr(at + 1), 1);
  if (!numerator || !denominator) return std::nullopt;
  return Fraction{*numerator, *denominator};
}

constexpr Fraction kFastRate{60, 1};
constexpr Fraction kUsualRate{30, 1};

// A rate that can be encoded. A header that claims a billion frames per second costs nothing.
Fraction usable(Fraction rate) {
  if (rate.value() > kMaxRate) rate = kFastRate;
  if (rate.value() < 0.001) rate = kUsualRate;
  if (rate.numerator > 1'000'000 || rate.denominator > 1'000'000)
    rate = {std::max<std::int64_t>(1, std::llround(rate.value() * 1000)), 1000};
  if (rate.value() < kMinRate)
    rate.numerator *= static_cast<std::int64_t>(std::ceil(kMinRate / rate.value()));
  const std::int64_t common = std::gcd(rate.numerator, rate.denominator);
  return {rate.numerator / common, rate.denominator / common};
}

bool is_near(double one, double other, double error) {
  return std::abs(one - other) <= error * other;
}

// The constant rate of the encoded frames by the header: ffmpeg drops and repeats frames to meet
// it. (Its HLS muxer adds up durations of frames, which are wrong if frames are missing.)
Fraction output_rate(const ClaimedRates& claimed, bool interlaced) {
  const auto& [base, average] = claimed;
  if (base.value() <= 0 && average.value() <= 0) return usable(kUsualRate);
  if (base.value() <= 0 || average.value() <= 0) return usable(base.value() > 0 ? base : average);
  const double ratio = base.value() / average.value();
  if (ratio > 0.99 && ratio < 1.01) return usable(base);
  if (interlaced && ratio > 1.99 && ratio < 2.01)
    return usable(average);  // some demuxers count the two fields of a frame
  return average.value() > 1.01 * kUsualRate.value() ? kFastRate : kUsualRate;  // variable
}

// Degrees of the display matrix. The file can have others than multiples of
// 90, for which ffmpeg does not change the size.
std::int64_t rotation(const Value& stream) {
  const auto list = stream.find("side_data_list");
  if (!list || !list->is_array()) return 0;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (const auto found = integer_of(list->at(i), "rotation")) return *found;
  }
  return 0;
}

// Clockwise, as ffmpeg turns pictures.
int quarter_turns(const Value& stream) {
  const std::int64_t degrees = (360 - rotation(stream) % 360) % 360;
  for (const int turn : {90, 180, 270}) {
    if (degrees >= turn - 1 && degrees <= turn + 1) return turn;
  }
  return 0;
}

ShapeChanges changes_of(std::string_view codec) {
  constexpr std::array<std::string_view, 12> kDecoded{"h264",  "hevc", "mpeg1video", "mpeg2video",
                                                      "mpeg4", "vp8",  "vc1",        "wmv3",
                                                      "h263",  "flv1", "theora",     "msmpeg4v3"};
  if (codec == "vp9") return ShapeChanges::Vp9;
  return std::ranges::find(kDecoded, codec) != kDecoded.end() ? ShapeChanges::Decoded
                                                              : ShapeChanges::NotFound;
}

// ISO/IEC 14496-12 §8.3.2 and the aspect ratio of a sample. Returns nullopt if
// the stream lacks a size. Sides are cut off at a million pixels.
std::optional<media::Dimensions> screen_size(const Value& stream) {
  const auto width = integer_of(stream, "width");
  const auto height = integer_of(stream, "height");
  if (!width || !height || *width < 1 || *height < 1) return std::nullopt;
  double wide = static_cast<double>(*width);
  double high = static_cast<double>(*height);
  if (const auto sample = fraction(text_of(stream, "sample_aspect_ratio"), ':'))
    wide *= sample->value();
  const auto side = [](double pixels) {
    return static_cast<int>(std::lround(std::min(std::max(pixels, 1.0), kMostPixels)));
  };
  if (const auto turned = std::abs(rotation(stream)) % 180; turned >= 89 && turned <= 91)
    std::swap(wide, high);
  return media::Dimensions{side(wide), side(high)};
}

Transfer transfer(const Value& stream) {
  const std::string name = text_of(stream, "color_transfer");
  if (name == "smpte2084") return Transfer::Pq;
  if (name == "arib-std-b67") return Transfer::Hlg;
  return Transfer::Sdr;
}

// Returns the meaning of a name that ffprobe prints; nullopt if it is not in the table.
template <class Meaning, std::size_t count>
std::optional<Meaning> find_in(const std::array<std::pair<std::string_view, Meaning>, count>& table,
                               std::string_view name) {
  for (const auto& [known, meaning] : table) {
    if (known == name) return meaning;
  }
  return std::nullopt;
}

// The primaries of SD differ little from BT.709, and many files claim them by
// habit, so players show them as BT.709.
int primaries_of(const Value& stream, Transfer transfer) {
  constexpr std::array<std::pair<std::string_view, int>, 3> kWide{
      {{"bt2020", kBt2020}, {"smpte431", 11}, {"smpte432", 12}}};
  return find_in(kWide, text_of(stream, "color_primaries"))
      .value_or(transfer == Transfer::Sdr ? kBt709 : kBt2020);
}

// If a file does not name a matrix, returns the matrix that browsers assume for its height.
int matrix_of(const Value& stream, Transfer transfer) {
  constexpr int kSmpte170m = 6;  // BT.601
  constexpr std::int64_t kHdHeight = 720;
  constexpr std::array<std::pair<std::string_view, int>, 8> kMatrices{{{"bt709", kBt709},
                                                                       {"fcc", 4},
                                                                       {"bt470bg", 5},
                                                                       {"smpte170m", kSmpte170m},
                                                                       {"smpte240m", 7},
                                                                       {"ycgco", 8},
                                                                       {"bt2020nc", kBt2020},
                                                                       {"bt2020c", 10}}};
  if (const auto code = find_in(kMatrices, text_of(stream, "color_space"))) return *code;
  if (transfer != Transfer::Sdr) return kBt2020;
  return integer_of(stream, "height").value_or(0) < kHdHeight ? kSmpte170m : kBt709;
}

bool is_interlaced(const Value& stream) {
  const std::string order = text_of(stream, "field_order");
  return order == "tt" || order == "bb" || order == "tb" || order == "bt";
}

// The ending for an upload without video; empty: such a file is not audio.
std::string ending_of(std::string_view format) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kEndings{
      {{"mov", "m4a"},
       {"matroska", "mka"},
       {"mp3", "mp3"},
       {"wav", "wav"},
       {"flac", "flac"},
       {"ogg", "ogg"},
       {"aac", "aac"},
       {"aiff", "aiff"},
       {"asf", "wma"}}};
  const std::string_view first = format.substr(0, format.find(','));
  for (const auto& [name, ending] : kEndings) {
    if (name == first) return std::string(ending);
  }
  return "";
}

// In these formats a picture is a cover, also if the file does not mark it.
bool is_cover(const Value& stream, std::string_view format) {
  if (flag_of(stream, "attached_pic")) return true;
  const std::string codec = text_of(stream, "codec_name");
  const bool picture = codec == "mjpeg" || codec == "png" || codec == "bmp" || codec == "gif";
  return picture && (format == "mp3" || format == "flac" || format == "wav" || format == "ogg" ||
                     format == "aac" || format == "aiff");
}

// Returns nullopt for a codec of pictures.
std::optional<TextFormat> text_format(std::string_view codec) {
  constexpr std::array<std::pair<std::string_view, TextFormat>, 6> kCodecs{
      {{"mov_text", TextFormat::MovText},
       {"subrip", TextFormat::SubRip},
       {"ass", TextFormat::Ass},
       {"ssa", TextFormat::Ass},
       {"webvtt", TextFormat::WebVtt},
       {"text", TextFormat::Plain}}};
  return find_in(kCodecs, codec);
}

std::optional<double> duration_of(const std::optional<Value>& stream) {
  if (!stream) return std::nullopt;
  if (const auto own = seconds(text_of(stream, "duration"))) return own;
  return clock_seconds(text_of(member(stream, "tags"), "DURATION"));
}

bool is_decodable(const Value& stream) {
  return can_decode(text_of(stream, "codec_name")) &&
         (text_of(stream, "codec_type") != "audio" ||
          integer_of(stream, "channels").value_or(0) > 0);
}

std::optional<double> claimed_duration(std::string_view name, const std::optional<Value>& format,
                                       const std::optional<Value>& video,
                                       const std::optional<Value>& audio) {
  // These formats lack a duration. ffprobe takes the difference between first and last timestamp,
  // which is wrong if the file was joined from others.
  if (name == "mpegts" || name == "mpeg") return std::nullopt;
  const auto pictures = duration_of(video);
  const auto sound = duration_of(audio);
  const auto longest = pictures && sound ? std::max(*pictures, *sound) : video ? pictures : sound;
  const auto all = longest ? longest : seconds(text_of(format, "duration"));
  // Matroska's is the time of the end.
  const double start = seconds(text_of(format, "start_time")).value_or(0);
  return all && *all > start ? std::optional(*all - start) : std::nullopt;
}

// Sound that is made for some viewers, or comments on the film.
bool is_secondary(const Value& stream) {
  constexpr std::array<std::string_view, 6> kFlags{
      "comment", "hearing_impaired", "visual_impaired", "descriptions", "clean_effects", "karaoke"};
  return std::ranges::any_of(kFlags, [&](std::string_view flag) { return flag_of(stream, flag); });
}

// Among the streams that can be decoded, the first stream that is not secondary, then the first
// that the file marks as its default. If no stream can be decoded, the choice is among all streams.
struct Choice {
  using Rank = std::tuple<bool, bool, bool>;  // is decodable, is not secondary, is marked
  std::optional<Value> stream;
  Rank rank;
  void offer(const Value& other) {
    const Rank offered(is_decodable(other), !is_secondary(other), flag_of(other, "default"));
    if (stream && offered <= rank) return;
    stream = other;
    rank = offered;
  }
  bool decodable() const { return std::get<0>(rank); }
};

// The programmes of a transport stream: which streams belong together.
class Programmes {
 public:
  explicit Programmes(const Value& root) {
    const auto list = root.find("programs");
    if (!list || !list->is_array()) return;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto streams = member(list->at(i), "streams");
      if (!streams || !streams->is_array()) continue;
      std::set<std::int64_t>& programme = programmes_.emplace_back();
      for (std::size_t j = 0; j < streams->size(); ++j)
        programme.insert(integer_of(streams->at(j), "index").value_or(-1));
    }
  }

  // Returns false if both are in programmes, and not in the same.
  bool belong_together(std::int64_t one, std::int64_t other) const {
    const auto has = [](const std::set<std::int64_t>& programme, std::int64_t index) {
      return programme.contains(index);
    };
    const auto is_in_any = [&](std::int64_t index) {
      return std::ranges::any_of(programmes_, [&](const auto& each) { return has(each, index); });
    };
    const bool are_in_one = std::ranges::any_of(
        programmes_, [&](const auto& each) { return has(each, one) && has(each, other); });
    return are_in_one || !is_in_any(one) || !is_in_any(other);
  }

 private:
  std::vector<std::set<std::int64_t>> programmes_;
};

// MPEG-TS names a type per stream. These are encrypted samples (HLS, SAMPLE-AES).
bool is_sample_encrypted(const Value& stream, std::string_view format) {
  constexpr std::array<std::string_view, 4> kTypes{"0x00db", "0x00cf", "0x00c1", "0x00c2"};
  return format == "mpegts" &&
         std::ranges::find(kTypes, text_of(stream, "codec_tag")) != kTypes.end();
}

// Titles that a record does not take are left out, and so is a chapter that is alone.
std::vector<media::Chapter> chapters_of(const Value& root, const std::optional<Value>& format) {
  std::vector<media::Chapter> chapters;
  const auto list = root.find("chapters");
  if (!list || !list->is_array()) return chapters;
  const double start = seconds(text_of(format, "start_time")).value_or(0);
  for (std::size_t i = 0; i < list->size() && chapters.size() < media::kMaxChapters; ++i) {
    const Value chapter = list->at(i);
    const auto begin = base::parse_number<double>(text_of(chapter, "start_time"), 0, 1e6);
    const std::string title(text::trimmed(text_of(member(chapter, "tags"), "title")));
    if (!begin || title.size() > media::kMaxChapterBytes ||
        !media::why_not_chapter_title(title).empty())
      continue;
    const std::int64_t at = std::llround(std::max(*begin - start, 0.0) * 1000);
    if (chapters.empty() || at > chapters.back().at) chapters.push_back({at, title});
  }
  if (chapters.size() == 1) chapters.clear();
  return chapters;
}

// Dolby Vision whose base layer means nothing without its metadata: profile 5, and the same of AV1.
bool has_private_colours(const Value& stream) {
  const auto list = stream.find("side_data_list");
  if (!list || !list->is_array()) return false;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto profile = integer_of(list->at(i), "dv_profile");
    const auto base = integer_of(list->at(i), "dv_bl_signal_compatibility_id");
    if (profile == 5 || (profile && *profile > 7 && base == 0)) return true;
  }
  return false;
}

base::Refusal<std::string> refuse_source(std::string reason) { return {std::move(reason)}; }

// A name from ffprobe's own tables, but unknown codecs may have none.
std::string named(const std::optional<Value>& stream) {
  const std::string codec = text_of(stream, "codec_name");
  return codec.empty() || codec == "unknown" ? "is not known here"
                                             : "(" + codec + ") is not supported";
}

}  // namespace

Fraction rate_of(const VideoStream& video, double measured, double error) {
  constexpr std::array<Fraction, 16> kUsual{{{24000, 1001},
                                             {24, 1},
                                             {25, 1},
                                             {30000, 1001},
                                             {30, 1},
                                             {48, 1},
                                             {50, 1},
                                             {60000, 1001},
                                             {60, 1},
                                             {10, 1},
                                             {12, 1},
                                             {25, 2},
                                             {15000, 1001},
                                             {15, 1},
                                             {20, 1},
                                             {120, 1}}};
  const auto& [base, average] = video.claimed;
  // Some demuxers count the two fields of a frame.
  if (video.interlaced && average.value() > 0 && is_near(measured, 2 * average.value(), 0.01))
    return video.rate;
  for (const Fraction& claim : {base, average}) {
    if (claim.value() > 0 && is_near(measured, claim.value(), error)) return usable(claim);
  }
  const auto distance = [&](const Fraction& rate) { return std::abs(rate.value() - measured); };
  const Fraction nearest = *std::ranges::min_element(kUsual, {}, distance);
  if (is_near(measured, nearest.value(), error)) return usable(nearest);
  constexpr double kMostMeasured = 1e6;
  return usable(
      {std::max<std::int64_t>(1, std::llround(std::min(measured, kMostMeasured) * 1000)), 1000});
}

base::Result<Source, std::string> read_source(std::string_view json, const Limits& limits) {
  const std::string unknown = "The file is not a video, a sound, an image or a PDF.";
  text::json::Document document;
  const auto root = document.parse(json);
  if (!root || !root->is_object()) return refuse_source(unknown);
  const auto format = root->find("format");
  const auto streams = root->find("streams");
  if (!format || !streams || !streams->is_array()) return refuse_source(unknown);
  if (integer_of(format, "probe_score").value_or(0) < kMinScore) return refuse_source(unknown);
  if (streams->size() > static_cast<std::size_t>(limits.max_streams))
    return refuse_source("The file has more than " + std::to_string(limits.max_streams) +
                         " streams.");

  Source source;
  source.format = text_of(format, "format_name");
  Choice video;
  Choice audio;
  const Programmes programmes(*root);
  const auto index_of = [](const Value& stream) -> std::optional<std::int64_t> {
    const auto index = integer_of(stream, "index");
    return index && *index >= 0 && *index <= 10'000 ? index : std::nullopt;
  };
  for (std::size_t i = 0; i < streams->size(); ++i) {
    const Value stream = streams->at(i);
    const auto index = index_of(stream);
    if (!index || text_of(stream, "codec_type") != "video") continue;
    if (!is_cover(stream, source.format)) {
      video.offer(stream);
    } else if (!source.cover && can_decode(text_of(stream, "codec_name"))) {
      source.cover = static_cast<int>(*index);
    }
  }
  source.chapters = chapters_of(*root, format);
  for (std::size_t i = 0; i < streams->size(); ++i) {
    const Value stream = streams->at(i);
    const std::string type = text_of(stream, "codec_type");
    const auto index = index_of(stream);
    if (!index) continue;
    if (video.stream && !programmes.belong_together(*index_of(*video.stream), *index)) continue;
    if (type == "audio") {
      audio.offer(stream);
    } else if (type == "subtitle") {
      const auto tags = member(stream, "tags");
      if (const auto text = text_format(text_of(stream, "codec_name")))
        source.texts.push_back({static_cast<int>(*index), text_of(tags, "language"),
                                text_of(tags, "title"), *text, flag_of(stream, "default"),
                                flag_of(stream, "forced"), flag_of(stream, "hearing_impaired")});
    }
  }
  if (!video.stream && !audio.stream)
    return refuse_source("The file has neither pictures nor sound.");

  for (const auto& stream : {video.stream, audio.stream}) {
    if (stream && is_sample_encrypted(*stream, source.format)) return refuse_source(kEncrypted);
  }

  source.claimed = claimed_duration(source.format, format, video.stream, audio.stream);

  if (audio.stream) {
    const std::string reason = "The codec of the sound " + named(audio.stream) + ".";
    if (audio.decodable()) {
      source.audio = static_cast<int>(*integer_of(audio.stream, "index"));
      source.channels = static_cast<int>(
          std::min<std::int64_t>(*integer_of(audio.stream, "channels"), kMostChannels));
      source.layout = text_of(audio.stream, "channel_layout");
    } else if (!video.stream) {
      return refuse_source(reason);
    } else {
      source.left_out = reason;
    }
  }
  if (!video.stream) {
    source.audio_ending = ending_of(source.format);
    if (source.audio_ending.empty()) return refuse_source("The file has no pictures.");
    return source;
  }

  if (!video.decodable())
    return refuse_source("The codec of the video " + named(video.stream) + ".");
  if (has_private_colours(*video.stream))
    return refuse_source(
        "The video has the colours of Dolby Vision only (profile 5). Upload a copy in HDR10, HLG "
        "or "
        "SDR.");
  VideoStream found;
  const auto size = screen_size(*video.stream);
  if (!size)
    return refuse_source("The video has no picture size. The file is incomplete or damaged.");
  // The size before rotation and with its own pixels must fit, too: the decoder
  // allocates memory for that size.
  const int longest = std::max(limits.max_width, limits.max_height);
  if (size->width > limits.max_width || size->height > limits.max_height ||
      *integer_of(video.stream, "width") > longest || *integer_of(video.stream, "height") > longest)
    return refuse_source("The picture is larger than " + std::to_string(limits.max_width) + " × " +
                         std::to_string(limits.max_height) + " pixels.");
  found.index = static_cast<int>(*integer_of(video.stream, "index"));
  found.size = *size;
  found.interlaced = is_interlaced(*video.stream);
  found.claimed = {fraction(text_of(*video.stream, "r_frame_rate"), '/').value_or(Fraction{}),
                   fraction(text_of(*video.stream, "avg_frame_rate"), '/').value_or(Fraction{})};
  found.rate = output_rate(found.claimed, found.interlaced);
  found.changes = changes_of(text_of(*video.stream, "codec_name"));
  found.turn = quarter_turns(*video.stream);
  found.transfer = transfer(*video.stream);
  found.primaries = primaries_of(*video.stream, found.transfer);
  found.matrix = matrix_of(*video.stream, found.transfer);
  source.video = found;
  return source;
}

}  // namespace svc::ingest
