#include "ingest/transcoder.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/unavailable.h"
#include "captions/cue.h"
#include "captions/webvtt.h"
#include "ingest/boxes.h"
#include "ingest/caption_tracks.h"
#include "ingest/child_process.h"
#include "ingest/codecs.h"
#include "ingest/commands.h"
#include "ingest/cues.h"
#include "ingest/encryption.h"
#include "ingest/failure.h"
#include "ingest/files.h"
#include "ingest/image.h"
#include "ingest/ladder.h"
#include "ingest/landlock.h"
#include "ingest/listed_decoders.h"
#include "ingest/media_playlist.h"
#include "ingest/shapes.h"
#include "ingest/sniff.h"
#include "ingest/source.h"
#include "ingest/storyboard.h"
#include "ingest/timeline.h"

namespace svc::ingest {
namespace {

constexpr std::chrono::minutes kStepTime{30};     // plus a part that grows with the upload
constexpr std::size_t kMaxProbeOutput = 4 << 20;  // bytes
constexpr std::size_t kMaxOwnFile = 64 << 20;     // bytes, per playlist or init section
constexpr std::uint64_t kMostOfOneCopy = 8 * kMaxCaptionBytes;  // ffmpeg stops after the packet
constexpr std::string_view kCancelled = "Processing was cancelled.";
// Parts of the whole after each step.
constexpr double kProbed = 0.01;
constexpr double kEncoded = 0.94;
constexpr double kRemuxed = 0.96;
constexpr double kPictured = 0.98;

// Thrown within this file only, and caught in transcode().
struct Failed {
  Failure failure;
};

[[noreturn]] void refuse(std::string reason) { throw Failed{{true, std::move(reason), ""}}; }

// ffmpeg exits with 0 although something is missing.
[[noreturn]] void refuse_result(std::string detail) {
  throw Failed{{true, "The file is damaged: no pictures could be decoded.", std::move(detail)}};
}

// ffmpeg also exits with 0 if its output was cut off.
[[noreturn]] void blame_machine(std::string detail) {
  throw Failed{{false, why_not_stored(EIO), std::move(detail)}};
}

// Estimates the bytes that a conversion stores. The rates bound it for long files of few bytes, the
// source for others: the renditions together take about as much, the MP4 half of that.
std::uint64_t estimated_bytes(const Timeline& timeline, const std::vector<Rung>& rungs,
                              std::uint64_t length) {
  double rates = rungs.front().max_rate + rungs.front().audio_rate;  // kbit/s, of the MP4
  for (const Rung& rung : rungs) rates += rung.max_rate + rung.audio_rate;
  return std::min(2 * length, static_cast<std::uint64_t>(rates * 125 * timeline.end)) + kLeastRoom;
}

std::uint64_t estimated_files(const Timeline& timeline, const std::vector<Rung>& rungs) {
  return rungs.size() * static_cast<std::uint64_t>(timeline.end / kSegmentDuration + 1) +
         kLeastFiles;
}

// The pixels that a conversion encodes.
double pixels_of(const Timeline& timeline, Fraction rate, const std::vector<Rung>& rungs) {
  double seconds = timeline.end;
  for (const Hold& hold : timeline.holds) seconds -= hold.end - hold.begin;
  double pixels = 0;
  for (const Rung& rung : rungs) pixels += static_cast<double>(rung.size.width) * rung.size.height;
  return pixels * std::max(seconds, 0.0) * rate.value();
}

// A second of sound takes as long as these pixels.
constexpr double kPixelsOfSound = 1e6;

class Job {
 public:
  Job(const Input& input, std::string folder, const Limits& limits,
      const std::function<bool(double)>& report, const std::function<bool(double)>& takes_on)
      : input_(input),
        path_(std::filesystem::absolute(input.file)),
        folder_(std::move(folder)),
        limits_(limits),
        report_(report),
        takes_on_(takes_on),
        end_(std::chrono::steady_clock::now() + limits.encode_time) {}

