#include "rules/settings/settings.h"

#include <stdexcept>
#include <utility>

#include "integration/committed.h"
#include "text/uri.h"

namespace svc::rules {

WithSettings::WithSettings(std::vector<std::string> settings) : WithLogins(std::move(settings)) {
  browser_.log_in(kOliviasId);
}

void WithSettings::import_paula() {
  stores().import(
      R"({"kind": "account", "id": 1004, "name": "Quiet", )"
      R"("host": "quiet.svc.localhost", "url": "https://quiet.svc.localhost", )"
      R"("oauth_enabled": true})"
      "\n"
      R"({"kind": "user", "id": 601, "name": "Paula <b>", "email": "paula@acme.example", )"
      R"("memberships": [{"account_id": 1001, "role": "owner"}, )"
      R"({"account_id": 1002, "role": "manager"}, {"account_id": 1003, "role": "owner"}, )"
      R"({"account_id": 1004, "role": "user"}]})"
      "\n");
}

void WithSettings::put(const media::Media& media) {
  write_media(media.account, media.id.value(), to_record(media));
}

void WithSettings::remove(const std::string& id) { write_media({1001}, id, ""); }

void WithSettings::write_media(media::AccountId account, const std::string& id,
                               std::string record) {
  EXPECT_TRUE(stores().run(integration::put_record(
      stores().redis(), account, {stores::Indexed::Media, id}, std::move(record))));
}

Answer WithSettings::connect(Browser& browser, const std::string& client, std::int64_t account) {
  const std::string uri = client == kUploader ? "https://client.example/oauth/callback?tenant=42"
                                              : "http://127.0.0.1:9090/callback";
  Answer page = browser.ask("/oauth/authorize?response_type=code&client_id=" + client +
                            "&redirect_uri=" + text::percent_encode(uri));
  if (page.has("value=\"choose\""))
    page = browser.follow(browser.submit(
        page, "/oauth/authorize", {{"answer", "choose"}, {"account", std::to_string(account)}}));
  const Answer allowed =
      page.status == 303 ? page : browser.submit(page, "/oauth/authorize", {{"answer", "allow"}});
  const std::string code = parameter_of(allowed.header("Location"), "code");
  if (code.empty()) throw std::runtime_error("no code: " + allowed.body);
  return ask(Ask("POST /oauth/token")
                 .with_form({{"grant_type", "authorization_code"},
                             {"client_id", client},
                             {"client_secret", "demo-secret-" + client.substr(client.size() - 4) +
                                                   "-not-for-production"},
                             {"redirect_uri", uri},
                             {"code", code}}));
}

std::string WithSettings::entry(const Answer& page, const std::string& text) {
  const std::size_t at = page.body.find(text);
  const std::size_t begin = page.body.rfind("<li>", at);
  if (at == std::string::npos || begin == std::string::npos) return "";
  return page.body.substr(begin, page.body.find("</li>", at) - begin);
}

std::size_t WithSettings::count(const Answer& page, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = page.body.find(text, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace svc::rules
