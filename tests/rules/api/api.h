// WithApi: an application with tokens of any scope, and media that are written as the service does.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integration/committed.h"
#include "media/media.h"
#include "rules/oauth/application.h"
#include "text/json.h"

namespace svc::rules {

class WithApi : public WithApplication {
 protected:
  explicit WithApi(std::vector<std::string> settings = {}) : WithApplication(std::move(settings)) {
    import_other();
  }
  // An access token of account 1001, or of another of Manuel's.
  std::string token_of(const std::string& scope, const std::string& account = "1001") {
    Ask::Fields asks = kOtherAsks;
    asks.emplace_back("scope", scope);
    browser_.cookies.clear();
    browser_.log_in(502);
    Answer answer = browser_.submit(browser_.ask(authorize(asks)), "/oauth/authorize",
                                    {{"answer", "choose"}, {"account", account}});
    if (answer.header("Location").starts_with("/")) answer = browser_.follow(answer);
    if (answer.status == 200)
      answer = browser_.submit(answer, "/oauth/authorize", {{"answer", "allow"}});
    return tokens_of(exchange(parameter_of(answer.header("Location"), "code"), kOtherExchanges))
        .access;
  }
  // The text of this member, or its number, or "null".
  static std::string member(const Answer& answer, std::string_view key) {
    text::json::Document document;
    const auto value = document.parse(answer.body, text::json::Origin::Ours);
    if (!value || !value->find(key)) return "none";
    if (const auto number = value->find(key)->integer()) return std::to_string(*number);
    return std::string(value->find(key)->string().value_or("null"));
  }
  // Stores a media as svc-ingest does.
  void put(const media::Media& media) {
    EXPECT_TRUE(stores().run(integration::put_record(stores().redis(), media.account,
                                                     {stores::Indexed::Media, media.id.value()},
                                                     to_record(media))));
  }
  static media::Media media(const std::string& id, const std::string& name = "A film") {
    media::Media media;
    media.id = *media::HashedId::parse(id);
    media.account = {kAcme};
    media.type = "Video";
    media.name = name;
    media.status = media::Status::Ready;
    media.created = media.updated = "2026-03-01T10:00:00Z";
    return media;
  }
};

}  // namespace svc::rules
