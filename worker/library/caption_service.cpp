#include "library/caption_service.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/hex.h"
#include "base/unavailable.h"
#include "library/caption_list.h"
#include "library/find_media.h"
#include "media/reads.h"
#include "text/rfc3339.h"

namespace svc::library {
namespace {

// A version is a random number, the mark of its request, and the bytes of the text.
constexpr std::size_t kRandomBytes = 4;
constexpr std::size_t kRandomDigits = 2 * kRandomBytes;
constexpr std::size_t kMarkBytes = 8;
constexpr std::size_t kMarkDigits = 2 * kMarkBytes;
constexpr std::size_t kBytesDigits = 8;

// Replacements of a text between a read of the record and one of the text.
constexpr int kMostChanges = 3;

void replace_in(std::vector<media::Captions>& list, const media::Captions& element,
                const media::Captions& by) {
  list[static_cast<std::size_t>(&element - list.data())] = by;
}

// Whether an earlier try of the same request set the captions.
bool is_of(const media::Captions& captions, std::string_view mark) {
  const std::string_view version = captions.version();
  return version.size() > kRandomDigits && version.substr(kRandomDigits, kMarkDigits) == mark;
}

}  // namespace

// The condition that the media must meet, and the change.
struct CaptionService::Change {
  enum class Kind : std::uint8_t { Add, Replace, Remove };
  Kind kind;
  const CaptionCondition* condition = nullptr;
  std::string mark{};  // the mark_of() of this request

