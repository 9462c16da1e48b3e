#include "stores/catalog/people.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/unreadable.h"
#include "media/email.h"
#include "stores/catalog/password_hashes.h"
#include "stores/keys.h"
#include "stores/record.h"
#include "stores/replace.h"

namespace svc::stores {

void People::read_contact(media::ContactId id, redis::Store::Calls& calls) const {
  calls.get(keys::contact(id));
  if (hashes_ == Hashes::Read) calls.get(keys::password(id));
}

loop::Task<std::optional<media::Contact>> People::next_contact(media::ContactId id,
                                                               redis::Store::Calls& calls) {
  const std::string key = keys::contact(id);
  redis::Store::Call& reading = calls.next();
  redis::Store::Call* const of_hash = hashes_ == Hashes::Read ? &calls.next() : nullptr;
  const redis::Reply record = co_await RecordRead{reading, key};
  std::optional<redis::Reply> hash;
  if (of_hash != nullptr) {
    const std::string key_of_hash = keys::password(id);
    hash = co_await RecordRead{*of_hash, key_of_hash};
  }
  co_return contact_in(id, record, hash);
}

std::optional<media::Contact> People::contact_in(media::ContactId id, const redis::Reply& record,
                                                 const std::optional<redis::Reply>& hash) {
  std::optional<media::Contact> contact = read_contact(keys::contact(id), record);
  if (contact && !hash) contact->password_hash.clear();
  // Otherwise that of a record of an earlier version.
  if (contact && hash && hash->text()) contact->password_hash = std::string(*hash->text());
  return contact;
}

loop::Task<std::optional<media::Contact>> People::find_contact(media::ContactId id) {
  redis::Store::Calls calls(store_);
  read_contact(id, calls);
  co_return co_await next_contact(id, calls);
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
  const redis::Reply reply = co_await RecordRead{getting, key};
  co_return read_account(key, reply);
}

loop::Task<std::vector<media::Account>> People::find_accounts(
    const std::vector<media::AccountId>& ids) {
  redis::Store::Calls calls(store_);
  for (const media::AccountId id : ids) calls.get(keys::account(id));
  std::vector<media::Account> found;
  for (const media::AccountId id : ids) {
    const std::string key = keys::account(id);
    redis::Store::Call& call = calls.next();
    try {
      const redis::Reply reply = co_await RecordRead{call, key};
      auto account = read_account(key, reply);
      if (account) found.push_back(std::move(*account));
    } catch (const base::Unreadable&) {
      // It is logged, and left out.
    }
  }
  co_return found;
}

loop::Task<std::vector<media::Contact>> People::find_contacts(
    const std::vector<media::ContactId>& ids) {
  redis::Store::Calls calls(store_);
  for (const media::ContactId id : ids) read_contact(id, calls);
  std::vector<media::Contact> found;
  for (const media::ContactId id : ids) {
    try {
      std::optional<media::Contact> contact = co_await next_contact(id, calls);
      if (contact) found.push_back(*std::move(contact));
    } catch (const base::Unreadable&) {
      // The same.
    }
  }
  co_return found;
}

loop::Task<bool> People::set_password_hash(media::ContactId id, std::string_view before,
                                           std::string_view after) {
  if (before.empty()) co_return false;
  co_await move_password_hash(store_, id);
  const std::string key = keys::password(id);
  co_return co_await replace(store_, key, before, after);
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
