#include "library/media_service.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/unreadable.h"
#include "library/field_edit.h"
#include "library/find_media.h"
#include "library/open_files.h"
#include "media/guard.h"
#include "text/rfc3339.h"

namespace svc::library {
namespace {

constexpr std::string_view kNewStill = "new_still_media_id";
constexpr std::string_view kPosterTime = "poster_time";
constexpr std::string_view kImage = "Image";
const std::optional<NewPoster> kNoPoster;

// Returns false if nothing changes.
bool set_poster(const NewPoster& poster, media::Media& media) {
  const std::optional<media::NextPoster> waiting = std::exchange(media.next_poster, std::nullopt);
  if (poster.at) {
    const media::Asset* const video = own_video(media);
    const bool is_set = video != nullptr && media.set_poster &&
                        media.set_poster->source == media::url_of_moment(*video, *poster.at);
    if (video == nullptr || is_set) return waiting.has_value();
    media.next_poster = media::NextPoster{.at = *poster.at};
    return media.next_poster != waiting;
  }
  if (!poster.picture) {
    if (!media.set_poster) return waiting.has_value();
    media.thumbnail = std::move(media.set_poster->own);
    media.set_poster.reset();
    return true;
  }
  if (media.set_poster && media.set_poster->source == poster.picture->url)
    return waiting.has_value();
  media.set_poster = media::SetPoster{poster.picture->url, own_poster(media)};
  media.thumbnail = poster.picture;
  return true;
}

// The files of a change of the poster. A picture elsewhere is not copied.
media::PosterFiles files_of(const NewPoster& poster, const media::Media& before) {
  media::PosterFiles files{.media = before.id, .account = before.account, .at = poster.at};
  if (poster.picture && media::own_file(poster.picture->url)) files.source = poster.picture->url;
  // The copy, unless it is still to be made.
  const bool has_copy =
      before.set_poster && before.thumbnail && before.thumbnail->url != before.set_poster->source;
  if (has_copy) files.former = before.thumbnail->url;
  return files;
}

// Applies the edit. `now` in ms. Returns the names of the fields that it changes, each after a
// space.
std::string apply(const MediaEdit& edit, std::int64_t now, media::Media& media) {
  std::string changed;
  set_field(changed, "name", edit.name, media.name);
  set_field(changed, "description", edit.description, media.description);
  if (edit.visibility && *edit.visibility != media.visible()) {
    set_visibility(media, *edit.visibility, now);
    changed.append(" ").append(media::kVisibilityField).append("=");
    changed.append(to_text(*edit.visibility));
  }
  if (edit.allowed_domains && *edit.allowed_domains != media.allowed_domains) {
    media.allowed_domains = *edit.allowed_domains;
    changed.append(" ").append(media::kAllowedDomainsField);
  }
  if (edit.poster && set_poster(*edit.poster, media))
    changed.append(" ").append(edit.poster->at ? kPosterTime : kNewStill);
  return changed;
}

std::string apply(const CustomizationEdit& edit, media::Media& media) {
  media::Customizations after = edit.replaces ? media::Customizations() : media.customizations;
  for (const auto& [name, value] : edit.options) {
    if (value) {
      after.insert_or_assign(name, *value);
    } else {
      after.erase(name);
    }
  }
  std::set<std::string_view> names;
  for (const media::Customizations* each : {&media.customizations, &after}) {
    for (const auto& [name, value] : *each) names.insert(name);
  }
  std::string changed;
  const auto value_in = [](const media::Customizations& all, std::string_view name) {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string_view name : names) {
    if (value_in(media.customizations, name) != value_in(after, name))
      changed.append(" ").append(name);
  }
  media.customizations = std::move(after);
  return changed;
}

// Whether another set of viewers and sites may see `after`.
bool has_other_viewers(const media::Media& before, const media::Media& after) {
  return before.visible() != after.visible() || before.allowed_domains != after.allowed_domains;
}

}  // namespace

loop::Task<base::Result<media::Media, Refusal>> MediaService::find(const media::HashedId& id,
                                                                   const Condition& condition,
                                                                   const Actor& actor) {
  std::optional<media::Media> media = co_await find_media(catalog_, id, actor);
  if (!media) co_return base::Refusal{Refusal::NotFound};
  if (condition && !condition(*media)) co_return base::Refusal{Refusal::Overtaken};
  co_return *std::move(media);
}

loop::Task<base::Result<media::Thumbnail, std::string>> MediaService::picture_of(
    const std::string& id, const Actor& actor) {
  const auto hashed = media::HashedId::parse(id);
  std::optional<media::Media> image;
  if (hashed) {
    media::Reads reads;
    image = co_await catalog_.find_media(*hashed, media::Detail::All, reads);
  }
  if (!image || image->account != actor.account)
    co_return base::Refusal{std::string("must be the id of a media of this account")};
  if (image->type != kImage)
    co_return base::Refusal{"must be the id of a media of the type Image, not " + image->type};
  if (image->status != media::Status::Ready)
    co_return base::Refusal{std::string("must be the id of an image that is ready")};
  const std::optional<media::Thumbnail>& picture = own_poster(*image);
  if (!picture)
    co_return base::Refusal{std::string("must be the id of an image that has a picture")};
  co_return *picture;
}

bool MediaService::has_moment(const media::Media& media, std::int64_t at) {
  return media.is_video() && media.status == media::Status::Ready && media.duration && at >= 0 &&
         static_cast<double>(at) <= *media.duration * 1000 && own_video(media) != nullptr;
}

loop::Task<std::optional<EditRefusal>> MediaService::why_not(const media::Media& media,
                                                             const MediaEdit& edit) {
  media::Media after = media;
  apply(edit, 0, after);
  const media::SiteRule of_account = co_await site_rule_of(people_, media.account);
  if (!opens_a_file(media, after, of_account)) co_return std::nullopt;
  const media::Guard guard = guard_of(after, of_account);
  const std::string url(file_elsewhere(after, guard));
  if (guard == guard_of(media, of_account))
    co_return EditRefusal{kNewStill,
                          "must be that of an image whose file this service has, as the media is "
                          "private, not " +
                              url};
  co_return EditRefusal{guarding_field(guard), why_not_guarded(guard, url)};
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::change(
    const media::HashedId& id, oauth::EventName what, const Apply& apply,
    std::optional<NewPoster> poster, const Condition& condition, const Actor& actor) {
  base::Result<media::Media, Refusal> found = co_await find(id, condition, actor);
  if (!found) co_return found;
  media::Media after = *found;
  const std::string changed = apply(after);
  if (changed.empty()) co_return found;
  const media::SiteRule of_account = co_await site_rule_of(people_, found->account);
  if (opens_a_file(*found, after, of_account)) co_return base::Refusal{Refusal::Overtaken};
  static_cast<void>(to_record(after, &*found));  // refused before the event, not after it
  const std::string detail = actor.about("media " + id.value() + changed);
  const oauth::AuditEvent event = actor.event(
      has_other_viewers(*found, after) ? oauth::event_named<"media.access_changed">() : what,
      detail);
  co_await audit_.record(event);
  if (poster) {
    media::PosterFiles files = files_of(*poster, *found);
    if (files.at || !files.source.empty() || !files.former.empty()) {
      co_await uploads_.change_poster(std::move(files));
    }
  }
  std::vector<media::Guarded> guarded;
  media::GuardChange guards = guard_change(*found, after, of_account);
  if (guards != media::GuardChange::None) {
    guarded.push_back({.account = found->account, .media = id});
    co_await uploads_.announce_guard(guarded);
  }
  std::optional<Refusal> refused;
  std::function<bool(media::Media&)> change = [&](media::Media& media) {
    refused.reset();
    if (media.account != actor.account) refused = Refusal::NotFound;
    if (!refused && condition && !condition(media)) refused = Refusal::Overtaken;
    if (refused) return false;
    const media::Media before = media;
    const bool changes = !apply(media).empty();
    if (changes && opens_a_file(before, media, of_account)) refused = Refusal::Overtaken;
    guards = guard_change(before, media, of_account);
    return changes && !refused;
  };
  std::optional<media::Media> stored = co_await records_.edit_media(id, std::move(change));
  if (!stored) refused = Refusal::NotFound;
  if (refused) co_return base::Refusal{*refused};
  if (guards != media::GuardChange::None) {
    using Turn = media::Guarded::Turn;
    const bool closes = guards == media::GuardChange::Closes;
    const media::Guarded job{actor.account, id, closes ? Turn::Awaited : Turn::Other};
    // Another writer has changed the record since it was found.
    if (guarded.empty()) {
      guarded.push_back(job);
      co_await uploads_.announce_guard(guarded);
    }
    guarded.assign(1, job);
    co_await uploads_.guard(std::move(guarded));
  }
  co_return *std::move(stored);
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::edit(const media::HashedId& id,
                                                                   const MediaEdit& edit,
                                                                   const Condition& condition,
                                                                   const Actor& actor) {
  const std::int64_t now_ms = clock_.now_ms();
  const std::string now = text::to_rfc3339(now_ms / 1000);
  const Apply apply_edit = [&](media::Media& media) {
    std::string changed = apply(edit, now_ms, media);
    if (!changed.empty()) media.updated = now;
    return changed;
  };
  co_return co_await change(id, oauth::event_named<"media.changed">(), apply_edit, edit.poster,
                            condition, actor);
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::customize(
    const media::HashedId& id, const CustomizationEdit& edit, const Condition& condition,
    const Actor& actor) {
  const Apply apply_edit = [&](media::Media& media) { return apply(edit, media); };
  co_return co_await change(id, oauth::event_named<"customizations.changed">(), apply_edit,
                            kNoPoster, condition, actor);
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::set_chapters(
    const media::HashedId& id, const std::vector<media::Chapter>& chapters,
    const Condition& condition, const Actor& actor) {
  const std::string now = text::to_rfc3339(clock_.now());
  const Apply apply_edit = [&](media::Media& media) -> std::string {
    const bool are_set = !chapters.empty();  // without any, those of the next import apply
    if (media.chapters == chapters && media.chapters_are_set == are_set) return "";
    media.chapters = chapters;
    media.chapters_are_set = are_set;
    media.updated = now;
    return " chapters";
  };
  co_return co_await change(id, oauth::event_named<"media.changed">(), apply_edit, kNoPoster,
                            condition, actor);
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::add_link(const media::HashedId& id,
                                                                       media::WatchLink& link,
                                                                       const Actor& actor) {
  bool is_full = false;
  const std::int64_t now = clock_.now_ms();
  const Apply apply_link = [&, now](media::Media& media) -> std::string {
    forget_ended_links(media, now / 1000);
    is_full = !media::add_link(media, link, now);
    return is_full ? "" : " link " + std::to_string(link.id);
  };
  const Condition always;
  base::Result<media::Media, Refusal> changed = co_await change(
      id, oauth::event_named<"link.created">(), apply_link, kNoPoster, always, actor);
  if (changed && is_full) co_return base::Refusal{Refusal::Full};
  co_return changed;
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::end_link(const media::HashedId& id,
                                                                       std::int64_t link,
                                                                       const LastSignature& last,
                                                                       const Actor& actor) {
  bool is_missing = false;
  const std::int64_t now = clock_.now();
  const Apply apply_end = [&, now](media::Media& media) -> std::string {
    forget_ended_links(media, now);
    const auto found = std::ranges::find(media.links, link, &media::WatchLink::id);
    is_missing = found == media.links.end() || !found->is_open();
    if (is_missing) return "";
    found->refused_until = std::min(found->ends, last(media));
    return " link " + std::to_string(link);
  };
  const Condition always;
  base::Result<media::Media, Refusal> changed =
      co_await change(id, oauth::event_named<"links.ended">(), apply_end, kNoPoster, always, actor);
  if (changed && is_missing) co_return base::Refusal{Refusal::NotFound};
  co_return changed;
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::end_links(const media::HashedId& id,
                                                                        const Actor& actor) {
  const std::int64_t now = clock_.now_ms();
  const Apply apply_end = [now](media::Media& media) -> std::string {
    media::end_links(media, now);
    return " links_from";
  };
  const Condition always;
  co_return co_await change(id, oauth::event_named<"links.ended">(), apply_end, kNoPoster, always,
                            actor);
}

loop::Task<std::optional<Refusal>> MediaService::remove(const media::HashedId& id,
                                                        const Condition& condition,
                                                        const Actor& actor) {
  bool is_unreadable = false;
  try {
    const base::Result<media::Media, Refusal> found = co_await find(id, condition, actor);
    if (!found) co_return found.error();
  } catch (const base::Unreadable&) {
    if (condition) throw;
    is_unreadable = true;
  }
  if (is_unreadable) {
    const bool is_here = co_await catalog_.has_media(actor.account, id);
    if (!is_here) co_return Refusal::NotFound;
  }
  const std::string detail = actor.about("media " + id.value());
  oauth::AuditEvent event = actor.event(oauth::event_named<"media.removed">(), detail);
  event.makes_room = true;
  co_await audit_.record(event);
  co_await uploads_.remove(id, actor.account);
  co_return std::nullopt;
}

}  // namespace svc::library
