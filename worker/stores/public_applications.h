// PublicApplications: the index of public applications by the origins of their redirect URIs. One
// command answers each question. ClientRegistry and the import write it.
//
//   https://spa.example public-app-0001      one entry per origin
//    desktop-app-0001                        no origin: only private-use schemes
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oauth/client.h"
#include "oauth/stores.h"
#include "redis/store.h"

namespace svc::stores {

class PublicApplications : public oauth::PublicApplications {
 public:
  explicit PublicApplications(redis::Store& store) : store_(store) {}

  // Both throw base::Unavailable.
  loop::Task<bool> exist() override;
  loop::Task<bool> have_origin(std::string_view origin) override;

 private:
  redis::Store& store_;
};

// Returns the entries of an application; those of a confidential one are none.
std::vector<std::string> public_entries(const oauth::Client& client);
bool is_entry_of(std::string_view entry, const oauth::ClientId& id);

}  // namespace svc::stores
