// Contacts and accounts in Redis: their records in the catalog, and the index
// of emails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/people.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class People : public media::People {
 public:
  // Hidden: contacts have no password hash. For the grant pool, which may not read them.
  enum class Hashes : std::uint8_t { Read, Hidden };

  explicit People(redis::Store& store, Hashes hashes = Hashes::Read)
      : store_(store), hashes_(hashes) {}

  loop::Task<std::optional<media::Contact>> find_contact(media::ContactId id) override;
  loop::Task<std::optional<media::Contact>> find_contact(std::string_view email) override;
  loop::Task<std::optional<media::Account>> find_account(media::AccountId id) override;
  loop::Task<std::vector<media::Account>> find_accounts(
      const std::vector<media::AccountId>& ids) override;
  loop::Task<std::vector<media::Contact>> find_contacts(
      const std::vector<media::ContactId>& ids) override;
  loop::Task<bool> set_password_hash(media::ContactId id, std::string_view before,
                                     std::string_view after) override;

 private:
  // Return nullopt if the record does not exist. Throw base::Unavailable if it
  // cannot be parsed.
  std::optional<media::Contact> read_contact(const std::string& key, const redis::ReplyView& reply);
  std::optional<media::Contact> contact_in(media::ContactId id, const redis::Reply& record,
                                           const std::optional<redis::Reply>& hash);
  loop::Task<std::optional<media::Contact>> next_contact(media::ContactId id,
                                                         redis::Store::Calls& calls);
  void read_contact(media::ContactId id, redis::Store::Calls& calls) const;
  std::optional<media::Account> read_account(const std::string& key, const redis::ReplyView& reply);

  redis::Store& store_;
  const Hashes hashes_;
  text::json::Document document_;  // for the current record
};

}  // namespace svc::stores
