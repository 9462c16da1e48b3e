#include "redis/reply_shape.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/number.h"

namespace svc::redis {
namespace {

constexpr std::string_view kAny = ".";
constexpr std::string_view kEntries = "[;[$[;$$]]]";  // entries of a stream

// The rule by which the arguments determine the length of an array.
enum class Length : std::uint8_t {
  Any,
  Keys,     // an element per argument
  Fields,   // an element per argument after the key
  Range,    // at most the elements between two indexes
  Entries,  // at most COUNT entries; one if both ids are equal
};

struct Row {
  std::string_view name;
  std::string_view word;  // the command has this argument; empty: any arguments
  std::string_view form;
  Length length = Length::Any;
};

// The first row that fits, in alphabetical order. A row per command of every store, except of
// functions, which have their form.
constexpr Row kRows[] = {
    {"ASKING", "", "+"},
    {"AUTH", "", "+"},
    {"BLPOP", "", "?[$$]"},
    {"CLIENT", "ID", ":"},
    {"CLIENT", "SETNAME", "+"},
    {"CLIENT", "TRACKING", "+"},
    {"CLUSTER", "SLOTS", "[;[::[.:;.];.]]"},
    {"DEL", "", ":"},
    {"ECHO", "", "$"},
    {"EXISTS", "", ":"},
    {"EXPIRE", "", ":"},
    {"FCALL", "protocol", ":"},
    {"FUNCTION", "LOAD", "$"},
    {"GET", "", "?$"},
    {"GETRANGE", "", "$"},
    {"HDEL", "", ":"},
    {"HGET", "", "?$"},
    {"HGETALL", "", "[;$$]"},
    {"HINCRBY", "", ":"},
    {"HKEYS", "", "[;$]"},
    {"HLEN", "", ":"},
    {"HMGET", "", "[;?$]", Length::Fields},
    {"HRANDFIELD", "", "[;$]"},
    {"HSET", "", ":"},
    {"LRANGE", "", "[;$]", Length::Range},
    {"LREM", "", ":"},
    {"MGET", "", "[;?$]", Length::Keys},
    {"MSET", "", "+"},
    {"PFADD", "", ":"},
    {"PFCOUNT", "", ":"},
    {"PING", "", "![$$]"},  // the array after SUBSCRIBE
    {"ROLE", "", "[$;.]"},
    {"RPUSH", "", ":"},
    {"SADD", "", ":"},
    {"SCAN", "", "[$[;$]]"},
    {"SELECT", "", "+"},
    {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "?[$$]"},
    {"SET", "GET", "?$"},
    {"SET", "NX", "?+"},
    {"SET", "", "+"},
    {"SMEMBERS", "", "[;$]"},
    {"SREM", "", ":"},
    {"SUBSCRIBE", "", "[$$:]"},
    {"TYPE", "", "!"},
    {"UNLINK", "", ":"},
    {"WAIT", "", ":"},
    {"XACK", "", ":"},
    {"XADD", "NOMKSTREAM", "?$"},
    {"XADD", "", "$"},
    {"XCLAIM", "JUSTID", "[;$]"},
    {"XDEL", "", ":"},
    {"XGROUP", "", "+"},
    {"XPENDING", "", "[;[$$::]]"},
    {"XRANGE", "", kEntries, Length::Entries},
    {"XREAD", "", "?[;[$[;[$[;$$]]]]]"},
    {"XREVRANGE", "", kEntries, Length::Entries},
    {"ZADD", "", ":"},
    {"ZCARD", "", ":"},
    {"ZINCRBY", "", "$"},
    {"ZPOPMIN", "", "[;$$]"},
    {"ZRANGE", "WITHSCORES", "[;$$]", Length::Range},
    {"ZRANGE", "", "[;$]", Length::Range},
    {"ZREM", "", ":"},
    {"ZREMRANGEBYSCORE", "", ":"},
    {"ZSCORE", "", "?$"},
};

static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

std::optional<std::int64_t> number_at(std::span<const std::string_view> words, std::size_t index) {
  return index < words.size() ? base::parse_number<std::int64_t>(words[index]) : std::nullopt;
}

// Returns the number of elements between the indexes of ZRANGE; nullopt if it
// depends on the set.
std::optional<std::size_t> range_of(std::span<const std::string_view> words) {
  const auto first = number_at(words, 2);
  const auto last = number_at(words, 3);
  if (!first || !last || (*first < 0) != (*last < 0)) return std::nullopt;
  return static_cast<std::size_t>(std::max<std::int64_t>(*last - *first + 1, 0));
}

std::optional<std::size_t> entries_of(std::span<const std::string_view> words) {
  const auto at = std::ranges::find(words, "COUNT");
  if (at != words.end()) {
    const auto count = number_at(words, static_cast<std::size_t>(at - words.begin()) + 1);
    return count ? std::optional(static_cast<std::size_t>(*count)) : std::nullopt;
  }
  if (words.size() > 3 && words[2] == words[3] && words[2] != "-" && words[2] != "+") return 1;
  return std::nullopt;
}

void limit(ReplyShape& shape, const Row& row, std::span<const std::string_view> words) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  switch (row.length) {
    case Length::Any: return;
    case Length::Keys: shape.least = shape.most = words.size() - 1; return;
    case Length::Fields: shape.least = shape.most = words.size() - 2; return;
    case Length::Entries: shape.most = entries_of(words).value_or(kMost); return;
    case Length::Range: break;
  }
  if (const auto range = range_of(words)) shape.most = *range * (row.word.empty() ? 1 : 2);
}

bool is_text(const redisReply& reply, int type) {
  return reply.type == type && reply.str != nullptr;
}

// Reads a form and a reply next to each other.
class Match {
 public:
  explicit Match(std::string_view form) : form_(form) {}

