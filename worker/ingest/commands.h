// commands: the command lines of ffprobe and ffmpeg.
//
// A command writes its files relative to its working folder, the output folder. The names of these
// files are fixed here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/ladder.h"
#include "ingest/limits.h"
#include "ingest/source.h"
#include "ingest/storyboard.h"
#include "ingest/timeline.h"
#include "media/media.h"

namespace svc::ingest {

using Words = std::vector<std::string>;

inline constexpr int kKeyFrameInterval = 2;  // seconds
inline constexpr int kSegmentDuration = 4;   // seconds

inline constexpr const char* kVideoFile = "video.mp4";
inline constexpr const char* kSoundFile = "sound.m4a";
inline constexpr int kSoundRate = 128;  // kbit/s, of kSoundFile
inline constexpr const char* kPosterFile = "poster.jpg";
using media::kStoryboardImage;
inline constexpr const char* kStoryboardFile = "storyboard.vtt";
std::string playlist_file(const Rung& rung);  // "720p/index.m3u8"

// Sizes of the poster that are made once, because our own responses and pages
// request them of every video (`?image_crop_resized=WxH`): without a requested
// size, oEmbed, og:image and media pages have the first; a popover's thumbnail
// has the second. nginx serves the file of such a size, and crops any other on
// request (nginx/svc-media.conf).
inline constexpr std::array<media::Dimensions, 2> kCroppedPosters{media::kDefaultDimensions,
                                                                  media::kPopoverThumbnail};
std::string cropped_poster_file(media::Dimensions size);  // "poster-640x360.jpg"

// The sizes of kCroppedPosters that fit into a poster of that size: a poster is
// never enlarged.
std::vector<media::Dimensions> cropped_posters(media::Dimensions poster);

// The slice of a file that is the media, as ffmpeg's subfile protocol names it.
// `path` is absolute; it may have any character.
std::string slice_url(const std::string& path, std::uint64_t offset, std::uint64_t length);

// Prints the format and the streams as JSON.
Words probe_command(const Limits& limits, const std::string& url);

// Copies the pictures and the sound, and prints a line for each packet, for
// TimelineReader.
Words scan_command(const Limits& limits, const std::string& url, const Source& source);

// Decodes the key frames of the pictures, and prints a line for each of them, for ShapeReader.
Words shapes_command(const Limits& limits, const std::string& url, const Source& source);

// Prints the key frames of VP9, for Vp9ShapeReader.
Words vp9_key_frames_command(const Limits& limits, const std::string& url, const Source& source);

// Decodes once and encodes every rung as HLS with fMP4 segments. The film ends
// with the timeline; where it holds a picture, the film has one frame per
// second. Prints "out_time_us=<µs>" about once per second.
Words encode_command(const Limits& limits, const std::string& url, const Source& source,
                     const Timeline& timeline, const std::vector<Rung>& rungs);

// Encodes the sound of a file without pictures as one MP4 whose index comes first. Prints the
// progress like encode_command().
Words sound_command(const Limits& limits, const std::string& url, const Source& source);

// Copies the streams of a rung into one MP4 whose index comes first.
Words remux_command(const Limits& limits, const Rung& rung);

// Makes the poster, its cropped_posters() and the storyboard's image from the
// MP4, which has the size `video`. The poster has that size too and is a typical
// picture of the first seconds, whose measurements are printed for is_dull().
// A cropped poster is the largest part of that size's ratio in the middle of the
// poster, scaled.
Words pictures_command(const Limits& limits, media::Dimensions video, const Storyboard& storyboard);

// Returns true if the printed measurements are of a picture that is dark or of one colour: most of
// its opening shows nothing.
bool is_dull(std::string_view measurements);

// Makes the poster and its cropped_posters() again, of the first pictures of the film that are not
// dull. Writes nothing if all are.
Words later_poster_command(const Limits& limits, media::Dimensions video, double duration);

inline constexpr double kLongestPicture = 1.1;  // seconds: a hold has a frame per second
inline constexpr const char* kFragmentFile = "fragment.mp4";
inline constexpr const char* kStillFile = "still.jpg";

// A time in a video of ours.
struct Moment {
  std::string file;        // absolute: the MP4, or the playlist of a rendition
  std::int64_t at = 0;     // ms
  media::Dimensions size;  // the video's

  bool is_in_playlist() const { return file.ends_with(".m3u8"); }
  double seconds() const { return static_cast<double>(at) / 1000; }
  // Pictures before this time are not looked at.
  double from() const { return std::max(0.0, seconds() - kLongestPicture); }
};
// Makes kStillFile of the picture that is shown at that time, in the size of the video. If the file
// is a playlist, kFragmentFile has its segments around that time.
Words still_command(const Limits& limits, const Moment& moment);

// Makes kPosterFile of the cover of a file without video.
Words cover_command(const Limits& limits, const std::string& url, const Source& source);

inline constexpr const char* kCaptionsFolder = "captions";
std::string caption_stream_file(std::size_t track);   // "captions/0"
std::string caption_packets_file(std::size_t track);  // "captions/0.packets"

// Takes the text streams out of the file, each as it is. Writes
// caption_stream_file() for each of caption_tracks(), and caption_packets_file()
// for read_packets(). The folder kCaptionsFolder must exist. A file of
// kMaxCaptionBytes or more may be cut off.
Words captions_command(const Limits& limits, const std::string& url,
                       const std::vector<TextStream>& streams);

// The longest side of a picture that is made of an image, in pixels: as of a crop
// (nginx/svc-thumbnails-cache.conf).
inline constexpr int kLongestPosterSide = 1920;
// Makes kStillFile, a JPEG, of an image that was uploaded, in the ratio of the image. `ending` is
// that of Sniffed. Returns no words for an image that it cannot read.
Words picture_command(const Limits& limits, std::string_view ending, const std::string& file);

// Turns a clean image of our own according to Exif's orientation, from 2 to 8. `ending` is that of
// Sniffed. The names are relative to the output folder.
Words turn_command(const Limits& limits, std::string_view ending, int orientation,
                   const std::string& from, const std::string& to);

// The time of the last complete "out_time_us=" line in the output so far, in
// seconds; `fallback` if the output lacks such a line.
double progress_in(std::string_view output, double fallback);

}  // namespace svc::ingest
