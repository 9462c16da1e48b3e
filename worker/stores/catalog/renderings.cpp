#include "stores/catalog/renderings.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>

#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "base/unavailable.h"
#include "stores/catalog/renderings.lua.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// Slots for the renderings that this worker stored recently.
constexpr std::size_t kRecentlyStored = 4096;
// bytes. Sending a longer rendering takes longer than building it, and delays
// the commands after it.
constexpr std::size_t kLongest = 1 << 20;
// Allows for clock differences between machines, and for writes that were in
// progress when a request began.
constexpr std::int64_t kMargin = 2000;  // ms
constexpr std::size_t kRenderingsPerUnlink = 1000;

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::size_t place_of(std::string_view key) {
  return std::hash<std::string_view>()(key) % kRecentlyStored;
}

// Must not differ between builds: workers of other versions read it.
std::string name_of(std::string_view configuration) {
  return base::to_hex(base::sha256(configuration)).substr(0, 16);
}

// Removes a word and the blank after it; returns nullopt without a blank.
std::optional<std::string_view> take_word(std::string_view& text) {
  const std::size_t end = text.find(' ');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return word;
}

// Removes a number and the blank after it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  const auto word = take_word(text);
  return word ? base::parse_number<std::int64_t>(*word) : std::nullopt;
}

// Nearly all records that a rendering depends on are media: those are written
// without their prefix.
void append_key(std::string& out, std::string_view key) {
  constexpr std::string_view kMedias = keys::kMedias;
  out += key.starts_with(kMedias) ? key.substr(kMedias.size()) : key;
  out += ' ';
}

std::string key_of(std::string_view word) {
  return word.find(':') == std::string_view::npos ? keys::kMedias + std::string(word)
                                                  : std::string(word);
}

// Returns the id in the key of a media or playlist; nullopt for other keys.
std::optional<media::HashedId> rendered_in(std::string_view key) {
  for (const std::string_view prefix : {keys::kMedias, keys::kPlaylists}) {
    if (key.starts_with(prefix)) return media::HashedId::parse(key.substr(prefix.size()));
  }
  return std::nullopt;
}

}  // namespace

Renderings::Renderings(redis::Store& cache, const cache::InvalidationFeed& feed,
                       const RenderingSettings& settings, std::string_view configuration,
                       const base::Clock& clock)
    : cache_(cache),
      feed_(feed),
      settings_(settings),
      prefix_(name_of(configuration) + ' '),
      clock_(clock),
      changes_(settings.lifetime * 1000 + kMargin),
      stored_(settings.is_on() ? kRecentlyStored : 0) {}

bool Renderings::is_true(std::string_view key, std::int64_t begun) const {
  return begun > changes_.last(key) + kMargin;
}

loop::Task<Renderings::Search> Renderings::find(const media::HashedId& id, std::string_view variant,
                                                media::Reads& reads) {
  Search search;
  search.began = now_ms();
  search.read_before = reads.keys().size();
  if (!hears()) co_return search;
  try {
    redis::Store::Call call = cache_.read({"HGET", keys::rendering(id), field(variant)});
    const redis::Reply reply = co_await call;
    if (const auto text = reply.text()) search.found = take_if_true(id, *text, reads);
  } catch (const base::Unavailable&) {
    // A miss.
  }
  co_return search;
}

std::optional<Renderings::Found> Renderings::take_if_true(const media::HashedId& id,
                                                          std::string_view text,
                                                          media::Reads& reads) const {
  const auto begun = take_number(text);
  const auto account = begun ? take_number(text) : std::nullopt;
  const auto others = account ? take_number(text) : std::nullopt;
  if (!others) return std::nullopt;
  std::vector<std::string> made_from{keys::media(id)};
  for (std::int64_t i = 0; i < *others; ++i) {
    const auto word = take_word(text);
    if (!word) return std::nullopt;
    made_from.push_back(key_of(*word));
  }
  for (const std::string& key : made_from) {
    if (!is_true(key, *begun)) return std::nullopt;
  }
  for (const std::string& key : made_from) reads.note(key);
  return Found{std::string(text), *account};
}

// The value is: begin, account, number of other records, their names, text. The
// media of that id always counts as a dependency and is not written.
//
// The time to live is between half of the lifetime and all of it, so that
// renderings stored together do not expire together.
void Renderings::keep(const media::HashedId& id, std::string_view variant, const Search& search,
                      const Found& rendering, const media::Reads& reads) {
  if (!hears() || rendering.text.size() > kLongest) return;
  const std::string key = keys::rendering(id);
  const std::string own = keys::media(id);
  // A record changed during the build. No worker would use the rendering, and
  // no later change would delete it.
  if (changes_.last(own) > search.began) return;
  std::string others;
  std::size_t count = 0;
  for (std::size_t i = search.read_before; i < reads.keys().size(); ++i) {
    const std::string& read = reads.keys()[i];
    if (read == own) continue;
    if (changes_.last(read) > search.began) return;
    append_key(others, read);
    ++count;
  }
  const std::string value = std::to_string(search.began) + ' ' + std::to_string(rendering.account) +
                            ' ' + std::to_string(count) + ' ' + others + rendering.text;
  const auto half = static_cast<std::size_t>(settings_.lifetime * 500);
  const std::size_t lives =
      half + (std::hash<std::string>()(key) ^ static_cast<std::size_t>(search.began)) % (half + 1);
  cache_.call_and_forget(functions::KeepRendering{.rendering = key,
                                                  .variant = field(variant),
                                                  .value = value,
                                                  .most = settings_.per_media,
                                                  .milliseconds = lives});
  const std::string record = count == 0 ? own : keys::playlist(id);
  stored_[place_of(record)] = {record, search.began};
}

// The writer of a record deletes its renderings. If this worker stored one
// after that, from a build begun before, it must delete it. A playlist's
// renderings stay when one of its media changes: they are stale for every
// worker, and the next build replaces them.
void Renderings::invalidated(std::string_view key) {
  if (!settings_.is_on()) return;
  changes_.note(key, now_ms());
  Stored& stored = stored_[place_of(key)];
  if (stored.key != key || now_ms() - stored.at > kMargin) return;
  stored = {};
  if (const auto id = rendered_in(key)) cache_.send_and_forget({"UNLINK", keys::rendering(*id)});
}

void Renderings::all_invalidated() { changes_.note_all(now_ms()); }

// Changes before the subscription may have been missed, so every earlier
// rendering counts as stale.
void Renderings::feed_began() { changes_.note_all(now_ms()); }

loop::Task<> drop_renderings(redis::Store& cache, const std::vector<media::HashedId>& medias) {
  redis::Store::Calls calls(cache);
  for (std::size_t i = 0; i < medias.size(); i += kRenderingsPerUnlink) {
    std::vector<std::string> names;
    for (std::size_t k = i; k < std::min(medias.size(), i + kRenderingsPerUnlink); ++k)
      names.push_back(keys::rendering(medias[k]));
    std::vector<std::string_view> words{"UNLINK"};
    words.insert(words.end(), names.begin(), names.end());
    calls.read(words);  // UNLINK may be sent twice, so it can be a read
  }
  while (calls.left() > 0) const redis::Reply reply = co_await calls.next();
}

}  // namespace svc::stores
