#include "ctl/import/read.h"

#include <stdexcept>

#include "redis/keys.h"

namespace svc::ctl {
namespace {

// Large enough to share a round trip and an fsync of the store among many records; small enough to
// react to Ctrl-C immediately.
constexpr std::size_t kBatchRecords = 1024;
// A password takes a sixth of a second to hash.
constexpr std::size_t kBatchPasswords = 2;
constexpr std::size_t kBatchBytes = 2 << 20;

bool has_password(const Pending& pending) {
  const auto* user = std::get_if<UserLine>(&pending.line.record);
  return user != nullptr && !user->password.empty();
}

}  // namespace

ImportRead::ImportRead(int file, const std::vector<CheckedLine>& lines, std::vector<Kind> kinds)
    : lines_(lines), kinds_(std::move(kinds)), reader_(file) {}

ImportBatch ImportRead::next() {
  ImportBatch batch;
  std::size_t bytes = 0;
  std::size_t full = kBatchRecords;
  std::string_view text;
  while (batch.records.size() < full && bytes < kBatchBytes && reader_.number() < lines_.size()) {
    if (!reader_.next(text)) {
      throw std::runtime_error("the file became shorter while it was read: it had " +
                               std::to_string(lines_.size()) + " lines");
    }
    if (!is_one_of(kinds_, lines_[reader_.number() - 1].state)) continue;
    const Pending& pending = batch.records.emplace_back(read(text));
    bytes += text.size();  // users and applications have no record yet
    if (has_password(pending)) full = kBatchPasswords;
  }
  batch.bytes_read = reader_.bytes_read();
  batch.line = reader_.number();
  return batch;
}

Pending ImportRead::read(std::string_view text) {
  const bool same = fingerprint_of(text) == lines_[reader_.number() - 1].fingerprint;
  auto line = read_line(document_, text, same ? Seen::Checked : Seen::First);
  if (!same || !line) {
    throw std::runtime_error("line " + std::to_string(reader_.number()) +
                             " changed while the file was read");
  }
  Pending pending;
  pending.kind = line->kind;
  pending.number = reader_.number();
  const auto make = [&](auto key_of, const auto& thing) {
    pending.key = key_of(thing.id);
    pending.value = to_record(thing);
  };
  switch (line->kind) {
    case Kind::Account: make(redis::keys::account, std::get<media::Account>(line->record)); break;
    case Kind::Project: make(redis::keys::project, std::get<media::Project>(line->record)); break;
    case Kind::Media: make(redis::keys::media, std::get<media::Media>(line->record)); break;
    case Kind::Playlist:
      make(redis::keys::playlist, std::get<media::Playlist>(line->record));
      break;
    case Kind::User:
      pending.key = redis::keys::contact(std::get<UserLine>(line->record).contact.id);
      pending.line = std::move(*line);
      break;
    case Kind::Application:
      pending.key = redis::keys::client(std::get<ApplicationLine>(line->record).client.id);
      pending.tombstone =
          redis::keys::deleted_client(std::get<ApplicationLine>(line->record).client.id);
      pending.line = std::move(*line);
      break;
  }
  return pending;
}

}  // namespace svc::ctl
