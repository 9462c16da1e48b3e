#include "login/web_authn.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/base64.h"
#include "fakes/authenticator.h"
#include "login/cbor.h"

namespace svc::login {
namespace {

using base::SignatureKind;
using fakes::Authenticator;
using Ceremony = fakes::Authenticator::Ceremony;

const RelyingParty kParty{"app.svc.example", "https://app.svc.example:8443"};
const std::string kUserHandle = "501";

Ceremony ceremony() {
  Ceremony made;
  made.challenge = base::base64url_encode("a challenge of the service");
  return made;
}

TEST(RelyingParty, IsTheHostOfAName) {
  struct Case {
    std::string_view url, id, origin;
  };
  for (const Case& c : {
           Case{"https://app.svc.example:8443", "app.svc.example", "https://app.svc.example:8443"},
           Case{"https://App.Svc.Example", "app.svc.example", "https://app.svc.example"},
           Case{"https://app.svc.example:443", "app.svc.example", "https://app.svc.example"},
           Case{"http://localhost:8080", "localhost", "http://localhost:8080"},
           Case{"http://svc.localhost:80", "svc.localhost", "http://svc.localhost"},
       }) {
    const auto party = relying_party(c.url);
    ASSERT_TRUE(party) << c.url;
    EXPECT_EQ(party->id, c.id);
    EXPECT_EQ(party->origin, c.origin);
  }
  for (const std::string_view address :
       {"http://127.0.0.1:8080", "https://192.0.2.1", "https://[::1]:8443", "http://2130706433",
        "http://127.1", "svc.example", ""})
    EXPECT_FALSE(relying_party(address)) << address;
}

TEST(WebAuthn, TakesTheKeysOfAllThreeAlgorithms) {
  for (const SignatureKind kind :
       {SignatureKind::Es256, SignatureKind::Rs256, SignatureKind::Ed25519}) {
    const Authenticator authenticator(kind);
    Ceremony made = ceremony();
    made.count = 7;
    const auto created = read_registration(authenticator.registration(made), kParty);
    ASSERT_TRUE(created) << created.error();
    EXPECT_EQ(created->challenge, "a challenge of the service");
    EXPECT_EQ(created->id, authenticator.id());
    EXPECT_EQ(created->count, 7u);
    EXPECT_EQ(created->transports, (std::vector<std::string>{"usb", "nfc"}));
    made.count = 8;
    const std::string json = authenticator.assertion(made);
    EXPECT_EQ(credential_id_in(json), authenticator.id());
    const auto used = read_assertion(json, kParty, created->public_key, kUserHandle);
    ASSERT_TRUE(used) << used.error();
    EXPECT_EQ(used->challenge, "a challenge of the service");
    EXPECT_EQ(used->count, 8u);
    const Authenticator other(kind);
    EXPECT_FALSE(read_assertion(json, kParty, other.cose_key(), kUserHandle));
  }
}

// What both ceremonies refuse.
struct Hostile {
  std::string_view name;
  Ceremony ceremony;
  std::string_view refusal;
};
std::vector<Hostile> hostile_ceremonies() {
  std::vector<Hostile> cases;
  const auto add = [&](std::string_view name, std::string_view refusal, auto change) {
    Ceremony made = ceremony();
    change(made);
    cases.push_back({name, made, refusal});
  };
  add("another origin", "passkey of another origin",
      [](Ceremony& made) { made.origin = "https://app.svc.example"; });
  add("an origin below ours", "passkey of another origin",
      [](Ceremony& made) { made.origin = "https://evil.app.svc.example:8443"; });
  add("another service", "passkey of another service",
      [](Ceremony& made) { made.rp_id = "svc.example"; });
  add("without a touch", "passkey without its user", [](Ceremony& made) { made.flags = 0x04; });
  add("a backup that is none", "malformed passkey", [](Ceremony& made) { made.flags = 0x11; });
  add("another ceremony", "passkey of another ceremony",
      [](Ceremony& made) { made.type = "payment.get"; });
  add("in a frame", "passkey in a foreign frame",
      [](Ceremony& made) { made.more = ",\"topOrigin\":\"https://evil.example\""; });
  add("no challenge", "malformed passkey", [](Ceremony& made) { made.challenge = ""; });
  add("bytes at the end", "malformed passkey", [](Ceremony& made) { made.tail = "x"; });
  add("extensions that end early", "malformed passkey", [](Ceremony& made) {
    made.flags = 0x85;
    made.tail = "\xa1\x63";
  });
  add("a malformed id", "malformed passkey", [](Ceremony& made) { made.id = "a+b/"; });
  return cases;
}

TEST(WebAuthn, RefusesRegistrations) {
  const Authenticator authenticator;
  for (const Hostile& c : hostile_ceremonies()) {
    SCOPED_TRACE(c.name);
    const auto created = read_registration(authenticator.registration(c.ceremony), kParty);
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error(), c.refusal);
  }
}

TEST(WebAuthn, RefusesAssertions) {
  const Authenticator authenticator;
  for (const Hostile& c : hostile_ceremonies()) {
    SCOPED_TRACE(c.name);
    const auto used = read_assertion(authenticator.assertion(c.ceremony), kParty,
                                     authenticator.cose_key(), kUserHandle);
    ASSERT_FALSE(used);
    EXPECT_EQ(used.error(), c.refusal);
  }
}

TEST(WebAuthn, TakesExtensionsAndBackups) {
  const Authenticator authenticator;
  Ceremony made = ceremony();
  made.flags = 0x01 | 0x08 | 0x10 | 0x80;
  made.tail = fakes::cbor_head(5, 1) + fakes::cbor_text("credProtect") + fakes::cbor_integer(2);
  EXPECT_TRUE(read_registration(authenticator.registration(made), kParty));
  EXPECT_TRUE(
      read_assertion(authenticator.assertion(made), kParty, authenticator.cose_key(), kUserHandle));
}

TEST(WebAuthn, RefusesThePasskeyOfAnotherUser) {
  const Authenticator authenticator;
  Ceremony made = ceremony();
  made.user_handle = base::base64url_encode("502");
  const auto used =
      read_assertion(authenticator.assertion(made), kParty, authenticator.cose_key(), kUserHandle);
  ASSERT_FALSE(used);
  EXPECT_EQ(used.error(), "passkey of another user");
  made.user_handle = base::base64url_encode(kUserHandle);
  EXPECT_TRUE(
      read_assertion(authenticator.assertion(made), kParty, authenticator.cose_key(), kUserHandle));
}

TEST(WebAuthn, RefusesEachChangedByteOfASignature) {
  const Authenticator authenticator(SignatureKind::Ed25519);
  const std::string json = authenticator.assertion(ceremony());
  const std::string mark = "\"signature\":\"";
  const std::size_t begin = json.find(mark) + mark.size();
  const std::size_t end = json.find('"', begin);
  ASSERT_TRUE(read_assertion(json, kParty, authenticator.cose_key(), kUserHandle));
  for (std::size_t i = begin; i < end; ++i) {
    std::string changed = json;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(read_assertion(changed, kParty, authenticator.cose_key(), kUserHandle)) << i;
  }
}

TEST(WebAuthn, RefusesUnknownAndMalformedKeys) {
  using fakes::cbor_bytes, fakes::cbor_head, fakes::cbor_integer;
  const auto pair = [](std::int64_t label, const std::string& value) {
    return cbor_integer(label) + value;
  };
  const std::string point = cbor_bytes(std::string(32, '\1'));
  const std::string ec2 = pair(1, cbor_integer(2));
  const std::string p256 = pair(-1, cbor_integer(1));
  const Authenticator good;
  struct Case {
    std::string_view name;
    std::string key;
  };
  const std::vector<Case> cases = {
      {"no algorithm", cbor_head(5, 4) + ec2 + p256 + pair(-2, point) + pair(-3, point)},
      {"algorithm 0",
       cbor_head(5, 5) + ec2 + pair(3, cbor_integer(0)) + p256 + pair(-2, point) + pair(-3, point)},
      {"RSA with SHA-1",
       cbor_head(5, 4) + pair(1, cbor_integer(3)) + pair(3, cbor_integer(-65535)) +
           pair(-1, cbor_bytes(std::string(256, '\xff'))) + pair(-2, cbor_bytes("\1"))},
      {"ECDSA with SHA-512", cbor_head(5, 5) + ec2 + pair(3, cbor_integer(-36)) +
                                 pair(-1, cbor_integer(3)) + pair(-2, point) + pair(-3, point)},
      {"a point that is not on the curve", cbor_head(5, 5) + ec2 + pair(3, cbor_integer(-7)) +
                                               p256 + pair(-2, point) + pair(-3, point)},
      {"a short modulus", cbor_head(5, 4) + pair(1, cbor_integer(3)) + pair(3, cbor_integer(-257)) +
                              pair(-1, cbor_bytes(std::string(128, '\xff'))) +
                              pair(-2, cbor_bytes(std::string("\1\0\1", 3)))},
      {"exponent 1", cbor_head(5, 4) + pair(1, cbor_integer(3)) + pair(3, cbor_integer(-257)) +
                         pair(-1, cbor_bytes(std::string(256, '\xff'))) +
                         pair(-2, cbor_bytes("\1"))},
      {"a key twice", cbor_head(5, 6) + good.cose_key().substr(1) + pair(3, cbor_integer(-7))},
      {"bytes at the end", good.cose_key() + cbor_integer(1)},
      {"an array", cbor_head(4, 1) + cbor_integer(1)},
      {"nothing", ""},
  };
  ASSERT_TRUE(read_public_key(good.cose_key()));
  for (const Case& c : cases) EXPECT_FALSE(read_public_key(c.key)) << c.name;
  Ceremony made = ceremony();
  made.key = cases[1].key;
  const auto created = read_registration(good.registration(made), kParty);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error(), "passkey with an unknown key or algorithm");
}

