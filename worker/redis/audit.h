// Audit in Redis: one stream per kind of event, capped by itself; its entries' ids are their times.
#pragma once

#include "oauth/stores.h"
#include "redis/connection.h"

namespace svc::redis {

class Audit : public oauth::Audit {
 public:
  explicit Audit(Connection& connection) : connection_(connection) {}

  // Fields what, contact, account, client, address, detail; those that are empty are left out.
  // Throws base::Unavailable: what cannot be written down does not happen silently.
  void record(const oauth::AuditEvent& event) override;

 private:
  Connection& connection_;
};

}  // namespace svc::redis
