#include "oauth/client.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/fixed_entropy.h"
#include "fakes/json_fields.h"

namespace svc::oauth {
namespace {

using fakes::JsonFields;

// An import line, with its fields in the order in which to_record() writes
// them.
const JsonFields kLine{{"client_id", R"("demo-app_1.x")"},
                       {"account_id", "1001"},
                       {"name", R"("Demo app")"},
                       {"description", R"("Says \u003chello\u003e")"},
                       {"redirect_uri", R"("https://app.example/callback?x=1")"},
                       {"scopes", R"(["all:read","media:upload"])"},
                       {"scope_format", R"("string")"},
                       {"require_pkce", "true"},
                       {"exact_redirect", "false"},
                       {"refuse_query_credentials", "true"},
                       {"created", R"("2026-01-05T09:00:00Z")"}};
const JsonFields kRecord =
    kLine.with("permission_version", "3")
        .with("secrets", R"([{"sealed":"k2:00","mac":"11"},{"sealed":"k1:22","mac":"33"}])");

base::Result<Client, std::string> read(const JsonFields& fields) {
  text::json::Document document;
  const auto value = document.parse(fields.text());
  if (!value) return base::Refusal{"not JSON: " + value.error()};
  text::JsonRecord record(*value);
  return client_from_record(record);
}

base::KeyRing ring(std::string_view text) { return std::move(*base::KeyRing::parse(text)); }

TEST(ClientRecord, RoundTripsByteForByte) {
  for (const JsonFields& record :
       {kRecord, kRecord.with("secrets", "[]"), kRecord.with("scope_format", R"("array")"),
        kRecord.with("scopes",
                     R"(["all:all","all:read","media:read","stats:read","media:upload"])"),
        kRecord.with("description", R"("")"),
        kRecord.with("redirect_uri", R"("http://[::1]:8080/cb")")}) {
    const auto client = read(record);
    ASSERT_TRUE(client) << client.error();
    EXPECT_EQ(to_record(*client), record.text());
  }
}

TEST(ClientRecord, NeedsItsTextsAndScopesAndHasDefaultsForTheOthers) {
  std::vector<std::string_view> keys{"kind", "client_id", "client_secret", "account_id"};
  base::for_each(kApplicationSettings, [&](const auto& row) {
    SCOPED_TRACE(row.name);
    keys.push_back(row.name);
    bool is_required = false;
    if constexpr (requires { row.rule.if_empty; }) is_required = !row.rule.if_empty.empty();
    const auto client = read(kLine.without(std::string(row.name)));
    ASSERT_EQ(static_cast<bool>(client), !is_required);
    if (is_required) {
      EXPECT_EQ(client.error(), std::string(row.name) + " is missing");
    } else if (std::string_view(row.name) == "scope_format") {
      EXPECT_EQ(client->scope_format, ScopeFormat::Array) << "of a record from before the choice";
    } else {
      EXPECT_EQ((*client).*row.member, ApplicationSettings().*row.member);
    }
  });
  keys.emplace_back("created");
  keys.emplace_back("redirect_uris");
  EXPECT_EQ(kClientKeys, keys);
  const auto imported = read(kLine);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->permission_version, 1);
  EXPECT_TRUE(imported->secrets.empty());
}

TEST(ClientRecord, ErrorsNameTheKey) {
  struct Case {
    std::string_view name;
    JsonFields record;
    std::string_view error;
  };
  constexpr std::string_view kIdError =
      "client_id must be 1 to 64 letters, digits, '-', '_' and '.'";
  constexpr std::string_view kScopesError =
      "scopes must be a list of all:all, all:read, media:read, stats:read, media:upload";
  for (const Case& c : {
           Case{"no id", kLine.without("client_id"), "client_id is missing"},
           Case{"an empty id", kLine.with("client_id", R"("")"), kIdError},
           Case{"a colon in the id", kLine.with("client_id", R"("a:b")"), kIdError},
           Case{"a space in the id", kLine.with("client_id", R"("a b")"), kIdError},
           Case{"a long id", kLine.with("client_id", "\"" + std::string(65, 'a') + "\""),
                "client_id is longer than 64 bytes"},
           Case{"no account", kLine.without("account_id"), "account_id is missing"},
           Case{"an empty name", kLine.with("name", R"("")"), "name must not be empty"},
           Case{"empty scopes", kLine.with("scopes", "[]"), "scopes must not be empty"},
           Case{"an unknown scope", kLine.with("scopes", R"(["media:read","media:write"])"),
                kScopesError},
           Case{"a number for a scope", kLine.with("scopes", "[1]"), kScopesError},
           Case{"a text of scopes", kLine.with("scopes", R"("media:read")"),
                "scopes must be an array"},
           Case{"an unknown format", kLine.with("scope_format", R"("list")"),
                "scope_format must be one of array, string"},
           Case{"a text for a boolean", kLine.with("require_pkce", R"("yes")"),
                "require_pkce must be true or false"},
           Case{"no creation", kLine.without("created"), "created is missing"},
           Case{"a secret of the store that is broken",
                kRecord.with("secrets", R"([{"sealed":"x"}])"), "secrets[0]: mac is missing"},
       }) {
    SCOPED_TRACE(c.name);
    const auto client = read(c.record);
    EXPECT_EQ(client ? "accepted" : client.error(), c.error);
  }
}

TEST(ClientSecret, IsStoredSealedAndAsAMacNeverInClear) {
  const base::KeyRing keys = ring("k1:" + std::string(64, '1'));
  fakes::FixedEntropy entropy;
  Client client = *read(kLine);
  client.secrets = {keep_secret(keys, client.id, "s3cr3t-value", entropy)};
  EXPECT_TRUE(is_secret_of(keys, client, "s3cr3t-value"));
  EXPECT_FALSE(is_secret_of(keys, client, "s3cr3t-valuf"));
  EXPECT_FALSE(is_secret_of(keys, client, ""));
  EXPECT_FALSE(is_secret_of(keys, client, client.secrets[0].mac));
  const std::string record = to_record(client);
  EXPECT_EQ(record.find("s3cr3t"), std::string::npos) << record;
  const auto again =
      read(kLine.with("secrets", record.substr(record.find("\"secrets\":") + 10,
                                               record.size() - record.find("\"secrets\":") - 11)));
  ASSERT_TRUE(again) << again.error();
  EXPECT_TRUE(is_secret_of(keys, *again, "s3cr3t-value"));
  EXPECT_EQ(again->secrets[0].created, "") << "one from before that was kept";
}

TEST(ClientSecret, OauthK9AMacIsInvalidInAnotherRecord) {
  const base::KeyRing keys = ring("k1:" + std::string(64, '1'));
  fakes::FixedEntropy entropy;
  Client mine = *read(kLine);
  mine.id = {"attacker"};
  Client other = mine;
  other.id = {"victim"};
  mine.secrets = {keep_secret(keys, mine.id, "attackers secret", entropy)};
  const ClientSecret own = keep_secret(keys, other.id, "victims secret", entropy);
  const std::string old_form = keys.mac("client_secret", "attackers secret");
  for (const std::string& mac : {mine.secrets[0].mac, old_form}) {
    other.secrets = {{own.sealed, mac}};
    EXPECT_FALSE(is_secret_of(keys, other, "attackers secret"));
    EXPECT_TRUE(is_secret_of(keys, other, "victims secret")) << "by what is sealed";
    other.secrets = {{mine.secrets[0].sealed, mac}};
    EXPECT_FALSE(is_secret_of(keys, other, "attackers secret")) << "with all of it";
  }
}

TEST(ClientSecret, OauthK9OldMacsWithoutTheIdAreReadAndRenewed) {
  const base::KeyRing keys = ring("k1:" + std::string(64, '1'));
  fakes::FixedEntropy entropy;
  Client client = *read(kLine);
  const ClientSecret fresh = keep_secret(keys, client.id, "secret", entropy);
  const ClientSecret old{fresh.sealed, keys.mac("client_secret", "secret")};
  client.secrets = {old};
  EXPECT_TRUE(is_secret_of(keys, client, "secret"));
  EXPECT_FALSE(is_secret_of(keys, client, "secreu"));
  EXPECT_FALSE(is_secret_of(keys, client, ""));
  const auto renewed = renew_secret(keys, client.id, old, entropy);
  ASSERT_TRUE(renewed);
  EXPECT_EQ(renewed->mac, fresh.mac) << "svcctl keys rotate --activate writes the new form";
}

TEST(ClientSecret, IsRenewedWithTheFirstKeyAndOnlyOnce) {
  const std::string one = "k1:" + std::string(64, '1') + "\n";
  const std::string two = "k2:" + std::string(64, '2') + "\n";
  const auto old_ring = base::KeyRing::parse(one);
  const auto new_ring = base::KeyRing::parse(two + one);
  const auto new_key = base::KeyRing::parse(two);
  base::SystemEntropy entropy;
  const ClientId id{"client"};
  const ClientSecret kept =
      keep_secret(*old_ring, id, "the secret", entropy, "2026-03-03T09:05:00Z");
  EXPECT_EQ(renew_secret(*old_ring, id, kept, entropy), kept) << "it is already";
  const auto renewed = renew_secret(*new_ring, id, kept, entropy);
  ASSERT_TRUE(renewed);
  EXPECT_EQ(open_secret(*new_key, id, *renewed), "the secret");
  EXPECT_EQ(renewed->created, kept.created);
  EXPECT_EQ(renewed->mac, keep_secret(*new_key, id, "the secret", entropy).mac);
  EXPECT_EQ(renew_secret(*new_ring, id, *renewed, entropy), *renewed);
  EXPECT_FALSE(renew_secret(*new_key, id, kept, entropy)) << "its key is gone";
  EXPECT_FALSE(open_secret(*old_ring, {"other"}, kept)) << "another client's";
}

}  // namespace
}  // namespace svc::oauth