  std::optional<CaptionRefusal> refusal(const media::Media& media,
                                        const captions::Language& language,
                                        const Actor& actor) const {
    if (media.account != actor.account) return CaptionRefusal::NoMedia;
    const media::Captions* const found = find_captions(media.captions, language);
    if (kind == Kind::Add) {
      if (found != nullptr && !is_of(*found, mark)) return CaptionRefusal::Exist;
      if (media.captions.size() >= media::kMaxCaptions) return CaptionRefusal::TooMany;
      return std::nullopt;
    }
    if (found == nullptr) return CaptionRefusal::NoCaptions;
    if (condition != nullptr && *condition && !(*condition)(*found))
      return CaptionRefusal::Overtaken;
    return std::nullopt;
  }
};

std::string CaptionService::random_digits(std::size_t bytes) {
  std::string random(bytes, '\0');
  entropy_.fill({reinterpret_cast<unsigned char*>(random.data()), random.size()});
  return base::to_hex(random);
}

std::string CaptionService::mark_of(const Actor& actor) {
  if (actor.request.empty()) return random_digits(kMarkBytes);
  return base::to_hex(base::sha256(actor.request).substr(0, kMarkBytes));
}

std::string CaptionService::version_of(const std::string& mark, std::size_t bytes) {
  std::array<char, kBytesDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", static_cast<unsigned>(bytes));
  return random_digits(kRandomBytes) + mark + digits.data();
}

loop::Task<> CaptionService::record(oauth::EventName what, const media::HashedId& id,
                                    const captions::Language& language, const Actor& actor) {
  const std::string detail = actor.about("media " + id.value() + " " + language.tag());
  oauth::AuditEvent event = actor.event(what, detail);
  event.makes_room = std::string_view(what) == oauth::event_named<"captions.deleted">();
  co_await audit_.record(event);
}

loop::Task<CaptionService::Stored> CaptionService::add(const media::HashedId& id,
                                                       const captions::Language& language,
                                                       const std::string& webvtt,
                                                       const Actor& actor) {
  return set(id, language, webvtt, {Change::Kind::Add, nullptr, mark_of(actor)}, actor);
}

loop::Task<CaptionService::Stored> CaptionService::replace(const media::HashedId& id,
                                                           const captions::Language& language,
                                                           const std::string& webvtt,
                                                           const CaptionCondition& condition,
                                                           const Actor& actor) {
  return set(id, language, webvtt, {Change::Kind::Replace, &condition, mark_of(actor)}, actor);
}

loop::Task<CaptionService::Stored> CaptionService::set(const media::HashedId& id,
                                                       const captions::Language& language,
                                                       const std::string& webvtt, Change change,
                                                       const Actor& actor) {
  const std::optional<media::Media> before = co_await find_media(catalog_, id, actor);
  if (!before) co_return base::Refusal{CaptionRefusal::NoMedia};
  std::optional<CaptionRefusal> refused = change.refusal(*before, language, actor);
  if (refused) co_return base::Refusal{*refused};
  if (const auto* const found = find_captions(before->captions, language)) {
    const media::Captions present = *found;
    const std::optional<std::string> former = co_await text(id, present);
    if (former && *former == webvtt) co_return present;
  }
  const std::int64_t stored = co_await texts_.bytes(before->account);
  const auto more = static_cast<std::int64_t>(webvtt.size());
  if (stored + more > limits_.bytes) co_return base::Refusal{CaptionRefusal::NoRoom};
  const std::string version = version_of(change.mark, webvtt.size());
  media::Captions set;
  const std::string now = text::to_rfc3339(clock_.now());
  std::function<bool(media::Media&)> edit = [&](media::Media& media) {
    refused = change.refusal(media, language, actor);
    if (refused) return false;
    const media::Captions* const found = find_captions(media.captions, language);
    set = found == nullptr ? media::Captions() : *found;
    set.language = language.tag();
    set.url = media::url_of_captions(media.id, set.language, version);
    if (found == nullptr) set.label = label_for(language, media.captions);
    found == nullptr ? media.captions.push_back(set) : replace_in(media.captions, *found, set);
    media.updated = now;
    return true;
  };
  // Refused before the event and the text, not after them.
  media::Media tried = *before;
  if (edit(tried)) static_cast<void>(to_record(tried, &*before));
  co_await record(oauth::event_named<"captions.changed">(), id, language, actor);
  std::vector<media::CaptionTexts::Text> texts{{version, webvtt}};
  const media::CaptionTexts::Edited edited =
      co_await texts_.edit(id, std::move(texts), std::move(edit), limits_.bytes);
  if (!edited.media) refused = CaptionRefusal::NoMedia;
  if (edited.is_full) refused = CaptionRefusal::NoRoom;
  if (refused) co_return base::Refusal{*refused};
  co_return set;
}

loop::Task<std::optional<CaptionRefusal>> CaptionService::remove(const media::HashedId& id,
                                                                 const captions::Language& language,
                                                                 const CaptionCondition& condition,
                                                                 const Actor& actor) {
  const std::optional<media::Media> before = co_await find_media(catalog_, id, actor);
  if (!before) co_return CaptionRefusal::NoMedia;
  const Change change{Change::Kind::Remove, &condition};
  std::optional<CaptionRefusal> refused = change.refusal(*before, language, actor);
  if (refused) co_return refused;
  co_await record(oauth::event_named<"captions.deleted">(), id, language, actor);
  const std::string now = text::to_rfc3339(clock_.now());
  std::function<bool(media::Media&)> edit = [&](media::Media& media) {
    refused = change.refusal(media, language, actor);
    if (refused) return false;
    const media::Captions* const found = find_captions(media.captions, language);
    media.captions.erase(media.captions.begin() + (found - media.captions.data()));
    media.updated = now;
    return true;
  };
  std::vector<media::CaptionTexts::Text> none;
  const media::CaptionTexts::Edited edited =
      co_await texts_.edit(id, std::move(none), std::move(edit), limits_.bytes);
  if (!edited.media) co_return CaptionRefusal::NoMedia;
  co_return refused;
}

loop::Task<std::optional<std::string>> CaptionService::text(media::HashedId id,
                                                            media::Captions captions) {
  media::Reads reads;
  for (int i = 0; i < kMostChanges; ++i) {
    if (captions.version().empty()) co_return std::nullopt;
    std::string version(captions.version());
    std::optional<std::string> text = co_await texts_.find(id, std::move(version), reads);
    if (text) co_return text;
    const std::optional<media::Media> media =
        co_await catalog_.find_media(id, media::Detail::All, reads);
    if (!media) co_return std::nullopt;
    const auto now = std::ranges::find(media->captions, captions.label, &media::Captions::label);
    if (now == media->captions.end()) co_return std::nullopt;
    captions = *now;
  }
  throw base::Unavailable("captions change too often to be read");
}

}  // namespace svc::library
