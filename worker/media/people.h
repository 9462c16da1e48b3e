// People: contacts and accounts, where they come from.
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

  // Nothing when there is none. All throw base::Unavailable when the store cannot say.
  virtual loop::Task<std::optional<Contact>> find_contact(ContactId id) = 0;
  virtual loop::Task<std::optional<Contact>> find_contact(
      std::string_view email) = 0;  // without case
  virtual loop::Task<std::optional<Account>> find_account(AccountId id) = 0;
  // Those of these accounts that exist, in the order asked, in one trip.
  virtual loop::Task<std::vector<Account>> find_accounts(const std::vector<AccountId>& ids) = 0;
  virtual loop::Task<std::vector<Contact>> find_contacts(const std::vector<ContactId>& ids) = 0;
  // Keeps a new hash, if the contact's hash is still `before`.
  virtual loop::Task<bool> set_password_hash(ContactId id, std::string_view before,
                                             std::string_view after) = 0;
};

}  // namespace svc::media
