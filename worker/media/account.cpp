#include "media/account.h"

#include "media/record_table.h"
#include "text/ascii.h"
#include "text/uri.h"

namespace svc::media {
namespace {

std::string_view why_not_host(std::string_view host) {
  const bool is_host = text::parse_http_uri("http://" + std::string(host)) &&
                       host.find_first_of("/?#:") == std::string_view::npos;
  return is_host ? "" : "must be a host name";
}

std::string_view why_not_account_url(std::string_view url) {
  return text::parse_http_uri(url) ? "" : "must be an absolute http(s) URI";
}

std::string_view why_not_logo(std::string_view logo) {
  if (logo.empty() || (why_not_url(logo).empty() && !logo.starts_with("http:"))) return "";
  return "must be an https URI, a path that begins with one slash, or empty";
}

std::string_view why_not_colour(std::string_view colour) {
  bool is_hex = colour.empty() || colour.size() == 6;
  for (const char c : colour) is_hex &= text::is_hex_digit(c);
  return is_hex ? "" : "must be six hex digits or empty";
}

constexpr auto kAccount = base::describe<Account>(
    Field{"id", &Account::id}, Field{"name", &Account::name, kName},
    Field{"host", &Account::host, Text{253, why_not_host}},
    Field{"url", &Account::url, Text{2048, why_not_account_url}},
    Field{"oauth_enabled", &Account::oauth_enabled},
    Field{"uploads_enabled", &Account::uploads_enabled},
    Field{kAllowedDomainsField, &Account::allowed_domains},
    Field{"allow_no_referrer", &Account::allow_no_referrer},
    Field{"logo", &Account::logo, Text{2048, why_not_logo, Absent::Omitted}},
    Field{"colour", &Account::colour, Text{6, why_not_colour, Absent::Omitted}});

constexpr auto kProject = base::describe<Project>(
    Field{"id", &Project::id}, Field{"account_id", &Project::account},
    Field{"name", &Project::name, kName},
    Field{"description", &Project::description,
          Text{kMaxDescriptionBytes, nullptr, Absent::Omitted}},
    Field{"created", &Project::created, kTime}, Field{"updated", &Project::updated, kTime});

}  // namespace

const std::vector<std::string_view> kAccountKeys = keys_of(kAccount, {"kind"});
const std::vector<std::string_view> kProjectKeys = keys_of(kProject, {"kind"});

base::Result<Account, std::string> account_from_record(text::JsonRecord& record) {
  return from_record<Account>(record, kAccount);
}

std::string to_record(const Account& account, const Account* before) {
  return text::pass_gate<OneLine<Account, kAccount, kMaxAccountRecord>>(account, before);
}

base::Result<Project, std::string> project_from_record(text::JsonRecord& record) {
  return from_record<Project>(record, kProject);
}

std::optional<AccountId> account_in_stored_project(text::json::Document& document,
                                                   std::string_view text) {
  return member_in<AccountId, Project>(document, text, kProject);
}

std::string to_record(const Project& project, const Project* before) {
  return text::pass_gate<OneLine<Project, kProject, kMaxProjectRecord>>(project, before);
}

}  // namespace svc::media
