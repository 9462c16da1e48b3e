// Usage: how many manifests were answered for an account, by day. Its bandwidth is the account's.
#pragma once

#include "media/id.h"

namespace svc::media {

class Usage {
 public:
  virtual ~Usage() = default;

  // Never waits and never fails: a count that cannot be kept is dropped, the answer goes out.
  virtual void count_manifest(AccountId account) = 0;
};

}  // namespace svc::media
