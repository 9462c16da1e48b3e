// Uploads: files on their way into the catalog. svc-ingest turns each into the files
// that an embed needs; until then the media is queued or processing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loop/task.h"
#include "media/media.h"

namespace svc::media {

// The file of an upload, in the folder of uploads under the media's id.
struct UploadedFile {
  std::string name;          // as the client called it: not trusted
  std::uint64_t offset = 0;  // where the media begins in the file, in bytes
  std::uint64_t length = 0;
};

// A client's change of the poster of a media (api-M3).
struct PosterFiles {
  HashedId media;
  AccountId account;
  std::string source{};  // URL of the picture that is copied into the media's folder; "": none
  std::string former{};  // URL of a copy that the media shows no more; "": none
  // A picture of the video at this time, in ms, is made instead of a copy (pages-W63).
  std::optional<std::int64_t> at{};
};

// The files of a media are given to another one (api-M6).
struct FileSwap {
  HashedId media;                 // gets the files
  HashedId other;                 // is deleted
  std::int64_t former_until = 0;  // when svc-ingest deletes the former files, in s since 1970
};
// Makes the new record of the media, with folders of the other one, and captions if it has none.
// `other` is nullptr if its account has no such media. Returns false if nothing is to be written.
using SwapChange = std::function<bool(Media& media, const Media* other)>;

// Whose folders svc-keeper is to mark (media/guard.h).
struct Guarded {
  // The order in which they are marked.
  enum class Turn : std::uint8_t {
    Awaited,  // closes, and Uploads::guard() waits for it
    Closing,
    Other,
    Again  // all folders of the account, whose files or records came from elsewhere
  };

  AccountId account;
  std::optional<HashedId> media{};  // nullopt: the account's rule
  Turn turn = Turn::Other;
};

// How much one account may upload, so that it leaves room for others. oauth-S2.
struct UploadLimits {
  std::int64_t uploads = 10'000;  // that were not deleted and did not fail
  std::int64_t unfinished = 50;   // under way, waiting or converted; at most Uploads::kMostRecent
  std::int64_t state = 16 << 20;  // bytes of records larger than Uploads::kSmallRecord
  std::int64_t bytes = 0;         // of all files; 0: no limit
  std::int64_t longest = 7200;    // seconds for which an upload under way keeps its place
};

// What is above its limit.
struct OverLimit {
  enum class Of : std::uint8_t { Uploads, Unfinished, State, Bytes };
  Of of;
  std::int64_t has = 0;  // before the upload, with others that are under way
};

// A place of an upload under way.
struct UploadPlace {
  std::string name;  // of its request and the repetitions of that
  UploadLimits limits;
  std::int64_t now = 0;    // seconds since 1970
  std::int64_t bytes = 0;  // of the body; 0: not known
};

class Uploads {
 public:
  static constexpr std::size_t kMostRecent = 50;
  // Records of at most this size do not count for large().
  static constexpr std::size_t kSmallRecord = 2048;
  static constexpr std::chrono::seconds kAnswerWaits{1};

  virtual ~Uploads() = default;

  // All throw base::Unavailable. All may be repeated.

  // Takes a place, which the same request may do again, until add(), free_place() or, in the end,
  // after limits.longest. Returns what has no room.
  virtual loop::Task<std::optional<OverLimit>> take_place(AccountId account, UploadPlace place) = 0;
  virtual loop::Task<> free_place(AccountId account, UploadPlace place) = 0;

  // Why an upload was not added. nullopt: its project does not exist.
  struct NotAdded {
    std::optional<OverLimit> over{};
  };
  // Adds the media to the catalog, unless it exists, in its place, and its file to those that wait
  // for svc-ingest. Without a place there is no limit.
  virtual loop::Task<std::optional<NotAdded>> add(Media media, UploadedFile file,
                                                  std::optional<UploadPlace> place) = 0;
  // Returns how much of the file is processed, from 0 to 1. Only for a media
  // that is not ready.
  virtual loop::Task<double> progress(HashedId id) = 0;
  // Returns the ids of the account's last kMostRecent uploads, the newest first.
  // Some may not be in the catalog, or never be.
  virtual loop::Task<std::vector<HashedId>> recent(AccountId account) = 0;
  // Returns the bytes of all records of the account's uploads that are larger than
  // kSmallRecord.
  virtual loop::Task<std::int64_t> large(AccountId account) = 0;
  // Returns the bytes of the files of all of the account's uploads, also of those
  // that failed.
  virtual loop::Task<std::int64_t> bytes(AccountId account) = 0;
  // Called before the record is changed. svc-ingest copies and deletes the files once it is;
  // without that change it does nothing.
  virtual loop::Task<> change_poster(PosterFiles files) = 0;
  // Changes the media, removes the other one without its files, and has svc-ingest delete the
  // former files: all of it or nothing. `change` is called again if another writer was faster.
  // Returns the media as it is then; nullopt if it does not exist.
  virtual loop::Task<std::optional<Media>> swap(FileSwap swap, SwapChange change) = 0;
  // Called before a record is written by which folders get other markers (media/guard.h).
  virtual loop::Task<> announce_guard(std::vector<Guarded> all) = 0;
  // Called after that: svc-keeper marks the folders. It does so a minute after the announcement, if
  // this process ends between the two. Waits until those that are Awaited are closed, at most
  // kAnswerWaits, and only while svc-keeper runs.
  virtual loop::Task<> guard(std::vector<Guarded> all) = 0;
  // svc-ingest deletes the file of that upload, unless it has a record.
  virtual loop::Task<> discard(HashedId id, AccountId account) = 0;
  // Removes the media from the catalog with its captions, and from the uploads of its account, if
  // that is known. svc-ingest deletes its files. Also if the store is full.
  virtual loop::Task<> remove(HashedId id, std::optional<AccountId> account) = 0;
};

}  // namespace svc::media
