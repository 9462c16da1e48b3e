#include "login/passkeys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/base64.h"
#include "base/digest.h"
#include "base/hex.h"
#include "base/number.h"
#include "text/json.h"

namespace svc::login {
namespace {

constexpr std::string_view kRegistration = "passkey registration";
constexpr std::string_view kLoginByPasskey = "passkey login";
constexpr std::string_view kPublicKey = "public-key";
constexpr std::int64_t kChallengeMilliseconds = kChallengeSeconds * 1000;

// §5.4.3: names the user to authenticators, and says nothing about the person.
std::string user_handle_of(media::ContactId contact) { return std::to_string(contact.value()); }

void append_descriptors(std::string& out, const std::vector<Passkey>& passkeys) {
  text::json::ArrayWriter list(out);
  for (const Passkey& passkey : passkeys) {
    text::json::ObjectWriter one(list.next());
    one.string("type", kPublicKey).string("id", passkey.id);
    one.strings("transports", passkey.transports);
    one.end();
  }
  list.end();
}

}  // namespace

std::string Passkeys::challenge(const Visitor& visitor, media::ContactId contact,
                                std::string_view purpose) const {
  return keys_.seal(visitor.binding + "\n" + std::to_string(contact.value()) + "\n" +
                        std::to_string(clock_.now()),
                    purpose, entropy_);
}

std::string Passkeys::new_turn() const {
  std::array<unsigned char, 16> random{};
  entropy_.fill(random);
  return base::to_hex({reinterpret_cast<const char*>(random.data()), random.size()});
}

std::string Passkeys::creation_options(const Visitor& visitor, const media::Contact& contact,
                                       const std::vector<Passkey>& present) const {
  std::string out;
  text::json::ObjectWriter options(out);
  text::json::ObjectWriter party(options.raw("rp"));
  party.string("id", party_->id).string("name", service_name_).end();
  text::json::ObjectWriter user(options.raw("user"));
  user.string("id", base::base64url_encode(user_handle_of(contact.id)))
      .string("name", contact.email)
      .string("displayName", contact.name)
      .end();
  options.string("challenge",
                 base::base64url_encode(challenge(visitor, contact.id, kRegistration)));
  text::json::ArrayWriter algorithms(options.raw("pubKeyCredParams"));
  for (const std::int64_t algorithm : kPasskeyAlgorithms) {
    text::json::ObjectWriter one(algorithms.next());
    one.string("type", kPublicKey).integer("alg", algorithm).end();
  }
  algorithms.end();
  options.integer("timeout", kChallengeMilliseconds);
  append_descriptors(options.raw("excludeCredentials"), present);
  text::json::ObjectWriter selection(options.raw("authenticatorSelection"));
  selection.string("residentKey", "preferred")
      .boolean("requireResidentKey", false)
      .string("userVerification", "preferred")
      .end();
  options.string("attestation", "none").end();
  return out;
}

std::string Passkeys::request_options(const Visitor& visitor, const media::Contact& contact,
                                      const std::vector<Passkey>& present) const {
  std::string out;
  text::json::ObjectWriter options(out);
  options
      .string("challenge", base::base64url_encode(challenge(visitor, contact.id, kLoginByPasskey)))
      .integer("timeout", kChallengeMilliseconds)
      .string("rpId", party_->id);
  append_descriptors(options.raw("allowCredentials"), present);
  options.string("userVerification", "preferred").end();
  return out;
}

loop::Task<CredentialRefusal> Passkeys::spend(const Visitor& visitor, media::ContactId contact,
                                              std::string_view purpose,
                                              const std::string& challenge, std::string_view turn) {
  constexpr CredentialRefusal kUnknown = "passkey for another challenge";
  const auto plain = keys_.open(challenge, purpose);
  const std::string bound = visitor.binding + "\n" + std::to_string(contact.value()) + "\n";
  if (!plain || !plain->starts_with(bound)) co_return kUnknown;
  const auto since =
      base::parse_number<std::int64_t>(std::string_view(*plain).substr(bound.size()));
  if (!since) co_return kUnknown;
  if (clock_.now() >= *since + kChallengeSeconds) co_return "passkey for an old challenge";
  const std::string digest = base::to_hex(base::sha256(challenge));
  const bool is_first = co_await store_.spend(digest, turn);
  co_return is_first ? CredentialRefusal() : "passkey for a challenge that was used before";
}

loop::Task<Passkeys::Added> Passkeys::add(const Visitor& visitor, const media::Contact& contact,
                                          std::string_view name, std::string_view json,
                                          std::string_view address) {
  if (!party_) co_return Added::Refused;
  const auto created = read_registration(json, *party_);
  if (!created) co_return Added::Refused;
  const std::string turn = new_turn();
  const CredentialRefusal refusal =
      co_await spend(visitor, contact.id, kRegistration, created->challenge, turn);
  if (!refusal.empty()) co_return Added::Refused;
  const std::vector<Passkey> present = co_await store_.of(contact.id);
  if (std::ranges::find(present, created->id, &Passkey::id) != present.end())
    co_return Added::Exists;
  if (present.size() >= kMostPasskeys) co_return Added::TooMany;
  const Passkey passkey{created->id,         std::string(name), created->public_key,
                        created->transports, clock_.now(),      0};
  co_await record(oauth::event_named<"passkey.added">(), contact.id, address, name);
  const PasskeyStore::Added added = co_await store_.add(contact.id, passkey, created->count);
  switch (added) {
    case PasskeyStore::Added::Yes: break;
    case PasskeyStore::Added::Exists: co_return Added::Exists;
    case PasskeyStore::Added::TooMany: co_return Added::TooMany;
    case PasskeyStore::Added::NoFactor: co_return Added::NoFactor;
  }
  co_return Added::Yes;
}

loop::Task<> Passkeys::remove(media::ContactId contact, std::string_view id,
                              std::string_view address) {
  const std::vector<Passkey> present = co_await store_.of(contact);
  const auto passkey = std::ranges::find(present, id, &Passkey::id);
  if (passkey == present.end()) co_return;
  co_await record(oauth::event_named<"passkey.removed">(), contact, address, passkey->name);
  co_await store_.remove(contact, id);
}

loop::Task<CredentialRefusal> Passkeys::why_refused(const Visitor& visitor,
                                                    media::ContactId contact,
                                                    std::string_view json) {
  if (!party_) co_return "passkey for a service without a name";
  const std::string id = credential_id_in(json);
  const std::vector<Passkey> present = co_await store_.of(contact);
  const auto passkey = std::ranges::find(present, id, &Passkey::id);
  if (passkey == present.end()) co_return "unknown passkey";
  const auto assertion =
      read_assertion(json, *party_, passkey->public_key, user_handle_of(contact));
  if (!assertion) co_return assertion.error();
  const std::string turn = new_turn();
  const CredentialRefusal refusal =
      co_await spend(visitor, contact, kLoginByPasskey, assertion->challenge, turn);
  if (!refusal.empty()) co_return refusal;
  const PasskeyStore::Used used = co_await store_.use(contact, id, *assertion, clock_.now(), turn);
  switch (used) {
    case PasskeyStore::Used::Yes: break;
    case PasskeyStore::Used::Gone: co_return "unknown passkey";
    // §6.1.1: somebody may have a copy.
    case PasskeyStore::Used::Behind: co_return "counter of a passkey went back";
  }
  co_return "";
}

loop::Task<bool> Passkeys::check(const Visitor& visitor, const media::Contact& contact,
                                 std::string_view json, std::string_view address) {
  const CredentialRefusal refusal = co_await why_refused(visitor, contact.id, json);
  if (refusal.empty()) {
    co_await record(oauth::event_named<"login">(), contact.id, address, "passkey");
  } else {
    co_await record(oauth::event_named<"login.failed">(), contact.id, address, refusal);
  }
  co_return refusal.empty();
}

loop::Task<> Passkeys::record(oauth::EventName what, media::ContactId contact,
                              std::string_view address, std::string_view detail) {
  const oauth::AuditEvent event{
      .what = what, .contact = contact, .address = address, .detail = detail};
  co_await audit_.record(event);
}

}  // namespace svc::login
