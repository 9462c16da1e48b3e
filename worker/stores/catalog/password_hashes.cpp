#include "stores/catalog/password_hashes.h"

#include <array>
#include <utility>

#include "media/contact.h"
#include "stores/catalog/people.lua.h"
#include "stores/keys.h"
#include "text/json.h"
#include "text/json_record.h"

namespace svc::stores {
namespace {

// Occurs only as this member: inside another value, its quotation marks would be escaped.
constexpr std::string_view kHashMember = "\"password_hash\":\"";

}  // namespace

bool has_password_hash(std::string_view record) {
  return record.find(kHashMember) != std::string_view::npos;
}

loop::Task<> store_password_hash(redis::Store& store, media::ContactId id, std::string hash) {
  const std::string key = keys::password(id);
  const std::array<std::string_view, 3> words{"SET", key, hash};
  redis::Store::Call call = store.repeatable(words, redis::Durability::Primary);
  co_await call;
}

// No hash has a quotation mark. Members that only a newer version knows stay, so the text is cut;
// the gate has the record. One that cannot be read keeps its hash.
loop::Task<bool> move_password_hash(redis::Store& store, media::ContactId id) {
  const std::string record_key = keys::contact(id);
  const std::string key = keys::password(id);
  while (true) {
    redis::Store::Call call = store.get(record_key);
    const redis::Reply reply = co_await call;
    const std::string before(reply.text().value_or(""));
    const std::size_t at = before.find(kHashMember);
    if (at == std::string::npos) co_return false;
    const std::size_t begin = at + kHashMember.size();
    const std::size_t end = before.find('"', begin);
    text::json::Document document;
    const auto contact = text::parse_record(document, before, media::contact_from_record);
    if (end == std::string::npos || !contact) co_return false;
    static_cast<void>(to_record(*contact, &*contact));
    std::string after = before;
    const bool is_last = after.substr(end + 1, 1) != ",";
    const std::size_t from = is_last && at > 0 && after[at - 1] == ',' ? at - 1 : at;
    after.erase(from, end + (is_last ? 1 : 2) - from);
    functions::MovePassword run{.contact = record_key,
                                .password = key,
                                .before = before,
                                .after = after,
                                .hash = before.substr(begin, end - begin)};
    const redis::Reply moved = co_await store.call(std::move(run));
    if (moved.integer() == 1) co_return true;
  }
}

}  // namespace svc::stores
