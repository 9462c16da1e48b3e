// Requests for oEmbed, and catalogs for them. `l4unchf1lm` is the demonstration's film: 1920 ×
// 1080.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.h"

namespace svc::rules {

using Texts = std::vector<std::string>;

inline const std::string kJson = "application/json; charset=utf-8";
inline const std::string kXml = "text/xml; charset=utf-8";
inline const std::string kHtml = "text/html; charset=utf-8";
inline const std::string kEmbedHost = "https://embed.svc.example:8443";

// "/oembed?url=…" for that URL, or for the page of that media or playlist.
std::string oembed_of(std::string_view url, std::string_view parameters = "");
std::string film(std::string_view parameters = "", std::string_view id = "l4unchf1lm");
std::string list(std::string_view parameters = "", std::string_view id = "pl4yl1st01");

// A member of a JSON object: a text without escapes, a number as it is written; "none".
std::string value_of(const Answer& answer, std::string_view name);
std::string value_of(const std::string& json, std::string_view name);

// "a b c": its words, and more.
Texts words(const std::string& text, Texts more = {});
std::size_t count(std::string_view text, std::string_view part);

class OembedRules : public Rules {
 protected:
  using Rules::Rules;
  // Name and JSON. `null` removes a key of the demonstration's film.
  using Keys = std::map<std::string, std::string>;

  // Imports a film like the demonstration's, without files.
  void import_film(const std::string& id, Keys keys = {});
  void import_playlist(const std::string& id, const Texts& medias,
                       const std::string& name = "\"The list\"");
  // Subscribes the pools to invalidations by imports. Otherwise an import moves the clocks until
  // every earlier response is stale.
  void listen();
  // A page with each of these texts.
  void expect_page(const std::string& target, const Texts& texts) {
    expect({{"a page", target, 200, kHtml, texts}});
  }
  std::string html_of(const std::string& target) { return value_of(ask(target), "html"); }
  // After an import.
  void forget();

 private:
  bool listens_ = false;
};

}  // namespace svc::rules
