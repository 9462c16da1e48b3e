// ClientRegistry: the records of applications in Redis, for the code that manages them. Each change
// is one step, with the list of the account and the indexes (client_index.h). change() retries
// until no other writer interferes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "oauth/stores.h"
#include "redis/store.h"
#include "text/json.h"

namespace svc::stores {

class ClientRegistry : public oauth::Applications {
 public:
  explicit ClientRegistry(redis::Store& store) : store_(store) {}

  // All throw base::Unavailable if Redis does not reply. find() and change()
  // also throw it if the record cannot be parsed; of() and find_all() log that
  // and omit the application.
  loop::Task<std::optional<oauth::Client>> find(const oauth::ClientId& id) override;
  loop::Task<bool> is_stored(const oauth::ClientId& id) override;
  loop::Task<bool> has(media::AccountId account, oauth::ClientId id) override;
  loop::Task<std::vector<oauth::Client>> of(media::AccountId account) override;
  loop::Task<std::optional<oauth::ApplicationRefusal>> add(const oauth::Client& client,
                                                           std::int64_t most) override;
  loop::Task<base::Result<oauth::Client, oauth::ApplicationRefusal>> change(
      const oauth::ClientId& id, const Change& change) override;
  // Leaves a tombstone, so that `svcctl import` does not restore the
  // application. Also removes a record that cannot be parsed.
  loop::Task<bool> remove(const oauth::ClientId& id, std::int64_t now) override;
  loop::Task<std::vector<oauth::Client>> find_all(const std::vector<oauth::ClientId>& ids) override;
  loop::Task<std::vector<Ending>> ending() override;
  loop::Task<> has_ended(const oauth::ClientId& id) override;
  loop::Task<bool> is_ending(const oauth::ClientId& id) override;

  // For an import, which has read the record and the tombstone; "": there is none. Returns false if
  // another writer has changed or deleted the application since. All arguments outlive the task.
  loop::Task<bool> write(const oauth::Client& client, std::string_view before,
                         std::string_view tombstone);
  // Scans the whole store and calls `see` for every client, in no order. Only
  // for svcctl. If a record cannot be parsed, calls `unreadable` with its key
  // and the reason, or throws base::Unavailable if `unreadable` is empty.
  using See = std::function<void(const oauth::Client&)>;
  using Unreadable = std::function<void(const std::string&, const std::string&)>;
  loop::Task<> for_each(See see, Unreadable unreadable = nullptr);

  // The ids listed for an account: also of records that cannot be read, and of those that have gone
  // or moved to another account.
  loop::Task<std::vector<oauth::ClientId>> ids_of(media::AccountId account);

 private:
  // Deletes the record of an application that is ending, if it still exists.
  // Returns true if the application was restored: then its record stays.
  loop::Task<bool> end_record(const oauth::ClientId& id);
  enum class Written : std::uint8_t { Done, Changed, ResourceTaken, Full };
  // `stored` and `before`: the record that was read. nullopt as `tombstone`: whatever it is.
  loop::Task<Written> put(const oauth::Client& client, const std::optional<oauth::Client>& stored,
                          std::string_view before, std::optional<std::string_view> tombstone = {},
                          std::optional<std::int64_t> most = {});
  // Deletes the record that was read. Returns what remove_client of client_registry.lua does.
  loop::Task<std::string> take_out(const oauth::ClientId& id, std::string_view before,
                                   std::string tombstone, std::int64_t now);
  base::Result<oauth::Client, std::string> parse(std::string_view text);
  oauth::Client read(const std::string& key, std::string_view text);

  redis::Store& store_;
  text::json::Document document_;
};

}  // namespace svc::stores
