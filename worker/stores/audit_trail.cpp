#include "stores/audit_trail.h"

#include <algorithm>

#include "base/number.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

constexpr std::string_view kEventsPerRead = "200";  // per stream
// Shorter than any timeout of svcctl's connection.
constexpr std::size_t kWaitMilliseconds = 3'000;

AuditEntry read_entry(const redis::ReplyView& reply) {
  AuditEntry entry;
  if (reply.size() < 2) return entry;
  entry.id = reply.at(0).text().value_or("");
  std::string_view id = entry.id;
  entry.time = base::take_number<std::int64_t>(id).value_or(0) / 1000;
  const redis::ReplyView fields = reply.at(1);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    entry.fields.emplace_back(fields.at(i).text().value_or(""),
                              fields.at(i + 1).text().value_or(""));
  }
  return entry;
}

std::vector<AuditEntry> read_entries(const redis::ReplyView& reply) {
  std::vector<AuditEntry> entries;
  for (std::size_t i = 0; i < reply.size(); ++i) entries.push_back(read_entry(reply.at(i)));
  return entries;
}

std::string first_id_of(std::int64_t seconds) { return std::to_string(seconds * 1000); }

// That of all accounts is there even if an account has one of several: an earlier version wrote it.
void add_streams(const oauth::AuditKind& kind, std::vector<std::string>& streams) {
  streams.push_back(keys::audit(kind));
  for (std::int64_t i = 0; kind.streams > 1 && i < kind.streams; ++i)
    streams.push_back(keys::audit(kind, i));
}

std::vector<std::string> all_streams() {
  std::vector<std::string> streams{std::string(keys::kAudit)};
  for (const oauth::AuditKind& kind : oauth::kAuditKinds) add_streams(kind, streams);
  return streams;
}

std::vector<std::string> streams_of(std::string_view name) {
  std::vector<std::string> streams;
  for (const oauth::AuditKind& kind : oauth::kAuditKinds) {
    if (kind.name == name) add_streams(kind, streams);
  }
  return streams;
}

// Ids are unique within a stream only.
struct Moment {
  std::int64_t milliseconds = 0;
  std::int64_t number = 0;
  std::size_t stream = 0;
  auto operator<=>(const Moment&) const = default;
};

Moment moment_of(const AuditEntry& entry) {
  std::string_view id = entry.id;  // <milliseconds>-<number>
  const std::int64_t milliseconds = base::take_number<std::int64_t>(id).value_or(0);
  if (!id.empty()) id.remove_prefix(1);
  return {milliseconds, base::take_number<std::int64_t>(id).value_or(0), entry.stream};
}

}  // namespace

std::string_view AuditEntry::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
  return found == fields.end() ? std::string_view() : found->second;
}

AuditTrail::AuditTrail(redis::Store& store)
    : store_(store), streams_(all_streams()), last_(streams_.size(), "0-0") {}

AuditTrail::AuditTrail(redis::Store& store, std::string_view kind)
    : store_(store), streams_(streams_of(kind)), last_(streams_.size(), "0-0") {}

// All batches in one round trip.
loop::Task<> AuditTrail::fill(std::vector<Cursor>& cursors, Direction direction,
                              const std::string& end) {
  const std::string_view command = direction == Direction::OldestFirst ? "XRANGE" : "XREVRANGE";
  redis::Store::Calls calls(store_);
  for (const Cursor& cursor : cursors) {
    if (cursor.is_empty())
      calls.read({command, streams_[cursor.stream], cursor.next, end, "COUNT", kEventsPerRead});
  }
  for (Cursor& cursor : cursors) {
    if (!cursor.is_empty()) continue;
    const redis::Reply reply = co_await calls.next();
    for (AuditEntry& entry : read_entries(reply)) {
      entry.stream = cursor.stream;
      cursor.batch.push_back(std::move(entry));
    }
    cursor.ended = cursor.batch.empty();
    if (!cursor.ended) cursor.next = "(" + cursor.batch.back().id;
  }
}

