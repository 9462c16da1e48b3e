// Names: what the ids of an audit entry are called now, each read once from the store.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "loop/task.h"
#include "redis/audit_trail.h"
#include "redis/channel.h"
#include "text/json.h"

namespace svc::ctl {

class Names {
 public:
  // `channel` outlives it.
  explicit Names(redis::Channel& channel) : channel_(channel) {}

  // Empty for what an entry does not have, what was deleted, and a record that cannot be read.
  struct Of {
    std::string client;   // its name
    std::string account;  // its name
    std::string contact;  // its email
  };
  // Throws base::Unavailable.
  loop::Task<Of> of(const redis::AuditEntry& entry);

 private:
  // The text at `field` of the record at `key`.
  loop::Task<std::string> read(std::string key, std::string_view field);

  redis::Channel& channel_;
  text::json::Document document_;
  std::unordered_map<std::string, std::string> known_;  // by key
};

}  // namespace svc::ctl
