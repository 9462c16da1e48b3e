// CatalogRegistry: changes and deletes single records of the catalog. change_…() and edit_…() are
// compare-and-set: they retry until no other writer interferes.
//
// All throw base::Unavailable, also for a record that cannot be read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "media/account.h"
#include "media/contact.h"
#include "media/media.h"
#include "media/playlist.h"
#include "media/records.h"
#include "redis/store.h"
#include "stores/catalog/commit.h"
#include "text/json.h"

namespace svc::stores {

class CatalogRegistry : public media::Records, public media::AccountRecords {
 public:
  explicit CatalogRegistry(redis::Store& store) : store_(store) {}

  // Both versions of a changed record.
  template <class T>
  struct Changed {
    T before;
    T after;
  };
  // Applies `change` to the record and stores the result; may call `change` more than once. Returns
  // nullopt if the record does not exist.
  loop::Task<std::optional<Changed<media::Contact>>> change_contact(
      media::ContactId id, std::function<void(media::Contact&)> change);
  loop::Task<std::optional<Changed<media::Account>>> change_account(
      media::AccountId id, std::function<void(media::Account&)> change);

  // Adds a contact, or changes one whose record was read; "": there is none. `former_email` is that
  // of the record. `hash` of the password; nullopt: it stays as it is, "": none.
  enum class Written : std::uint8_t { Done, Changed, EmailTaken };
  loop::Task<Written> write_contact(const media::Contact& contact, std::string_view before,
                                    std::string former_email, std::optional<std::string> hash);

  loop::Task<std::optional<media::Media>> edit_media(
      media::HashedId id, std::function<bool(media::Media&)> change) override;
  loop::Task<std::optional<media::Account>> edit_account(
      media::AccountId id, std::function<bool(media::Account&)> change) override;

  // As edit_media(). Returns nullopt also if `change` returned false. `also` adds to the commit of
  // the changed media.
  loop::Task<std::optional<media::Media>> change_media(
      media::HashedId id, std::function<bool(media::Media&)> change,
      std::function<void(const media::Media&, Commit&)> also = {});

  // Deletes the record if `condition` is true of it. Returns false if it is not, or if the media
  // does not exist. `also` adds to the commit.
  loop::Task<bool> remove_media(media::HashedId id,
                                std::function<bool(const media::Media&)> condition,
                                std::function<void(Commit&)> also = {});

  // Removes the media from the list of the playlist. Returns true if the list contained it.
  loop::Task<bool> take_out(media::HashedId playlist, media::HashedId media);

  loop::Task<> remove_playlist(media::HashedId id);

  // Returns the media whose files are in a folder: that which has got it by a swap (api-M6), or
  // that of its id. nullopt: none, so the folder may be deleted. A key of a swap that a version
  // before did not complete does not count: the record of its media lacks the folder.
  loop::Task<std::optional<media::Media>> owner_of_files(media::HashedId folder);
  // The folder was deleted.
  loop::Task<> forget_files_owner(media::HashedId folder);

  // Returns true if the record exists, readable or not.
  loop::Task<bool> has_media(media::HashedId id);
  // Deletes the record, its emails and what kinds.h has of a contact in this store, in one step. If
  // the record cannot be read, it looks through all emails, so only svcctl may call it.
  loop::Task<> end_contact(media::ContactId id);

 private:
  // Returns the keys of all emails of the contact.
  loop::Task<std::vector<std::string>> emails_of(media::ContactId id);
  template <class T>
  loop::Task<std::optional<Changed<T>>> change(
      std::string key, base::Result<T, std::string> (*from_record)(text::JsonRecord&),
      std::function<void(T&)> change);

  redis::Store& store_;
  text::json::Document document_;  // scratch space, not in use across a co_await
};

// The folder is the media's from now on, whose record has it.
void give_files(Commit& commit, const media::HashedId& folder, const media::HashedId& media);

}  // namespace svc::stores
