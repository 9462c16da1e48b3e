#include "integration/committed.h"

#include <optional>
#include <utility>

#include "stores/catalog/index_build.h"

namespace svc::integration {
namespace {

std::optional<stores::IndexedFields> fields_in(stores::Indexed kind, const std::string& record) {
  if (record.empty()) return std::nullopt;
  text::json::Document document;
  auto found = stores::indexed_in(document, kind, record);
  if (!found) return std::nullopt;
  return std::move(found->fields);
}

}  // namespace

loop::Task<bool> put_record(redis::Store& store, media::AccountId account,
                            stores::IndexedRecord record, std::string after) {
  const std::string key = key_of(record);
  redis::Store::Call call = store.get(key);
  const redis::Reply reply = co_await call;
  const std::string before(reply.text().value_or(""));
  stores::Commit commit(account);
  commit.change(key, before, after);
  commit.note(record, fields_in(record.kind, before), fields_in(record.kind, after));
  const stores::Commit::Outcome outcome = co_await commit.run(store);
  co_return outcome == stores::Commit::Outcome::Done;
}

}  // namespace svc::integration
