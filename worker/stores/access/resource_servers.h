// ResourceServers in Redis, by the index of their resources (stores/access/client_index.h).
#pragma once

#include "oauth/stores.h"
#include "redis/store.h"

namespace svc::stores {

class ResourceServers : public oauth::ResourceServers {
 public:
  ResourceServers(redis::Store& store, oauth::Clients& clients)
      : store_(store), clients_(clients) {}

  // Throws base::Unavailable.
  loop::Task<std::optional<std::string>> find_resource(std::string resource) override;

 private:
  redis::Store& store_;
  oauth::Clients& clients_;
};

}  // namespace svc::stores
