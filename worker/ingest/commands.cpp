#include "ingest/commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include "base/number.h"
#include "ingest/caption_tracks.h"
#include "ingest/cues.h"

namespace svc::ingest {
namespace {

// The formats of our own files: playlists of fMP4 segments, and MP4.
constexpr std::string_view kOwnDemuxers = "hls,mov";
constexpr std::string_view kOwnDecoders = "h264,aac";
constexpr int kPosterSeconds = 12;  // the poster is chosen from the video's first seconds
// µs, for a picture that follows a hold: the sound of that time belongs to the
// same segments.
constexpr const char* kLongestWait = "3600000000";
constexpr const char* kPosterQuality = "3";  // of 1 (best) to 31

std::string text_of(media::Dimensions size, char between) {
  return std::to_string(size.width) + between + std::to_string(size.height);
}

std::string text_of(Fraction fraction, char between) {
  return std::to_string(fraction.numerator) + between + std::to_string(fraction.denominator);
}

int threads(const Limits& limits) {
  if (limits.threads > 0) return limits.threads;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
}

std::string most_pixels(const Limits& limits) {
  return std::to_string(std::int64_t{limits.max_width} * limits.max_height);
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

Words ffmpeg(const Limits& limits) {
  return {limits.ffmpeg,
          "-nostdin",
          "-hide_banner",
          "-nostats",
          "-v",
          "error",
          "-y",
          "-filter_threads",
          std::to_string(threads(limits)),
          "-filter_complex_threads",
          std::to_string(threads(limits))};
}

// Options of an upload as input. ffmpeg can open only the slice, regardless of
// the contents of the upload.
Words untrusted() {
  return {"-protocol_whitelist",  "file,subfile",     "-format_whitelist",
          std::string(kDemuxers), "-codec_whitelist", std::string(kDecoders)};
}

Words own() {
  return {"-protocol_whitelist", "file",
          "-format_whitelist",   std::string(kOwnDemuxers),
          "-codec_whitelist",    std::string(kOwnDecoders)};
}

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", seconds);
  return text.data();
}

// The colours of every output: BT.709, limited range. Frames carry these tags to the encoders and
// their files. Players guess about files without tags, each in its own way. The arguments of zscale
// replace the tags that the file lacks.
std::string colours(const VideoStream& video) {
  const std::string from = ",zscale=pin=" + std::to_string(video.primaries) +
                           ":min=" + std::to_string(video.matrix) + ":tin=";
  const std::string to = "t=bt709:m=bt709:r=tv,format=yuv420p";
  if (video.transfer == Transfer::Sdr) return from + "bt709:p=bt709:" + to;
  // Brightness of HDR to that of SDR.
  return from + (video.transfer == Transfer::Pq ? "smpte2084" : "arib-std-b67") +
         ":t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0,zscale=" +
         to;
}

// Scales pictures of our own video for JPEG, which lacks tags and always has BT.601 and full range
// (ITU-T T.871 §7).
std::string jpeg(media::Dimensions size) {
  return "scale=" + text_of(size, ':') +
         ":flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp"
         ":in_color_matrix=bt709:out_color_matrix=bt601:out_range=pc,format=yuvj420p";
}

// ffmpeg mixes the layouts that have a name and at most eight channels. In other layouts, every
// channel is audible: in turn on the left and on the right. The first four channels of ambisonic
// sound (AmbiX) are omnidirectional, left minus right, and two that do not distinguish left from
// right. Order n has (n + 1)² channels; the channels after them are additional stereo.
std::string stereo_mix(const Source& source) {
  constexpr std::string_view kAmbisonic = "ambisonic ";
  const bool ambisonic = source.layout.starts_with(kAmbisonic);
  const bool listed = source.layout.find(" channels") != std::string::npos;
  if (source.channels <= 8 && !ambisonic && !listed) return "";
  int first = 0;
  std::string left;
  std::string right;
  if (ambisonic) {
    std::string_view order = source.layout;
    order.remove_prefix(kAmbisonic.size());
    const int side = base::take_number<int>(order).value_or(0) + 1;
    first = std::min(source.channels, side * side);
    left = "+c0";
    right = "+c0";
    if (first > 1) left += "+c1";
    if (first > 1) right += "-c1";
  }
  for (int i = first; i < source.channels; ++i)
    ((i - first) % 2 == 0 ? left : right) += "+c" + std::to_string(i);
  if (right.empty()) right = left;
  return "pan=stereo|c0<" + left.substr(1) + "|c1<" + right.substr(1) + ",";
}

// Frames at a constant rate until the end of the timeline, except that the first second of a hold
// is followed by one frame per second. Frames are repeated before they are scaled. ffmpeg assumes
// that the last frame of a segment is as long as the others, and adds up the frames of the last
// segment. So the last frame of every segment is kept, and all frames of the last segment. The
// first tpad makes the last picture end soon: otherwise `fps` repeats it for the duration in the
// file, with all frames in memory.
std::string frames(const Timeline& timeline, Fraction rate) {
  constexpr double kLastSegment = kSegmentDuration + kKeyFrameInterval;
  std::string graph = "tpad=stop=1:stop_mode=clone,fps=" + text_of(rate, '/') +
                      ":start_time=0,tpad=stop_mode=clone:stop_duration=" +
                      seconds_text(timeline.end - timeline.last_picture + 1) +
                      ",trim=end=" + seconds_text(timeline.end);
  std::string held;
  for (const Hold& hold : timeline.holds) {
    const double end = std::min(hold.end, timeline.end - kLastSegment);
    held += "+between(t," + seconds_text(hold.begin + 1) + "," + seconds_text(end) + ")";
  }
  if (held.empty()) return graph;
  const std::string segment = std::to_string(kSegmentDuration);
  return graph + ",select='not(" + held.substr(1) +
         ")+gt(floor(t+0.001),floor(prev_selected_t+0.001))+gt(floor((t+0.001)/" + segment + "+1/" +
         segment + "/" + seconds_text(rate.value()) + "),floor((t+0.001)/" + segment + "))'";
}

// Each picture as large as it fits into the canvas, in its middle. The size of a picture is even
// and in whole lines of both fields, so that fields stay apart.
std::string letterboxed(media::Dimensions canvas, int turn) {
  if (turn == 90 || turn == 270) std::swap(canvas.width, canvas.height);
  const std::string wide = std::to_string(canvas.width);
  const std::string high = std::to_string(canvas.height);
  std::string graph = "scale=w='2*max(1,round(min(" + wide + "," + high +
                      "*iw*sar/ih)/2))':h='2*max(1,round(min(" + high + "," + wide +
                      "*ih/iw/sar)/2))':eval=frame:interl=-1:flags=bicubic,setsar=1,pad=" + wide +
                      ":" + high + ":x='2*trunc((ow-iw)/4)':y='4*trunc((oh-ih)/8)':eval=frame";
  if (turn == 90) graph += ",transpose=clock";
  if (turn == 180) graph += ",hflip,vflip";
  if (turn == 270) graph += ",transpose=cclock";
  return graph;
}

// The picture once, at the size of the largest rung, then a copy per rung.
std::string filters(const Source& source, const Timeline& timeline,
                    const std::vector<Rung>& rungs) {
  const VideoStream& video = *source.video;
  std::string graph = "[0:" + std::to_string(video.index) + "]";
  // ffmpeg 7's scale refuses a matrix that it cannot convert, also if it does not convert.
  const std::string scaled =
      "setparams=colorspace=unknown," +
      (video.letterbox ? letterboxed(rungs.front().size, video.turn)
                       : "scale=" + text_of(rungs.front().size, ':') + ":flags=bicubic");
  // bwdif refuses pictures of another size than the first.
  const bool scales_first =
      video.interlaced && video.letterbox && video.letterbox->changes_coded_size;
  if (scales_first) graph += scaled + ",";
  if (video.interlaced) graph += "bwdif=mode=send_frame:deint=interlaced,";
  graph += frames(timeline, video.rate);
  if (!scales_first) graph += "," + scaled;
  graph += colours(video) + ",setsar=1,";
  graph += "split=" + std::to_string(rungs.size());
  for (std::size_t i = 0; i < rungs.size(); ++i) graph += "[s" + std::to_string(i) + "]";
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const std::string number = std::to_string(i);
    graph += ";[s" + number + "]";
    graph += i == 0 ? "null" : "scale=" + text_of(rungs[i].size, ':') + ":flags=bicubic,setsar=1";
    graph += "[v" + number + "]";
  }
  return graph;
}

// `rate` in kbit/s.
void append_sound(Words& words, const Source& source, int rate) {
  append(words,
         {"-c:a", "aac", "-profile:a", "aac_low", "-b:a", std::to_string(rate) + "k", "-ac", "2",
          "-ar", "48000", "-af", stereo_mix(source) + "aresample=48000:async=1000:first_pts=0"});
}

}  // namespace

