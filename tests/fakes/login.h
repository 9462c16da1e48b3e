// login: what a login needs, kept in memory and counted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unavailable.h"
#include "login/passwords.h"
#include "login/session.h"
#include "login/throttle.h"
#include "media/people.h"
#include "oauth/stores.h"
#include "text/ascii.h"

namespace svc::fakes {

// A hash is "<parameters>$<password>"; what was hashed is counted.
class CountedPasswords : public login::Passwords {
 public:
  int hashed = 0;
  bool matches(std::string_view password, std::string_view stored) override {
    ++hashed;
    return stored.ends_with("$" + std::string(password));
  }
  std::string hash(std::string_view password) override {
    ++hashed;
    return "new$" + std::string(password);
  }
};

class CountedPermits : public login::HashingPermits {
 public:
  int free = 1;
  int taken = 0;        // all in all
  std::string address;  // for whom the last was asked
  bool waits = false;   // what has none free waits at place 7
  bool known = false;   // as the last was asked for
  login::Turn take(const login::Asker& asker) override {
    address = asker.address;
    known = asker.known;
    if (free == 0) {
      if (waits) return {login::Turn::When::Wait, 7};
      return {login::Turn::When::Busy};
    }
    --free;
    ++taken;
    return {login::Turn::When::Now};
  }
  void give_back() override { ++free; }
};

// One history for all, which the test sets; what is asked for is counted.
class MemoryAttempts : public login::LoginAttempts {
 public:
  login::AttemptHistory next;
  int others = 0;  // so many attempts come in between the next history() and begin()
  int begun = 0;
  int told = 0;
  int busy = 0;
  int successes = 0;

  login::AttemptHistory history(std::string_view, std::string_view) override { return next; }
  void told_to_wait(std::string_view, std::string_view) override { ++told; }
  bool begin(std::string_view, std::string_view, const login::AttemptHistory&) override {
    if (others > 0) {
      --others;
      return false;
    }
    ++begun;
    return true;
  }
  void was_busy(std::string_view) override { ++busy; }
  void succeeded(std::string_view, std::string_view) override { ++successes; }
};

class MemorySessions : public login::Sessions {
 public:
  std::map<std::string, login::Session> alive;  // by secret
  bool away = false;

  std::optional<login::Session> find(std::string_view secret) override {
    if (away) throw base::Unavailable("away");
    const auto found = alive.find(std::string(secret));
    if (found == alive.end()) return std::nullopt;
    return found->second;
  }
  std::string begin(media::ContactId contact, std::string_view address,
                    std::string_view password) override {
    std::string secret = std::to_string(++begun_);
    secret.insert(0, 64 - secret.size(), '0');
    login::Session session;
    session.id = "session " + std::to_string(begun_);
    session.contact = contact;
    session.address = std::string(address);
    session.password = std::string(password);
    alive[secret] = session;
    return secret;
  }
  void password_was_given(const login::Session&) override {}
  void end(const login::Session& session) override {
    std::erase_if(alive, [&](const auto& each) { return each.second.id == session.id; });
  }
  std::vector<login::Session> of(media::ContactId contact) override {
    std::vector<login::Session> found;
    for (const auto& [secret, session] : alive) {
      if (session.contact == contact) found.push_back(session);
    }
    return found;
  }
  void end_others(const login::Session& keep) override {
    std::erase_if(alive, [&](const auto& each) {
      return each.second.contact == keep.contact && each.second.id != keep.id;
    });
  }

 private:
  int begun_ = 0;
};

class MemoryPeople : public media::People {
 public:
  std::vector<media::Contact> contacts;
  std::vector<media::Account> accounts;

  std::optional<media::Contact> find_contact(media::ContactId id) override {
    for (const media::Contact& contact : contacts) {
      if (contact.id == id) return contact;
    }
    return std::nullopt;
  }
  std::optional<media::Contact> find_contact(std::string_view email) override {
    for (const media::Contact& contact : contacts) {
      if (text::equal_ignoring_case(contact.email, email)) return contact;
    }
    return std::nullopt;
  }
  std::optional<media::Account> find_account(media::AccountId id) override {
    for (const media::Account& account : accounts) {
      if (account.id == id) return account;
    }
    return std::nullopt;
  }
  std::vector<media::Account> find_accounts(const std::vector<media::AccountId>& ids) override {
    std::vector<media::Account> found;
    for (const media::AccountId id : ids) {
      if (auto account = find_account(id)) found.push_back(*account);
    }
    return found;
  }
  std::vector<media::Contact> find_contacts(const std::vector<media::ContactId>& ids) override {
    std::vector<media::Contact> found;
    for (const media::ContactId id : ids) {
      if (auto contact = find_contact(id)) found.push_back(*contact);
    }
    return found;
  }
  bool set_password_hash(media::ContactId id, std::string_view before,
                         std::string_view after) override {
    for (media::Contact& contact : contacts) {
      if (contact.id != id || contact.password_hash != before) continue;
      contact.password_hash = std::string(after);
      return true;
    }
    return false;
  }
};

// Keeps what was written, as "what contact detail".
class MemoryAudit : public oauth::Audit {
 public:
  std::vector<std::string> events;
  void record(const oauth::AuditEvent& event) override {
    events.push_back(std::string(event.what) + " " +
                     (event.contact ? std::to_string(event.contact->number) : "-") + " " +
                     std::string(event.detail));
  }
};

}  // namespace svc::fakes
