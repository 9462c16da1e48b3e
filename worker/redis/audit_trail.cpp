#include "redis/audit_trail.h"

#include <algorithm>
#include <charconv>

#include "redis/keys.h"

namespace svc::redis {
namespace {

constexpr std::string_view kBatch = "200";  // of each stream
// Shorter than any timeout that svcctl gives its connection.
constexpr std::string_view kWaitMilliseconds = "3000";

AuditEntry read_entry(const ReplyView& reply) {
  AuditEntry entry;
  if (reply.size() < 2) return entry;
  entry.id = reply.at(0).text().value_or("");
  std::int64_t milliseconds = 0;
  std::from_chars(entry.id.data(), entry.id.data() + entry.id.size(), milliseconds);
  entry.time = milliseconds / 1000;
  const ReplyView fields = reply.at(1);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    entry.fields.emplace_back(fields.at(i).text().value_or(""),
                              fields.at(i + 1).text().value_or(""));
  }
  return entry;
}

std::vector<AuditEntry> read_entries(const ReplyView& reply) {
  std::vector<AuditEntry> entries;
  for (std::size_t i = 0; i < reply.size(); ++i) entries.push_back(read_entry(reply.at(i)));
  return entries;
}

std::string first_id_of(std::int64_t seconds) { return std::to_string(seconds * 1000); }

std::vector<std::string> all_streams() {
  std::vector<std::string> streams{std::string(keys::kAudit)};
  for (const oauth::AuditKind& kind : oauth::kAuditKinds) streams.push_back(keys::audit(kind));
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
  Moment moment{0, 0, entry.stream};
  const char* const end = entry.id.data() + entry.id.size();
  const auto [rest, error] = std::from_chars(entry.id.data(), end, moment.milliseconds);
  if (error == std::errc{} && rest != end) std::from_chars(rest + 1, end, moment.number);
  return moment;
}

}  // namespace

std::string_view AuditEntry::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
  return found == fields.end() ? std::string_view() : found->second;
}

AuditTrail::AuditTrail(Connection& connection)
    : connection_(connection), streams_(all_streams()), last_(streams_.size(), "0-0") {}

std::optional<AuditEntry> AuditTrail::next(std::vector<Cursor>& cursors, Direction direction,
                                           const std::string& end) {
  const std::string_view command = direction == Direction::OldestFirst ? "XRANGE" : "XREVRANGE";
  Cursor* first = nullptr;
  for (Cursor& cursor : cursors) {
    if (cursor.batch.empty() && !cursor.ended) {
      for (AuditEntry& entry : read_entries(connection_.read(
               {command, streams_[cursor.stream], cursor.next, end, "COUNT", kBatch}))) {
        entry.stream = cursor.stream;
        cursor.batch.push_back(std::move(entry));
      }
      cursor.ended = cursor.batch.empty();
      if (!cursor.ended) cursor.next = "(" + cursor.batch.back().id;
    }
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

// Twice through the newest, so that they need not all be kept: backwards to the first of them, then
// from there.
void AuditTrail::newest(std::int64_t count, std::optional<std::int64_t> since, const See& see) {
  const std::string oldest = since ? first_id_of(*since) : "-";
  std::vector<Cursor> backwards;
  for (std::size_t i = 0; i < streams_.size(); ++i) backwards.push_back({i, "+"});
  std::optional<AuditEntry> first;
  for (std::int64_t seen = 0; seen < count; ++seen) {
    auto entry = next(backwards, Direction::NewestFirst, oldest);
    if (!entry) break;
    first = std::move(entry);
  }
  if (!first) return;
  std::vector<Cursor> forwards;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    forwards.push_back({i, (i < first->stream ? "(" : "") + first->id});
  while (count-- > 0) {
    const auto entry = next(forwards, Direction::OldestFirst, "+");
    if (!entry) return;
    saw(*entry);
    if (!see(*entry)) return;
  }
}

void AuditTrail::from(std::int64_t since, const See& see) {
  std::vector<Cursor> cursors;
  for (std::size_t i = 0; i < streams_.size(); ++i) cursors.push_back({i, first_id_of(since)});
  while (const auto entry = next(cursors, Direction::OldestFirst, "+")) {
    saw(*entry);
    if (!see(*entry)) return;
  }
}

void AuditTrail::mark() {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const auto last =
        read_entries(connection_.read({"XREVRANGE", streams_[i], "+", "-", "COUNT", "1"}));
    last_[i] = last.empty() ? "0-0" : last.front().id;
  }
}

std::vector<AuditEntry> AuditTrail::wait_after() {
  std::vector<std::string_view> words{"XREAD", "COUNT",           kBatch,
                                      "BLOCK", kWaitMilliseconds, "STREAMS"};
  words.insert(words.end(), streams_.begin(), streams_.end());
  words.insert(words.end(), last_.begin(), last_.end());
  const Reply reply = connection_.read(words);
  // Nothing, or the name and the entries of each stream that has some.
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
  return entries;
}

}  // namespace svc::redis
