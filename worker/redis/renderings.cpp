#include "redis/renderings.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>

#include "base/unavailable.h"
#include "redis/keys.h"

namespace svc::redis {
namespace {

constexpr std::size_t kRemembered = 4096;
// Clocks of two machines differ, and a write may be under way for as long as its request.
constexpr std::int64_t kMargin = 2000;  // ms
// With room for the key's name, a megabyte a command.
constexpr std::size_t kMostAtOnce = 1000;

// KEYS: the media's hash. ARGV: field, value, how many fields at most, ms to live.
constexpr std::string_view kKeep = R"(
local fields = redis.call('HLEN', KEYS[1])
if fields >= tonumber(ARGV[3]) and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if fields == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 1)";

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::size_t place_of(std::string_view key) {
  return std::hash<std::string_view>()(key) % kRemembered;
}

// A number and what stands behind it and a blank.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data() + text.size() || *end != ' ') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

}  // namespace

Renderings::Renderings(Connection& cache, const cache::Link& link, cache::Reads& reads,
                       const RenderingSettings& settings, std::string_view configuration,
                       const base::Clock& clock)
    : cache_(cache),
      link_(link),
      reads_(reads),
      settings_(settings),
      prefix_(std::to_string(std::hash<std::string_view>()(configuration)) + ' '),
      clock_(clock),
      changes_(settings.on ? kRemembered : 0),
      kept_(settings.on ? kRemembered : 0) {}

void Renderings::expect(const media::HashedId& id, std::string_view variant) {
  try {
    cache_.expect({"HGET", keys::rendering(id), field(variant)});
  } catch (const base::Unavailable&) {
    // Then it is not found either.
  }
}

bool Renderings::is_true(std::string_view media_key, std::int64_t begun) const {
  return begun > std::max(changes_[place_of(media_key)], unheard_to_) + kMargin;
}

std::optional<Renderings::Found> Renderings::find(const media::HashedId& id,
                                                  std::string_view variant) {
  if (!usable()) return std::nullopt;
  asked_at_ = now_ms();
  try {
    const auto text = cache_.fetch({"HGET", keys::rendering(id), field(variant)}).text();
    if (!text) return std::nullopt;
    std::string_view rest = *text;
    const auto begun = take_number(rest);
    const auto account = begun ? take_number(rest) : std::nullopt;
    const std::string media_key = keys::media(id);
    if (!account || !is_true(media_key, *begun)) return std::nullopt;
    reads_.note(media_key);
    return Found{std::string(rest), *account};
  } catch (const base::Unavailable&) {
    return std::nullopt;
  }
}

// Half of the lifetime and up to all of it, by the media: what was kept at the same moment does not
// go at the same moment.
void Renderings::keep(const media::HashedId& id, std::string_view variant, const Found& rendering) {
  if (!usable()) return;
  const std::string key = keys::rendering(id);
  const std::string value =
      std::to_string(asked_at_) + ' ' + std::to_string(rendering.account) + ' ' + rendering.text;
  const auto half = static_cast<std::size_t>(settings_.lifetime * 500);
  const std::size_t lives =
      half + (std::hash<std::string>()(key) ^ static_cast<std::size_t>(asked_at_)) % (half + 1);
  try {
    cache_.send_and_forget({"EVAL", kKeep, "1", key, field(variant), value,
                            std::to_string(settings_.per_media), std::to_string(lives)});
    const std::string media_key = keys::media(id);
    kept_[place_of(media_key)] = {media_key, asked_at_};
  } catch (const base::Unavailable&) {
    // Somebody will make it again.
  }
}

// Whoever changes a media drops its renderings. One that was begun before, and kept after, has to
// go too, and is its maker's to drop.
void Renderings::changed(std::string_view key) {
  if (!settings_.on) return;
  changes_[place_of(key)] = now_ms();
  Kept& kept = kept_[place_of(key)];
  if (kept.key != key || now_ms() - kept.at > kMargin) return;
  kept = {};
  try {
    const auto id = media::HashedId::parse(key.substr(std::string_view(keys::kMedias).size()));
    if (id) cache_.send_and_forget({"UNLINK", keys::rendering(*id)});
  } catch (const base::Unavailable&) {
    // It goes by itself.
  }
}

void Renderings::everything_changed() { unheard_to_ = now_ms(); }

// Of what was kept before, by whomever, nobody here knows whether its media has changed since: it
// may not have been dropped.
void Renderings::heard_from_now_on() { unheard_to_ = now_ms(); }

void drop_renderings(Connection& cache, const std::vector<media::HashedId>& medias) {
  for (std::size_t i = 0; i < medias.size(); i += kMostAtOnce) {
    std::vector<std::string> names;
    for (std::size_t k = i; k < std::min(medias.size(), i + kMostAtOnce); ++k)
      names.push_back(keys::rendering(medias[k]));
    std::vector<std::string_view> words{"UNLINK"};
    words.insert(words.end(), names.begin(), names.end());
    cache.read(words);
  }
}

}  // namespace svc::redis
