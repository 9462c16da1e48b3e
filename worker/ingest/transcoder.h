// transcoder: turns one uploaded file into the files that an embed needs, by
// running ffprobe and ffmpeg as child processes.
//
// The children are confined (ingest/child_process.h). An upload is hostile
// until proven otherwise: only demuxers and decoders on a list read it, its
// name is never on a command line, and a claim of its header only decides after
// a comparison with Limits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/limits.h"
#include "media/media.h"

namespace svc::ingest {

// The media is `length` bytes of `file`, from byte `offset`. The rest of the
// file is not read: it may be a whole multipart body.
struct Input {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::string name;  // the client's name of the file: for logs only, never trusted
};

// All URLs are names relative to the output folder, such as
// "720p/index.m3u8".
struct Product {
  std::string type;                         // "Video", "Audio", "Image" or "PdfDocument"
  std::optional<double> duration;           // seconds, of a video as encoded
  std::optional<media::Dimensions> native;  // as on the screen: rotated, with square pixels
  std::vector<media::Asset> assets;         // for a video: HLS from the largest down, then one MP4
  std::vector<media::Captions> captions;    // one WebVTT file each
  std::vector<media::Chapter> chapters;     // of the file, that begin before its end
  std::optional<media::Thumbnail> thumbnail;
  std::string original;    // the upload itself, of an image without metadata; empty for videos
  std::string storyboard;  // WebVTT whose cues name parts of a JPEG (#xywh=); empty: none
};

struct Failure {
  // True: the file is at fault, and another attempt fails too. False: the
  // machine is (a full disk, a killed process), or report() cancelled.
  bool final = false;
  std::string reason;    // one sentence for the user, without paths
  std::string detail;    // for logs: the last 4 KiB that a child wrote to standard error
  bool no_room = false;  // the output folder cannot store files now; the attempt does not count
  bool left = false;     // takes_on() returned false
};

// Blocks until the output folder has all files of the product, on disk (fsync)
// and with modes 0644 and kFolderMode. Creates the folder if it does not exist.
// Removes everything that it contains, at the beginning and after a failure.
// The parent folder is not synchronised.
//
// A file is at fault only if the folder still takes files after the failure and
// did so all the time: ffmpeg exits with 0 although its disk is full. A step
// begins only if the disk has room for its estimated output.
//
// Calls report() about once per second with the finished part, from 0 to 1 and
// never decreasing. If it returns false, all children are killed and the
// failure is not final. An exception of report() passes through, and no child
// survives it.
//
// Before it encodes, calls takes_on() once with the pixels of all pictures that it will encode;
// sound counts as pixels that take as long. If it returns false, the failure is not final and
// `left`.
base::Result<Product, Failure> transcode(const Input& input, const std::string& output_folder,
                                         const Limits& limits,
                                         const std::function<bool(double progress)>& report,
                                         const std::function<bool(double pixels)>& takes_on = {});

}  // namespace svc::ingest
