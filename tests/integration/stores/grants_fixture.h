// Grants: the fixture of the tests of stores::Grants, and workers that share one Redis.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "fakes/manual_clock.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "oauth/token_family.h"
#include "stores/access/grants.h"
#include "stores/access/stored_token.h"

namespace svc::integration::grants {

using oauth::CodeIssue;
using oauth::Redemption;
using oauth::Token;
using oauth::TokenKind;

inline constexpr media::ContactId kContact{7};
inline constexpr media::AccountId kAccount{1001};
inline const oauth::ClientId kClient{"app-1"};
inline constexpr std::int64_t kVersion = 3;

inline constexpr std::string_view kOldKey =
    "k1:0000000000000000000000000000000000000000000000000000000000000001\n";
inline constexpr std::string_view kNewKey =
    "k2:0000000000000000000000000000000000000000000000000000000000000002\n";

inline base::KeyRing ring(std::string_view text) { return std::move(*base::KeyRing::parse(text)); }

inline oauth::ScopeSet scopes(std::string_view text) { return *oauth::ScopeSet::parse(text); }

struct Tokens {
  Token access;
  Token refresh;
};

// Runs the operations of Grants one after another.
class OneByOne {
 public:
  OneByOne(integration::Store& store, stores::Grants& grants) : store_(store), grants_(grants) {}

  auto find_code(const Token& code) { return store_.run(grants_.find_code(code)); }
  auto redeem(const Token& code, const oauth::AuthorizationCode& record,
              std::string_view request_id, Token& access, const Token& refresh) {
    return store_.run(grants_.redeem(code, record, request_id, access, refresh));
  }
  auto find_token(const Token& token) { return store_.run(grants_.find_token(token)); }
  auto refresh(const Token& refresh, const oauth::Issued& record, const oauth::ScopeSet& wanted,
               Token& access) {
    return store_.run(grants_.refresh(refresh, record, wanted, access));
  }
  auto rotate(const Token& refresh, const oauth::Issued& record, const oauth::ScopeSet& wanted,
              Token& access) {
    return store_.run(grants_.rotate(refresh, record, wanted, access));
  }
  void revoke_tokens(const Token& token) { store_.run(grants_.revoke_tokens(token)); }
  void confirm(const Token& token) { store_.run(grants_.confirm(token)); }
  auto end(const oauth::GrantId& grant) { return store_.run(grants_.end(grant)); }
  auto find_grant(const oauth::GrantId& id) { return store_.run(grants_.find_grant(id)); }
  auto issue_code(const Token& code, const oauth::AuthorizationCode& record, bool consented,
                  std::int64_t version) {
    return store_.run(grants_.issue_code(code, record, consented, version));
  }
  auto count_grants(const oauth::GrantList& list) { return store_.run(grants_.count_grants(list)); }
  auto grants_of(const oauth::GrantList& list, std::int64_t first, std::int64_t most) {
    return store_.run(grants_.grants_of(list, first, most));
  }

 private:
  integration::Store& store_;
  stores::Grants& grants_;
};

// The Grants of one worker, with a connection of its own.
class Worker {
 public:
  Worker(const integration::RedisServer& server, const base::WallClock& clock,
         const oauth::Limits& limits = {}, std::string_view keys = kOldKey,
         unsigned wait_replicas = 0, std::optional<std::chrono::milliseconds> timeout = {})
      : store_(waiting(server.settings(), wait_replicas, timeout)),
        keys_(ring(keys)),
        grants_(store_.redis(), store_.redis(), keys_, limits, clock, entropy_, &store_.loop()),
        one_by_one_(store_, grants_) {}

  OneByOne* operator->() { return &one_by_one_; }
  stores::Grants& grants() { return grants_; }
  integration::Store& store() { return store_; }
  // Returns once all commands that were sent before have been executed.
  void catch_up() { one_by_one_.count_grants(kContact); }

  Token mint(TokenKind kind, const oauth::GrantId& grant) {
    return Token::mint(kind, grant, entropy_);
  }
  Tokens mint_tokens(const oauth::GrantId& grant) {
    return {mint(TokenKind::Access, grant), mint(TokenKind::Refresh, grant)};
  }

