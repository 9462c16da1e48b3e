#include "library/caption_service.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "base/unavailable.h"
#include "library/caption_list.h"
#include "library/find_media.h"
#include "media/reads.h"
#include "text/rfc3339.h"

namespace svc::library {
namespace {

// A version is the time of its request in seconds, the mark of the request, and the bytes of the
// text.
constexpr std::size_t kTimeDigits = 8;
constexpr std::size_t kMarkBytes = 8;
constexpr std::size_t kMarkDigits = 2 * kMarkBytes;
constexpr int kHex = 16;

// Replacements of a text between a read of the record and one of the text.
constexpr int kMostChanges = 3;

std::string to_digits(std::int64_t number) {
  std::array<char, kTimeDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", static_cast<unsigned>(number));
  return digits.data();
}

std::string version_of(std::int64_t time, const std::string& mark, std::size_t bytes) {
  return to_digits(time) + mark + to_digits(static_cast<std::int64_t>(bytes));
}

// 0 if the text is not of a version.
std::int64_t from_digits(std::string_view text) {
  return base::parse_number<std::int64_t>(text, 0, std::numeric_limits<std::int64_t>::max(), kHex)
      .value_or(0);
}

std::int64_t time_of(std::string_view version) {
  return from_digits(version.substr(0, kTimeDigits));
}

std::int64_t bytes_of(const media::Media& media) {
  std::int64_t bytes = 0;
  for (const media::Captions& captions : media.captions) {
    bytes += static_cast<std::int64_t>(media::CaptionTexts::bytes_of_version(captions.version()));
  }
  return bytes;
}

void replace_in(std::vector<media::Captions>& list, const media::Captions& element,
                const media::Captions& by) {
  list[static_cast<std::size_t>(&element - list.data())] = by;
}

// Whether an earlier try of the same request set the captions.
bool is_of(const media::Captions& captions, std::string_view mark) {
  const std::string_view version = captions.version();
  return version.size() > kTimeDigits && version.substr(kTimeDigits, kMarkDigits) == mark;
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

std::string CaptionService::mark_of(const Actor& actor) {
  if (!actor.request.empty())
    return base::to_hex(base::sha256(actor.request).substr(0, kMarkBytes));
  std::array<unsigned char, kMarkBytes> random{};
  entropy_.fill(random);
  return base::to_hex({reinterpret_cast<const char*>(random.data()), random.size()});
}

loop::Task<> CaptionService::record(oauth::EventName what, const media::HashedId& id,
                                    const captions::Language& language, const Actor& actor) {
  const std::string detail = actor.about("media " + id.value() + " " + language.tag());
  const oauth::AuditEvent event = actor.event(what, detail);
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
  const std::int64_t began = clock_.now();
  const std::string version = version_of(began, change.mark, webvtt.size());
  media::Captions set;
  std::string former;
  const std::string now = text::to_rfc3339(clock_.now());
  std::function<bool(media::Media&)> edit = [&](media::Media& media) {
    refused = change.refusal(media, language, actor);
    if (refused) return false;
    const media::Captions* const found = find_captions(media.captions, language);
    set = found == nullptr ? media::Captions() : *found;
    former = set.version();
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
  // Count first: a crash then leaves only texts that are counted.
  co_await texts_.count(before->account, id, bytes_of(*before) + more);
  co_await texts_.add(id, version, webvtt);
  if (clock_.now() - began > media::CaptionTexts::kWriting / 2)
    throw base::Unavailable("a text of captions took too long to write");
  const std::optional<media::Media> after = co_await records_.edit_media(id, std::move(edit));
  if (!after) refused = CaptionRefusal::NoMedia;
  if (refused) {
    std::vector<std::string> unused{version};
    co_await texts_.remove(id, std::move(unused));
    const std::int64_t kept = after ? bytes_of(*after) : std::int64_t{0};
    co_await texts_.count(before->account, id, kept);
    co_return base::Refusal{*refused};
  }
  co_await clean_up(*after, former);
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
  std::string former;
  const std::string now = text::to_rfc3339(clock_.now());
  std::function<bool(media::Media&)> edit = [&](media::Media& media) {
    refused = change.refusal(media, language, actor);
    if (refused) return false;
    const media::Captions* const found = find_captions(media.captions, language);
    former = found->version();
    media.captions.erase(media.captions.begin() + (found - media.captions.data()));
    media.updated = now;
    return true;
  };
  const std::optional<media::Media> after = co_await records_.edit_media(id, std::move(edit));
  if (!after) co_return CaptionRefusal::NoMedia;
  if (refused) co_return refused;
  co_await clean_up(*after, former);
  co_return std::nullopt;
}

loop::Task<std::vector<media::Captions>> CaptionService::copy(media::Media from, media::HashedId to,
                                                              std::string mark) {
  const std::int64_t bytes = bytes_of(from);
  std::vector<media::Captions> copied;
  if (bytes > 0) {
    co_await texts_.count(from.account, to, bytes);
  }
  const std::int64_t began = clock_.now();
  for (media::Captions captions : from.captions) {
    if (!captions.version().empty()) {
      const std::optional<std::string> webvtt = co_await text(from.id, captions);
      if (!webvtt) continue;
      // Several in one request differ by their number.
      const std::string number = to_digits(static_cast<std::int64_t>(copied.size()));
      const std::string version =
          version_of(began, mark.substr(0, kMarkDigits - number.size()) + number, webvtt->size());
      co_await texts_.add(to, version, *webvtt);
      captions.url = media::url_of_captions(to, captions.language, version);
    }
    copied.push_back(std::move(captions));
  }
  if (clock_.now() - began > media::CaptionTexts::kWriting / 2)
    throw base::Unavailable("texts of captions took too long to copy");
  co_return copied;
}

loop::Task<> CaptionService::settle(media::Media media) {
  std::string no_version;
  co_await clean_up(media, std::move(no_version));
}

loop::Task<> CaptionService::clean_up(const media::Media& media, std::string version) {
  std::vector<std::string> unused = co_await texts_.versions(media.id);
  const std::int64_t oldest = clock_.now() - media::CaptionTexts::kWriting;
  std::erase_if(unused, [&](const std::string& each) {
    return each != version &&
           (time_of(each) > oldest ||
            std::ranges::any_of(media.captions, [&](const media::Captions& captions) {
              return captions.version() == each;
            }));
  });
  co_await texts_.remove(media.id, std::move(unused));
  co_await texts_.count(media.account, media.id, bytes_of(media));
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
