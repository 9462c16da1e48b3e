// markers: empty files in a folder of a media, by which nginx knows what to refuse (oembed-W11).
//
//   .guarded           all files but posters, without a signature
//   .private           posters, too
//   .guarded-<number>  signatures for another number; without it, all
//   .ended-<link>      signatures for that link
//
// nginx looks at them with each request, so after each step the folder is as open as it was, as it
// is to become, or less.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "ingest/files.h"
#include "media/guard.h"

namespace svc::ingest {

// A folder that no other process marks at the same time.
class MarkedFolder {
 public:
  // Waits for another process. Returns nullopt if there is no such folder. Throws FileError.
  static std::optional<MarkedFolder> open(const std::string& path);

  // Calls `meanwhile` after each step. Throws FileError.
  void mark(const media::Guard& guard, const Meanwhile& meanwhile);
  // Everything is refused.
  void close(const Meanwhile& meanwhile);

 private:
  MarkedFolder(std::string path, base::UniqueFd folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}
  void make(const std::string& name, const Meanwhile& meanwhile);
  void remove(const std::string& name, const Meanwhile& meanwhile);
  // Removes the markers that begin so, but those of `kept`.
  void remove_others(std::string_view prefix, const std::vector<std::string>& kept,
                     const Meanwhile& meanwhile);
  void sync();

  std::string path_;
  base::UniqueFd folder_;
  bool is_changed_ = false;
};

bool is_marker(std::string_view name);

}  // namespace svc::ingest