std::optional<AuditEntry> AuditTrail::take(std::vector<Cursor>& cursors, Direction direction) {
  Cursor* first = nullptr;
  for (Cursor& cursor : cursors) {
    if (cursor.batch.empty()) continue;
    if (first != nullptr) {
      const bool older = moment_of(cursor.batch.front()) < moment_of(first->batch.front());
      if (older != (direction == Direction::OldestFirst)) continue;
    }
    first = &cursor;
  }
  if (first == nullptr) return std::nullopt;
  AuditEntry entry = std::move(first->batch.front());
  first->batch.pop_front();
  return entry;
}

// Passes over the entries twice, so that they need not all be in memory:
// backwards to the first of the newest `count`, then forwards from it.
loop::Task<> AuditTrail::newest(std::int64_t count, std::optional<std::int64_t> since,
                                const See& see) {
  const std::string oldest = since ? first_id_of(*since) : "-";
  std::vector<Cursor> backwards;
  for (std::size_t i = 0; i < streams_.size(); ++i) backwards.push_back({i, "+"});
  std::optional<AuditEntry> first;
  for (std::int64_t seen = 0; seen < count; ++seen) {
    if (std::ranges::any_of(backwards, &Cursor::is_empty))
      co_await fill(backwards, Direction::NewestFirst, oldest);
    std::optional<AuditEntry> entry = take(backwards, Direction::NewestFirst);
    if (!entry) break;
    first = std::move(entry);
  }
  if (!first) co_return;
  std::vector<Cursor> forwards;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    forwards.push_back({i, (i < first->stream ? "(" : "") + first->id});
  const std::string newest = "+";
  while (count-- > 0) {
    if (std::ranges::any_of(forwards, &Cursor::is_empty))
      co_await fill(forwards, Direction::OldestFirst, newest);
    const std::optional<AuditEntry> entry = take(forwards, Direction::OldestFirst);
    if (!entry) co_return;
    saw(*entry);
    const bool goes_on = co_await see(*entry);
    if (!goes_on) co_return;
  }
}

loop::Task<> AuditTrail::from(std::int64_t since, const See& see) {
  std::vector<Cursor> cursors;
  for (std::size_t i = 0; i < streams_.size(); ++i) cursors.push_back({i, first_id_of(since)});
  const std::string newest = "+";
  while (true) {
    if (std::ranges::any_of(cursors, &Cursor::is_empty))
      co_await fill(cursors, Direction::OldestFirst, newest);
    const std::optional<AuditEntry> entry = take(cursors, Direction::OldestFirst);
    if (!entry) co_return;
    saw(*entry);
    const bool goes_on = co_await see(*entry);
    if (!goes_on) co_return;
  }
}

loop::Task<> AuditTrail::mark() {
  redis::Store::Calls calls(store_);
  for (const std::string& stream : streams_)
    calls.read({"XREVRANGE", stream, "+", "-", "COUNT", "1"});
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const redis::Reply reply = co_await calls.next();
    const std::vector<AuditEntry> last = read_entries(reply);
    last_[i] = last.empty() ? "0-0" : last.front().id;
  }
}

loop::Task<std::vector<AuditEntry>> AuditTrail::wait_after() {
  const std::string wait = std::to_string(kWaitMilliseconds);
  std::vector<std::string_view> words{"XREAD", "COUNT", kEventsPerRead, "BLOCK", wait, "STREAMS"};
  words.insert(words.end(), streams_.begin(), streams_.end());
  words.insert(words.end(), last_.begin(), last_.end());
  redis::Store::Call call = store_.read(words);
  const redis::Reply reply = co_await call;
  // Nil, or the name and the new entries of each stream that has any.
  std::vector<AuditEntry> entries;
  for (std::size_t i = 0; i < reply.size(); ++i) {
    const auto found = std::ranges::find(streams_, reply.at(i).at(0).text().value_or(""));
    if (found == streams_.end()) continue;
    for (AuditEntry& entry : read_entries(reply.at(i).at(1))) {
      entry.stream = static_cast<std::size_t>(found - streams_.begin());
      saw(entry);
      entries.push_back(std::move(entry));
    }
  }
  std::ranges::sort(entries, {}, moment_of);
  co_return entries;
}

}  // namespace svc::stores
