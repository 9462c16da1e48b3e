// People in Redis: the Contact and Account records of the catalog, and the index of emails.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "media/people.h"
#include "redis/connection.h"
#include "text/json.h"

namespace svc::redis {

class People : public media::People {
 public:
  explicit People(Connection& connection) : connection_(connection) {}

  std::optional<media::Contact> find_contact(media::ContactId id) override;
  std::optional<media::Contact> find_contact(std::string_view email) override;
  std::optional<media::Account> find_account(media::AccountId id) override;
  std::vector<media::Account> find_accounts(const std::vector<media::AccountId>& ids) override;
  std::vector<media::Contact> find_contacts(const std::vector<media::ContactId>& ids) override;
  bool set_password_hash(media::ContactId id, std::string_view before,
                         std::string_view after) override;

 private:
  Connection& connection_;
  text::json::Document document_;
};

}  // namespace svc::redis
