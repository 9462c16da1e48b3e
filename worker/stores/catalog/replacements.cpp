#include "stores/catalog/replacements.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

constexpr std::string_view kFailureSeconds = "604800";  // a week

std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// "<media> <account> <contact> <begun>". nullopt: of a later version.
std::optional<media::Replacement> replacement_in(std::string_view field, std::string_view value) {
  const auto upload = media::HashedId::parse(field);
  const auto media = media::HashedId::parse(next_word(value));
  const auto account = base::parse_number<std::int64_t>(next_word(value), 1, media::kMaxIntegerId);
  const auto contact = base::parse_number<std::int64_t>(next_word(value), 1, media::kMaxIntegerId);
  const auto begun = base::parse_number<std::int64_t>(next_word(value), 1, media::kMaxIntegerId);
  if (!upload || !media || !account || !contact || !begun) return std::nullopt;
  return media::Replacement{*upload, *media, {*account}, {*contact}, *begun};
}

}  // namespace

loop::Task<> Replacements::begin(media::Replacement replacement) {
  const std::string value =
      replacement.media.value() + " " + std::to_string(replacement.account.value()) + " " +
      std::to_string(replacement.contact.value()) + " " + std::to_string(replacement.begun);
  redis::Store::Call adding =
      store_.command({"HSET", keys::kReplacements, replacement.upload.value(), value});
  co_await adding;
  co_await forget_failure(std::move(replacement.media));
}

loop::Task<std::vector<media::Replacement>> Replacements::all() {
  redis::Store::Call call = store_.read({"HGETALL", keys::kReplacements});
  const redis::Reply reply = co_await OrAbsent{call};
  std::vector<media::Replacement> all;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
    auto one = replacement_in(reply.at(i).text().value_or(""), reply.at(i + 1).text().value_or(""));
    if (one) all.push_back(*std::move(one));
  }
  std::ranges::stable_sort(all, {}, &media::Replacement::begun);
  co_return all;
}

loop::Task<> Replacements::end(media::HashedId upload) {
  redis::Store::Call call = store_.command({"HDEL", keys::kReplacements, upload.value()});
  co_await call;
}

loop::Task<std::optional<std::string>> Replacements::failure(media::HashedId media) {
  redis::Store::Call call = store_.get(keys::replacement_failure(media));
  const redis::Reply reply = co_await OrAbsent{call};
  const auto text = reply.text();
  co_return text ? std::optional<std::string>(*text) : std::nullopt;
}

loop::Task<> Replacements::fail(media::HashedId media, std::string why) {
  const std::string key = keys::replacement_failure(media);
  redis::Store::Call call = store_.command({"SET", key, why, "EX", kFailureSeconds});
  co_await call;
}

loop::Task<> Replacements::forget_failure(media::HashedId media) {
  const std::string key = keys::replacement_failure(media);
  redis::Store::Call call = store_.command({"DEL", key});
  co_await call;
}

}  // namespace svc::stores
