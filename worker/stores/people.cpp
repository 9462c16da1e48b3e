#include "stores/people.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "media/email.h"
#include "redis/script.h"
#include "stores/keys.h"
#include "stores/record.h"

namespace svc::stores {
namespace {

// The searched text occurs only as this member: inside another value, its
// quotation marks would be escaped. The rest of the record is preserved,
// including fields that only a newer version knows. KEYS: the record. ARGV: the
// hash before, the hash after.
const redis::Script& set_password_script() {
  static const redis::Script kScript(R"(
local record = redis.call('GET', KEYS[1])
if not record then return 0 end
local first, last = string.find(record, '"password_hash":"' .. ARGV[1] .. '"', 1, true)
if not first then return 0 end
redis.call('SET', KEYS[1], string.sub(record, 1, first - 1) .. '"password_hash":"' .. ARGV[2] ..
           '"' .. string.sub(record, last + 1))
return 1)",
                                     ":");
  return kScript;
}

}  // namespace

loop::Task<std::optional<media::Contact>> People::find_contact(media::ContactId id) {
  const std::string key = keys::contact(id);
  redis::Store::Call getting = store_.get(key);
  const redis::Reply reply = co_await getting;
  co_return read_contact(key, reply);
}

// An unknown email takes the same two round trips (for contact 0, which does
// not exist), so that the duration does not reveal which emails have an
// account.
loop::Task<std::optional<media::Contact>> People::find_contact(std::string_view email) {
  const std::vector<std::string> spellings = media::spellings_of_email(email);
  redis::Store::Calls calls(store_);
  for (const std::string& spelling : spellings) calls.get(keys::contact_email(spelling));
  media::ContactId id;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    const redis::Reply reply = co_await calls.next();
    if (id.value() == 0) id = {reply.number()};
  }
  std::optional<media::Contact> contact = co_await find_contact(id);
  // The index may be older than the record.
  if (contact &&
      !text::equal_ignoring_case(media::canonical_email(contact->email), spellings.front()))
    co_return std::nullopt;
  co_return contact;
}

loop::Task<std::optional<media::Account>> People::find_account(media::AccountId id) {
  const std::string key = keys::account(id);
  redis::Store::Call getting = store_.get(key);
  const redis::Reply reply = co_await getting;
  co_return read_account(key, reply);
}

loop::Task<std::vector<media::Account>> People::find_accounts(
    const std::vector<media::AccountId>& ids) {
  redis::Store::Calls calls(store_);
  for (const media::AccountId id : ids) calls.get(keys::account(id));
  std::vector<media::Account> found;
  for (const media::AccountId id : ids) {
    const redis::Reply reply = co_await calls.next();
    if (auto account = read_account(keys::account(id), reply)) found.push_back(std::move(*account));
  }
  co_return found;
}

loop::Task<std::vector<media::Contact>> People::find_contacts(
    const std::vector<media::ContactId>& ids) {
  redis::Store::Calls calls(store_);
  for (const media::ContactId id : ids) calls.get(keys::contact(id));
  std::vector<media::Contact> found;
  for (const media::ContactId id : ids) {
    const redis::Reply reply = co_await calls.next();
    if (auto contact = read_contact(keys::contact(id), reply)) found.push_back(std::move(*contact));
  }
  co_return found;
}

loop::Task<bool> People::set_password_hash(media::ContactId id, std::string_view before,
                                           std::string_view after) {
  if (before.empty()) co_return false;
  std::vector<std::string> key{keys::contact(id)};
  std::vector<std::string> hashes{std::string(before), std::string(after)};
  loop::Task<redis::Reply> setting =
      store_.eval(set_password_script(), std::move(key), std::move(hashes));
  const redis::Reply reply = co_await setting;
  co_return reply.integer() == 1;
}

std::optional<media::Contact> People::read_contact(const std::string& key,
                                                   const redis::ReplyView& reply) {
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return read_record(document_, key, *text, media::contact_from_record);
}

std::optional<media::Account> People::read_account(const std::string& key,
                                                   const redis::ReplyView& reply) {
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return read_record(document_, key, *text, media::account_from_record);
}

}  // namespace svc::stores
