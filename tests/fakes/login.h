// login: in-memory fakes of the stores and services of a login; they count
// their calls.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fakes/tasks.h"
#include "login/session.h"
#include "media/people.h"
#include "oauth/stores.h"
#include "text/ascii.h"

namespace svc::fakes {

class MemorySessions : public login::Sessions {
 public:
  std::map<std::string, login::Session> alive;  // by secret

  loop::Task<std::optional<login::Session>> find(std::string_view secret) override;
  loop::Task<std::string> begin(media::ContactId contact, std::string_view address,
                                std::string_view password, std::string_view browser) override;
  loop::Task<> password_was_given(const login::Session&) override;
  loop::Task<> end(const login::Session& session) override;
  loop::Task<std::vector<login::Session>> of(media::ContactId contact) override;
  loop::Task<> end_others(const login::Session& keep) override;

 private:
  int begun_ = 0;
};

class MemoryPeople : public media::People {
 public:
  std::vector<media::Contact> contacts;
  std::vector<media::Account> accounts;

  loop::Task<std::optional<media::Contact>> find_contact(media::ContactId id) override;
  loop::Task<std::optional<media::Contact>> find_contact(std::string_view email) override;
  loop::Task<std::optional<media::Account>> find_account(media::AccountId id) override;
  loop::Task<std::vector<media::Account>> find_accounts(
      const std::vector<media::AccountId>& ids) override;
  loop::Task<std::vector<media::Contact>> find_contacts(
      const std::vector<media::ContactId>& ids) override;
  loop::Task<bool> set_password_hash(media::ContactId id, std::string_view before,
                                     std::string_view after) override;
};

// Keeps each event as "what contact detail".
class MemoryAudit : public oauth::Audit {
 public:
  std::vector<std::string> events;
  loop::Task<> record(const oauth::AuditEvent& event) override;
};

}  // namespace svc::fakes
