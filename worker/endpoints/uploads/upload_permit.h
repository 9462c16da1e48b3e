// UploadPermit: a pool's permission for one upload, sealed with its keys. nginx takes it from the
// response of that pool to the second half of the upload (endpoints/uploads/upload_commit.h). The
// upload pool never sees it, and cannot make one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/key_ring.h"
#include "http/request.h"
#include "media/id.h"
#include "media/uploads.h"
#include "oauth/grant.h"

namespace svc::endpoints {

struct UploadPermit {
  static constexpr std::string_view kHeader = "X-Svc-Permit";

  media::AccountId account;
  std::optional<oauth::GrantId> grant{};  // nullopt: of a form of the settings
  // A file for that media, which the contact replaces (media/replacements.h).
  struct Replaces {
    media::HashedId media;
    media::ContactId contact;
  };
  std::optional<Replaces> replaces{};

  // The place of the upload of that request: with an Idempotency-Key, of all its repetitions.
  // `now`: seconds since 1970.
  media::UploadPlace place(const http::Request& request, const media::UploadLimits& limits,
                           std::int64_t now) const;

  // It is for the request with that id (nginx's $request_id) only. Throws base::Unavailable.
  std::string seal(std::string_view request_id, const base::KeyRing& keys,
                   base::Entropy& entropy) const;
  // Returns nullopt unless it was sealed for that request.
  static std::optional<UploadPermit> open(std::string_view sealed, std::string_view request_id,
                                          const base::KeyRing& keys);
};

}  // namespace svc::endpoints
