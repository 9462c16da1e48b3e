#include "library/replacement_service.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "base/unreadable.h"
#include "library/find_media.h"

namespace svc::library {
namespace {

Actor actor_of(const media::Replacement& replacement) {
  return {.account = replacement.account, .contact = replacement.contact};
}

}  // namespace

loop::Task<> ReplacementService::settle() {
  loop::Task<std::vector<media::Replacement>> reading = replacements_.all();
  const std::vector<media::Replacement> all = co_await reading;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_overtaken =
        std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
                    [&](const media::Replacement& later) { return later.media == all[i].media; });
    try {
      loop::Task<> settling = settle(all[i], is_overtaken ? Turn::Overtaken : Turn::Newest);
      co_await settling;
    } catch (const base::Unreadable&) {
      // The store logs it. The others do not wait for it.
    } catch (const base::Unavailable&) {
      // Nor for one whose swap takes too long.
    }
  }
}

loop::Task<> ReplacementService::settle(media::Replacement replacement, Turn turn) {
  const Actor actor = actor_of(replacement);
  loop::Task<std::optional<media::Media>> finding = find_media(catalog_, replacement.upload, actor);
  std::optional<media::Media> upload = co_await finding;
  if (!upload) {
    loop::Task<> ending = replacements_.end(replacement.upload);
    co_await ending;
    co_return;
  }
  // A swap that has begun is completed.
  if (turn == Turn::Overtaken && !upload->swapped_into) {
    loop::Task<> leaving = give_up(std::move(replacement), "");
    co_await leaving;
    co_return;
  }
  if (upload->status == media::Status::Failed) {
    std::string why = upload->failure.empty() ? "It could not be converted." : upload->failure;
    loop::Task<> failing = replacements_.fail(replacement.media, std::move(why));
    co_await failing;
    // The upload stays, as others that failed do, so that its conversion can be repeated.
    loop::Task<> ending = replacements_.end(replacement.upload);
    co_await ending;
    co_return;
  }
  if (upload->status == media::Status::Ready) {
    loop::Task<> replacing = replace(std::move(replacement), *std::move(upload));
    co_await replacing;
    co_return;
  }
  loop::Task<std::optional<media::Media>> looking = find_media(catalog_, replacement.media, actor);
  const std::optional<media::Media> media = co_await looking;
  if (media) co_return;
  loop::Task<> leaving = give_up(std::move(replacement), "");
  co_await leaving;
}

loop::Task<> ReplacementService::replace(media::Replacement replacement, media::Media upload) {
  const Actor actor = actor_of(replacement);
  loop::Task<std::optional<media::Media>> finding = find_media(catalog_, replacement.media, actor);
  const std::optional<media::Media> media = co_await finding;
  std::string why;
  if (media && media->type != upload.type) {
    why = "It is of the type " + upload.type + ", and this media of the type " + media->type + ".";
  } else if (media) {
    const Condition always;
    const std::string id = upload.id.value();
    loop::Task<SwapService::Swapped> swapping = swaps_.swap(replacement.media, id, always, actor);
    const SwapService::Swapped swapped = co_await swapping;
    using Kind = SwapRefusal::Kind;
    if (swapped) {
      loop::Task<> ending = replacements_.end(replacement.upload);
      co_await ending;
      co_return;
    }
    // The next time.
    if (swapped.error().kind == Kind::Busy) co_return;
    if (swapped.error().kind == Kind::Replacement) {
      // Another worker, or a person, may have begun a swap with it, or completed one.
      loop::Task<std::optional<media::Media>> looking =
          find_media(catalog_, replacement.upload, actor);
      const std::optional<media::Media> now = co_await looking;
      if (now && now->swapped_into) co_return;
      if (!now) {
        loop::Task<> ending = replacements_.end(replacement.upload);
        co_await ending;
        co_return;
      }
      why = "It " + swapped.error().words + ".";
    }
  }
  loop::Task<> failing = give_up(std::move(replacement), std::move(why));
  co_await failing;
}

loop::Task<> ReplacementService::give_up(media::Replacement replacement, std::string why) {
  if (!why.empty()) {
    loop::Task<> failing = replacements_.fail(replacement.media, std::move(why));
    co_await failing;
  }
  const Actor actor = actor_of(replacement);
  const Condition always;
  loop::Task<std::optional<Refusal>> removing = medias_.remove(replacement.upload, always, actor);
  co_await removing;
  loop::Task<> ending = replacements_.end(replacement.upload);
  co_await ending;
}

}  // namespace svc::library
