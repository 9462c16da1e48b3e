#include "library/swap_service.h"

#include <algorithm>
#include <utility>

#include "base/unavailable.h"
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

SwapRefusal swapped_now() {
  return {Kind::Busy, "the media is being swapped: try again in a minute"};
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

void take_files(media::Media& media, const media::Media& other,
                const std::vector<media::Captions>& captions) {
  media.duration = other.duration;
  media.native = other.native;
  media.assets = other.assets;
  media.chapters = other.chapters;
  media.chapters_are_set = other.chapters_are_set;
  media.storyboard = other.storyboard;
  set_own_poster(media, own_poster(other));
  media.next_poster.reset();
  if (media.captions.empty()) media.captions = captions;
  media.folders = folders_after(media, other);
  media.swapped_into.reset();
}

media::FileSwap files_of(const media::Media& media, const media::Media& other, std::int64_t until) {
  media::FileSwap swap{.media = media.id,
                       .account = media.account,
                       .other = other.id,
                       .taken = {other.id},
                       .former = {media.id},
                       .former_until = until};
  swap.taken.insert(swap.taken.end(), other.folders.begin(), other.folders.end());
  swap.former.insert(swap.former.end(), media.folders.begin(), media.folders.end());
  return swap;
}

}  // namespace

loop::Task<SwapService::Mark> SwapService::mark_of(const media::Media& media) {
  if (!media.swapped_into) co_return Mark::None;
  media::Reads reads;
  const std::optional<media::Media> into =
      co_await catalog_.find_media(media.swapped_into->media, media::Detail::All, reads);
  if (into && has_files_of(*into, media.id)) co_return Mark::Taken;
  co_return clock_.now() - media.swapped_into->since < kForgotten ? Mark::Fresh : Mark::None;
}

loop::Task<std::optional<SwapRefusal>> SwapService::why_not(
    const media::Media& media, const std::optional<media::Media>& other,
    const media::SiteRule& of_account, const Condition& condition) {
  const Mark mark = co_await mark_of(media);
  if (mark == Mark::Taken) co_return SwapRefusal{Kind::NotFound};
  if (condition && !condition(media)) co_return SwapRefusal{Kind::Overtaken};
  if (mark == Mark::Fresh) co_return swapped_now();
  if (std::optional<SwapRefusal> refused = why_not_replaced(media)) co_return refused;
  if (!other) co_return no_such_replacement();
  if (std::optional<SwapRefusal> refused = why_no_replacement(media, *other, of_account))
    co_return refused;
  if (folders_after(media, *other).size() > media::kMaxFolders)
    co_return SwapRefusal{Kind::Busy, "the media was swapped too often today: try again tomorrow"};
  if (other->swapped_into && other->swapped_into->media == media.id) co_return std::nullopt;
  const Mark other_mark = co_await mark_of(*other);
  if (other_mark == Mark::Taken) co_return no_such_replacement();
  if (other_mark == Mark::Fresh)
    co_return SwapRefusal{Kind::Replacement, "is being swapped into another media"};
  co_return std::nullopt;
}

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
  if (other_id && has_files_of(*media, *other_id)) {
    const bool is_left = other && other->swapped_into && other->swapped_into->media == id;
    if (is_left) {
      co_await finish(*media, *other);
    }
    if (is_left || !other) co_return *std::move(media);
  }
  media::SiteRule of_account = co_await site_rule_of(people_, actor.account);
  std::optional<SwapRefusal> refused = co_await why_not(*media, other, of_account, condition);
  if (refused) co_return base::Refusal{*std::move(refused)};
  // Refused before the event, not after it.
  media::Media after = *media;
  take_files(after, *other, other->captions);
  static_cast<void>(to_record(after, &*media));
  const std::string detail =
      actor.about("media " + id.value() + " replacement_media_id " + other->id.value());
  const oauth::AuditEvent event = actor.event(oauth::event_named<"media.swapped">(), detail);
  co_await audit_.record(event);
  Both both{*std::move(media), *std::move(other), std::move(of_account)};
  co_return co_await begin(std::move(both), condition, actor);
}

