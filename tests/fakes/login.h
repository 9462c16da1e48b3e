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
  loop::Task<bool> matches(std::string password, std::string stored) override {
    ++hashed;
    co_return stored.ends_with("$" + password);
  }
  loop::Task<std::string> hash(std::string password) override {
    ++hashed;
    co_return "new$" + password;
  }
};

class CountedPermits : public login::HashingPermits {
 public:
  int free = 1;
  int taken = 0;        // in total
  std::string address;  // of the last take()
  bool known = false;   // of the last take()
  // Called while a request waits for its permit. If unset, no request waits.
  std::function<void()> meanwhile;
  loop::Task<login::Permission> take(const login::Asker& asker) override {
    address = asker.address;
    known = asker.known;
    if (meanwhile) meanwhile();
    if (free == 0) co_return login::Permission::Refused;
    --free;
    ++taken;
    co_return meanwhile ? login::Permission::AfterWaiting : login::Permission::AtOnce;
  }
  void give_back(const login::Asker& asker) override {
    if (asker.address == address) ++free;
  }
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

  loop::Task<login::AttemptHistory> history(std::string_view, std::string_view) override {
    co_return next;
  }
  loop::Task<> told_to_wait(std::string_view, std::string_view) override {
    ++told;
    co_return;
  }
  loop::Task<bool> begin(std::string_view, std::string_view,
                         const login::AttemptHistory&) override {
    if (others > 0) {
      --others;
      co_return false;
    }
    ++begun;
    co_return true;
  }
  loop::Task<> was_busy(std::string_view) override {
    ++busy;
    co_return;
  }
  loop::Task<> succeeded(std::string_view, std::string_view) override {
    ++successes;
    co_return;
  }
};

class MemorySessions : public login::Sessions {
 public:
  std::map<std::string, login::Session> alive;  // by secret
  bool away = false;

  loop::Task<std::optional<login::Session>> find(std::string_view secret) override {
    if (away) throw base::Unavailable("away");
    const auto found = alive.find(std::string(secret));
    if (found == alive.end()) co_return std::nullopt;
    co_return found->second;
  }
  loop::Task<std::string> begin(media::ContactId contact, std::string_view address,
                                std::string_view password, std::string_view browser) override {
    std::string secret = std::to_string(++begun_);
    secret.insert(0, 64 - secret.size(), '0');
    login::Session session;
    session.id = "session " + std::to_string(begun_);
    session.contact = contact;
    session.address = std::string(address);
    session.password = std::string(password);
    session.browser = std::string(browser);
    alive[secret] = session;
    co_return secret;
  }
  loop::Task<> password_was_given(const login::Session&) override { co_return; }
  loop::Task<> end(const login::Session& session) override {
    std::erase_if(alive, [&](const auto& each) { return each.second.id == session.id; });
    co_return;
  }
  loop::Task<std::vector<login::Session>> of(media::ContactId contact) override {
    std::vector<login::Session> found;
    for (const auto& [secret, session] : alive) {
      if (session.contact == contact) found.push_back(session);
    }
    co_return found;
  }
  loop::Task<> end_others(const login::Session& keep) override {
    std::erase_if(alive, [&](const auto& each) {
      return each.second.contact == keep.contact && each.second.id != keep.id;
    });
    co_return;
  }

 private:
  int begun_ = 0;
};

class MemoryPeople : public media::People {
 public:
  std::vector<media::Contact> contacts;
  std::vector<media::Account> accounts;

  loop::Task<std::optional<media::Contact>> find_contact(media::ContactId id) override {
    for (const media::Contact& contact : contacts) {
      if (contact.id == id) co_return contact;
    }
    co_return std::nullopt;
  }
  loop::Task<std::optional<media::Contact>> find_contact(std::string_view email) override {
    for (const media::Contact& contact : contacts) {
      if (text::equal_ignoring_case(contact.email, email)) co_return contact;
    }
    co_return std::nullopt;
  }
  loop::Task<std::optional<media::Account>> find_account(media::AccountId id) override {
    for (const media::Account& account : accounts) {
      if (account.id == id) co_return account;
    }
    co_return std::nullopt;
  }
  loop::Task<std::vector<media::Account>> find_accounts(
      const std::vector<media::AccountId>& ids) override {
    std::vector<media::Account> found;
    for (const media::AccountId id : ids) {
      std::optional<media::Account> account = co_await find_account(id);
      if (account) found.push_back(*account);
    }
    co_return found;
  }
  loop::Task<std::vector<media::Contact>> find_contacts(
      const std::vector<media::ContactId>& ids) override {
    std::vector<media::Contact> found;
    for (const media::ContactId id : ids) {
      std::optional<media::Contact> contact = co_await find_contact(id);
      if (contact) found.push_back(*contact);
    }
    co_return found;
  }
  loop::Task<bool> set_password_hash(media::ContactId id, std::string_view before,
                                     std::string_view after) override {
    for (media::Contact& contact : contacts) {
      if (contact.id != id || contact.password_hash != before) continue;
      contact.password_hash = std::string(after);
      co_return true;
    }
    co_return false;
  }
};

// Keeps each event as "what contact detail".
class MemoryAudit : public oauth::Audit {
 public:
  std::vector<std::string> events;
  loop::Task<> record(const oauth::AuditEvent& event) override {
    events.push_back(std::string(event.what) + " " +
                     (event.contact ? std::to_string(event.contact->number) : "-") + " " +
                     std::string(event.detail));
    co_return;
  }
};

}  // namespace svc::fakes
