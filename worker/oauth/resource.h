// resource: the protected resources that a token is for. RFC 8707, oauth-R2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oauth/scope_set.h"

namespace svc::oauth {

// URIs as they were registered, sorted, each once. Empty: only the data API, which most tokens are
// for. No record names it alone.
using Resources = std::vector<std::string>;

inline constexpr std::size_t kMaxResource = 512;   // bytes
inline constexpr std::size_t kMostResources = 10;  // of a resource server, and of a request

// Returns nullopt if an operator may register the resource, otherwise the error, to be printed
// after the field's name.
std::optional<std::string> why_not_resource(std::string_view uri);

// Returns the text by which resources are compared: without the slash that libraries add to a URI
// without a path.
std::string_view comparable(std::string_view resource);

// Returns the resources of both. If one of them is empty, the data API has no name here: returns
// `later` then, and the contact is asked again for `former`.
Resources joined(const Resources& former, const Resources& later);

// What a grant, code or token opens.
struct Access {
  ScopeSet scopes;
  Resources resources;

  Access() = default;
  Access(const ScopeSet& of_scopes, Resources of_resources = {})  // NOLINT: most have no resources
      : scopes(of_scopes), resources(std::move(of_resources)) {}

  // One line: the names of the scopes, then the resources, with spaces between. parse() returns
  // nullopt if a scope is unknown.
  std::string to_text() const;
  static std::optional<Access> parse(std::string_view text);
};

// The resources of this service. It has tokens for the whole service, and for its data API.
class OwnResources {
 public:
  OwnResources(std::string service, std::string api)
      : service_(std::move(service)), api_(std::move(api)) {}

  // Returns nullopt if it is not the service's own.
  std::optional<std::string> find(std::string_view resource) const;
  // Returns true if a token for these resources is for the data API.
  bool may_use_api(const Resources& resources) const;
  // The resources by their names; never empty.
  Resources named(const Resources& resources) const;
  // Sorts them, and leaves out those that are named twice, or the data API alone.
  Resources unnamed(Resources named) const;
  // Returns those of `granted` that a client asks for; all of them if it asks for none. Returns
  // nullopt if one was not granted.
  std::optional<Resources> narrowed(const Resources& granted,
                                    const std::vector<std::string>& asked) const;

 private:
  std::string service_;
  std::string api_;
};

}  // namespace svc::oauth
