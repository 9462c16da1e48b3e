// Audit in Redis: one stream per kind of event, capped by itself; its entries' ids are their times.
#pragma once

#include "oauth/stores.h"
#include "redis/channel.h"

namespace svc::redis {

class Audit : public oauth::Audit {
 public:
  explicit Audit(Channel& channel) : channel_(channel) {}

  // Fields what, contact, account, client, address, detail; those that are empty are left out.
  // Throws base::Unavailable: what cannot be written down does not happen silently.
  loop::Task<> record(const oauth::AuditEvent& event) override;

 private:
  Channel& channel_;
};

}  // namespace svc::redis
