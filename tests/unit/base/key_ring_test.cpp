#include "base/key_ring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "fakes/fixed_entropy.h"
#include "fakes/temporary_directory.h"

namespace svc::base {
namespace {

const std::string kOld = "k1:" + std::string(64, '1') + "\n";
const std::string kNew = "k2:" + std::string(64, '2') + "\n";

KeyRing ring(std::string_view text) {
  auto parsed = KeyRing::parse(text);
  if (!parsed) throw std::runtime_error(parsed.error());
  return std::move(*parsed);
}

TEST(KeyRing, ReadsOneKeyPerLine) {
  struct Case {
    std::string_view name;
    std::string text;
  };
  for (const Case& c : {
           Case{"one key", kOld},
           Case{"two keys", kNew + kOld},
           Case{"no end of the last line", "k1:" + std::string(64, '1')},
           Case{"comments and blank lines", "# the keys\n\n  \n" + kNew + "# the old one\n" + kOld},
           Case{"lines that end as on Windows", "k1:" + std::string(64, '1') + "\r\n"},
           Case{"spaces after a key", "k1:" + std::string(64, '1') + "  \n"},
           Case{"capital digits", "k1:" + std::string(64, 'A') + "\n"},
           Case{"the longest id", std::string(32, 'k') + ":" + std::string(64, '1')},
           Case{"every character of an id", "Az09-_.:" + std::string(64, '1')},
       }) {
    SCOPED_TRACE(c.name);
    const auto parsed = KeyRing::parse(c.text);
    EXPECT_TRUE(parsed) << parsed.error();
  }
}

TEST(KeyRing, ErrorsNameTheLineAndNeverQuoteAKey) {
  struct Case {
    std::string_view name;
    std::string text, said;
  };
  const std::string secret(62, 'c');
  for (const Case& c : {
           Case{"nothing", "", "it contains no key"},
           Case{"comments only", "# k1:" + std::string(64, '1') + "\n", "it contains no key"},
           Case{"no colon", kOld + std::string(64, 'c'),
                "line 2: not of the form <key id>:<64 hex digits>"},
           Case{"no id", ":" + std::string(64, 'c'),
                "line 1: not of the form <key id>:<64 hex digits>"},
           Case{"a space in the id", "k 1:" + secret + "cc",
                "line 1: not of the form <key id>:<64 hex digits>"},
           Case{"a long id", std::string(33, 'k') + ":" + secret + "cc",
                "line 1: not of the form <key id>:<64 hex digits>"},
           Case{"a space before the key", "k1: " + secret + "cc",
                "line 1: the key after the colon"},
           Case{"a short key", "# one\n\nk1:" + secret, "line 3: the key after the colon"},
           Case{"a long key", "k1:" + secret + "cccc", "line 1: the key after the colon"},
           Case{"an odd number of digits", "k1:" + secret + "c", "line 1: the key after the colon"},
           Case{"no hex digits", "k1:" + secret + "zz", "line 1: the key after the colon"},
           Case{"an id twice", kOld + kNew + "k1:" + secret + "cc",
                "line 3: the key id k1 is used twice"},
       }) {
    SCOPED_TRACE(c.name);
    const auto parsed = KeyRing::parse(c.text);
    ASSERT_FALSE(parsed);
    EXPECT_NE(parsed.error().find(c.said), std::string::npos) << parsed.error();
    EXPECT_EQ(parsed.error().find("ccc"), std::string::npos) << parsed.error();
  }
}

TEST(KeyRing, OpensItsOwnSealedTexts) {
  const KeyRing keys = ring(kOld);
  SystemEntropy entropy;
  for (const std::string& plain :
       {std::string(), std::string("s"), std::string("a\0b", 3), std::string(100'000, 'x')}) {
    const std::string sealed = keys.seal(plain, "client_secret of app", entropy);
    EXPECT_TRUE(sealed.starts_with("k1:")) << sealed.substr(0, 20);
    EXPECT_EQ(keys.open(sealed, "client_secret of app"), plain);
    const std::string bytes = keys.seal_bytes(plain, "client_secret of app", entropy);
    EXPECT_EQ(bytes.size(), plain.size() + 3 + 28);
    EXPECT_EQ(keys.open_bytes(bytes, "client_secret of app"), plain);
    EXPECT_FALSE(keys.open_bytes(bytes, "another"));
    EXPECT_FALSE(keys.open(bytes, "client_secret of app"));
  }
}

// Expected value from another implementation: AES-256-GCM, key 32 × 0x11, nonce
// 00…0b, additional data "client_secret of app", text "secret".
TEST(KeyRing, SealsLikeAnotherImplementation) {
  fakes::FixedEntropy entropy;
  EXPECT_EQ(ring(kOld).seal("secret", "client_secret of app", entropy),
            "k1:000102030405060708090a0b6086d5611ed72f953b68088da7661c47779b43de0811");
}

TEST(KeyRing, RefusesToOpenChangedTexts) {
  const KeyRing keys = ring(kNew + kOld);
  fakes::FixedEntropy entropy;
  const std::string sealed = keys.seal("secret", "context", entropy);
  ASSERT_EQ(keys.open(sealed, "context"), "secret");
  for (std::size_t i = 3; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_FALSE(keys.open(changed, "context")) << "character " << i;
  }
  for (std::size_t length = 0; length < sealed.size(); ++length) {
    EXPECT_FALSE(keys.open(sealed.substr(0, length), "context")) << "cut to " << length;
  }
  for (const std::string& changed :
       {sealed + "00", "k1" + sealed.substr(2), "k3" + sealed.substr(2), sealed.substr(3),
        std::string("k2"), std::string("k2:"), std::string(":"), std::string()}) {
    EXPECT_FALSE(keys.open(changed, "context")) << changed;
  }
  for (const char* other : {"another", "", "context "}) EXPECT_FALSE(keys.open(sealed, other));
}

TEST(KeyRing, SealsWithTheFirstKeyAndOpensWithAll) {
  fakes::FixedEntropy entropy;
  const std::string sealed_before = ring(kOld).seal("secret", "context", entropy);
  const std::string mac_before = ring(kOld).mac("label", "secret");
  const KeyRing both = ring(kNew + kOld);
  EXPECT_EQ(both.open(sealed_before, "context"), "secret");
  EXPECT_TRUE(both.mac_matches("label", "secret", mac_before));
  const std::string sealed_after = both.seal("secret", "context", entropy);
  EXPECT_TRUE(sealed_after.starts_with("k2:"));
  EXPECT_EQ(ring(kNew).open(sealed_after, "context"), "secret");
  EXPECT_NE(both.mac("label", "secret"), mac_before);
  EXPECT_EQ(both.mac("label", "secret"), ring(kNew).mac("label", "secret"));
  // Once the old key is removed, texts sealed with it cannot be opened.
  EXPECT_FALSE(ring(kNew).open(sealed_before, "context"));
  EXPECT_FALSE(ring(kNew).mac_matches("label", "secret", mac_before));
}

TEST(KeyRing, OpensOnlyIfKeyIdAndBytesMatch) {
  fakes::FixedEntropy entropy;
  const std::string sealed = ring(kOld).seal("secret", "context", entropy);
  EXPECT_EQ(ring("k9:" + std::string(64, '1')).open(sealed, "context"), std::nullopt);
  EXPECT_EQ(ring("k1:" + std::string(64, '2')).open(sealed, "context"), std::nullopt);
}

TEST(KeyRing, MacDependsOnTheLabel) {
  const KeyRing keys = ring(kOld);
  const std::string mac = keys.mac("client_secret", "s");
  EXPECT_EQ(mac.size(), 64u);
  EXPECT_TRUE(keys.mac_matches("client_secret", "s", mac));
  EXPECT_FALSE(keys.mac_matches("access_token", "s", mac));
  EXPECT_FALSE(keys.mac_matches("client_secret", "S", mac));
  EXPECT_FALSE(keys.mac_matches("client_secrets", "", mac));
  EXPECT_FALSE(keys.mac_matches("client_secret", "s", ""));
  EXPECT_FALSE(keys.mac_matches("client_secret", "s", mac.substr(0, 63)));
  EXPECT_FALSE(keys.mac_matches("client_secret", "s", mac + "0"));
}

// Expected value from another implementation: HMAC-SHA-256 whose key is the
// HMAC-SHA-256 of the label.
TEST(KeyRing, MacsLikeAnotherImplementation) {
  EXPECT_EQ(ring(kOld).mac("client_secret", "s"),
            "6ff93ed24247742effa7f022b0872aef256291b9c24eed049e8a0d44c6990e02");
}

TEST(KeyFile, IsRefusedIfItsModeIsTooOpen) {
  const fakes::TemporaryDirectory directory;
  const std::string path = directory.write("keys", kOld);
  for (const mode_t mode : {0400u, 0440u, 0600u, 0640u, 0644u, 0604u, 0602u, 0601u, 0660u, 0620u,
                            0650u, 0666u, 0777u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    const auto keys = KeyRing::load(path);
    EXPECT_EQ(static_cast<bool>(keys), (mode & 0337u) == 0 || mode == 0600u || mode == 0640u)
        << std::oct << mode;
    if (keys) continue;
    EXPECT_NE(keys.error().find("must have mode 0400, 0440, 0600 or 0640"), std::string::npos);
    EXPECT_NE(keys.error().find(path), std::string::npos);
  }
}

TEST(KeyRing, ListsItsKeyIdsAndNamesTheSealingKey) {
  const auto ring = KeyRing::parse("b:" + std::string(64, 'b') + "\na:" + std::string(64, 'a'));
  ASSERT_TRUE(ring);
  EXPECT_EQ(ring->ids(), (std::vector<std::string>{"b", "a"}));
  SystemEntropy entropy;
  EXPECT_EQ(KeyRing::id_of(ring->seal("plain", "context", entropy)), "b");
  EXPECT_EQ(KeyRing::id_of("nonsense"), "");
}

}  // namespace
}  // namespace svc::base