  Product make() {
    need_room();
    const auto size = size_of(path_);
    if (!size) throw FileError("cannot read the upload");
    if (input_.offset > *size || input_.length > *size - input_.offset)
      throw FileError("the upload is shorter than its slice");
    const auto head =
        read_file(path_, input_.offset, std::min<std::uint64_t>(input_.length, kSniffedBytes));
    if (!head) throw FileError("cannot read the upload");
    const Sniffed sniffed = sniff(*head);
    switch (sniffed.kind) {
      case Kind::Refused: refuse(sniffed.reason);
      case Kind::Pdf: return keep("PdfDocument", sniffed.ending);
      case Kind::Image: return image(sniffed);
      case Kind::Unknown: break;
    }
    if (is_encrypted(path_, input_.offset, input_.length, *head)) refuse(kEncrypted);
    url_ = slice_url(path_, input_.offset,
                     length_of_whole_fragments(path_, input_.offset, input_.length));
    Source source = probe(head->substr(0, 12));
    const Timeline timeline = scan(source);
    if (source.video) adapt(source, timeline);
    advance(kProbed);
    if (source.video) return video(source, timeline);
    Product product = keep("Audio", source.audio_ending);
    if (timeline.end > 0) product.duration = timeline.end;
    if (source.audio) add_sound(product, source, timeline);
    if (source.cover) add_cover(product, source);
    add_chapters(product, source);
    return product;
  }

  // Returns the failure to report. A disk that was full at any time explains every failure.
  Failure judge(Failure failure) const {
    if (failure.no_room || failure.left || failure.reason == kCancelled) return failure;
    std::string why = why_no_room(folder_);
    if (why.empty() && was_short_of_room_) why = why_not_stored(ENOSPC);
    if (why.empty()) return failure;
    failure.final = false;
    failure.no_room = true;
    failure.reason = std::move(why);
    return failure;
  }

  // Throws Failed if the disk may not have taken all of the product: a picture or captions that are
  // cut off do not show otherwise.
  void check_room() const {
    if (was_short_of_room_) throw Failed{no_room(why_not_stored(ENOSPC))};
    need_room();
  }

  // Reports at most once per second. Throws Failed if the caller cancels.
  void stay_alive() {
    const auto now = std::chrono::steady_clock::now();
    if (now < report_at_) return;
    advance(progress_);
    report_at_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  }

 private:
  std::string in_folder(const std::string& name) const { return folder_ + "/" + name; }

  // Returns false if the caller cancels.
  bool tell(double progress) {
    progress_ = std::clamp(progress, progress_, 1.0);
    was_short_of_room_ = was_short_of_room_ || is_short_of_room(folder_);
    return report_(progress_);
  }

  void need_room(std::uint64_t bytes = kLeastRoom, std::uint64_t files = kLeastFiles) const {
    const std::string why = why_no_room(folder_, bytes, files);
    if (!why.empty()) throw Failed{no_room(why)};
  }

  void take_on(double pixels) const {
    if (takes_on_ && !takes_on_(pixels)) throw Failed{{false, "Left.", "", false, true}};
  }

  void advance(double progress) {
    if (!tell(progress)) throw Failed{{false, std::string(kCancelled), ""}};
  }

  // Limits of a child process. Its time is at most the rest of the job's time.
  struct Cost {
    std::chrono::seconds time{0};
    std::uint64_t file_size = 0;
  };

  Outcome run_step(const Words& words, bool reads_upload, const Cost& cost,
                   const std::function<bool(std::string_view)>& listener) {
    const auto left =
        std::chrono::ceil<std::chrono::seconds>(end_ - std::chrono::steady_clock::now());
    if (left <= std::chrono::seconds(0)) return {End::Starved, 0, ""};
    Command command{words, folder_, {}};
    if (reads_upload) {
      ListedDecoders decoders = listed_decoders();
      command.reads = {path_, std::move(decoders.library)};
      command.environment = std::move(decoders.environment);
    }
    const Confinement confinement{std::min(cost.time, left), limits_.memory, cost.file_size,
                                  limits_.open_files, Forks::None};
    return run(command, confinement, listener);
  }

