// A store that fails for some keys only: operations-D3. Every reply of another shape:
// integration/stores/wrong_shapes_test.cpp.
#include <gtest/gtest.h>

#include "rules/oauth/application.h"

namespace svc::rules {
namespace {

using WrongTypes = WithApplication;

TEST_F(WrongTypes, OperationsD3AKeyOfAWrongTypeAffectsOnlyItsOwnRequests) {
  const std::string token = member_of(exchange(new_code()), "access_token");
  const Ask::Fields other{{"client_id", "demo-client-0003"},
                          {"redirect_uri", "http://127.0.0.1:9090/all"}};
  const std::string grant = "oauth:grant:{" + new_code(other).substr(5, 32) + "}";
  stores().command({"DEL", "catalog:media:cinema2391"});
  stores().command({"DEL", grant});
  stores().command({"SADD", "oauth:account_clients:1001", "wrong"});
  for (const std::string& key :
       {std::string("catalog:media:cinema2391"), std::string("oauth:client:wrong"), grant})
    stores().command({"RPUSH", key, "no store writes a list"});
  const std::string film = "/oembed?url=https://svc.localhost/";
  const std::string media = "/v1/medias/";
  for (int round = 0; round < 3; ++round) {
    for (const auto& [target, status] : {std::pair(film + "medias/cinema2391", 503),
                                         {film + "medias/l4unchf1lm", 200},
                                         {film + "embed/playlists/pl4yl1st01", 200},
                                         {film + "medias/p0rtrait99", 200},
                                         {media + "cinema2391?access_token=" + token, 503},
                                         {media + "l4unchf1lm?access_token=" + token, 200},
                                         {media + "l4unchf1lm?access_token=svca_none", 401},
                                         {std::string("/settings/connected"), 200},
                                         {std::string("/settings/accounts/1001/applications"), 200},
                                         {std::string("/settings/security"), 200}})
      EXPECT_EQ(browser_.ask(target).status, status) << target;
  }
}

}  // namespace
}  // namespace svc::rules
