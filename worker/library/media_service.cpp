#include "library/media_service.h"

#include <utility>

#include "library/field_edit.h"
#include "text/rfc3339.h"

namespace svc::library {
namespace {

// Applies the edit. Returns the names of the fields that it changes, each after a space.
std::string apply(const MediaEdit& edit, media::Media& media) {
  std::string changed;
  set_field(changed, "name", edit.name, media.name);
  set_field(changed, "description", edit.description, media.description);
  return changed;
}

}  // namespace

loop::Task<base::Result<media::Media, Refusal>> MediaService::find(const media::HashedId& id,
                                                                   const Condition& condition,
                                                                   const Actor& actor) {
  media::Reads reads;
  loop::Task<std::optional<media::Media>> finding =
      catalog_.find_media(id, media::Detail::All, reads);
  std::optional<media::Media> media = co_await finding;
  if (!media || media->account != actor.account) co_return base::Refusal{Refusal::NotFound};
  if (condition && !condition(*media)) co_return base::Refusal{Refusal::Overtaken};
  co_return *std::move(media);
}

loop::Task<base::Result<media::Media, Refusal>> MediaService::edit(const media::HashedId& id,
                                                                   const MediaEdit& edit,
                                                                   const Condition& condition,
                                                                   const Actor& actor) {
  loop::Task<base::Result<media::Media, Refusal>> finding = find(id, condition, actor);
  base::Result<media::Media, Refusal> found = co_await finding;
  if (!found) co_return found;
  media::Media after = *found;
  const std::string changed = apply(edit, after);
  if (changed.empty()) co_return found;
  const std::string detail = actor.about("media " + id.value() + changed);
  const oauth::AuditEvent event = actor.event("media.changed", detail);
  co_await audit_.record(event);
  std::optional<Refusal> refused;
  const std::string now = text::to_rfc3339(clock_.now());
  std::function<bool(media::Media&)> change = [&](media::Media& media) {
    refused.reset();
    if (media.account != actor.account) refused = Refusal::NotFound;
    if (!refused && condition && !condition(media)) refused = Refusal::Overtaken;
    if (refused || apply(edit, media).empty()) return false;
    media.updated = now;
    return true;
  };
  loop::Task<std::optional<media::Media>> editing = records_.edit_media(id, std::move(change));
  std::optional<media::Media> stored = co_await editing;
  if (!stored) refused = Refusal::NotFound;
  if (refused) co_return base::Refusal{*refused};
  co_return *std::move(stored);
}

loop::Task<std::optional<Refusal>> MediaService::remove(const media::HashedId& id,
                                                        const Condition& condition,
                                                        const Actor& actor) {
  loop::Task<base::Result<media::Media, Refusal>> finding = find(id, condition, actor);
  const base::Result<media::Media, Refusal> found = co_await finding;
  if (!found) co_return found.error();
  const std::string detail = actor.about("media " + id.value());
  oauth::AuditEvent event = actor.event("media.removed", detail);
  event.makes_room = true;
  co_await audit_.record(event);
  co_await uploads_.remove(id, found->account);
  co_return std::nullopt;
}

}  // namespace svc::library