  // The tokens of a public application's exchange.
  Tokens begin_family(const oauth::GrantId& grant, const oauth::Holder& holder) {
    oauth::FamilyTokens tokens = oauth::begin_family(grant, holder, keys_, entropy_);
    return {std::move(tokens.access), std::move(tokens.refresh)};
  }
  Tokens successors_of(const Token& refresh) {
    oauth::FamilyTokens tokens =
        oauth::successors_of(refresh, oauth::family_of(refresh, keys_).value(), keys_);
    return {std::move(tokens.access), std::move(tokens.refresh)};
  }

  bool alive(const Token& token) { return one_by_one_.find_token(token).has_value(); }

  // Finds the code and redeems it for these tokens.
  Redemption redeem(const Token& code, std::string_view request_id, Tokens& tokens) {
    const auto record = one_by_one_.find_code(code);
    if (!record) return Redemption::Gone;
    return one_by_one_.redeem(code, *record, request_id, tokens.access, tokens.refresh);
  }
  Redemption redeem(const Token& code, std::string_view request_id, Tokens&& tokens) {
    return redeem(code, request_id, tokens);
  }
  std::optional<Token> refresh(const Token& refresh, std::string_view narrower = "") {
    const auto issued = one_by_one_.find_token(refresh);
    if (!issued) return std::nullopt;
    Token access = mint(TokenKind::Access, refresh.grant);
    const auto wanted = narrower.empty() ? issued->scopes : scopes(narrower);
    if (!one_by_one_.refresh(refresh, *issued, wanted, access)) return std::nullopt;
    return access;
  }

 private:
  static redis::ConnectionSettings waiting(redis::ConnectionSettings settings, unsigned replicas,
                                           std::optional<std::chrono::milliseconds> timeout) {
    settings.wait_replicas = replicas;
    // Two fifths of it pass before a change counts as not replicated.
    if (replicas > 0) timeout = std::chrono::milliseconds(2'500);
    if (timeout) settings.timeout = *timeout;
    return settings;
  }

  base::SystemEntropy entropy_;
  integration::Store store_;
  const base::KeyRing keys_;
  stores::Grants grants_;
  OneByOne one_by_one_;
};

class Grants : public testing::Test {
 protected:
  explicit Grants(std::vector<std::string> server_options = {})
      : server_(std::move(server_options)) {}

  const oauth::GrantId grant_ = oauth::GrantId::of(kContact, kAccount, kClient);

  oauth::AuthorizationCode record(std::string_view allowed = "media:read") const {
    oauth::AuthorizationCode code;
    code.issued.client = kClient;
    code.issued.contact = kContact;
    code.issued.account = kAccount;
    code.issued.scopes = scopes(allowed);
    code.redirect_uri = "https://app.example/cb?x=1";
    code.code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    return code;
  }

  // A code to which the contact has just consented.
  Token consented_code(Worker& worker, std::string_view allowed = "media:read") {
    const Token code = worker.mint(TokenKind::Code, grant_);
    const CodeIssue issued = worker->issue_code(code, record(allowed), true, kVersion);
    EXPECT_TRUE(issued == CodeIssue::Issued || issued == CodeIssue::IssuedUnchanged);
    return code;
  }
  Tokens exchanged(Worker& worker, std::string_view allowed = "media:read") {
    Tokens tokens = worker.mint_tokens(grant_);
    EXPECT_EQ(worker.redeem(consented_code(worker, allowed), "request", tokens),
              Redemption::Redeemed);
    return tokens;
  }

  std::vector<std::string> keys(std::string_view pattern = "*") {
    const redis::Reply all = server_.command({"KEYS", pattern});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i) names.emplace_back(*all.at(i).text());
    return names;
  }
  std::int64_t seconds_left(const std::string& key) {
    return server_.command({"TTL", key}).integer();
  }
  std::string last_access_token() {
    const redis::Reply entries = server_.command(
        {"XREVRANGE", "oauth:access:{" + grant_.value() + "}", "+", "-", "COUNT", "1"});
    return std::string(stores::field(entries.at(0).at(1), 1));
  }
  std::int64_t access_tokens_kept() {
    return server_.command({"XLEN", "oauth:access:{" + grant_.value() + "}"}).integer();
  }
  integration::RedisServer server_;
  fakes::ManualWallClock clock_;
  Worker worker_{server_, clock_};
};

}  // namespace svc::integration::grants
