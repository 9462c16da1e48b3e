#include "oauth/document_client.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/digest.h"
#include "base/inet_address.h"
#include "oauth/redirect_uri.h"
#include "text/ascii.h"
#include "text/characters.h"
#include "text/json.h"
#include "text/uri.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace svc::oauth {
namespace {

constexpr std::string_view kHttps = "https://";
constexpr std::size_t kMaxShownClientName = 100;  // characters, as of a registered application
constexpr std::size_t kMaxLogo = 512;             // bytes
constexpr std::size_t kMaxDepth = 8;              // of nested arrays and objects
constexpr std::string_view kRefreshGrant = "refresh_token";
constexpr std::string_view kCodeGrant = "authorization_code";

bool is_loopback_host(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

// RFC 3986 §6.2.2.3; `%2e` is a dot too.
bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    std::string plain;
    for (std::size_t i = 0; i < segment.size(); ++i) {
      const bool is_dot = text::equal_ignoring_case(segment.substr(i, 3), "%2e");
      plain += is_dot ? '.' : segment[i];
      if (is_dot) i += 2;
    }
    if (plain == "." || plain == "..") return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

// A name as DNS has it, in lower case; the last label tells it from an address.
bool is_name(std::string_view host) {
  if (host.empty() || host.size() > 253 || host.ends_with('.')) return false;
  std::string_view rest = host;
  while (true) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    const bool is_label =
        !label.empty() && label.size() <= 63 && std::ranges::all_of(label, [](char c) {
          return (c >= 'a' && c <= 'z') || text::is_digit(c) || c == '-' || c == '_';
        });
    if (!is_label) return false;
    if (label.size() == rest.size()) return !text::is_digit(label.back());
    rest.remove_prefix(label.size() + 1);
  }
}

using Problem = std::optional<std::string>;

// The members that we read, each of which may occur once. Others are ignored, CIMD §4.
constexpr std::array<std::string_view, 15> kMembers{"client_id",
                                                    "client_name",
                                                    "logo_uri",
                                                    "redirect_uris",
                                                    "grant_types",
                                                    "response_types",
                                                    "scope",
                                                    "token_endpoint_auth_method",
                                                    "token_endpoint_auth_methods",
                                                    "token_endpoint_auth_methods_supported",
                                                    "client_secret",
                                                    "client_secret_expires_at",
                                                    "jwks",
                                                    "jwks_uri",
                                                    "application_type"};

Problem repeated_member(const text::json::Value& document) {
  for (const std::string_view name : kMembers) {
    int count = 0;
    for (std::size_t i = 0; i < document.size(); ++i) count += document.key(i) == name ? 1 : 0;
    if (count > 1) return std::string(name) + " is given twice";
  }
  return std::nullopt;
}

// The strings of a list; nullopt: another value. kMaxDocument bounds their number.
std::optional<std::vector<std::string>> strings_of(const text::json::Value& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto one = value.at(i).string();
    if (!one) return std::nullopt;
    strings.emplace_back(*one);
  }
  return strings;
}

bool contains(const std::vector<std::string>& strings, std::string_view one) {
  return std::ranges::find(strings, one) != strings.end();
}

Problem not_a_list(std::string_view name) {
  return std::string(name) + " must be a list of strings";
}

// Documents of clients that can authenticate offer several methods, one of which must be `none`:
// as one value, or as a list.
Problem read_methods(const text::json::Value& document) {
  std::vector<std::string> methods;
  for (const std::string_view name : {"token_endpoint_auth_method", "token_endpoint_auth_methods",
                                      "token_endpoint_auth_methods_supported"}) {
    const auto value = document.find(name);
    if (!value) continue;
    if (const auto one = value->string()) {
      methods.emplace_back(*one);
    } else if (const auto several = strings_of(*value)) {
      methods.insert(methods.end(), several->begin(), several->end());
    } else {
      return std::string(name) + " must be a string or a list of strings";
    }
  }
  for (const std::string_view symmetric :
       {"client_secret_basic", "client_secret_post", "client_secret_jwt"}) {
    if (contains(methods, symmetric)) {
      return "token_endpoint_auth_method must not be " + std::string(symmetric) +
             ": a public document can have no shared secret";
    }
  }
  if (methods.empty() || contains(methods, "none")) return std::nullopt;
  if (contains(methods, "private_key_jwt")) {
    return std::string(
        "token_endpoint_auth_method is private_key_jwt alone, which this server does not support: "
        "offer none");
  }
  return std::string("token_endpoint_auth_method must be none");
}