std::string playlist_file(const Rung& rung) { return rung.name + "/index.m3u8"; }

std::string slice_url(const std::string& path, std::uint64_t offset, std::uint64_t length) {
  return "subfile,,start," + std::to_string(offset) + ",end," + std::to_string(offset + length) +
         ",,:" + path;
}

Words probe_command(const Limits& limits, const std::string& url) {
  Words words{limits.ffprobe, "-hide_banner", "-v", "error"};
  append(words, untrusted());
  append(words, {"-of", "json", "-show_format", "-show_streams", "-show_programs", "-show_chapters",
                 "-i", url});
  return words;
}

Words scan_command(const Limits& limits, const std::string& url, const Source& source) {
  Words words = ffmpeg(limits);
  append(words, untrusted());
  append(words, {"-i", url});
  if (source.video) append(words, {"-map", "0:" + std::to_string(source.video->index)});
  if (source.audio) append(words, {"-map", "0:" + std::to_string(*source.audio)});
  append(words, {"-c", "copy", "-copyinkf", "-f", "framecrc", "pipe:1"});
  return words;
}

Words shapes_command(const Limits& limits, const std::string& url, const Source& source) {
  Words words{limits.ffprobe, "-hide_banner", "-v", "error"};
  append(words, untrusted());
  append(words, {"-max_pixels", most_pixels(limits), "-skip_frame", "nokey", "-select_streams",
                 std::to_string(source.video->index), "-show_entries",
                 "frame=width,height,sample_aspect_ratio", "-of", "csv=p=0", "-i", url});
  return words;
}

