#include "redis/clients.h"

#include <charconv>

#include "redis/keys.h"
#include "redis/record.h"
#include "text/json_record.h"

namespace svc::redis {
namespace {

constexpr std::size_t kMostKnown = 256;  // of some 2 KB each

// 60 s from the first wrong secret on, however many follow.
const Script kCountGuess(R"(
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], 60) end
return count)");

}  // namespace

void Clients::expect_client(const oauth::ClientId& id) { connection_.expect(keys::client(id)); }

std::optional<oauth::Client> Clients::find_client(const oauth::ClientId& id) {
  const std::string key = keys::client(id);
  const auto text = connection_.get(key).text();
  if (!text) return std::nullopt;
  const auto known = known_.find(key);
  if (known != known_.end() && known->second.record == *text) return known->second.client;
  const auto value = document_.parse(*text, text::json::Origin::Ours);
  if (!value) corrupt_record(key, value.error());
  text::JsonRecord record(*value);
  oauth::Client client = must_read(key, oauth::client_from_record(record));
  if (known_.size() >= kMostKnown) known_.clear();
  known_.insert_or_assign(key, Known{std::string(*text), client});
  return client;
}

void Clients::expect_guesses(const oauth::ClientId& id, std::string_view address) {
  connection_.expect(keys::guess(id, address));
}

std::int64_t Clients::guesses(const oauth::ClientId& id, std::string_view address) {
  const auto text = connection_.get(keys::guess(id, address)).text().value_or("0");
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

void Clients::count_guess(const oauth::ClientId& id, std::string_view address) {
  const std::vector<std::string> keys{keys::guess(id, address)};
  connection_.eval(kCountGuess, keys, {});
  // Or all requests that are ready together could guess as if each were the first.
  connection_.outdate(keys.front());
}

}  // namespace svc::redis
