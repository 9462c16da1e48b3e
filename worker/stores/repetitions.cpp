#include "stores/repetitions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "redis/script.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// A record is a line "<state> <ends> <body> <request>", and the response after it. It lives longer
// than it counts, because the clock of Redis may be another.
//
// KEYS: the record, the names of the grant. ARGV: name, body, request, now, when it ends, most
// names, time to live. Returns the existing record, or "new" or "full". Safe to repeat.
const redis::Script& begin_script() {
  static const redis::Script kScript(R"(
local known = redis.call('GET', KEYS[1])
if known then
  local ends, body, request = string.match(known, '^%a+ (%d+) (%S+) (%S*)')
  if tonumber(ends) > tonumber(ARGV[4]) then
    if known == 'running ' .. ends .. ' ' .. ARGV[2] .. ' ' .. ARGV[3] .. '\n' then return 'new' end
    return known
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) and
   redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then return 'full' end
redis.call('SET', KEYS[1], 'running ' .. ARGV[5] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3] .. '\n', 'EX', ARGV[7])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[7])
return 'new')",
                                     "$");
  return kScript;
}

// KEYS: as above. ARGV: name, body, request, the response, when it ends, time to live. Safe to
// repeat.
const redis::Script& keep_script() {
  static const redis::Script kScript(R"(
local known = redis.call('GET', KEYS[1])
if not known then return 0 end
local state, body, request = string.match(known, '^(%a+) %d+ (%S+) (%S*)')
if state ~= 'running' or body ~= ARGV[2] or request ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[1], 'kept ' .. ARGV[5] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3] .. '\n' .. ARGV[4], 'EX', ARGV[6])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return 1)",
                                     ":");
  return kScript;
}

// Seconds that a record outlives its end in Redis.
constexpr std::int64_t kOutlives = 60;

std::vector<std::string> keys_of(const oauth::GrantId& grant, std::string_view name) {
  return {keys::repetition(grant, name), keys::repetitions(grant)};
}

}  // namespace

loop::Task<Repetitions::Begun> Repetitions::begin(const oauth::GrantId& grant,
                                                  std::string_view name, std::string_view body,
                                                  std::string_view request, std::int64_t now) {
  std::vector<std::string> arguments{std::string(name),
                                     std::string(body),
                                     std::string(request),
                                     std::to_string(now),
                                     std::to_string(now + kRunning),
                                     std::to_string(kMostPerGrant),
                                     std::to_string(kKept + kOutlives)};
  auto run = store_.eval(begin_script(), keys_of(grant, name), std::move(arguments));
  const redis::Reply reply = co_await run;
  const std::string_view text = reply.text().value_or("");
  if (text == "new") co_return Begun{.state = State::New, .body = std::string(body)};
  if (text == "full") co_return Begun{.state = State::Full};
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  const bool is_kept = line.starts_with("kept ");
  line.remove_prefix(std::min(line.find(' ', line.find(' ') + 1), line.size() - 1) + 1);
  Begun begun{.state = is_kept ? State::Kept : State::Running,
              .body = std::string(line.substr(0, line.find(' ')))};
  if (is_kept && end != std::string_view::npos) begun.response = text.substr(end + 1);
  co_return begun;
}

loop::Task<> Repetitions::keep(const oauth::GrantId& grant, std::string_view name,
                               std::string_view body, std::string_view request,
                               std::string_view response, std::int64_t now) {
  std::vector<std::string> arguments{
      std::string(name),     std::string(body),           std::string(request),
      std::string(response), std::to_string(now + kKept), std::to_string(kKept + kOutlives)};
  auto run = store_.eval(keep_script(), keys_of(grant, name), std::move(arguments));
  co_await run;
}

}  // namespace svc::stores