TEST(WebAuthn, RefusesEachBeginningOfAnAttestationObject) {
  const Authenticator authenticator;
  const std::string object = authenticator.attestation_object(ceremony());
  ASSERT_TRUE(read_registration(authenticator.registration_of(ceremony(), object), kParty));
  for (std::size_t size = 0; size < object.size(); ++size) {
    EXPECT_FALSE(read_registration(
        authenticator.registration_of(ceremony(), object.substr(0, size)), kParty))
        << size;
  }
  EXPECT_FALSE(read_registration(authenticator.registration_of(ceremony(), object + "x"), kParty));
}

TEST(WebAuthn, RefusesTextsThatAreNotCredentials) {
  const Authenticator authenticator;
  const std::string good = authenticator.registration(ceremony());
  std::string oversized = good;
  oversized.insert(oversized.size() - 1, ",\"x\":\"" + std::string(kMaxCredentialJson, 'x') + "\"");
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[]"), std::string("null"),
        std::string(R"({"type":"public-key","id":"YQ","response":5})"),
        std::string(R"({"type":"public-key","id":"YQ","response":{}})"), std::string(40'000, '['),
        oversized, good.substr(0, good.size() - 1)}) {
    const auto created = read_registration(text, kParty);
    ASSERT_FALSE(created) << text.substr(0, 80);
    EXPECT_EQ(created.error(), "malformed passkey");
    EXPECT_FALSE(read_assertion(text, kParty, authenticator.cose_key(), kUserHandle));
  }
}