Words vp9_key_frames_command(const Limits& limits, const std::string& url, const Source& source) {
  Words words = ffmpeg(limits);
  append(words, untrusted());
  append(words, {"-i", url, "-map", "0:" + std::to_string(source.video->index), "-c", "copy",
                 "-bsf:v", "noise=drop=not(key)", "-f", "ivf", "pipe:1"});
  return words;
}

Words encode_command(const Limits& limits, const std::string& url, const Source& source,
                     const Timeline& timeline, const std::vector<Rung>& rungs) {
  const VideoStream& video = *source.video;
  // Only as a guard: forced key frames come earlier.
  const std::string longest_group =
      std::to_string(static_cast<int>(std::ceil(video.rate.value() * 2 * kKeyFrameInterval)));
  // The first frame in each interval, on every rung.
  const std::string key_frames = "expr:gte(t,n_forced*" + std::to_string(kKeyFrameInterval) + ")";

  Words words = ffmpeg(limits);
  append(words, {"-progress", "pipe:1", "-stats_period", "1"});
  append(words, untrusted());
  // The display matrix turns the canvas.
  if (video.letterbox) append(words, {"-noautorotate"});
  append(words, {"-max_pixels", most_pixels(limits), "-threads", std::to_string(threads(limits)),
                 "-reinit_filter:v", "0", "-t", std::to_string(std::llround(limits.max_duration)),
                 "-i", url, "-filter_complex", filters(source, timeline, rungs)});
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const Rung& rung = rungs[i];
    append(words, {"-map", "[v" + std::to_string(i) + "]"});
    if (source.audio) append(words, {"-map", "0:" + std::to_string(*source.audio)});
    append(words, {"-map_metadata",
                   "-1",
                   "-map_chapters",
                   "-1",
                   "-vsync",
                   "passthrough",
                   "-max_interleave_delta",
                   kLongestWait,
                   "-enc_time_base:v",
                   text_of(Fraction{video.rate.denominator, video.rate.numerator}, ':'),
                   "-c:v",
                   "libx264",
                   "-preset",
                   limits.preset,
                   "-profile:v",
                   "high",
                   "-pix_fmt",
                   "yuv420p",
                   "-threads:v",
                   std::to_string(threads(limits)),
                   "-crf",
                   "23",
                   "-maxrate",
                   std::to_string(rung.max_rate) + "k",
                   "-bufsize",
                   std::to_string(rung.max_rate * 2) + "k",
                   "-bf",
                   "2",
                   "-g",
                   longest_group,
                   "-sc_threshold",
                   "0",
                   "-forced-idr",
                   "1",
                   "-force_key_frames",
                   key_frames});
    if (source.audio) append_sound(words, source, rung.audio_rate);
    append(words, {"-f", "hls", "-hls_time", std::to_string(kSegmentDuration), "-hls_playlist_type",
                   "vod", "-hls_segment_type", "fmp4", "-hls_flags", "independent_segments",
                   "-hls_fmp4_init_filename", "init.mp4", "-hls_segment_filename",
                   rung.name + "/%d.m4s", playlist_file(rung)});
  }
  return words;
}

