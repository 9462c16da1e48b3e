#include "fakes/login.h"

namespace svc::fakes {

loop::Task<std::optional<login::Session>> MemorySessions::find(std::string_view secret) {
  const auto found = alive.find(std::string(secret));
  if (found == alive.end()) co_return std::nullopt;
  co_return found->second;
}

loop::Task<std::string> MemorySessions::begin(media::ContactId contact, std::string_view address,
                                              std::string_view password, std::string_view browser) {
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

loop::Task<> MemorySessions::password_was_given(const login::Session&) { co_return; }

loop::Task<> MemorySessions::end(const login::Session& session) {
  std::erase_if(alive, [&](const auto& each) { return each.second.id == session.id; });
  co_return;
}

loop::Task<std::vector<login::Session>> MemorySessions::of(media::ContactId contact) {
  std::vector<login::Session> found;
  for (const auto& [secret, session] : alive) {
    if (session.contact == contact) found.push_back(session);
  }
  co_return found;
}

loop::Task<> MemorySessions::end_others(const login::Session& keep) {
  std::erase_if(alive, [&](const auto& each) {
    return each.second.contact == keep.contact && each.second.id != keep.id;
  });
  co_return;
}

loop::Task<std::optional<media::Contact>> MemoryPeople::find_contact(media::ContactId id) {
  for (const media::Contact& contact : contacts) {
    if (contact.id == id) co_return contact;
  }
  co_return std::nullopt;
}

loop::Task<std::optional<media::Contact>> MemoryPeople::find_contact(std::string_view email) {
  for (const media::Contact& contact : contacts) {
    if (text::equal_ignoring_case(contact.email, email)) co_return contact;
  }
  co_return std::nullopt;
}

loop::Task<std::optional<media::Account>> MemoryPeople::find_account(media::AccountId id) {
  for (const media::Account& account : accounts) {
    if (account.id == id) co_return account;
  }
  co_return std::nullopt;
}

loop::Task<std::vector<media::Account>> MemoryPeople::find_accounts(
    const std::vector<media::AccountId>& ids) {
  std::vector<media::Account> found;
  for (const media::AccountId id : ids) {
    std::optional<media::Account> account = co_await find_account(id);
    if (account) found.push_back(*account);
  }
  co_return found;
}

loop::Task<std::vector<media::Contact>> MemoryPeople::find_contacts(
    const std::vector<media::ContactId>& ids) {
  std::vector<media::Contact> found;
  for (const media::ContactId id : ids) {
    std::optional<media::Contact> contact = co_await find_contact(id);
    if (contact) found.push_back(*contact);
  }
  co_return found;
}

loop::Task<bool> MemoryPeople::set_password_hash(media::ContactId id, std::string_view before,
                                                 std::string_view after) {
  for (media::Contact& contact : contacts) {
    if (contact.id != id || contact.password_hash != before) continue;
    contact.password_hash = std::string(after);
    co_return true;
  }
  co_return false;
}

loop::Task<> MemoryAudit::record(const oauth::AuditEvent& event) {
  events.push_back(std::string(event.what) + " " +
                   (event.contact ? std::to_string(event.contact->value()) : "-") + " " +
                   std::string(event.detail));
  co_return;
}

}  // namespace svc::fakes
