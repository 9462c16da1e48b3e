#include "stores/catalog/change_note.h"

#include <chrono>
#include <exception>
#include <memory>
#include <utility>

#include "redis/channel.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

constexpr std::string_view kMediaMember = "media ";
constexpr std::string_view kProjectMember = "project ";

// The words of a ZADD, and the texts that they view.
struct Note {
  std::string key;
  std::string score;
  std::vector<std::string> members;

  Note(const NotedChange& change, std::int64_t time, NoteAt at)
      : key(keys::changed(change.account)),
        score(std::to_string(at == NoteAt::Before ? time : -time)) {
    for (const ChangedRecord& record : change.records) members.push_back(note_member(record));
  }
  std::vector<std::string_view> words() const {
    std::vector<std::string_view> words{"ZADD", key};
    for (const std::string& member : members) words.insert(words.end(), {score, member});
    return words;
  }
};

using Sent = std::vector<std::unique_ptr<redis::Store::Call>>;

Sent send_notes(redis::Store& store, std::span<const NotedChange> changes, std::int64_t time,
                NoteAt at, redis::Durability durability) {
  Sent sent;
  for (const NotedChange& change : changes) {
    const Note note(change, time, at);
    sent.emplace_back(new redis::Store::Call(store.repeatable(note.words(), durability)));
  }
  return sent;
}

loop::Task<> await_notes(Sent sent, IfFull if_full) {
  for (const auto& call : sent) {
    try {
      const redis::Reply reply = co_await *call;
    } catch (const redis::ErrorReply&) {
      if (if_full == IfFull::Fail) throw;
    }
  }
}

}  // namespace

std::string note_member(const ChangedRecord& record) {
  return std::string(record.kind == Indexed::Media ? kMediaMember : kProjectMember) + record.id;
}

std::optional<ChangedRecord> parse_note_member(std::string_view member) {
  if (member.starts_with(kMediaMember))
    return ChangedRecord{Indexed::Media, std::string(member.substr(kMediaMember.size()))};
  if (member.starts_with(kProjectMember))
    return ChangedRecord{Indexed::Project, std::string(member.substr(kProjectMember.size()))};
  return std::nullopt;
}

std::int64_t note_time() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

loop::Task<> note(redis::Store& store, std::span<const NotedChange> changes, std::int64_t time,
                  NoteAt at, redis::Durability durability, IfFull if_full) {
  Sent sent = send_notes(store, changes, time, at, durability);
  co_await await_notes(std::move(sent), if_full);
}

loop::Task<std::vector<std::string>> noted_members(redis::Store& store, media::AccountId account) {
  const std::string key = keys::changed(account);
  redis::Store::Call call = store.read({"ZRANGE", key, "0", "-1"});
  const redis::Reply reply = co_await call;
  std::vector<std::string> members;
  for (std::size_t i = 0; i < reply.size(); ++i)
    members.emplace_back(reply.at(i).text().value_or(""));
  co_return members;
}

loop::Task<redis::Reply> write_noted(redis::Store& store, std::span<const NotedChange> changes,
                                     std::int64_t time, std::span<const std::string_view> command,
                                     redis::Durability durability, IfFull if_full) {
  Sent before = send_notes(store, changes, time, NoteAt::Before, durability);
  redis::Store::Call writing = store.repeatable(command, durability);
  Sent after = send_notes(store, changes, time, NoteAt::After, durability);
  co_await await_notes(std::move(before), if_full);
  redis::Reply reply = co_await writing;
  co_await await_notes(std::move(after), if_full);
  co_return reply;
}

}  // namespace svc::stores
