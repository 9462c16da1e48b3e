#include "login/web_authn.h"

#include <algorithm>
#include <limits>

#include "base/base64.h"
#include "base/digest.h"
#include "base/inet_address.h"
#include "login/cbor.h"
#include "text/ascii.h"
#include "text/json.h"
#include "text/uri.h"

namespace svc::login {
namespace {

using text::json::Value;

// Flags of authenticator data, §6.1.
constexpr unsigned kUserPresent = 1;
constexpr unsigned kUserVerified = 4;
constexpr unsigned kBackupEligible = 8;
constexpr unsigned kBackedUp = 16;
constexpr unsigned kHasCredential = 64;
constexpr unsigned kHasExtensions = 128;

constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kAaguidBytes = 16;

// Labels and values of COSE keys, RFC 9052 §7 and RFC 9053 §7.
constexpr std::int64_t kKeyType = 1, kAlgorithm = 3, kCurve = -1, kX = -2, kY = -3;
constexpr std::int64_t kModulus = -1, kExponent = -2;
constexpr std::int64_t kOkp = 1, kEc2 = 2, kRsa = 3;
constexpr std::int64_t kP256 = 1, kCurve25519 = 6;
constexpr std::int64_t kEdDsa = -8, kEs256 = -7, kRs256 = -257;

// No known authenticator has more.
constexpr std::size_t kMaxTransports = 8;
constexpr std::size_t kMaxTransportName = 32;  // bytes
constexpr std::size_t kMaxNesting = 8;

constexpr std::string_view kMalformed = "malformed passkey";

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

std::string_view take(std::string_view& rest, std::size_t bytes) {
  const std::string_view taken = rest.substr(0, bytes);
  rest.remove_prefix(taken.size());
  return taken;
}

std::string_view string_in(const Value& object, std::string_view name) {
  const auto member = object.find(name);
  return member ? member->string().value_or("") : std::string_view();
}

// Returns the bytes of a member in base64url; nullopt if it is missing, empty or malformed.
std::optional<std::string> bytes_in(const Value& object, std::string_view name) {
  const std::string_view text = string_in(object, name);
  if (text.empty()) return std::nullopt;
  return base::base64url_decode(text);
}

// A credential as toJSON() writes it: its id, and the member `response`.
struct CredentialParts {
  std::string id;
  Value response;
};
std::optional<CredentialParts> parts_of(text::json::Document& document, std::string_view json) {
  if (json.size() > kMaxCredentialJson || text::json::is_nested_deeper(json, kMaxNesting))
    return std::nullopt;
  const auto value = document.parse(json);
  if (!value || !value->is_object() || string_in(*value, "type") != "public-key")
    return std::nullopt;
  const auto id = bytes_in(*value, "id");
  const auto response = value->find("response");
  if (!id || id->size() > kMaxCredentialId || !response || !response->is_object())
    return std::nullopt;
  return CredentialParts{base::base64url_encode(*id), *response};
}

// Client data, §5.8.1: what the browser saw.
struct ClientData {
  std::string challenge;
  std::string bytes;
};
base::Result<ClientData, CredentialRefusal> client_data_of(const Value& response,
                                                           std::string_view type,
                                                           const RelyingParty& party) {
  auto bytes = bytes_in(response, "clientDataJSON");
  if (!bytes) return base::Refusal{kMalformed};
  text::json::Document document;
  const auto data = document.parse(*bytes);
  if (!data || !data->is_object()) return base::Refusal{kMalformed};
  if (string_in(*data, "type") != type)
    return base::Refusal{CredentialRefusal("passkey of another ceremony")};
  auto challenge = bytes_in(*data, "challenge");
  if (!challenge) return base::Refusal{kMalformed};
  if (string_in(*data, "origin") != party.origin)
    return base::Refusal{CredentialRefusal("passkey of another origin")};
  // In a frame of another site. Our pages forbid frames.
  const auto crossed = data->find("crossOrigin");
  if ((crossed && crossed->boolean() != false) || data->find("topOrigin"))
    return base::Refusal{CredentialRefusal("passkey in a foreign frame")};
  return ClientData{*std::move(challenge), *std::move(bytes)};
}

// What both ceremonies ask of authenticator data. Returns "" if it has it.
CredentialRefusal why_not(const AuthenticatorData& data, const RelyingParty& party) {
  if (data.rp_id_hash != base::sha256(party.id)) return "passkey of another service";
  if (!data.user_present) return "passkey without its user";
  if (data.backed_up && !data.backup_eligible) return kMalformed;
  return {};
}

std::vector<std::string> transports_in(const Value& response) {
  std::vector<std::string> found;
  const auto listed = response.find("transports");
  if (!listed || !listed->is_array()) return found;
  for (std::size_t i = 0; i < std::min(listed->size(), kMaxTransports); ++i) {
    const std::string_view name = listed->at(i).string().value_or("");
    const bool is_word =
        std::ranges::all_of(name, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); });
    if (is_word && !name.empty() && name.size() <= kMaxTransportName) found.emplace_back(name);
  }
  return found;
}

