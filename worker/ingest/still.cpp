#include "ingest/still.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/child_process.h"
#include "ingest/failure.h"
#include "ingest/files.h"
#include "ingest/media_playlist.h"
#include "ingest/sniff.h"

namespace svc::ingest {
namespace {

constexpr std::uint64_t kMaxStill = 64 << 20;     // bytes
constexpr std::uint64_t kMaxSegment = 256 << 20;  // bytes, and of a playlist

std::string read_beside(const Moment& moment, const std::string& name) {
  const std::string path = (std::filesystem::path(moment.file).parent_path() / name).string();
  auto text = read_file(path, 0, kMaxSegment);
  if (!text) throw FileError("cannot read " + path);
  return *std::move(text);
}

// The segments around the moment, as one file. The times in it are those of the whole video.
std::string fragment_of(const Moment& moment) {
  const auto playlist =
      read_media_playlist(read_beside(moment, std::filesystem::path(moment.file).filename()));
  if (!playlist || playlist->segments.empty()) throw FileError("not a playlist: " + moment.file);
  std::string fragment = playlist->map.empty() ? "" : read_beside(moment, playlist->map);
  double begin = 0;
  for (const Segment& segment : playlist->segments) {
    const double end = begin + segment.duration;
    const bool is_last = &segment == &playlist->segments.back();
    if ((end > moment.from() && begin <= moment.seconds()) || (is_last && end <= moment.from()))
      fragment += read_beside(moment, segment.uri);
    begin = end;
  }
  return fragment;
}

// Runs a command that makes kStillFile.
std::optional<Failure> make(const Command& command, const Limits& limits,
                            const std::function<void()>& alive) {
  const Confinement confinement{limits.probe_time, limits.memory, kMaxStill, limits.open_files,
                                Forks::None};
  const Outcome outcome = run(command, confinement, [&](std::string_view) {
    alive();
    return true;
  });
  if (!outcome.succeeded()) return failure_of(outcome);
  if (is_short_of_room(command.folder)) return Failure{false, why_not_stored(ENOSPC), "", true};
  if (size_of(command.folder + "/" + kStillFile).value_or(0) == 0)
    return Failure{true, "There is no picture at this time.", outcome.errors};
  return std::nullopt;
}

}  // namespace

std::optional<Failure> make_still(const Moment& moment, const std::string& folder,
                                  const Limits& limits, const std::function<void()>& alive) {
  try {
    make_empty_folder(folder);
    if (moment.is_in_playlist()) write_file(folder + "/" + kFragmentFile, fragment_of(moment));
  } catch (const FileError& error) {
    return Failure{false, error.what(), "", is_short_of_room(folder)};
  }
  return make({still_command(limits, moment), folder,
               moment.is_in_playlist() ? std::vector<std::string>()
                                       : std::vector<std::string>{moment.file}},
              limits, alive);
}

std::optional<Failure> make_picture(const std::string& image, const std::string& folder,
                                    const Limits& limits, const std::function<void()>& alive) {
  Command command{{}, folder, {image}};
  try {
    const auto head = read_file(image, 0, kSniffedBytes);
    if (!head) throw FileError("cannot read " + image);
    const Sniffed sniffed = sniff(*head);
    if (sniffed.kind == Kind::Image) command.words = picture_command(limits, sniffed.ending, image);
    if (command.words.empty()) return Failure{true, "This is not an image.", "", false};
    make_empty_folder(folder);
  } catch (const FileError& error) {
    return Failure{false, error.what(), "", is_short_of_room(folder)};
  }
  return make(command, limits, alive);
}

}  // namespace svc::ingest