Words sound_command(const Limits& limits, const std::string& url, const Source& source) {
  Words words = ffmpeg(limits);
  append(words, {"-progress", "pipe:1", "-stats_period", "1"});
  append(words, untrusted());
  append(words,
         {"-t", std::to_string(std::llround(limits.max_duration)), "-i", url, "-map",
          "0:" + std::to_string(*source.audio), "-map_metadata", "-1", "-map_chapters", "-1"});
  append_sound(words, source, kSoundRate);
  append(words, {"-movflags", "+faststart", "-f", "mp4", kSoundFile});
  return words;
}

Words remux_command(const Limits& limits, const Rung& rung) {
  Words words = ffmpeg(limits);
  append(words, own());
  append(words, {"-i", playlist_file(rung), "-map", "0:v", "-map", "0:a?", "-c", "copy",
                 "-map_metadata", "-1", "-movflags", "+faststart", "-f", "mp4", kVideoFile});
  return words;
}

std::string cropped_poster_file(media::Dimensions size) {
  return "poster-" + text_of(size, 'x') + ".jpg";
}

std::vector<media::Dimensions> cropped_posters(media::Dimensions poster) {
  std::vector<media::Dimensions> sizes;
  std::ranges::copy_if(kCroppedPosters, std::back_inserter(sizes), [&](media::Dimensions size) {
    return size.width <= poster.width && size.height <= poster.height;
  });
  return sizes;
}

namespace {

// The 90th percentile of luma, in limited range, and the entropy of luma, of 1. A dark picture may
// have some bright spots, a picture of one colour some noise.
constexpr const char* kMeasured = "signalstats,entropy";
constexpr const char* kBrightness = "lavfi.signalstats.YHIGH";
constexpr const char* kVariety = "lavfi.entropy.normalized_entropy.normal.Y";
constexpr double kDarkest = 56;
constexpr double kFlattest = 0.15;

// Ends with a semicolon. The outputs are those of append_posters().
std::string posters(media::Dimensions video) {
  const std::vector<media::Dimensions> sizes = cropped_posters(video);
  std::string graph = jpeg(video) + ",split=" + std::to_string(sizes.size() + 1) + "[poster]";
  std::string crops;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string index = std::to_string(i);
    graph += "[whole" + index + "]";
    crops += "[whole" + index + "]scale=" + text_of(sizes[i], ':') +
             ":force_original_aspect_ratio=increase,crop=" + text_of(sizes[i], ':') +
             ",setsar=1[crop" + index + "];";
  }
  return graph + ";" + crops;
}

void append_picture(Words& words, const std::string& output, const char* quality,
                    const std::string& file) {
  append(words, {"-map", "[" + output + "]", "-frames:v", "1", "-q:v", quality, "-f", "image2",
                 "-update", "1", file});
}

void append_posters(Words& words, media::Dimensions video) {
  append_picture(words, "poster", kPosterQuality, kPosterFile);
  const std::vector<media::Dimensions> sizes = cropped_posters(video);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    append_picture(words, "crop" + std::to_string(i), kPosterQuality,
                   cropped_poster_file(sizes[i]));
}

}  // namespace

