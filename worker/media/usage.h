// Usage: counts the manifests sent for each account, per day. Their bandwidth
// is charged to the account.
#pragma once

#include "media/id.h"

namespace svc::media {

class Usage {
 public:
  virtual ~Usage() = default;

  // Never waits and never fails: a count that cannot be stored is lost, and the
  // response is sent.
  virtual void count_manifest(AccountId account) = 0;
};

}  // namespace svc::media
