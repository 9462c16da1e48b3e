#include "stores/record_scan.h"

#include <algorithm>
#include <span>
#include <utility>

namespace svc::stores {
namespace {

// Keys per MGET. The record of a playlist has up to 10,000 ids, that of a media up to 64 KiB of
// description.
constexpr std::size_t kRecordsPerRead = 250;

}  // namespace

RecordScan::RecordScan(redis::Store& store, const std::string& prefix, redis::Scan::Repeats repeats)
    : store_(store), scan_(store, prefix + "*", repeats) {}

loop::Task<std::optional<std::vector<StoredRecord>>> RecordScan::next() {
  std::vector<std::string> keys = co_await scan_.next();
  if (keys.empty()) co_return std::nullopt;
  co_return co_await read_records(store_, std::move(keys));
}

// One MGET after another, so that no more than one batch of replies is in memory.
loop::Task<std::vector<StoredRecord>> read_records(redis::Store& store,
                                                   std::vector<std::string> keys) {
  std::vector<StoredRecord> records;
  for (std::size_t i = 0; i < keys.size(); i += kRecordsPerRead) {
    const auto batch = std::span(keys).subspan(i, std::min(kRecordsPerRead, keys.size() - i));
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), batch.begin(), batch.end());
    redis::Store::Call call = store.read(words);
    const redis::Reply reply = co_await call;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const auto text = reply.at(k).text();
      if (!text) {
        // Either the key was deleted after the scan, or its value is not a string.
        redis::Store::Call question = store.read({"EXISTS", batch[k]});
        const redis::Reply exists = co_await question;
        if (exists.integer() != 1) continue;
      }
      records.push_back({std::move(batch[k]), std::string(text.value_or(""))});
    }
  }
  co_return records;
}

}  // namespace svc::stores