Words pictures_command(const Limits& limits, media::Dimensions video,
                       const Storyboard& storyboard) {
  // `select` takes the first frame in any case, so that a short video has a
  // poster. `fps` shows the last key frame before the time of each tile. With
  // sound the pictures are some hundredths of a second late: so look half a
  // second ahead.
  const std::string graph =
      "[0:v]select='isnan(prev_selected_t)+gte(t-prev_selected_t\\,0.3)',thumbnail=n=" +
      std::to_string(kPosterSeconds * 3) + "," + kMeasured + ",metadata=mode=print:file=-," +
      posters(video) + "[1:v]setpts=PTS-0.5/TB,tpad=stop_mode=clone:stop_duration=" +
      std::to_string(2 * kKeyFrameInterval) + ",fps=fps=1/" + std::to_string(storyboard.interval) +
      ":start_time=0:round=up," + jpeg(storyboard.tile) +
      ",tile=" + std::to_string(storyboard.columns) + "x" + std::to_string(storyboard.rows) +
      "[tiles]";
  Words words = ffmpeg(limits);
  append(words, own());
  append(words, {"-t", std::to_string(kPosterSeconds), "-i", kVideoFile});
  append(words, own());
  append(words, {"-skip_frame", "nokey", "-i", kVideoFile, "-filter_complex", graph});
  append_posters(words, video);
  append_picture(words, "tiles", "5", kStoryboardImage);
  return words;
}

bool is_dull(std::string_view measurements) {
  const auto least = [&](const char* key, double value) {
    const std::size_t at = measurements.find(std::string(key) + "=");
    if (at == std::string_view::npos) return true;
    std::string_view text = measurements.substr(at + std::string_view(key).size() + 1);
    text = text.substr(0, text.find('\n'));
    return base::parse_number<double>(text, 0).value_or(value) >= value;
  };
  return !least(kBrightness, kDarkest) || !least(kVariety, kFlattest);
}

// Key frames, each two seconds; of a short film all pictures.
Words later_poster_command(const Limits& limits, media::Dimensions video, double duration) {
  const auto at_least = [](const char* key, double value) {
    return std::string(",metadata=mode=select:key=") + key +
           ":function=greater:value=" + seconds_text(value);
  };
  Words words = ffmpeg(limits);
  append(words, own());
  if (duration > kPosterSeconds) append(words, {"-skip_frame", "nokey"});
  std::string graph = "[0:v]" + std::string(kMeasured) + at_least(kBrightness, kDarkest) +
                      at_least(kVariety, kFlattest) + ",thumbnail=n=8," + posters(video);
  graph.pop_back();  // the semicolon
  append(words, {"-i", kVideoFile, "-filter_complex", graph});
  append_posters(words, video);
  return words;
}

// The picture before that time, not the next one: they may show different things. ffmpeg writes
// every picture since from(), and the wanted picture last. ffmpeg cannot seek in a playlist of fMP4
// segments.
Words still_command(const Limits& limits, const Moment& moment) {
  constexpr double kLate = 0.03;  // 1024 samples of sound come first
  const double until = moment.seconds() + kLate;
  Words words = ffmpeg(limits);
  append(words, own());
  std::string graph = jpeg(moment.size);
  if (moment.is_in_playlist()) {
    append(words, {"-copyts", "-i", kFragmentFile});
    graph = "select='gte(t\\," + seconds_text(moment.from()) + ")*lte(t\\," + seconds_text(until) +
            ")'," + graph;
  } else {
    append(words, {"-ss", seconds_text(moment.from()), "-t", seconds_text(until - moment.from()),
                   "-i", "file:" + moment.file});
  }
  append(words, {"-map", "0:v:0", "-vf", graph, "-fps_mode", "passthrough", "-q:v", kPosterQuality,
                 "-f", "image2", "-update", "1", kStillFile});
  return words;
}

Words cover_command(const Limits& limits, const std::string& url, const Source& source) {
  Words words = ffmpeg(limits);
  append(words, untrusted());
  append(words, {"-max_pixels", most_pixels(limits), "-i", url, "-map",
                 "0:" + std::to_string(*source.cover), "-vf",
                 "scale=w='min(iw,1280)':h='2*max(1,round(min(iw,1280)*ih/iw/2))':flags=bicubic+"
                 "accurate_rnd:out_color_matrix=bt601:out_range=pc,format=yuvj420p,setsar=1",
                 "-map_metadata", "-1", "-frames:v", "1", "-q:v", kPosterQuality, "-f", "image2",
                 "-update", "1", kPosterFile});
  return words;
}

std::string caption_stream_file(std::size_t track) {
  return std::string(kCaptionsFolder) + "/" + std::to_string(track);
}

std::string caption_packets_file(std::size_t track) {
  return caption_stream_file(track) + ".packets";
}

