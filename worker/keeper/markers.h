// markers: empty files in a folder of a media, by which nginx knows what to refuse (oembed-W11).
//
//   .guarded           all files but posters, without a signature; if the media is as its account,
//                      a link to .accounts/<account>/.guarded, which is there while its rule
//                      demands
//   .private           posters, too
//   .guarded-<number>  signatures for another number; without it, all
//   .ended-<link>      signatures for that link
//   .guarding          a .guarded that is being made
//
// So the rule of an account is one file for all its media. A folder that may become guarded by it
// has the other markers, too.
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

namespace svc::keeper {

// A folder that no other process marks at the same time.
class MarkedFolder {
 public:
  // Waits for another process. Returns nullopt if there is no such folder. Throws FileError.
  static std::optional<MarkedFolder> open(const std::string& path);

  // Calls `meanwhile` after each step. Throws FileError.
  void mark(const media::Guard& guard, const ingest::Meanwhile& meanwhile);
  // Everything is refused.
  void close(const ingest::Meanwhile& meanwhile);
  // Of the folder of an account: what links to it is guarded, or not.
  void mark_rule(bool is_guarded, const ingest::Meanwhile& meanwhile);
  // Whether its link is that to the account.
  bool is_as(media::AccountId account) const;

 private:
  MarkedFolder(std::string path, base::UniqueFd folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}
  void make(const std::string& name, const ingest::Meanwhile& meanwhile);
  // `target`: of the link; "": a file. Replaces the other in one step.
  void make_guarded(const std::string& target, const ingest::Meanwhile& meanwhile);
  std::string guarded_target() const;  // "": no link
  void remove(const std::string& name, const ingest::Meanwhile& meanwhile);
  // Removes the markers that begin so, but those of `kept`.
  void remove_others(std::string_view prefix, const std::vector<std::string>& kept,
                     const ingest::Meanwhile& meanwhile);
  void sync();

  std::string path_;
  base::UniqueFd folder_;
  bool is_changed_ = false;
};

bool is_marker(std::string_view name);

// Below the folder of all media.
inline constexpr std::string_view kAccounts = ".accounts";
std::string account_folder(media::AccountId account);

// Lets the group write into the folders of media and accounts that belong to this user: svc-ingest
// and svc-keeper have one group. Versions before it did not, and backups have such folders.
void share_folders(const std::string& folder, const ingest::Meanwhile& meanwhile);

}  // namespace svc::keeper