TEST(CborReader, ReadsTheExamplesOfTheRfc) {
  using std::string_literals::operator""s;
  struct Case {
    std::string bytes;
    std::int64_t value;
  };
  // RFC 8949, appendix A.
  for (const Case& c : {Case{"\x00"s, 0}, Case{"\x17"s, 23}, Case{"\x18\x18"s, 24},
                        Case{"\x19\x03\xe8"s, 1000}, Case{"\x1a\x00\x0f\x42\x40"s, 1000000},
                        Case{"\x1b\x00\x00\x00\xe8\xd4\xa5\x10\x00"s, 1000000000000},
                        Case{"\x20"s, -1}, Case{"\x38\x63"s, -100}, Case{"\x39\x03\xe7"s, -1000}}) {
    CborReader reader(c.bytes);
    EXPECT_EQ(reader.integer(), c.value);
    EXPECT_TRUE(reader.rest().empty());
  }
  CborReader text("\x64IETF");
  EXPECT_EQ(text.text(), "IETF");
  for (const std::string& item :
       {"\x1b\xff\xff\xff\xff\xff\xff\xff\xff"s, "\x5f\x41x\xff"s, "\x18"s, "\x1c"s, ""s}) {
    CborReader reader(item);
    EXPECT_FALSE(reader.integer());
    EXPECT_FALSE(reader.bytes());
    EXPECT_EQ(reader.rest(), item) << "nothing is read";
  }
}

TEST(CborReader, SkipsWholeItemsOnly) {
  using std::string_literals::operator""s;
  // An array with a map, a tag, a float and simple values.
  const std::string item = "\x85\xa1\x01\x02\xc1\x1a\x51\x4b\x67\xb0\xf9\x3c\x00\xf6\x61z"s;
  CborReader reader(item);
  EXPECT_TRUE(reader.skip());
  EXPECT_TRUE(reader.rest().empty());
  for (std::size_t size = 0; size < item.size(); ++size)
    EXPECT_FALSE(CborReader(std::string_view(item).substr(0, size)).skip()) << size;
  EXPECT_FALSE(CborReader("\x9f\x01\xff").skip()) << "without a length";
  EXPECT_FALSE(CborReader(std::string(100, '\x81')).skip()) << "nested too deep";
  EXPECT_FALSE(CborReader("\x9b\xff\xff\xff\xff\xff\xff\xff\xff").skip()) << "2^64 items";
}

}  // namespace
}  // namespace svc::login
