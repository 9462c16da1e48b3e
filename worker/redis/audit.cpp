#include "redis/audit.h"

#include <string>
#include <vector>

#include "redis/keys.h"

namespace svc::redis {

loop::Task<> Audit::record(const oauth::AuditEvent& event) {
  const std::string contact = event.contact ? std::to_string(event.contact->number) : "";
  const std::string account = event.account ? std::to_string(event.account->number) : "";
  const std::string key = keys::audit(event.what.kind());
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
  Store::Call call = store_.command(words);
  co_await call;
}

}  // namespace svc::redis
