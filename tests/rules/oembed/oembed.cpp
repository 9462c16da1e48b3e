#include "rules/oembed/oembed.h"

#include <iterator>
#include <sstream>

#include "text/json.h"
#include "text/uri.h"

namespace svc::rules {
std::string oembed_of(std::string_view url, std::string_view parameters) {
  return "/oembed?url=" + text::percent_encode(url) + (parameters.empty() ? "" : "&") +
         std::string(parameters);
}

std::string film(std::string_view parameters, std::string_view id) {
  return oembed_of("https://svc.localhost/medias/" + std::string(id), parameters);
}

std::string list(std::string_view parameters, std::string_view id) {
  return oembed_of("https://svc.localhost/embed/playlists/" + std::string(id), parameters);
}

std::string value_of(const std::string& json, std::string_view name) {
  text::json::Document document;
  const auto object = document.parse(json);
  if (!object || !object->is_object()) return "not JSON: " + json;
  const auto value = object->find(name);
  if (!value) return "none";
  if (const auto text = value->string()) return std::string(*text);
  const std::size_t begin = json.find("\"" + std::string(name) + "\":") + name.size() + 3;
  return json.substr(begin, json.find_first_of(",}", begin) - begin);
}

std::string value_of(const Answer& answer, std::string_view name) {
  return value_of(answer.body, name);
}

Texts words(const std::string& text, Texts more) {
  std::istringstream in(text);
  more.insert(more.end(), std::istream_iterator<std::string>(in), {});
  return more;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t sum = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size())
    ++sum;
  return sum;
}

void OembedRules::listen() {
  site_.listen();
  listens_ = true;
}

void OembedRules::forget() {
  if (!listens_) site_.pass(11);
}

void OembedRules::import_film(const std::string& id, Keys keys) {
  const Keys usual{
      {"account_id", "1001"},
      {"type", R"("Video")"},
      {"name", R"("Launch film")"},
      {"status", R"("ready")"},
      {"duration", "8.008"},
      {"width", "1920"},
      {"height", "1080"},
      {"player_color", R"("54bbff")"},
      {"thumbnail", R"({"url":"/deliveries/l4unchf1lm/poster.jpg","width":1920,"height":1080})"},
      {"created", R"("2026-03-01T10:00:00Z")"},
      {"updated", R"("2026-06-10T08:30:00Z")"},
      {"assets", "[]"}};
  keys.insert(usual.begin(), usual.end());
  std::string line = R"({"kind":"media","id":")" + id + '"';
  for (const auto& [name, json] : keys) line += ",\"" + name + "\":" + json;
  stores().import(line + "}\n");
  forget();
}

void OembedRules::import_playlist(const std::string& id, const Texts& medias,
                                  const std::string& name) {
  std::string ids;
  for (const std::string& media : medias) ids += (ids.empty() ? "\"" : ",\"") + media + '"';
  stores().import(R"({"kind":"playlist","id":")" + id + R"(","account_id":1001,"name":)" + name +
                  R"(,"media_ids":[)" + ids + "]}\n");
  forget();
}

}  // namespace svc::rules