// RFC 7517 §9.3, RFC 7518 §6: `d` and the other private parts of RSA, and `k` of a symmetric key.
Problem read_keys(const text::json::Value& document) {
  const auto set = document.find("jwks");
  if (!set) return std::nullopt;
  const auto keys = set->is_object() ? set->find("keys") : std::nullopt;
  if (!keys || !keys->is_array()) return std::string("jwks must be an object with a list keys");
  for (std::size_t i = 0; i < keys->size(); ++i) {
    const text::json::Value key = keys->at(i);
    for (std::size_t j = 0; j < key.size() && key.is_object(); ++j) {
      for (const std::string_view secret : {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}) {
        if (key.key(j) == secret)
          return std::string("jwks must not have a private or symmetric key");
      }
    }
  }
  return std::nullopt;
}

// Documents name the redirect URIs of all servers: an entry that this one does not take is as if it
// were not there.
Problem read_redirects(const text::json::Value& document, std::vector<std::string>& uris) {
  const auto value = document.find("redirect_uris");
  if (!value) return std::string("redirect_uris is missing");
  auto strings = strings_of(*value);
  if (!strings) return not_a_list("redirect_uris");
  if (strings->empty()) return std::string("redirect_uris must not be empty");
  std::erase_if(*strings, [](const std::string& uri) {
    return why_not_registered(uri, ClientType::Public).has_value();
  });
  // Without its reason, which can quote the URI that the author of the document chose.
  if (strings->empty()) {
    return std::string(
        "redirect_uris has no entry that this server takes: one must be https, http on 127.0.0.1, "
        "[::1] or localhost, or a private-use scheme such as com.example.app:/callback, without a "
        "fragment and a user name");
  }
  uris = std::move(*strings);
  return std::nullopt;
}

// Unknown grant types are ignored: documents name those of other servers too.
Problem read_grants(const text::json::Value& document, bool& refreshes) {
  const auto value = document.find("grant_types");
  if (!value) return std::nullopt;  // RFC 7591 §2: authorization_code alone
  const auto grants = strings_of(*value);
  if (!grants) return not_a_list("grant_types");
  if (!contains(*grants, kCodeGrant))
    return std::string("grant_types must contain authorization_code");
  refreshes = contains(*grants, kRefreshGrant);
  return std::nullopt;
}

Problem read_responses(const text::json::Value& document) {
  const auto value = document.find("response_types");
  if (!value) return std::nullopt;
  const auto types = strings_of(*value);
  if (!types) return not_a_list("response_types");
  if (!contains(*types, "code")) return std::string("response_types must contain code");
  return std::nullopt;
}

// Scopes of other servers are ignored: a document with only such ones narrows nothing.
Problem read_scope(const text::json::Value& document, ScopeSet& scopes) {
  const auto value = document.find("scope");
  if (!value) return std::nullopt;
  const auto text = value->string();
  if (!text) return std::string("scope must be a string");
  ScopeSet named;
  bool names_ours = false;
  for (const std::string_view word : text::words(*text)) {
    ScopeSet one;
    if (!one.add(word)) continue;
    names_ours = true;
    if (scopes.covers(one)) named.add(one);
  }
  if (names_ours && named.empty())
    return "scope must contain one that this server allows such applications: " + scopes.to_text();
  if (names_ours) scopes = named;
  return std::nullopt;
}

// A text for users, in one line and without characters that change the direction of others.
Problem read_line(const text::json::Value& document, std::string_view name, std::size_t most,
                  std::string& line) {
  const auto value = document.find(name);
  if (!value || value->is_null()) return std::nullopt;
  const auto text = value->string();
  if (!text) return std::string(name) + " must be a string";
  std::size_t count = 0;
  for (std::string_view rest = *text; !rest.empty(); ++count) {
    const std::string_view character = rest.substr(0, text::utf8_length(rest));
    if (character.empty() || text::is_obeyed(character))
      return std::string(name) + " must be UTF-8 without control characters and direction marks";
    rest.remove_prefix(character.size());
  }
  if (count > most)
    return std::string(name) + " must have at most " + std::to_string(most) + " characters";
  if (text::has_visible(*text)) line = text::without_white_space(*text);
  return std::nullopt;
}

// 62 bits: never 0, and no number of a registered application, which counts from 1, is equal in
// practice.
std::int64_t version_of(std::string_view text) {
  const std::string digest = base::sha256(text);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i)
    number = number << 8 | static_cast<unsigned char>(digest[i]);
  return static_cast<std::int64_t>(number >> 2 | 1);
}

