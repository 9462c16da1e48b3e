#include "ctl/import/batch.h"

#include <utility>

namespace svc::ctl {

Pending& Batch::add(const LineFile::Line& at, CatalogLine line) {
  bytes_ += at.size;
  Pending& pending = all.emplace_back(Pending{at, std::move(line), {}});
  pending.name = name_of(pending.line);
  pending.keys.push_back(key_of(pending.name));
  return pending;
}

bool Batch::is_full(bool hashes) const {
  constexpr std::uint64_t kMostBytes = 2 << 20;
  if (all.empty()) return false;
  const auto* user = std::get_if<UserLine>(&all.back().line);
  return all.size() == kMostRecords || bytes_ >= kMostBytes ||
         (hashes && user != nullptr && !user->password.empty());
}

void Batch::read(const Store& store) {
  std::vector<std::string> keys;
  for (const Pending& pending : all)
    keys.insert(keys.end(), pending.keys.begin(), pending.keys.end());
  if (keys.empty()) return;
  reply_ = read_all(store, keys);
  std::size_t at = 0;
  for (Pending& pending : all) {
    for (std::size_t i = 0; i < pending.keys.size(); ++i)
      pending.stored.push_back(reply_->at(at++).text());
  }
}

redis::Reply read_all(const Store& store, const std::vector<std::string>& keys) {
  std::vector<std::string_view> get{"MGET"};
  get.insert(get.end(), keys.begin(), keys.end());
  return store.run(store.redis.read(get));
}

}  // namespace svc::ctl