  Outcome run_short(const Words& words, bool reads_upload, const Cost& cost) {
    return run_step(words, reads_upload, cost,
                    [this](std::string_view text) { return !text.empty() || tell(progress_); });
  }

  // By the bytes of the upload: reading alone is fast.
  Cost cost_of_reading() const {
    return {kStepTime + std::chrono::seconds(input_.length >> 20), limits_.file_size};
  }

  // Grows with the pictures of the upload: a second per picture, and a second per
  // twenty held pictures, which is far more than a busy machine needs.
  Cost cost_of(const Timeline& timeline) const {
    const double seconds = static_cast<double>(timeline.pictures) + timeline.end / 20;
    return {kStepTime + std::chrono::seconds(std::llround(seconds)), limits_.file_size};
  }

  static void check(const Outcome& outcome) {
    if (!outcome.succeeded()) throw Failed{failure_of(outcome)};
  }

  static Failure no_room(std::string why) { return {false, std::move(why), "", true}; }

  Source probe(std::string_view head) {
    std::string json;
    const Outcome outcome =
        run_step(probe_command(limits_, url_), true, {limits_.probe_time, limits_.file_size},
                 [&](std::string_view text) {
                   json += text;
                   if (json.size() > kMaxProbeOutput) return false;
                   return !text.empty() || tell(0);
                 });
    if (json.size() > kMaxProbeOutput) refuse("The file has too many streams.");
    if (outcome.end == End::Exited && outcome.status != 0) {
      // Text that ffprobe prints for an input that no demuxer of the list takes.
      const Failure failure = failure_of(outcome);
      const bool foreign =
          outcome.errors.find("Format not on whitelist") != std::string::npos ||
          outcome.errors.find("Invalid data found when processing input") != std::string::npos;
      // ffprobe also takes zeros for an MP4 without an index.
      const bool is_mp4 = head.size() >= 8 && head.substr(4, 4) == "ftyp";
      if (failure.final && foreign && !is_mp4)
        throw Failed{
            {true, "The file is not a video, a sound, an image or a PDF.", outcome.errors}};
    }
    check(outcome);
    auto source = read_source(json, limits_);
    if (!source) throw Failed{{true, source.error(), outcome.errors}};
    if (!source->left_out.empty()) note(source->left_out);
    return *std::move(source);
  }

  Timeline scan(const Source& source) {
    TimelineReader reader(source.video.has_value());
    const Outcome outcome = run_step(scan_command(limits_, url_, source), true, cost_of_reading(),
                                     [&](std::string_view text) {
                                       reader.read(text);
                                       return !text.empty() || tell(0);
                                     });
    check(outcome);
    const double picture = source.video ? 1 / source.video->rate.value() : 0;
    Timeline timeline = reader.finish(picture, limits_.max_duration, outcome.errors);
    if (timeline.last_packet > limits_.max_duration)
      refuse("The file is longer than " + std::to_string(std::lround(limits_.max_duration / 60)) +
             " minutes.");
    if (source.video && timeline.pictures == 0) refuse_result(outcome.errors);
    // A file that was cut off still has its full duration in its header.
    if (source.video && timeline.cut && source.claimed)
      check_length(*source.claimed, timeline.end, outcome.errors);
    return timeline;
  }

  // A damaged film has the shapes that were found before the damage.
  template <class Reader>
  std::vector<Shape> shapes_in(const Words& words, const Timeline& timeline) {
    Reader reader;
    const Outcome outcome = run_step(words, true, cost_of(timeline), [&](std::string_view text) {
      reader.read(text);
      return !text.empty() || tell(progress_);
    });
    if (!outcome.succeeded() && !failure_of(outcome).final) check(outcome);
    return reader.shapes();
  }

