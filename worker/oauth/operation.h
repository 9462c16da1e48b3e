// Operation: an action of an application with a token, and the scopes that allow it.
//
// Endpoints check the scopes of these rows, and pages tell users their words: no
// scope promises more than an operation does.
#pragma once

#include <array>
#include <string_view>

#include "oauth/scope_set.h"
#include "text/words.h"

namespace svc::oauth {

struct Operation {
  std::string_view allowed;   // for users, after "it can": in lower case, without an end
  std::string_view withheld;  // the same, of an application that has none of the scopes
  std::string_view scopes;    // a token needs one of these, separated by spaces

  // Returns true if a token with these scopes may do this. Aborts if `scopes`
  // has a name that does not exist: a bug.
  bool is_open_to(const ScopeSet& granted) const;
  ScopeSet any_of() const;
};

// oauth-S1, oauth-S2, oauth-S4
inline constexpr Operation kUploadMedia{text::translatable("upload files"),
                                        text::translatable("upload media"), "all:all media:upload"};
inline constexpr Operation kSeeMedia{text::translatable("see a single media by its id"),
                                     text::translatable("see media"),
                                     "all:all all:read media:read media:upload"};
inline constexpr Operation kReadCatalog{text::translatable("list all media and projects"),
                                        text::translatable("list media and projects"),
                                        "all:all all:read media:read"};
inline constexpr Operation kReadStatistics{text::translatable("read how often media are watched"),
                                           text::translatable("read statistics"),
                                           "all:all all:read stats:read"};
inline constexpr Operation kEdit{
    text::translatable("change and delete media, projects, captions and customizations"),
    text::translatable("change or delete anything"), "all:all"};

// All of them, in the order in which pages name them.
inline constexpr std::array<const Operation*, 5> kOperations{
    &kUploadMedia, &kSeeMedia, &kReadCatalog, &kReadStatistics, &kEdit};

}  // namespace svc::oauth
