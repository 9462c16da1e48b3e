#include "ctl/commands/names.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/number.h"
#include "media/id.h"
#include "oauth/client.h"
#include "stores/keys.h"

namespace svc::ctl {
namespace {

// Bounds memory for long trails: the cache is emptied at this size.
constexpr std::size_t kMostKnown = 10'000;

}  // namespace

loop::Task<Names::Of> Names::of(const stores::AuditEntry& entry) {
  Of names;
  const oauth::ClientId client{std::string(entry.field("client"))};
  if (!client.value().empty()) {
    std::string key = stores::keys::client(client);
    names.client = co_await read(std::move(key), "name");
  }
  if (const auto id = base::parse_number<std::int64_t>(entry.field("account"))) {
    std::string key = stores::keys::account({*id});
    names.account = co_await read(std::move(key), "name");
  }
  if (const auto id = base::parse_number<std::int64_t>(entry.field("contact"))) {
    std::string key = stores::keys::contact({*id});
    names.contact = co_await read(std::move(key), "email");
  }
  co_return names;
}

loop::Task<std::string> Names::read(std::string key, std::string_view field) {
  if (const auto found = known_.find(key); found != known_.end()) co_return found->second;
  redis::Store::Call call = redis_.get(key);
  const redis::Reply reply = co_await call;
  std::string name;
  if (const auto text = reply.text()) {
    const auto record = document_.parse(*text);
    const auto value = record ? record->find(field) : std::nullopt;
    if (value) name = value->string().value_or("");
  }
  if (known_.size() >= kMostKnown) known_.clear();
  known_.emplace(std::move(key), name);
  co_return name;
}

}  // namespace svc::ctl