// Returns the authenticator data of an attestation object, §6.5: a map with fmt, attStmt and
// authData. Returns nullopt for anything else.
std::optional<std::string_view> authenticator_data_in(std::string_view object) {
  CborReader reader(object);
  const auto pairs = reader.map();
  if (!pairs) return std::nullopt;
  std::optional<std::string_view> found;
  for (std::size_t i = 0; i < *pairs; ++i) {
    const auto name = reader.text();
    if (!name) return std::nullopt;
    if (*name != "authData") {
      if (!reader.skip()) return std::nullopt;
      continue;
    }
    if (found) return std::nullopt;
    found = reader.bytes();
    if (!found) return std::nullopt;
  }
  if (!reader.rest().empty()) return std::nullopt;
  return found;
}

}  // namespace

std::optional<RelyingParty> relying_party(std::string_view app_url) {
  const auto uri = text::parse_http_uri(app_url);
  if (!uri) return std::nullopt;
  std::string host = text::to_lower(uri->host);
  // The URL standard, §3.5: a last label of digits is that of an IPv4 address.
  const std::string_view last = std::string_view(host).substr(host.rfind('.') + 1);
  const bool is_number = std::ranges::all_of(last, [](char c) { return text::is_digit(c); });
  if (is_number || base::InetAddress::of(host, 0)) return std::nullopt;
  std::string origin = (uri->secure ? "https://" : "http://") + host;
  if (uri->port != (uri->secure ? 443 : 80)) origin += ":" + std::to_string(uri->port);
  return RelyingParty{std::move(host), std::move(origin)};
}

std::optional<AuthenticatorData> read_authenticator_data(std::string_view bytes) {
  AuthenticatorData data;
  if (bytes.size() < kHashBytes + 5) return std::nullopt;
  data.rp_id_hash = take(bytes, kHashBytes);
  const auto flags = static_cast<unsigned>(big_endian(take(bytes, 1)));
  data.user_present = (flags & kUserPresent) != 0;
  data.user_verified = (flags & kUserVerified) != 0;
  data.backup_eligible = (flags & kBackupEligible) != 0;
  data.backed_up = (flags & kBackedUp) != 0;
  data.count = static_cast<std::uint32_t>(big_endian(take(bytes, 4)));
  if ((flags & kHasCredential) != 0) {
    if (bytes.size() < kAaguidBytes + 2) return std::nullopt;
    take(bytes, kAaguidBytes);
    const auto size = static_cast<std::size_t>(big_endian(take(bytes, 2)));
    if (size == 0 || size > kMaxCredentialId || size > bytes.size()) return std::nullopt;
    data.credential_id = take(bytes, size);
    CborReader reader(bytes);
    if (!reader.skip()) return std::nullopt;
    data.public_key = take(bytes, bytes.size() - reader.rest().size());
  }
  if ((flags & kHasExtensions) != 0) {
    CborReader reader(bytes);
    if (!reader.skip()) return std::nullopt;
    bytes = reader.rest();
  }
  if (!bytes.empty()) return std::nullopt;
  return data;
}

