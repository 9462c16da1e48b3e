#include "stores/access/clients.h"

#include "stores/access/count.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

constexpr std::size_t kMostKnownClients = 256;  // about 2 KB each

}  // namespace

loop::Task<std::optional<oauth::Client>> Clients::find_client(const oauth::ClientId& id) {
  const std::string key = keys::client(id);
  redis::Store::Call call = catalog_.get(key);
  const redis::Reply reply = co_await call;
  const auto text = reply.text();
  if (!text) co_return std::nullopt;
  const auto known = known_.find(key);
  if (known != known_.end() && known->second.record == *text) co_return known->second.client;
  oauth::Client client = read_record(document_, key, *text, oauth::client_from_record);
  if (known_.size() >= kMostKnownClients) known_.clear();
  known_.insert_or_assign(key, Known{std::string(*text), client});
  co_return client;
}

// Makes guesses() include wrong secrets whose count still awaits its reply;
// otherwise each of many concurrent requests could pass as the first guess.
// Nothing is counted twice: Redis replies in order, so the value of a GET does
// not include a count that is still without reply.
class Clients::Counting {
 public:
  Counting(Clients& clients, std::string key) : clients_(clients), key_(std::move(key)) {
    ++clients_.counting_[key_];
  }
  ~Counting() {
    if (--clients_.counting_[key_] == 0) clients_.counting_.erase(key_);
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  Clients& clients_;
  const std::string key_;
};

loop::Task<std::int64_t> Clients::guesses(const oauth::ClientId& id, std::string_view address) {
  const std::string key = keys::guess(id, address);
  redis::Store::Call call = state_.get(key);
  const redis::Reply reply = co_await call;
  const std::int64_t count = reply.number();
  const auto counting = counting_.find(key);
  co_return counting == counting_.end() ? count : count + counting->second;
}

loop::Task<std::int64_t> Clients::count_guess(const oauth::ClientId& id, std::string_view address) {
  const std::string key = keys::guess(id, address);
  const Counting counting(*this, key);
  const Count guesses = co_await count_event(state_, key, oauth::kGuessWindow.count());
  co_return guesses.events;
}

}  // namespace svc::stores