Problem read_members(std::string_view client_id, const text::json::Value& document,
                     DocumentClient& read) {
  if (const auto problem = repeated_member(document)) return problem;
  const auto id = document.find("client_id");
  if (!id) return std::string("client_id is missing");
  // CIMD §4.1: by simple string comparison.
  if (id->string() != client_id)
    return std::string("client_id differs from the URL of the document");
  for (const std::string_view name : {"client_secret", "client_secret_expires_at"}) {
    if (document.find(name)) return std::string(name) + " must not be in a public document";
  }
  Client& client = read.client;
  if (auto problem = read_methods(document)) return problem;
  if (auto problem = read_keys(document)) return problem;
  if (auto problem = read_grants(document, read.refreshes)) return problem;
  if (auto problem = read_responses(document)) return problem;
  if (auto problem = read_redirects(document, client.redirect_uris)) return problem;
  if (auto problem = read_scope(document, client.scopes)) return problem;
  // The page shows a logo as text, or not at all.
  if (read_line(document, "logo_uri", kMaxLogo, read.logo)) read.logo.clear();
  return read_line(document, "client_name", kMaxShownClientName, client.name);
}

}  // namespace

bool is_document_url(std::string_view client_id) { return client_id.starts_with(kHttps); }

std::string document_host(std::string_view client_id) {
  const auto parts = text::split_uri(client_id);
  return parts ? std::string(parts->authority) : std::string();
}

std::optional<std::string> why_not_document_url(std::string_view client_id,
                                                const DocumentRules& rules) {
  if (!rules.is_on()) return "is a URL, and this server takes no client ID metadata documents";
  if (!is_document_url(client_id)) return "must begin with https://, in lower case";
  if (client_id.size() > kMaxDocumentUrl)
    return "must not be longer than " + std::to_string(kMaxDocumentUrl) + " bytes";
  if (!text::has_only_uri_characters(client_id)) return "must contain only characters of a URI";
  if (client_id.find('#') != std::string_view::npos) return "must not have a fragment";
  const auto parts = text::split_uri(client_id);
  if (!parts) return "must be a URL";
  if (parts->authority.find('@') != std::string_view::npos)
    return "must not have a user name or password";
  if (parts->path.empty()) return "must have a path";
  if (has_dot_segment(parts->path)) return "must not have . or .. in its path";
  const bool is_local = rules.allow_loopback && is_loopback_host(parts->host);
  if (!is_local && !is_name(parts->host)) return "must have the name of a host, in lower case";
  const bool is_own_port = is_local && text::parse_port(parts->port).has_value();
  if (!parts->port.empty() && !is_own_port) return "must not have a port";
  const bool is_listed = std::ranges::any_of(
      rules.hosts, [&](const std::string& host) { return host == "*" || host == parts->host; });
  if (!is_listed) return "has a host that this server does not allow";
  return std::nullopt;
}

base::Result<DocumentClient, std::string> read_client_document(std::string_view client_id,
                                                               std::string_view text,
                                                               const ScopeSet& scopes) {
  const auto refused = [](std::string why) { return base::Refusal{std::move(why)}; };
  if (text.size() > kMaxDocument)
    return refused("the document is larger than " + std::to_string(kMaxDocument) + " bytes");
  if (!text::is_utf8(text)) return refused("the document is not UTF-8");
  if (text::json::is_nested_deeper(text, kMaxDepth))
    return refused("the document is nested deeper than " + std::to_string(kMaxDepth) + " levels");
  text::json::Document parsed;
  const auto document = parsed.parse(text);
  if (!document || !document->is_object()) return refused("the document is not a JSON object");
  DocumentClient read;
  Client& client = read.client;
  client.type = ClientType::Public;
  client.id = {std::string(client_id)};
  client.scopes = scopes;
  if (auto problem = read_members(client_id, *document, read)) return refused(std::move(*problem));
  if (client.name.empty()) client.name = document_host(client_id);
  client.permission_version = version_of(text);
  settle(client);
  return read;
}

std::optional<Client> client_without_document(std::string_view client_id,
                                              const DocumentRules& rules) {
  if (why_not_document_url(client_id, rules)) return std::nullopt;
  Client client;
  client.type = ClientType::Public;
  client.id = {std::string(client_id)};
  settle(client);
  return client;
}

}  // namespace svc::oauth
