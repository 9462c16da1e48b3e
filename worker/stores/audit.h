// Audit in Redis: one stream per kind of event, or several by account, each with
// its own cap. Entry ids are times.
#pragma once

#include "oauth/stores.h"
#include "redis/store.h"

namespace svc::stores {

class Audit : public oauth::Audit {
 public:
  explicit Audit(redis::Store& store) : store_(store) {}

  // Writes the fields what, contact, account, client, address and detail,
  // without the empty ones. Throws base::Unavailable, so that the request fails
  // if its event cannot be recorded.
  loop::Task<> record(const oauth::AuditEvent& event) override;

 private:
  redis::Store& store_;
};

}  // namespace svc::stores
