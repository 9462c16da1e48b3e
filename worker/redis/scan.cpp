#include "redis/scan.h"

#include <cstdint>

#include "base/number.h"

namespace svc::redis {

loop::Task<std::vector<std::string>> Scan::next() {
  if (primaries_.empty()) primaries_ = co_await store_.primaries();
  while (!ended_) {
    Channel::Call call = primaries_[at_]->call(
        Channel::Kind::SharedRead, {"SCAN", cursor_, "MATCH", pattern_, "COUNT", "1000"});
    const Reply reply = co_await call;
    std::vector<std::string> keys = take(reply);
    if (!keys.empty()) co_return keys;
  }
  co_return std::vector<std::string>();
}

// Redis counts the cursor up from its highest bit: reversed, it is the number of the next slot of
// the table, whatever size the table has.
double Scan::fraction_done() const {
  if (ended_) return 1;
  if (primaries_.empty()) return 0;
  double done = 0;
  double weight = 0.5;
  for (auto cursor = base::parse_number<std::uint64_t>(cursor_).value_or(0); cursor != 0;
       cursor >>= 1) {
    if ((cursor & 1) != 0) done += weight;
    weight /= 2;
  }
  return (static_cast<double>(at_) + done) / static_cast<double>(primaries_.size());
}

std::vector<std::string> Scan::take(const ReplyView& reply) {
  cursor_ = reply.at(0).text().value_or("0");
  if (cursor_ == "0") ended_ = ++at_ == primaries_.size();
  std::vector<std::string> keys;
  const ReplyView found = reply.at(1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::string key(found.at(i).text().value_or(""));
    if (repeats_ == Repeats::Possible || seen_.insert(key).second) keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace svc::redis
