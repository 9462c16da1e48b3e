#include "media/account.h"

#include "media/record_fields.h"
#include "text/uri.h"

namespace svc::media {

const std::vector<std::string_view> kAccountKeys{"kind", "id",  "name",
                                                 "host", "url", "oauth_enabled"};
const std::vector<std::string_view> kProjectKeys{"kind", "id",      "account_id",
                                                 "name", "created", "updated"};

base::Result<Account, std::string> account_from_record(text::JsonRecord& record) {
  Account account;
  account.id = {record.integer("id", 1, kMaxIntegerId)};
  account.name = read_name(record, "name");
  account.host = record.text("host", 253);
  account.url = record.text("url", 2048);
  account.oauth_enabled = record.optional_boolean("oauth_enabled", false);
  if (!text::parse_http_uri("http://" + account.host) ||
      account.host.find_first_of("/?#:") != std::string::npos) {
    record.refuse("host", "must be a host name");
  }
  if (!text::parse_http_uri(account.url)) record.refuse("url", "must be an absolute http(s) URI");
  if (!record.ok()) return base::Refusal{record.error()};
  return account;
}

std::string to_record(const Account& account) {
  std::string out;
  text::json::ObjectWriter(out)
      .integer("id", account.id.number)
      .string("name", account.name)
      .string("host", account.host)
      .string("url", account.url)
      .boolean("oauth_enabled", account.oauth_enabled)
      .end();
  return out;
}

base::Result<Project, std::string> project_from_record(text::JsonRecord& record) {
  Project project;
  project.id = read_project_id(record, "id");
  project.account = {record.integer("account_id", 1, kMaxIntegerId)};
  project.name = read_name(record, "name");
  project.created = read_time(record, "created");
  project.updated = read_time(record, "updated");
  if (!record.ok()) return base::Refusal{record.error()};
  return project;
}

std::string to_record(const Project& project) {
  std::string out;
  text::json::ObjectWriter(out)
      .string("id", project.id.text)
      .integer("account_id", project.account.number)
      .string("name", project.name)
      .string("created", project.created)
      .string("updated", project.updated)
      .end();
  return out;
}

}  // namespace svc::media