  // What the packets and pictures of the film show counts more than its header.
  void adapt(Source& source, const Timeline& timeline) {
    VideoStream& video = *source.video;
    if (timeline.rate) video.rate = rate_of(video, timeline.rate->rate, timeline.rate->error);
    const int longest = std::max(limits_.max_width, limits_.max_height);
    if (video.changes == ShapeChanges::Decoded)
      video.letterbox = letterbox(
          shapes_in<ShapeReader>(shapes_command(limits_, url_, source), timeline), longest);
    if (video.changes == ShapeChanges::Vp9)
      video.letterbox = letterbox(
          shapes_in<Vp9ShapeReader>(vp9_key_frames_command(limits_, url_, source), timeline),
          longest);
    if (!video.letterbox) return;
    video.size = video.letterbox->canvas;
    if (video.turn == 90 || video.turn == 270) std::swap(video.size.width, video.size.height);
  }

  // The film is made without something that the file has.
  static void note(std::string_view reason) {
    base::log::warn("ingest.left_out", {{"reason", reason}});
  }

  static std::string original_file(const std::string& ending) { return "original." + ending; }

  // The upload as it is.
  Product keep(std::string type, const std::string& ending) {
    Product product;
    product.type = std::move(type);
    product.original = original_file(ending);
    need_room(input_.length + kLeastRoom);
    copy_slice(path_, input_.offset, input_.length, in_folder(product.original),
               [this] { stay_alive(); });
    return product;
  }

  [[noreturn]] static void refuse_large_image() {
    refuse("The image is larger than " + std::to_string(kMaxImageBytes >> 20) + " MiB.");
  }

  Product image(const Sniffed& sniffed) {
    if (input_.length > kMaxImageBytes) refuse_large_image();
    const auto bytes = read_file(path_, input_.offset, input_.length);
    if (!bytes) throw FileError("cannot read the upload");
    const auto clean = clean_image(sniffed.ending, *bytes);
    if (!clean) refuse("The image is damaged: it has no picture.");
    const auto size = sniff(clean->bytes).size;  // metadata may precede it
    if (!size) refuse("The image is damaged: it has no size.");
    if (size->width > limits_.max_width || size->height > limits_.max_height)
      refuse("The picture is larger than " + std::to_string(limits_.max_width) + " × " +
             std::to_string(limits_.max_height) + " pixels.");
    need_room(2 * input_.length + kLeastRoom);  // the file and a turned copy
    Product product;
    product.type = "Image";
    product.original = original_file(sniffed.ending);
    product.native = size;
    write_file(in_folder(product.original), clean->bytes);
    if (clean->orientation != 1) turn(product, sniffed.ending, *clean);
    product.thumbnail = media::Thumbnail{product.original, product.native};
    return product;
  }

  // Replaces the original by a turned one.
  void turn(Product& product, const std::string& ending, const CleanImage& clean) {
    const std::string file = "turned." + ending;
    check(run_short(turn_command(limits_, ending, clean.orientation, product.original, file), false,
                    cost_of_reading()));
    const auto size = size_of(in_folder(file));
    if (size > kMaxImageBytes) refuse_large_image();
    const auto bytes = read_file(in_folder(file), 0, kMaxImageBytes);
    if (!bytes) blame_machine("the turned image is missing");
    const auto turned = clean_image(ending, *bytes);
    if (!turned) refuse("The image is damaged: it has no picture.");
    for (const std::string& old : {file, product.original}) std::filesystem::remove(in_folder(old));
    write_file(in_folder(product.original), turned->profile.empty()
                                                ? with_profile(ending, turned->bytes, clean.profile)
                                                : turned->bytes);
    constexpr int kFirstThatSwapsSides = 5;
    if (clean.orientation >= kFirstThatSwapsSides)
      std::swap(product.native->width, product.native->height);
  }

  Product video(Source source, const Timeline& timeline) {
    source.video->rate = affordable(source.video->rate, timeline);
    const std::vector<Rung> rungs = ladder(*source.video);
    take_on(pixels_of(timeline, source.video->rate, rungs) + kPixelsOfSound * timeline.end);
    need_room(estimated_bytes(timeline, rungs, input_.length), estimated_files(timeline, rungs));
    const std::string errors = encode(source, timeline, rungs);

    Product product;
    product.type = "Video";
    product.native = source.video->size;
    for (const Rung& rung : rungs) add_variant(product, source, rung, errors);
    check_length(timeline.end, *product.duration, errors);
    add_mp4(product, rungs, cost_of(timeline));
    advance(kRemuxed);
    add_pictures(product, cost_of(timeline));
    advance(kPictured);
    add_captions(product, source);
    add_chapters(product, source);
    return product;
  }