std::optional<base::PublicKey> read_public_key(std::string_view cose) {
  CborReader reader(cose);
  const auto pairs = reader.map();
  if (!pairs) return std::nullopt;
  // Each label once. -1 to -3 are of the type of the key.
  std::optional<std::int64_t> type, algorithm, curve;
  std::optional<std::string_view> first, x_or_exponent, y;
  for (std::size_t i = 0; i < *pairs; ++i) {
    const auto label = reader.integer();
    if (!label) return std::nullopt;
    const bool is_number = *label == kKeyType || *label == kAlgorithm;
    if (is_number) {
      auto& place = *label == kKeyType ? type : algorithm;
      if (place) return std::nullopt;
      place = reader.integer();
      if (!place) return std::nullopt;
    } else if (*label == kCurve && !curve && !first) {
      curve = reader.integer();
      if (!curve) first = reader.bytes();
      if (!curve && !first) return std::nullopt;
    } else if (*label == kX || *label == kY) {
      auto& place = *label == kX ? x_or_exponent : y;
      if (place) return std::nullopt;
      place = reader.bytes();
      if (!place) return std::nullopt;
    } else if (*label == kCurve || !reader.skip()) {
      return std::nullopt;
    }
  }
  static_assert(kModulus == kCurve && kExponent == kX);
  if (!reader.rest().empty() || !type || !algorithm || !x_or_exponent) return std::nullopt;
  base::PublicKey key;
  if (*type == kEc2 && *algorithm == kEs256 && curve == kP256 && y) {
    key = {base::SignatureKind::Es256, std::string(*x_or_exponent), std::string(*y)};
  } else if (*type == kRsa && *algorithm == kRs256 && first) {
    key = {base::SignatureKind::Rs256, std::string(*first), std::string(*x_or_exponent)};
  } else if (*type == kOkp && *algorithm == kEdDsa && curve == kCurve25519) {
    key = {base::SignatureKind::Ed25519, std::string(*x_or_exponent), ""};
  } else {
    return std::nullopt;
  }
  if (!base::is_usable(key)) return std::nullopt;
  return key;
}

base::Result<NewCredential, CredentialRefusal> read_registration(std::string_view json,
                                                                 const RelyingParty& party) {
  text::json::Document document;
  const auto parts = parts_of(document, json);
  if (!parts) return base::Refusal{kMalformed};
  auto client = client_data_of(parts->response, "webauthn.create", party);
  if (!client) return base::Refusal{client.error()};
  const auto object = bytes_in(parts->response, "attestationObject");
  if (!object) return base::Refusal{kMalformed};
  const auto bytes = authenticator_data_in(*object);
  if (!bytes) return base::Refusal{kMalformed};
  const auto data = read_authenticator_data(*bytes);
  if (!data || data->credential_id.empty()) return base::Refusal{kMalformed};
  const CredentialRefusal problem = why_not(*data, party);
  if (!problem.empty()) return base::Refusal{problem};
  if (base::base64url_encode(data->credential_id) != parts->id) return base::Refusal{kMalformed};
  if (!read_public_key(data->public_key))
    return base::Refusal{CredentialRefusal("passkey with an unknown key or algorithm")};
  return NewCredential{std::move(client->challenge), parts->id, std::string(data->public_key),
                       data->count, transports_in(parts->response)};
}

std::string credential_id_in(std::string_view json) {
  text::json::Document document;
  const auto parts = parts_of(document, json);
  return parts ? parts->id : "";
}

base::Result<Assertion, CredentialRefusal> read_assertion(std::string_view json,
                                                          const RelyingParty& party,
                                                          std::string_view public_key,
                                                          std::string_view user_handle) {
  text::json::Document document;
  const auto parts = parts_of(document, json);
  if (!parts) return base::Refusal{kMalformed};
  auto client = client_data_of(parts->response, "webauthn.get", party);
  if (!client) return base::Refusal{client.error()};
  // Authenticators may leave it out, because we name the passkeys that we accept.
  const std::string_view handle = string_in(parts->response, "userHandle");
  if (!handle.empty() && handle != base::base64url_encode(user_handle))
    return base::Refusal{CredentialRefusal("passkey of another user")};
  const auto bytes = bytes_in(parts->response, "authenticatorData");
  const auto signature = bytes_in(parts->response, "signature");
  if (!bytes || !signature) return base::Refusal{kMalformed};
  const auto data = read_authenticator_data(*bytes);
  if (!data) return base::Refusal{kMalformed};
  const CredentialRefusal problem = why_not(*data, party);
  if (!problem.empty()) return base::Refusal{problem};
  const auto key = read_public_key(public_key);
  if (!key || !base::verifies(*key, *bytes + base::sha256(client->bytes), *signature))
    return base::Refusal{CredentialRefusal("wrong signature of a passkey")};
  return Assertion{std::move(client->challenge), data->count, data->backup_eligible};
}

}  // namespace svc::login