  // Takes the form's next value. Returns true if the reply has it. nullptr: the
  // form is only passed over.
  bool value(const redisReply* reply) {
    const bool may_be_nil = take('?');
    const char kind = form_.empty() ? '\0' : form_.front();
    if (!form_.empty()) form_.remove_prefix(1);
    if (reply != nullptr && may_be_nil && reply->type == REDIS_REPLY_NIL) {
      if (kind == '[') array(nullptr);
      return true;
    }
    if (kind == '[') return array(reply);
    if (reply == nullptr) return false;
    switch (kind) {
      case '+':
        return is_text(*reply, REDIS_REPLY_STATUS) &&
               std::string_view(reply->str, reply->len) == "OK";
      case '!': return is_text(*reply, REDIS_REPLY_STATUS);
      case '$': return is_text(*reply, REDIS_REPLY_STRING);
      case ':': return reply->type == REDIS_REPLY_INTEGER;
      default: return kind == kAny.front();
    }
  }
  bool is_at_end() const { return form_.empty(); }

 private:
  bool take(char wanted) {
    if (form_.empty() || form_.front() != wanted) return false;
    form_.remove_prefix(1);
    return true;
  }

  // Takes the elements' forms up to the closing bracket.
  bool array(const redisReply* reply) {
    if (reply != nullptr && reply->type != REDIS_REPLY_ARRAY) reply = nullptr;
    const std::size_t size = reply == nullptr ? 0 : reply->elements;
    bool matches = reply != nullptr;
    std::size_t at = 0;
    // Returns the next element while everything matches.
    const auto next = [&]() -> const redisReply* {
      if (matches && at == size) matches = false;
      return matches ? reply->element[at++] : nullptr;
    };
    while (!form_.empty() && form_.front() != ';' && form_.front() != ']')
      matches = value(next()) && matches;
    if (take(';')) {
      const std::string_view repeated = form_;
      while (matches && at < size) {
        form_ = repeated;
        while (!form_.empty() && form_.front() != ']') matches = value(next()) && matches;
      }
      form_ = repeated;
      while (!form_.empty() && form_.front() != ']') value(nullptr);
    }
    take(']');
    return matches && at == size;
  }

  std::string_view form_;
};

}  // namespace

ReplyShape shape_of(std::span<const std::string_view> words) {
  const auto first_letter = [](const Row& row) { return row.name.front(); };
  const Row* const first = std::ranges::lower_bound(kRows, words.front().front(), {}, first_letter);
  for (const Row& row : std::span(first, std::end(kRows))) {
    if (row.name != words.front()) continue;
    if (!row.word.empty() && std::ranges::find(words, row.word) == words.end()) continue;
    ReplyShape shape{row.form};
    limit(shape, row, words);
    return shape;
  }
  return {kAny};
}

bool ReplyShape::matches(const redisReply& reply) const {
  if (reply.type == REDIS_REPLY_ARRAY && (reply.elements < least || reply.elements > most))
    return false;
  Match match(form);
  bool any = false;
  while (!match.is_at_end()) any = match.value(&reply) || any;
  return any;
}

}  // namespace svc::redis
