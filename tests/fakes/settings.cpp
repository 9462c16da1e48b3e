#include "fakes/settings.h"

namespace svc::fakes {

http::Response RememberingPrompt::ask(const http::Request&, const login::Visitor& visitor,
                                      const login::ReturnPath& to, std::string_view why) {
  return_path = to.path;
  problem = why;
  return pages::page_response(200, "the login page", visitor);
}

loop::Task<std::optional<std::int64_t>> SettableFormLimit::wait(media::ContactId) {
  co_return seconds;
}

SettingsTest::SettingsTest() {
  using media::Role;
  people_.accounts = {account(1001, "Acme & <Films>", true), account(1002, "Binary", true),
                      account(1003, "Closed", false), account(1004, "Quiet", true)};
  people_.contacts = {contact(501, "Olivia <b>",
                              {{{1001}, Role::Owner},
                               {{1002}, Role::Manager},
                               {{1003}, Role::Owner},
                               {{1004}, Role::User}}),
                      contact(502, "Manuel", {{{1001}, Role::Manager}}), contact(505, "Nora", {})};
  log_in(501);
}

SettingsTest::~SettingsTest() = default;

media::Account SettingsTest::account(std::int64_t id, std::string name, bool oauth_enabled) {
  media::Account one;
  one.id = {id};
  one.name = std::move(name);
  one.oauth_enabled = oauth_enabled;
  return one;
}

media::Contact SettingsTest::contact(std::int64_t id, std::string name,
                                     std::vector<media::Membership> memberships) {
  media::Contact one;
  one.id = {id};
  one.name = std::move(name);
  one.email = std::to_string(id) + "@people.example";
  one.password_hash = "old$right";
  one.memberships = std::move(memberships);
  return one;
}

std::string SettingsTest::log_in(std::int64_t id, std::string_view address) {
  const std::string secret = begin_session(id, address);
  cookie_ = "__Host-svc_session=svcs_" + secret;
  return secret;
}

std::string SettingsTest::begin_session(std::int64_t id, std::string_view address) {
  media::Contact of;
  for (const media::Contact& each : people_.contacts) {
    if (each.id.value() == id) of = each;
  }
  return now(sessions_.begin({id}, address, login::password_tag(of), "Firefox on Linux"));
}

http::Response SettingsTest::ask(http::Endpoint& page, std::string_view method,
                                 const std::string& target, const std::string& body,
                                 std::string_view origin) {
  http::Request request;
  request.method = method;
  request.path = std::string_view(target).substr(0, target.find('?'));
  if (request.path.size() < target.size())
    request.query = std::string_view(target).substr(request.path.size() + 1);
  request.host = "app.home.example";
  request.remote_address = "192.0.2.1";
  request.request_id = "0123456789abcdef";
  request.cookie = cookie_;
  request.origin = origin;
  request.body = body;
  http::Response response = now(page.answer(request));
  // Store the cookie, as a browser does.
  const std::string set = header(response, "Set-Cookie");
  if (set != "none") cookie_ = set.substr(0, set.find(';'));
  return response;
}

http::Response SettingsTest::get(http::Endpoint& page, const std::string& target) {
  return ask(page, "GET", target);
}

http::Response SettingsTest::send(http::Endpoint& page, const http::Response& shown,
                                  const std::string& action, const Fields& fields) {
  std::string body = "csrf=" + token_in(shown.body, action);
  for (const auto& [name, value] : fields)
    body += "&" + std::string(name) + "=" + text::percent_encode(value);
  return ask(page, "POST", action, body);
}

std::string SettingsTest::token_in(const std::string& html, const std::string& action) {
  const std::string before = "name=\"csrf\" value=\"";
  const std::size_t form = html.find("action=\"" + action + "\"");
  const std::size_t at = form == std::string::npos ? form : html.find(before, form);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return html.substr(begin, html.find('"', begin) - begin);
}

http::Response SettingsTest::follow(http::Endpoint& page, const http::Response& response) {
  EXPECT_EQ(response.status, 303) << response.body;
  return get(page, header(response, "Location"));
}

bool SettingsTest::has(const http::Response& response, std::string_view text) {
  return response.body.find(text) != std::string::npos;
}

}  // namespace svc::fakes