Words captions_command(const Limits& limits, const std::string& url,
                       const std::vector<TextStream>& streams) {
  Words words = ffmpeg(limits);
  append(words, untrusted());
  append(words, {"-i", url});
  const std::size_t tracks = caption_tracks(streams).size();
  for (std::size_t i = 0; i < tracks; ++i) {
    const auto write = [&](const char* format, const std::string& file) {
      append(words, {"-map", "0:" + std::to_string(streams[i].index), "-map_metadata", "-1", "-c:s",
                     "copy", "-fs", std::to_string(kMaxCaptionBytes), "-f", format, file});
    };
    switch (streams[i].format) {
      case TextFormat::WebVtt: write("webvtt", caption_stream_file(i)); break;
      case TextFormat::Ass: write("ass", caption_stream_file(i)); break;
      default: write("data", caption_stream_file(i)); write("framecrc", caption_packets_file(i));
    }
  }
  return words;
}

namespace {

// How ffmpeg reads an image that was uploaded, and no other file.
struct ImageFormat {
  std::string_view ending;
  const char* demuxer;
  const char* decoder;
  Words encoder;  // of the same kind
};
const std::array<ImageFormat, 4> kImageFormats{
    {{"jpg", "jpeg_pipe", "mjpeg", {"mjpeg", "-q:v", "2"}},
     {"png", "png_pipe", "png", {"png"}},
     {"webp", "webp_pipe", "webp", {"libwebp", "-quality", "90"}},
     {"gif", "gif", "gif", {}}}};

}  // namespace

Words picture_command(const Limits& limits, std::string_view ending, const std::string& file) {
  const auto* const format = std::ranges::find(kImageFormats, ending, &ImageFormat::ending);
  if (format == kImageFormats.end()) return {};
  const std::string side = std::to_string(kLongestPosterSide);
  // JPEG has no transparent parts: they become black.
  const std::string opaque = ending == "jpg" ? "" : "format=gbrap,premultiply=inplace=1,";
  Words words = ffmpeg(limits);
  append(words, {"-protocol_whitelist",
                 "file",
                 "-format_whitelist",
                 format->demuxer,
                 "-codec_whitelist",
                 format->decoder,
                 "-max_pixels",
                 most_pixels(limits),
                 "-f",
                 format->demuxer,
                 "-i",
                 "file:" + file,
                 "-map",
                 "0:v:0",
                 "-vf",
                 opaque + "scale=w='min(iw," + side + ")':h='min(ih," + side +
                     ")':force_original_aspect_ratio=decrease:flags=bicubic+accurate_rnd:"
                     "out_color_matrix=bt601:out_range=pc,format=yuvj420p,setsar=1",
                 "-map_metadata",
                 "-1",
                 "-frames:v",
                 "1",
                 "-q:v",
                 kPosterQuality,
                 "-f",
                 "image2",
                 "-update",
                 "1",
                 kStillFile});
  return words;
}

Words turn_command(const Limits& limits, std::string_view ending, int orientation,
                   const std::string& from, const std::string& to) {
  // In the order of Exif, from 2 on. The numbers are those of the filter.
  constexpr std::array<const char*, 7> kTurns{
      "hflip", "hflip,vflip", "vflip", "transpose=0", "transpose=1", "transpose=3", "transpose=2"};
  const auto* const format = std::ranges::find(kImageFormats, ending, &ImageFormat::ending);
  Words words = ffmpeg(limits);
  append(words, {"-protocol_whitelist", "file", "-format_whitelist", format->demuxer,
                 "-codec_whitelist", format->decoder, "-noautorotate", "-f", format->demuxer, "-i",
                 from, "-vf", kTurns.at(static_cast<std::size_t>(orientation - 2)), "-map_metadata",
                 "-1", "-frames:v", "1", "-c:v"});
  append(words, format->encoder);
  append(words, {"-f", "image2", "-update", "1", to});
  return words;
}

double progress_in(std::string_view output, double fallback) {
  constexpr std::string_view kName = "out_time_us=";
  const std::size_t at = output.rfind(kName, output.rfind('\n'));
  if (at == std::string_view::npos) return fallback;
  std::string_view rest = output.substr(at + kName.size());
  const auto number = base::take_number<std::int64_t>(rest);
  return number && *number >= 0 ? static_cast<double>(*number) / 1e6 : fallback;
}

}  // namespace svc::ingest
