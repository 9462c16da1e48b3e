#include "oauth/transaction.h"

#include <gtest/gtest.h>

#include <string>

#include "fakes/fixed_entropy.h"

namespace svc::oauth {
namespace {

base::KeyRing ring(char digit) {
  return std::move(*base::KeyRing::parse("k1:" + std::string(64, digit)));
}

Transaction example(fakes::FixedEntropy& entropy) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  return {random_secret(entropy), 1'790'000'000, {1001}, 7, "client_id=a&state=" + all};
}

TEST(Transaction, OauthL1OpensUnchangedAndOnlyForItsBrowser) {
  fakes::FixedEntropy entropy;
  const Transaction before = example(entropy);
  const std::string sealed = seal(before, "binding", ring('1'), entropy);
  EXPECT_EQ(sealed.find("client_id"), std::string::npos);
  const auto after = open_transaction(sealed, "binding", ring('1'));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->secret, before.secret);
  EXPECT_EQ(after->begun, before.begun);
  EXPECT_EQ(after->account, before.account);
  EXPECT_EQ(after->permission_version, before.permission_version);
  EXPECT_EQ(after->query, before.query);
  EXPECT_FALSE(open_transaction(sealed, "another binding", ring('1')));
  EXPECT_FALSE(open_transaction(sealed, "", ring('1')));
  EXPECT_FALSE(open_transaction(sealed, "binding", ring('2')));
}

TEST(Transaction, OauthL1DoesNotOpenIfChanged) {
  fakes::FixedEntropy entropy;
  const std::string sealed = seal(example(entropy), "binding", ring('1'), entropy);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_FALSE(open_transaction(changed, "binding", ring('1'))) << i;
  }
  EXPECT_FALSE(open_transaction(sealed.substr(0, sealed.size() - 2), "binding", ring('1')));
  EXPECT_FALSE(open_transaction("", "binding", ring('1')));
}

TEST(Transaction, ExpiresAfterTenMinutes) {
  Transaction transaction;
  transaction.begun = 1000;
  EXPECT_FALSE(transaction.is_over(1000));
  EXPECT_FALSE(transaction.is_over(1599));
  EXPECT_TRUE(transaction.is_over(1600));
}

TEST(Transaction, OauthL5HasOneCodePerGrant) {
  fakes::FixedEntropy entropy;
  const Transaction one = example(entropy);
  const Transaction other = example(entropy);
  const GrantId grant = GrantId::of({1}, {2}, {"a"});
  const Token code = code_of(one, grant, {{1}, {2}}, ring('1'));
  EXPECT_EQ(code.text, code_of(one, grant, {{1}, {2}}, ring('1')).text);
  EXPECT_TRUE(Token::parse(TokenKind::Code, code.text));
  EXPECT_NE(code.text, code_of(other, grant, {{1}, {2}}, ring('1')).text);
  EXPECT_NE(code.text, code_of(one, GrantId::of({1}, {3}, {"a"}), {{1}, {3}}, ring('1')).text);
  EXPECT_NE(code.text, code_of(one, grant, {{1}, {2}}, ring('2')).text);
  EXPECT_EQ(code.text.find(one.secret), std::string::npos);
}

}  // namespace
}  // namespace svc::oauth
