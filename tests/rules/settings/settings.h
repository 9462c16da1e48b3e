// WithSettings: users of the demonstration in the settings, and applications that they connect.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "media/media.h"
#include "rules/login/login.h"
#include "rules/oauth/application.h"

namespace svc::rules {

class WithSettings : public WithLogins {
 protected:
  static constexpr std::int64_t kOliviasId = 501;  // owns Acme Films
  static constexpr std::int64_t kManuelsId = 502;  // manages Acme Films and Binary & Sons <Studio>
  static constexpr std::int64_t kUmasId = 503;     // is a user of Acme Films
  // "Paula <b>" owns Acme Films and Closed Doors, where OAuth is not enabled, manages Binary & Sons
  // and is a user of Quiet. See import_paula().
  static constexpr std::int64_t kPaulasId = 601;
  static constexpr const char* kAcme = "/settings/accounts/1001";
  static constexpr const char* kScheduler = "demo-client-0001";  // of Acme Films
  static constexpr const char* kUploader = "demo-client-0002";   // of Binary & Sons
  static constexpr const char* kConnected = "/settings/connected";
  static constexpr const char* kSecurity = "/settings/security";

  explicit WithSettings(std::vector<std::string> settings = {});

  void import_paula();
  // Stores a media, or deletes one of Acme Films, as svc-ingest does.
  void put(const media::Media& media);
  void remove(const std::string& id);
  // Allows an application access to an account; returns the tokens as JSON.
  Answer connect(Browser& browser, const std::string& client, std::int64_t account = 1001);
  // The status of a media with the access token of that answer.
  int use(const Answer& tokens) {
    return ask(Ask("/v1/medias/l4unchf1lm")
                   .with("Authorization", "Bearer " + member_of(tokens, "access_token")))
        .status;
  }
  // The page after a form that was answered with 303.
  Answer after(Browser& browser, const Answer& page, const std::string& action,
               const Ask::Fields& fields = {}) {
    const Answer sent = browser.submit(page, action, fields);
    EXPECT_EQ(sent.status, 303) << sent.body;
    return browser.follow(sent);
  }
  // An entry of a list: from <li> with that text on, to </li>.
  static std::string entry(const Answer& page, const std::string& text);
  static std::size_t count(const Answer& page, const std::string& text);

 private:
  void write_media(media::AccountId account, const std::string& id, std::string record);
};

}  // namespace svc::rules
