#include "ctl/import/batch.h"

#include <algorithm>
#include <utility>

namespace svc::ctl {

Pending& Batch::add(const LineFile::Line& at, CatalogLine line) {
  bytes_ += at.size;
  Pending& pending = all.emplace_back(Pending{at, std::move(line), {}});
  pending.name = name_of(pending.line);
  pending.keys.push_back(key_of(pending.name));
  return pending;
}

bool Batch::is_full() const {
  constexpr std::uint64_t kMostBytes = 2 << 20;
  if (all.empty()) return false;
  const auto* user = std::get_if<UserLine>(&all.back().line);
  return bytes_ >= kMostBytes || (user != nullptr && !user->password.empty());
}

void Batch::read(const Store& store) {
  std::vector<std::string_view> words{"MGET"};
  for (const Pending& pending : all)
    words.insert(words.end(), pending.keys.begin(), pending.keys.end());
  if (words.size() == 1) return;
  reply_ = store.run(store.redis.read(words));
  std::size_t at = 0;
  for (Pending& pending : all) {
    while (pending.stored.size() < pending.keys.size())
      pending.stored.push_back(reply_->at(at++).text());
  }
}

bool in_batches(const Lines& lines, const std::function<void(const LineFile::Line&, Batch&)>& take,
                const std::function<bool(Batch&, std::size_t end)>& use) {
  for (std::size_t at = 0; at < lines.size();) {
    Batch batch;
    const std::size_t most = std::min(lines.size(), at + Batch::kMostRecords);
    batch.all.reserve(most - at);
    while (at < most && !batch.is_full()) take(lines[at++], batch);
    if (!use(batch, at)) return false;
  }
  return true;
}

}  // namespace svc::ctl
