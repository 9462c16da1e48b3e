#include "library/swap_service.h"

#include <algorithm>
#include <utility>

#include "library/find_media.h"
#include "library/open_files.h"
#include "media/guard.h"
#include "text/rfc3339.h"

namespace svc::library {
namespace {

using Kind = SwapRefusal::Kind;

bool has_files_of(const media::Media& media, const media::HashedId& other) {
  return std::ranges::find(media.folders, other) != media.folders.end();
}

std::optional<SwapRefusal> why_not_replaced(const media::Media& media) {
  if (media.status != media::Status::Ready)
    return SwapRefusal{Kind::Busy, "the media is not ready: its files cannot be replaced now"};
  return std::nullopt;
}

std::optional<SwapRefusal> why_no_replacement(const media::Media& media, const media::Media& other,
                                              const media::SiteRule& of_account) {
  if (other.id == media.id)
    return SwapRefusal{Kind::Replacement, "must be the id of another media"};
  if (other.type != media.type)
    return SwapRefusal{Kind::Replacement, "must be the id of a media of the type " + media.type +
                                              ", as this one, not " + other.type};
  if (other.status != media::Status::Ready)
    return SwapRefusal{Kind::Replacement, "must be the id of a media that is ready"};
  const media::Guard guard = guard_of(media, of_account);
  if (const std::string url(file_elsewhere(other, guard)); !url.empty())
    return SwapRefusal{Kind::Replacement,
                       "must be the id of a media without " + url +
                           ", which is not a file of this service: this media is " +
                           (guard.is_private ? "private" : "for some sites only")};
  return std::nullopt;
}

SwapRefusal no_such_replacement() {
  return {Kind::Replacement, "must be the id of a media of this account"};
}

// The folders that the media has afterwards, without its own.
std::vector<media::HashedId> folders_after(const media::Media& media, const media::Media& other) {
  std::vector<media::HashedId> folders = media.folders;
  const auto add = [&](const media::HashedId& folder) {
    if (folder != media.id && std::ranges::find(folders, folder) == folders.end())
      folders.push_back(folder);
  };
  for (const media::HashedId& folder : other.folders) add(folder);
  add(other.id);
  return folders;
}

// Their texts become those of the media.
std::vector<media::Captions> captions_for(const media::HashedId& id, const media::Media& other) {
  std::vector<media::Captions> all = other.captions;
  for (media::Captions& captions : all) {
    const std::string version(captions.version());
    if (!version.empty()) captions.url = media::url_of_captions(id, captions.language, version);
  }
  return all;
}

void take_files(media::Media& media, const media::Media& other) {
  media.duration = other.duration;
  media.native = other.native;
  media.assets = other.assets;
  media.chapters = other.chapters;
  media.chapters_are_set = other.chapters_are_set;
  media.storyboard = other.storyboard;
  set_own_poster(media, own_poster(other));
  media.next_poster.reset();
  if (media.captions.empty()) media.captions = captions_for(media.id, other);
  media.folders = folders_after(media, other);
}

}  // namespace

// What is decided each time the two records are read.
struct SwapService::Change {
  const media::HashedId& other_id;
  const media::SiteRule& of_account;
  const Condition& condition;
  const Actor& actor;
  const std::string now;

  std::optional<SwapRefusal> refused{};
  std::optional<media::Media> other{};  // as it was last

  // "This" media has the files, and the other one is gone.
  bool is_done(const media::Media& media, const media::Media* left) const {
    return media.account == actor.account && left == nullptr && has_files_of(media, other_id);
  }
  std::optional<SwapRefusal> why_not(const media::Media& media, const media::Media* from) const {
    if (media.account != actor.account) return SwapRefusal{Kind::NotFound};
    if (condition && !condition(media)) return SwapRefusal{Kind::Overtaken};
    if (auto why = why_not_replaced(media)) return why;
    if (from == nullptr) return no_such_replacement();
    if (auto why = why_no_replacement(media, *from, of_account)) return why;
    if (folders_after(media, *from).size() > media::kMaxFolders)
      return SwapRefusal{Kind::Busy, "the media was swapped too often today: try again tomorrow"};
    return std::nullopt;
  }
  bool operator()(media::Media& media, const media::Media* from) {
    refused.reset();
    if (is_done(media, from)) return false;
    refused = why_not(media, from);
    if (refused) return false;
    other = *from;
    take_files(media, *from);
    media.updated = now;
    return true;
  }
};

loop::Task<SwapService::Swapped> SwapService::swap(const media::HashedId& id,
                                                   const std::string& replacement,
                                                   const Condition& condition, const Actor& actor) {
  std::optional<media::Media> media = co_await find_media(catalog_, id, actor);
  if (!media) co_return base::Refusal{SwapRefusal{Kind::NotFound}};
  const auto other_id = media::HashedId::parse(replacement);
  std::optional<media::Media> other;
  if (other_id) {
    other = co_await find_media(catalog_, *other_id, actor);
  }
  const media::SiteRule of_account = co_await site_rule_of(people_, actor.account);
  const media::HashedId known = other_id.value_or(id);
  Change change{.other_id = known,
                .of_account = of_account,
                .condition = condition,
                .actor = actor,
                .now = text::to_rfc3339(clock_.now())};
  const media::Media* const from = other ? &*other : nullptr;
  if (change.is_done(*media, from)) co_return *std::move(media);
  if (auto refused = change.why_not(*media, from)) co_return base::Refusal{*std::move(refused)};
  // Refused before the event, not after it.
  media::Media after = *media;
  take_files(after, *other);
  static_cast<void>(to_record(after, &*media));
  const std::string detail =
      actor.about("media " + id.value() + " replacement_media_id " + other->id.value());
  const oauth::AuditEvent event = actor.event(oauth::event_named<"media.swapped">(), detail);
  co_await audit_.record(event);
  const media::FileSwap files{id, known, clock_.now() + kFormerKept};
  media::SwapChange apply = [&change](media::Media& each, const media::Media* left) {
    return change(each, left);
  };
  std::optional<media::Media> stored = co_await uploads_.swap(files, std::move(apply));
  if (!stored) change.refused = SwapRefusal{Kind::NotFound};
  if (change.refused) co_return base::Refusal{*std::move(change.refused)};
  co_await guard(change, *stored);
  co_return *std::move(stored);
}

loop::Task<> SwapService::guard(const Change& change, const media::Media& media) {
  if (!change.other) co_return;
  const media::GuardChange guards = guard_change(*change.other, media, change.of_account);
  if (guards == media::GuardChange::None) co_return;
  using Turn = media::Guarded::Turn;
  const Turn turn = guards == media::GuardChange::Closes ? Turn::Awaited : Turn::Other;
  std::vector<media::Guarded> all{{media.account, media.id, turn}};
  co_await uploads_.guard(std::move(all));
}

}  // namespace svc::library
