#include "keeper/guards.h"

#include <filesystem>
#include <utility>

#include "base/log.h"
#include "ingest/files.h"
#include "ingest/folders.h"
#include "keeper/markers.h"
#include "media/guard.h"

namespace svc::keeper {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::optional<media::Media> Guards::find(const media::HashedId& id) {
  std::optional<media::Media> found;
  wait(registry_.change_media(id, [&](media::Media& media) {
    found = media;
    return false;
  }));
  return found;
}

// Reads the record only while no other process marks the folder: the last that marks it has read
// the last record.
bool Guards::guard(const media::HashedId& folder) {
  const std::string path = folder_ + "/" + folder.value();
  try {
    std::optional<MarkedFolder> marked = MarkedFolder::open(path);
    if (!marked) return true;
    const std::optional<media::Media> media = wait(registry_.owner_of_files(folder));
    if (!media) return true;
    const media::Guard guard = media::guard_of(*media, {});
    // Before the link to it: without a marker, it would open the folder. Later the rule is marked
    // when it changes. Its folder is missing if media came from elsewhere.
    if (const auto account = guard.as_account;
        account &&
        !(marked->is_as(*account) && fs::exists(folder_ + "/" + account_folder(*account))))
      mark_account(*account);
    marked->mark(guard, alive_);
  } catch (const ingest::FileError& error) {
    if (!ingest::is_short_of_room(folder_))
      base::log::warn("ingest.not_guarded", {{"media", folder.value()}, {"reason", error.what()}});
    return false;
  }
  return true;
}

bool Guards::guard_account(media::AccountId id) {
  try {
    mark_account(id);
  } catch (const ingest::FileError& error) {
    if (!ingest::is_short_of_room(folder_))
      base::log::warn("ingest.not_guarded", {{"account", id.value()}, {"reason", error.what()}});
    return false;
  }
  return true;
}

// Reads the record only while no other process marks it, as of a folder of a media.
void Guards::mark_account(media::AccountId id) {
  const std::string all = folder_ + "/" + std::string(kAccounts);
  const std::string path = folder_ + "/" + account_folder(id);
  for (const std::string& each : {all, path}) ingest::make_shared_folder(each);
  std::optional<MarkedFolder> marked = MarkedFolder::open(path);
  if (!marked || !ingest::sync_folder(all) || !ingest::sync_folder(folder_))
    throw ingest::FileError("cannot make " + path);
  const auto account = wait(registry_.edit_account(id, [](media::Account&) { return false; }));
  marked->mark_rule(account && !account->site_rule().is_everywhere(), alive_);
}

bool Guards::guard_all(const media::Media& media) {
  bool all = guard(media.id);
  for (const media::HashedId& folder : media.folders) all = guard(folder) && all;
  return all;
}

}  // namespace svc::keeper
