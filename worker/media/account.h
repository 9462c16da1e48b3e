// Account: the owner of media. Project: a folder of an account's media.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "media/allowed_domains.h"
#include "media/id.h"
#include "media/site_rules.h"
#include "text/json_record.h"

namespace svc::media {

inline constexpr std::size_t kMaxAccountRecord = 16 * 1024;  // bytes
inline constexpr std::size_t kMaxProjectRecord = 16 * 1024;

struct Account {
  AccountId id;
  std::string name;
  std::string host;
  std::string url;
  bool oauth_enabled = false;
  // Its owners, managers and applications may upload. nullopt: if OAuth is enabled; or in an import
  // line as in the stored record.
  std::optional<bool> uploads_enabled{};
  // Where its films may be shown (oembed-W1). nullopt: everywhere, and no; or in an import line as
  // in the stored record.
  std::optional<AllowedDomains> allowed_domains{};
  std::optional<bool> allow_no_referrer{};
  // On the pages of its films.
  std::string logo{};    // an https URL, or a path below the asset base; empty: none
  std::string colour{};  // six hexadecimal digits; empty: none

  bool may_upload() const { return uploads_enabled.value_or(oauth_enabled); }
  // Its media, projects, sites and statistics have pages.
  bool has_library() const { return oauth_enabled || may_upload(); }
  Owner owner() const { return {name, logo, colour}; }
  SiteRule site_rule() const {
    return {allowed_domains.value_or(AllowedDomains()), allow_no_referrer.value_or(false)};
  }
};

base::Result<Account, std::string> account_from_record(text::JsonRecord& record);
std::string to_record(const Account& account, const Account* before = nullptr);
extern const std::vector<std::string_view> kAccountKeys;

struct Project {
  ProjectId id;
  AccountId account;
  std::string name;
  std::string description;  // written by users, not trusted
  std::string created;
  std::string updated;
};

base::Result<Project, std::string> project_from_record(text::JsonRecord& record);
// As account_in_stored(), of a project.
std::optional<AccountId> account_in_stored_project(text::json::Document& document,
                                                   std::string_view text);
std::string to_record(const Project& project, const Project* before = nullptr);
extern const std::vector<std::string_view> kProjectKeys;

}  // namespace svc::media