  // What browsers play of a file without pictures.
  void add_sound(Product& product, const Source& source, const Timeline& timeline) {
    take_on(kPixelsOfSound * timeline.end);
    need_room(static_cast<std::uint64_t>(kSoundRate * 125 * timeline.end) + kLeastRoom);
    double decoded = 0;
    const Outcome outcome = run_encoder(sound_command(limits_, url_, source), timeline, &decoded);
    // ffmpeg refuses a sound most of whose packets are damaged.
    const bool refused =
        outcome.end == End::Exited && outcome.status != 0 && failure_of(outcome).final;
    if (refused || (outcome.succeeded() && decoded <= 0))
      throw Failed{{true, "The file is damaged: no sound could be decoded.", outcome.errors}};
    check(outcome);
    const auto size = size_of(in_folder(kSoundFile));
    if (!size || !has_whole_boxes(in_folder(kSoundFile))) blame_machine("the sound is cut off");
    media::Asset asset;
    asset.type = media::AssetType::Mp4;
    asset.url = kSoundFile;
    asset.codecs = "mp4a.40.2";
    const double length = std::max(timeline.end, 0.001);
    asset.bandwidth =
        std::max<std::int64_t>(1, std::llround(std::ceil(static_cast<double>(*size) * 8 / length)));
    asset.average_bandwidth = asset.bandwidth;
    product.assets.push_back(std::move(asset));
  }

  // Returns the errors that ffmpeg printed before it continued. Leaves out
  // sound that ffmpeg refuses.
  std::string encode(Source& source, const Timeline& timeline, const std::vector<Rung>& rungs) {
    Outcome outcome = try_to_encode(source, timeline, rungs);
    if (outcome.end == End::Exited && outcome.status != 0 && source.audio &&
        failure_of(outcome).final) {
      source.audio.reset();
      const std::string errors =
          std::exchange(outcome, try_to_encode(source, timeline, rungs)).errors;
      if (outcome.succeeded()) note("The sound cannot be converted: " + errors);
    }
    check(outcome);
    advance(kEncoded);
    return outcome.errors;
  }

  Outcome try_to_encode(const Source& source, const Timeline& timeline,
                        const std::vector<Rung>& rungs) {
    for (const Rung& rung : rungs) make_empty_folder(in_folder(rung.name));
    return run_encoder(encode_command(limits_, url_, source, timeline, rungs), timeline);
  }

  // Reports the progress that ffmpeg prints. `end`: the seconds that it has encoded.
  Outcome run_encoder(const Words& words, const Timeline& timeline, double* end = nullptr) {
    std::string output;
    double seconds = 0;
    Outcome outcome = run_step(words, true, cost_of(timeline), [&](std::string_view text) {
      output += text;
      seconds = progress_in(output, seconds);
      if (output.size() > 4096) output.erase(0, output.size() - 4096);
      if (!text.empty()) return true;
      const double part = timeline.end > 0 ? seconds / timeline.end : 0;
      return tell(kProbed + (kEncoded - kProbed) * std::min(part, 1.0));
    });
    if (end != nullptr) *end = seconds;
    return outcome;
  }

