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
  const std::vector<media::Replacement> all = co_await replacements_.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_overtaken =
        std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
                    [&](const media::Replacement& later) { return later.media == all[i].media; });
    try {
      const Turn turn = is_overtaken ? Turn::Overtaken : Turn::Newest;
      co_await settle(all[i], turn);
    } catch (const base::Unreadable&) {
      // The store logs it. The others do not wait for it.
    } catch (const base::Unavailable&) {
      // Nor for one whose swap takes too long.
    }
  }
}

loop::Task<> ReplacementService::settle(media::Replacement replacement, Turn turn) {
  const Actor actor = actor_of(replacement);
  std::optional<media::Media> upload = co_await find_media(catalog_, replacement.upload, actor);
  if (!upload) {
    co_await replacements_.end(replacement.upload);
    co_return;
  }
  if (turn == Turn::Overtaken) {
    std::string no_reason;
    co_await give_up(std::move(replacement), std::move(no_reason));
    co_return;
  }
  if (upload->status == media::Status::Failed) {
    std::string why = upload->failure.empty() ? "It could not be converted." : upload->failure;
    co_await replacements_.fail(replacement.media, std::move(why));
    // The upload stays, as others that failed do, so that its conversion can be repeated.
    co_await replacements_.end(replacement.upload);
    co_return;
  }
  if (upload->status == media::Status::Ready) {
    co_await replace(std::move(replacement), *std::move(upload));
    co_return;
  }
  const std::optional<media::Media> media = co_await find_media(catalog_, replacement.media, actor);
  if (media) co_return;
  std::string no_reason;
  co_await give_up(std::move(replacement), std::move(no_reason));
}

loop::Task<> ReplacementService::replace(media::Replacement replacement, media::Media upload) {
  const Actor actor = actor_of(replacement);
  const std::optional<media::Media> media = co_await find_media(catalog_, replacement.media, actor);
  std::string why;
  if (media && media->type != upload.type) {
    why = "It is of the type " + upload.type + ", and this one of the type " + media->type + ".";
  } else if (media) {
    const Condition always;
    const std::string id = upload.id.value();
    const SwapService::Swapped swapped = co_await swaps_.swap(replacement.media, id, always, actor);
    using Kind = SwapRefusal::Kind;
    if (swapped) {
      co_await replacements_.end(replacement.upload);
      co_return;
    }
    // The next time.
    if (swapped.error().kind == Kind::Busy) co_return;
    if (swapped.error().kind == Kind::Replacement) {
      // Another worker, or a person, may have swapped it.
      const std::optional<media::Media> now =
          co_await find_media(catalog_, replacement.upload, actor);
      if (!now) {
        co_await replacements_.end(replacement.upload);
        co_return;
      }
      why = "It " + swapped.error().words + ".";
    }
  }
  co_await give_up(std::move(replacement), std::move(why));
}

loop::Task<> ReplacementService::give_up(media::Replacement replacement, std::string why) {
  if (!why.empty()) {
    co_await replacements_.fail(replacement.media, std::move(why));
  }
  const Actor actor = actor_of(replacement);
  const Condition always;
  co_await medias_.remove(replacement.upload, always, actor);
  co_await replacements_.end(replacement.upload);
}

}  // namespace svc::library
