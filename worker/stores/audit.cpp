#include "stores/audit.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stores/audit.lua.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

std::string stream_of(const oauth::AuditEvent& event) {
  const oauth::AuditKind& kind = event.what.kind();
  if (kind.streams == 1) return keys::audit(kind);
  return keys::audit(kind, event.account ? event.account->value() % kind.streams : 0);
}

}  // namespace

loop::Task<> Audit::record(const oauth::AuditEvent& event) {
  const std::string contact = event.contact ? std::to_string(event.contact->value()) : "";
  const std::string account = event.account ? std::to_string(event.account->value()) : "";
  const std::string key = stream_of(event);
  // "~" trims to about that number: Redis only drops whole nodes of the stream,
  // which is cheap.
  std::vector<std::string_view> words{"XADD", key, "MAXLEN", "~", event.what.kind().most, "*"};
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    words.push_back(name);
    words.push_back(value);
  };
  add("what", event.what);
  add("contact", contact);
  add("account", account);
  add("client", event.client);
  add("address", event.address);
  add("detail", event.detail);
  if (event.makes_room) {
    constexpr std::size_t kFields = 6;  // where the fields begin
    functions::RecordRemoval run{.stream = key,
                                 .most = event.what.kind().most,
                                 .fields = {words.begin() + kFields, words.end()}};
    co_await store_.call(std::move(run));
    co_return;
  }
  redis::Store::Call call = store_.command(words);
  co_await call;
}

}  // namespace svc::stores