loop::Task<SwapService::Swapped> SwapService::begin(Both both, const Condition& condition,
                                                    const Actor& actor) {
  const std::int64_t began = clock_.now();
  media::FileSwap files = files_of(both.media, both.other, began + kFormerKept);
  co_await uploads_.begin_swap(std::move(files));
  std::optional<SwapRefusal> refused;
  const auto why_not_now = [&](const media::Media& other) -> std::optional<SwapRefusal> {
    if (other.account != actor.account) return no_such_replacement();
    if (auto why = why_no_replacement(both.media, other, both.of_account)) return why;
    if (other.swapped_into != both.other.swapped_into || other.folders != both.other.folders)
      return SwapRefusal{Kind::Replacement, "is being swapped into another media"};
    return std::nullopt;
  };
  std::function<bool(media::Media&)> mark = [&](media::Media& other) {
    refused = why_not_now(other);
    if (refused) return false;
    other.swapped_into = media::SwappedInto{both.media.id, began};
    return true;
  };
  std::optional<media::Media> other = co_await records_.edit_media(both.other.id, std::move(mark));
  if (!other) refused = no_such_replacement();
  if (refused) co_return base::Refusal{*std::move(refused)};
  std::optional<media::SwappedInto> before = both.media.swapped_into;
  both.other = *std::move(other);
  CaptionService::Copied copied;
  if (both.media.captions.empty()) {
    copied = co_await captions_.copy(both.other, both.media.id);
  }
  if (clock_.now() - began > kLongest) throw base::Unavailable("a swap took too long");
  co_return co_await replace(std::move(both), std::move(before), std::move(copied), condition,
                             actor);
}

loop::Task<SwapService::Swapped> SwapService::replace(Both both,
                                                      std::optional<media::SwappedInto> before,
                                                      CaptionService::Copied copied,
                                                      const Condition& condition,
                                                      const Actor& actor) {
  std::optional<SwapRefusal> refused;
  const std::string now = text::to_rfc3339(clock_.now());
  std::function<bool(media::Media&)> change = [&](media::Media& media) {
    refused.reset();
    if (media.account != actor.account) refused = SwapRefusal{Kind::NotFound};
    // An equal request was faster.
    if (!refused && has_files_of(media, both.other.id)) return false;
    if (!refused && condition && !condition(media)) refused = SwapRefusal{Kind::Overtaken};
    if (!refused && (media.swapped_into != before || media.folders != both.media.folders))
      refused = swapped_now();
    if (!refused) refused = why_not_replaced(media);
    if (!refused) refused = why_no_replacement(media, both.other, both.of_account);
    if (refused) return false;
    take_files(media, both.other, copied.captions);
    media.updated = now;
    return true;
  };
  std::optional<media::Media> stored =
      co_await captions_.edit(both.media.id, std::move(copied.texts), std::move(change));
  if (!stored) refused = SwapRefusal{Kind::NotFound};
  if (refused) {
    co_await unmark(both);
    co_return base::Refusal{*std::move(refused)};
  }
  co_await finish(*stored, both.other);
  co_return *std::move(stored);
}

loop::Task<> SwapService::unmark(const Both& both) {
  std::function<bool(media::Media&)> change = [&](media::Media& other) {
    if (other.swapped_into != both.other.swapped_into) return false;
    other.swapped_into.reset();
    return true;
  };
  co_await records_.edit_media(both.other.id, std::move(change));
}

loop::Task<> SwapService::finish(const media::Media& media, const media::Media& other) {
  media::FileSwap files = files_of(media, other, 0);
  co_await uploads_.finish_swap(std::move(files));
  co_await replacements_.forget_failure(media.id);
}

}  // namespace svc::library
