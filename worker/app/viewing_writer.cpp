#include "app/viewing_writer.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "base/unavailable.h"
#include "base/unreadable.h"
#include "stores/keys.h"

namespace svc::app {
namespace {

constexpr std::size_t kAtOnce = 500;  // media
constexpr std::int64_t kDay = 86'400;

struct Records {
  std::map<std::string, media::Media> found;
  // Those that exist and cannot be read: their counts wait until they can.
  std::map<std::string, bool> unreadable;
};

loop::Task<Records> read_records(stores::Catalog& catalog, std::vector<media::HashedId> ids) {
  Records records;
  media::Reads reads;
  std::vector<media::HashedId> unreadable;
  const std::vector<media::Media> medias =
      co_await catalog.read_medias(ids, media::Detail::Embed, reads, unreadable);
  for (const media::Media& media : medias) records.found[media.id.value()] = media;
  for (const media::HashedId& id : unreadable) records.unreadable[id.value()] = true;
  co_return records;
}

stores::Statistics::Piece piece_of(const viewing::Table::Entry& entry, bool is_media) {
  const std::string_view name(reinterpret_cast<const char*>(&entry.name), sizeof entry.name);
  stores::Statistics::Piece piece{
      is_media ? viewing::Subject(entry.media) : viewing::Subject(entry.account), entry.day,
      base::to_hex(name), viewing::to_bytes(entry.counts), entry.visitors};
  if (!is_media) return piece;
  piece.account = entry.account;
  piece.media = entry.media;
  piece.plays = entry.new_plays;
  return piece;
}

}  // namespace

loop::Task<bool> ViewingWriter::write_batch(std::chrono::sys_days today) {
  viewing::Table::Batch batch = table_.take(kAtOnce, today);
  const std::size_t medias = batch.entries().size();
  std::vector<media::HashedId> ids;
  for (const viewing::Table::Entry& entry : batch.entries()) ids.push_back(entry.media);
  const Records records = co_await read_records(catalog_, std::move(ids));
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < medias; ++i) {
    const std::string& id = batch.entries()[i].media.value();
    const auto found = records.found.find(id);
    if (found != records.found.end()) {
      if (batch.is_of(i, found->second.account, found->second.duration)) written.push_back(i);
    } else if (!records.unreadable.contains(id)) {
      batch.drop(i);
    }
  }
  batch.add_accounts();
  for (std::size_t i = medias; i < batch.entries().size(); ++i) written.push_back(i);
  std::vector<stores::Statistics::Piece> pieces;
  for (const std::size_t i : written) pieces.push_back(piece_of(batch.entries()[i], i < medias));
  using Stored = stores::Statistics::Stored;
  const std::vector<Stored> stored = co_await statistics_.write(std::move(pieces));
  bool all = true;
  for (std::size_t k = 0; k < written.size(); ++k) {
    if (stored[k] == Stored::Unknown) {
      all = false;
    } else {
      batch.written(written[k], stored[k] == Stored::Added ? viewing::Table::Had::Nothing
                                                           : viewing::Table::Had::Former);
    }
  }
  co_return all;
}

// Pools that share a cache Redis share the salt. It is stored nowhere else, and there until the day
// is over.
loop::Task<> ViewingWriter::share_salt(std::int64_t now) {
  const auto salt = table_.salt_to_share(now);
  if (!salt) co_return;
  const std::string key = stores::keys::salt(stores::stats_date(salt->day));
  const std::string end = std::to_string((now / kDay + 1) * kDay);
  try {
    redis::Store::Call call = cache_.command({"SET", key, salt->bytes, "EXAT", end, "NX", "GET"});
    const redis::Reply reply = co_await call;
    table_.use_salt({salt->day, std::string(reply.text().value_or(salt->bytes))});
  } catch (const redis::ErrorReply&) {
    table_.use_salt(*salt);  // the cache takes none
  } catch (const base::Unavailable&) {
    // The next time.
  }
}

loop::Task<> ViewingWriter::write(std::int64_t now) {
  const std::chrono::sys_days today(std::chrono::days(now / kDay));
  try {
    co_await share_salt(now);
    if (table_.due() == 0) co_return;
    // Check first: a store that hangs could execute a write later, after a newer one.
    co_await state_.ping();
    bool more = true;
    // New ones, and those that cannot be written yet, wait for the next time.
    for (std::size_t left = table_.due() / kAtOnce + 1; left > 0 && more; --left) {
      more = co_await write_batch(today);
    }
  } catch (const base::Unavailable&) {
    // Once the store answers again.
  } catch (const base::Unreadable&) {
    // The store logs it.
  }
}

}  // namespace svc::app
