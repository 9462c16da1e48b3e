// Standings in Redis: the accounts that a contact may authorize, from the
// Contact and Account records of the catalog; and which applications act for
// themselves, from their records. Each call reads both records, but parses one
// only if its text has changed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "media/contact.h"
#include "oauth/stores.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class Standings : public oauth::Standings {
 public:
  explicit Standings(redis::Store& store) : store_(store) {}

  // Throws base::Unavailable, also for a record that cannot be read.
  loop::Task<oauth::Standing> find_standing(const oauth::Holder& holder) override;
  loop::Task<oauth::Standing> find_own_standing(const oauth::ClientId& client,
                                                media::AccountId account,
                                                const oauth::ScopeSet& scopes) override;

 private:
  // The parts of a record that matter here.
  struct Known {
    std::string record;
    std::vector<media::Membership> memberships;  // for a contact
    bool disabled = false;                       // for a contact
    bool oauth_enabled = false;                  // for an account
    bool restricts_sites = false;                // the same
    media::AccountId owner;                      // for an application
    oauth::ScopeSet own_scopes;                  // the same: those that it may use for itself
  };
  // Sets the members about the account.
  void take_account(const std::string& key, const redis::Reply& account, oauth::Standing& standing);
  template <class Take>
  Known& read(const std::string& key, std::string_view text, Take take);

  redis::Store& store_;
  text::json::Document document_;
  std::map<std::string, Known, std::less<>> known_;  // by key
};

}  // namespace svc::stores