  void add_variant(Product& product, const Source& source, const Rung& rung,
                   const std::string& errors) {
    const auto text = read_file(in_folder(playlist_file(rung)), 0, kMaxOwnFile);
    const auto playlist = text ? read_media_playlist(*text) : std::nullopt;
    if (!playlist || !playlist->ended || playlist->segments.empty()) refuse_result(errors);
    std::vector<std::uint64_t> sizes;
    for (const Segment& segment : playlist->segments) {
      const auto size = size_of(in_folder(rung.name + "/" + segment.uri));
      if (!size) refuse_result(errors);
      if (!has_whole_boxes(in_folder(rung.name + "/" + segment.uri)))
        blame_machine("a segment is cut off");
      sizes.push_back(*size);
    }
    const auto rates = measure(*playlist, sizes);
    const auto section = read_file(in_folder(rung.name + "/" + playlist->map), 0, kMaxOwnFile);
    const auto codecs = section ? codecs_of(*section) : std::nullopt;
    if (!rates || !codecs) refuse_result(errors);

    media::Asset asset;
    asset.type = media::AssetType::Hls;
    asset.url = playlist_file(rung);
    asset.size = rung.size;
    asset.bandwidth = rates->peak;
    asset.average_bandwidth = rates->average;
    asset.codecs = *codecs;
    asset.frame_rate = source.video->rate.value();
    if (!product.duration) product.duration = std::round(playlist->duration() * 1000) / 1000;
    product.assets.push_back(std::move(asset));
  }

  static void check_length(double expected, double found, const std::string& errors) {
    const double tolerated = std::max(2.0, expected * 0.1);
    if (found + tolerated >= expected) return;
    throw Failed{{true,
                  "The file is incomplete: it has " + std::to_string(std::lround(found)) + " of " +
                      std::to_string(std::lround(expected)) + " seconds.",
                  errors}};
  }

  void add_mp4(Product& product, const std::vector<Rung>& rungs, const Cost& cost) {
    constexpr int kLargestBox = 720;
    const auto rung =
        std::ranges::find_if(rungs, [](const Rung& one) { return one.box <= kLargestBox; });
    const std::size_t index =
        rung == rungs.end() ? rungs.size() - 1 : static_cast<std::size_t>(rung - rungs.begin());
    check(run_short(remux_command(limits_, rungs[index]), false, cost));
    const auto size = size_of(in_folder(kVideoFile));
    if (!size) throw FileError("the MP4 is missing");
    if (!has_whole_boxes(in_folder(kVideoFile))) blame_machine("the MP4 is cut off");
    media::Asset asset = product.assets[index];
    asset.type = media::AssetType::Mp4;
    asset.url = kVideoFile;
    asset.bandwidth = std::max<std::int64_t>(
        1, std::llround(std::ceil(static_cast<double>(*size) * 8 / *product.duration)));
    asset.average_bandwidth = asset.bandwidth;
    product.assets.push_back(std::move(asset));
  }

  void add_pictures(Product& product, const Cost& cost) {
    const media::Dimensions size = *product.assets.back().size;
    const Storyboard board = storyboard(*product.duration, size);
    std::string measurements;
    check(run_step(pictures_command(limits_, size, board), false, cost, [&](std::string_view text) {
      if (measurements.size() < kMaxProbeOutput) measurements += text;
      return !text.empty() || tell(progress_);
    }));
    if (is_dull(measurements))
      check(run_short(later_poster_command(limits_, size, *product.duration), false, cost));
    if (size_of(in_folder(kPosterFile)).value_or(0) > 0)
      product.thumbnail = media::Thumbnail{kPosterFile, size};
    if (size_of(in_folder(kStoryboardImage)).value_or(0) == 0) return;
    write_file(in_folder(kStoryboardFile), to_webvtt(board, *product.duration, kStoryboardImage));
    product.storyboard = kStoryboardFile;
  }

  static void add_chapters(Product& product, const Source& source) {
    for (const media::Chapter& chapter : source.chapters) {
      if (static_cast<double>(chapter.at) < product.duration.value_or(0) * 1000)
        product.chapters.push_back(chapter);
    }
    if (product.chapters.size() == 1) product.chapters.clear();
  }

  // If the cover cannot be read, the sound is published without it.
  void add_cover(Product& product, const Source& source) {
    const Outcome outcome = run_short(cover_command(limits_, url_, source), true,
                                      {limits_.captions_time, kMaxImageBytes});
    if (!outcome.succeeded() && !failure_of(outcome).final) check(outcome);
    const auto poster =
        outcome.succeeded() ? read_file(in_folder(kPosterFile), 0, kSniffedBytes) : std::nullopt;
    if (const auto size = poster ? sniff(*poster).size : std::nullopt) {
      product.thumbnail = media::Thumbnail{kPosterFile, *size};
    } else {
      std::filesystem::remove(in_folder(kPosterFile));
    }
  }

