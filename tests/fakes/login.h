// login: in-memory fakes of the stores and services of a login; they count
// their calls.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "fakes/tasks.h"
#include "login/passwords.h"
#include "login/session.h"
#include "login/throttle.h"
#include "media/people.h"
#include "oauth/stores.h"
#include "text/ascii.h"

namespace svc::fakes {

// A hash is "<parameters>$<password>". `hashed` counts the calls of matches().
class CountedPasswords : public login::Passwords {
 public:
  int hashed = 0;
  loop::Task<bool> matches(std::string password, std::string stored) override;
  loop::Task<std::string> hash(std::string password) override;
};

class CountedPermits : public login::HashingPermits {
 public:
  int free = 1;
  int taken = 0;        // in total
  std::string address;  // argument of the last take()
  bool known = false;   // argument of the last take()
  // Called while a request waits for its permit. If unset, no request waits.
  std::function<void()> meanwhile;
  loop::Task<login::Permission> take(const login::Asker& asker) override;
  void give_back(const login::Asker& asker) override;
};

// One history for all emails and addresses, set by the test; counts its calls.
class MemoryAttempts : public login::LoginAttempts {
 public:
  login::AttemptHistory next;
  int others = 0;  // the next calls of begin() that find an attempt by another client
  int begun = 0;
  int told = 0;
  int busy = 0;
  int successes = 0;

  loop::Task<login::AttemptHistory> history(std::string_view, std::string_view) override;
  loop::Task<> told_to_wait(std::string_view, std::string_view) override;
  loop::Task<bool> begin(std::string_view, std::string_view, const login::AttemptHistory&) override;
  loop::Task<> was_busy(std::string_view) override;
  loop::Task<> succeeded(std::string_view, std::string_view) override;
};

class MemorySessions : public login::Sessions {
 public:
  std::map<std::string, login::Session> alive;  // by secret
  bool away = false;

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
