// oembed.md, Requests.
#include <gtest/gtest.h>

#include "rules/rules.h"

namespace svc::rules {
namespace {

using OembedRequestsOnTheWire = Rules;

const std::string kFilm = "url=https://svc.localhost/medias/l4unchf1lm";
const std::string kJson = "application/json; charset=utf-8";
const std::string kXml = "text/xml; charset=utf-8";

TEST_F(OembedRequestsOnTheWire, OembedE1PathAndFormatDecide) {
  expect({
      {"JSON by default", "/oembed?" + kFilm, 200, kJson, {"{\"version\""}},
      {"with a slash", "/oembed/?" + kFilm, 200, kJson},
      {"by format", "/oembed?" + kFilm + "&format=xml", 200, kXml, {"<?xml "}},
      {"an empty format", "/oembed?" + kFilm + "&format=", 200, kJson},
      {"another format", "/oembed?" + kFilm + "&format=yaml", 501, kJson},
      {"the path decides", "/oembed.json?" + kFilm + "&format=xml", 200, kJson},
      {"and ignores it", "/oembed.xml?" + kFilm + "&format=yaml", 200, kXml},
  });
}

}  // namespace
}  // namespace svc::rules
