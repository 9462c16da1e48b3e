// People: reads contacts and accounts.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "loop/task.h"
#include "media/account.h"
#include "media/contact.h"

namespace svc::media {

class People {
 public:
  virtual ~People() = default;

  // These return nullopt if there is no such contact or account. All throw
  // base::Unavailable if the store does not reply.
  virtual loop::Task<std::optional<Contact>> find_contact(ContactId id) = 0;
  virtual loop::Task<std::optional<Contact>> find_contact(
      std::string_view email) = 0;  // in any spelling: media/email, and without case
  virtual loop::Task<std::optional<Account>> find_account(AccountId id) = 0;
  // These return the existing records, in the order of `ids`, in one round
  // trip.
  virtual loop::Task<std::vector<Account>> find_accounts(const std::vector<AccountId>& ids) = 0;
  virtual loop::Task<std::vector<Contact>> find_contacts(const std::vector<ContactId>& ids) = 0;
  // Stores `after` if the contact's hash is still `before`. Returns false, and
  // changes nothing, if it is not, or if `before` is empty.
  virtual loop::Task<bool> set_password_hash(ContactId id, std::string_view before,
                                             std::string_view after) = 0;
};

}  // namespace svc::media
