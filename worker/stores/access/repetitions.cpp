#include "stores/access/repetitions.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "redis/script.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// A record is a line "<state> <ends> <body> <request>", and the response after it.
//
// KEYS: the record, the names of the account, their bytes. ARGV: name, body, request, now, when it
// ends, most names, most bytes, bytes of a name, bytes of its response, time to live of the record,
// of the others. Returns the existing record, or "new" or "full". Safe to repeat.
const redis::Script& begin_script() {
  static const redis::Script kScript(R"(
local name, line = ARGV[1], 'running ' .. ARGV[5] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3] .. '\n'
local now, most_names, most_bytes = tonumber(ARGV[4]), tonumber(ARGV[6]), tonumber(ARGV[7])
local of_name, of_response = tonumber(ARGV[8]), tonumber(ARGV[9])
local known = redis.call('GET', KEYS[1])
if known then
  local ends, body, request = string.match(known, '^%a+ (%d+) (%S+) (%S*)')
  if ends and tonumber(ends) > now then
    if known == 'running ' .. ends .. ' ' .. ARGV[2] .. ' ' .. ARGV[3] .. '\n' then return 'new' end
    return known
  end
end
local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)
if redis.call('ZSCORE', KEYS[2], name) then ended[#ended + 1] = name end
local all = tonumber(redis.call('HGET', KEYS[3], 'all')) or 0
if #ended > 0 then
  redis.call('ZREM', KEYS[2], unpack(ended))
  for i, each in ipairs(ended) do
    all = all - (tonumber(redis.call('HGET', KEYS[3], each)) or 0)
    redis.call('HDEL', KEYS[3], each)
  end
  redis.call('HSET', KEYS[3], 'all', all)
end
local bytes = of_name + of_response
if redis.call('ZCARD', KEYS[2]) >= most_names or all + bytes > most_bytes then return 'full' end
redis.call('SET', KEYS[1], line, 'EX', ARGV[10])
redis.call('ZADD', KEYS[2], ARGV[5], name)
redis.call('HSET', KEYS[3], name, bytes, 'all', all + bytes)
redis.call('EXPIRE', KEYS[2], ARGV[11])
redis.call('EXPIRE', KEYS[3], ARGV[11])
return 'new')",
                                     "$");
  return kScript;
}

// KEYS: as above. ARGV: name, body, request, the response, when it ends, bytes of a name, time to
// live. Safe to repeat.
const redis::Script& end_script() {
  static const redis::Script kScript(R"(
local name, response = ARGV[1], ARGV[4]
local known = redis.call('GET', KEYS[1])
if not known then return 0 end
local state, body, request = string.match(known, '^(%a+) %d+ (%S+) (%S*)')
if state ~= 'running' or body ~= ARGV[2] or request ~= ARGV[3] then return 0 end
if response ~= '' then
  redis.call('SET', KEYS[1], 'kept ' .. ARGV[5] .. ' ' .. body .. ' ' .. request .. '\n' .. response, 'EX', ARGV[7])
  redis.call('ZADD', KEYS[2], ARGV[5], name)
end
local all = tonumber(redis.call('HGET', KEYS[3], 'all')) or 0
local before = tonumber(redis.call('HGET', KEYS[3], name)) or 0
local bytes = tonumber(ARGV[6]) + #response
redis.call('HSET', KEYS[3], name, bytes, 'all', all - before + bytes)
redis.call('EXPIRE', KEYS[2], ARGV[7])
redis.call('EXPIRE', KEYS[3], ARGV[7])
return 1)",
                                     ":");
  return kScript;
}

// Of the grant and the name, so that all records of an account are in one slot.
std::string digest_of(const oauth::Repetitions::Owner& owner, std::string_view name) {
  return base::to_hex(base::sha256(owner.grant.value() + "\n" + std::string(name)).substr(0, 16));
}

std::vector<std::string> keys_of(const oauth::Repetitions::Owner& owner,
                                 const std::string& digest) {
  return {keys::repetition(owner.account, digest), keys::repetitions(owner.account),
          keys::repetition_bytes(owner.account)};
}

// nullopt: no record.
std::optional<Repetitions::Begun> begun_in(std::string_view record) {
  using State = oauth::Repetitions::State;
  const std::size_t end = record.find('\n');
  std::string_view line = record.substr(0, end);
  const bool is_kept = line.starts_with("kept ");
  if (end == std::string_view::npos || (!is_kept && !line.starts_with("running ")))
    return std::nullopt;
  const auto next = [&line] { line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1); };
  next();
  next();
  Repetitions::Begun begun{.state = is_kept ? State::Kept : State::Running,
                           .body = std::string(line.substr(0, line.find(' ')))};
  if (is_kept) begun.response = record.substr(end + 1);
  return begun;
}

bool has_ended(std::string_view record, std::int64_t now) {
  record.remove_prefix(std::min(record.find(' '), record.size() - 1) + 1);
  return base::parse_number<std::int64_t>(record.substr(0, record.find(' '))).value_or(0) <= now;
}

}  // namespace

loop::Task<Repetitions::Begun> Repetitions::begin(const Owner& owner, std::string_view name,
                                                  std::string_view body, std::string_view request,
                                                  std::int64_t now) {
  // Written by a worker of an earlier version.
  auto asking = store_.get(keys::repetition_of_grant(owner.grant, name));
  const std::string digest = digest_of(owner, name);
  std::vector<std::string> arguments{digest,
                                     std::string(body),
                                     std::string(request),
                                     std::to_string(now),
                                     std::to_string(now + kRunning),
                                     std::to_string(kMostNames),
                                     std::to_string(kMostBytes),
                                     std::to_string(kNameBytes),
                                     std::to_string(kMostKept),
                                     std::to_string(kRunning),
                                     std::to_string(kKept)};
  std::vector<std::string> keys = keys_of(owner, digest);
  const redis::Reply reply =
      co_await store_.eval(begin_script(), std::move(keys), std::move(arguments));  // sends both
  const redis::Reply earlier = co_await asking;
  const std::string_view text = reply.text().value_or("");
  const std::string_view of_earlier = earlier.text().value_or("");
  if (!of_earlier.empty() && !has_ended(of_earlier, now)) {
    if (auto begun = begun_in(of_earlier)) co_return *std::move(begun);
  }
  if (text == "full") co_return Begun{.state = State::Full};
  if (auto begun = begun_in(text)) co_return *std::move(begun);
  co_return Begun{.state = State::New, .body = std::string(body)};
}

loop::Task<> Repetitions::end(const Owner& owner, std::string_view name, std::string_view body,
                              std::string_view request, std::string_view response,
                              std::int64_t now) {
  const std::string digest = digest_of(owner, name);
  std::vector<std::string> arguments{digest,
                                     std::string(body),
                                     std::string(request),
                                     std::string(response),
                                     std::to_string(now + kKept),
                                     std::to_string(kNameBytes),
                                     std::to_string(kKept)};
  std::vector<std::string> keys = keys_of(owner, digest);
  co_await store_.eval(end_script(), std::move(keys), std::move(arguments));
}

}  // namespace svc::stores
