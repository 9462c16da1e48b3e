// Names: looks up the current names of the ids in audit entries and caches
// them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "loop/task.h"
#include "redis/store.h"
#include "stores/audit_trail.h"
#include "text/json.h"

namespace svc::ctl {

class Names {
 public:
  // `redis` must outlive this object.
  explicit Names(redis::Store& redis) : redis_(redis) {}

  // A name is empty if the entry does not contain the id, or the record is
  // deleted or unreadable.
  struct Of {
    std::string client;   // its name
    std::string account;  // its name
    std::string contact;  // its email
  };
  // Throws base::Unavailable.
  loop::Task<Of> of(const stores::AuditEntry& entry);

 private:
  // Returns the text at `field` of the record at `key`; empty as in Of.
  loop::Task<std::string> read(std::string key, std::string_view field);

  redis::Store& redis_;
  text::json::Document document_;
  std::unordered_map<std::string, std::string> known_;  // by key
};

}  // namespace svc::ctl
