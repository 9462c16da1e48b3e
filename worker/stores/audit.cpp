#include "stores/audit.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/script.h"
#include "stores/keys.h"

namespace svc::stores {
namespace {

// Writes also if the memory of Redis is full. If the script is repeated, the trail has the event
// twice, which is harmless: a media is removed once. KEYS: the stream. ARGV: its length, the names
// and values of the event.
const redis::Script& record_script() {
  static const redis::Script kScript(R"(#!lua flags=allow-oom
return redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 2)))",
                                     "$");
  return kScript;
}

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
    constexpr std::size_t kMost = 4;  // the position of the length
    std::vector<std::string> stream{key};
    std::vector<std::string> arguments{std::string(words[kMost])};
    arguments.insert(arguments.end(), words.begin() + kMost + 2, words.end());
    co_await store_.eval(record_script(), std::move(stream), std::move(arguments));
    co_return;
  }
  redis::Store::Call call = store_.command(words);
  co_await call;
}

}  // namespace svc::stores