  // If captions cannot be read, the video is published without them.
  void add_captions(Product& product, const Source& source) {
    if (source.texts.empty()) return;
    make_empty_folder(in_folder(kCaptionsFolder));
    const Outcome outcome = run_short(captions_command(limits_, url_, source.texts), true,
                                      {limits_.captions_time, kMostOfOneCopy});
    if (!outcome.succeeded()) {
      const Failure failure = failure_of(outcome);
      if (!failure.final) throw Failed{failure};
      base::log::warn("ingest.captions", {{"reason", failure.reason}});
    }
    std::vector<media::Captions> tracks = caption_tracks(source.texts);
    // Files of a failed run may be cut off.
    for (std::size_t i = 0; outcome.succeeded() && i < tracks.size(); ++i) {
      const std::string text = webvtt_of(source.texts[i].format, i);
      if (text.size() <= std::string_view("WEBVTT\n\n").size()) continue;
      write_file(in_folder(tracks[i].url), text);
      product.captions.push_back(std::move(tracks[i]));
    }
    std::filesystem::remove_all(in_folder(kCaptionsFolder));
  }

  // Returns an empty text if the track is empty or too large.
  std::string webvtt_of(TextFormat format, std::size_t track) {
    const auto read = [&](const std::string& file) {
      auto text = read_file(in_folder(file), 0, kMaxCaptionBytes);
      return text && text->size() < kMaxCaptionBytes ? std::move(text) : std::nullopt;
    };
    auto text = read(caption_stream_file(track));
    if (text && format == TextFormat::Ass) {
      text = captions::to_webvtt(captions::in_order(read_ass(*text)));
    } else if (text && format != TextFormat::WebVtt) {
      const auto list = read(caption_packets_file(track));
      text = list ? std::optional(
                        captions::to_webvtt(captions::in_order(read_packets(format, *list, *text))))
                  : std::nullopt;
    }
    if (text && text->size() <= kMaxCaptionBytes) return *std::move(text);
    base::log::warn("ingest.captions", {{"reason", "A track cannot be read, or is too large."}});
    return "";
  }

  const Input& input_;
  std::string path_;
  std::string folder_;
  const Limits& limits_;
  const std::function<bool(double)>& report_;
  const std::function<bool(double)>& takes_on_;
  std::string url_;
  double progress_ = 0;
  bool was_short_of_room_ = false;
  std::chrono::steady_clock::time_point report_at_{};
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace

base::Result<Product, Failure> transcode(const Input& input, const std::string& output_folder,
                                         const Limits& limits,
                                         const std::function<bool(double progress)>& report,
                                         const std::function<bool(double pixels)>& takes_on) {
  static const bool warned = [] {
    if (landlock_version() == 0) base::log::warn("ingest.unconfined");
    return true;
  }();
  static_cast<void>(warned);
  // Absolute, because it is the working folder of the children.
  const std::string folder = std::filesystem::absolute(output_folder);
  Failure failure;
  Job job(input, folder, limits, report, takes_on);
  try {
    make_empty_folder(folder);
    Product product = job.make();
    settle(folder, [&] { job.stay_alive(); });
    job.check_room();
    if (report(1)) return product;
    failure = {false, std::string(kCancelled), ""};
  } catch (const Failed& failed) {
    failure = failed.failure;
  } catch (const FileError& error) {
    failure = {false, why_not_stored(EIO), error.what()};
  } catch (const base::Unavailable& error) {
    failure = {false, "The machine could not process the file.", error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    failure = {false, why_not_stored(EIO), error.what()};
  }
  failure = job.judge(std::move(failure));
  try {
    make_empty_folder(folder);
  } catch (const FileError& error) {
    base::log::warn("ingest.leftovers", {{"reason", error.what()}});
  }
  return base::Refusal{std::move(failure)};
}

}  // namespace svc::ingest
