// document_client: a client whose client_id is the https URL of a document about it, which any
// server may publish. draft-ietf-oauth-client-id-metadata-document-02 (CIMD).
//
// Such a client has no record: it is public, and its document says the rest. Everything in the
// document is under the control of its author.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oauth/client.h"
#include "oauth/scope_set.h"

namespace svc::oauth {

inline constexpr std::size_t kMaxDocumentUrl = 512;  // bytes; it is in keys and tokens
inline constexpr std::size_t kMaxDocument = 5120;    // bytes, CIMD §8.7

// What operators set.
struct DocumentRules {
  std::vector<std::string> hosts;  // in lower case; "*": each; empty: no such clients
  ScopeSet scopes;                 // that they may ask for
  bool allow_loopback = false;     // for tests: hosts on loopback, with any port

  bool is_on() const { return !hosts.empty(); }
};

// Returns true if a client_id names a document, allowed or not. No other client has such an id.
bool is_document_url(std::string_view client_id);

// Returns the host of such a client_id, with a port if it has one.
std::string document_host(std::string_view client_id);

// Returns nullopt if the client_id is the URL of a document of an allowed host. Otherwise returns
// the error, to be printed after "client_id ". Contains no text of the URL.
std::optional<std::string> why_not_document_url(std::string_view client_id,
                                                const DocumentRules& rules);

// A client, as its document describes it.
struct DocumentClient {
  Client client;           // public; its permission version is of the document's digest
  std::string logo;        // logo_uri; "": none
  bool refreshes = false;  // it takes refresh tokens
};

// Judges a document that was fetched from `client_id`. Otherwise returns why it is refused, which
// begins with the name of the member. Contains no text of the document.
base::Result<DocumentClient, std::string> read_client_document(std::string_view client_id,
                                                               std::string_view text,
                                                               const ScopeSet& scopes);

// As find_client() for codes and tokens, which needs no document: nullopt if the URL is not
// allowed.
std::optional<Client> client_without_document(std::string_view client_id,
                                              const DocumentRules& rules);

}  // namespace svc::oauth
