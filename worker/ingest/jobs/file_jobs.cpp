#include "ingest/jobs/file_jobs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/log.h"
#include "base/unique_fd.h"
#include "base/unreadable.h"
#include "ingest/files.h"
#include "ingest/folders.h"
#include "ingest/sniff.h"
#include "ingest/still.h"
#include "keeper/markers.h"
#include "stores/catalog/uploads.h"
#include "text/ascii.h"

namespace svc::ingest {
namespace {

using namespace std::chrono_literals;
using media::HashedId;
using stores::FilesJob;

constexpr std::size_t kFilesJobsAtOnce = 100;
constexpr std::size_t kFilesJobsPerRead = 500;
// After this time the records match a job, or its writer has failed.
constexpr auto kOfBothWrites = 60s;
constexpr std::string_view kStill = "still-";
// A copy that its record does not name yet is younger.
constexpr auto kCopying = 1h;
constexpr std::size_t kMostOfEnding = 8;
// Attempts to make a picture if the machine, not the video, causes the failures.
constexpr int kMostAttempts = 5;
constexpr auto kBeforeNext = 10s;

// ".png" of "original.png"; "" if it is unusual.
std::string ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || name.size() - dot > kMostOfEnding) return "";
  const std::string_view ending = name.substr(dot + 1);
  return std::ranges::all_of(ending, text::is_alnum) ? std::string(name.substr(dot)) : "";
}

bool is_fresh_copy(const std::filesystem::directory_entry& entry) {
  if (!entry.path().filename().string().starts_with(kStill)) return false;
  std::error_code error;
  const auto written = entry.last_write_time(error);
  return !error && std::filesystem::file_time_type::clock::now() - written < kCopying;
}

// Calls it with each folder, also after a failure. Returns whether it succeeded for all.
template <class Step>
bool of_each(const std::vector<HashedId>& folders, const Step& step) {
  bool all = true;
  for (const HashedId& folder : folders) all = step(folder) && all;
  return all;
}

// Whether a swap gave the folder to the media.
bool has_folder(const media::Media& media, const HashedId& folder) {
  return std::ranges::find(media.folders, folder) != media.folders.end();
}

// Whether the media's film, sound or picture is in the folder: it also has files that no record
// names, such as the pictures of a storyboard.
bool plays_from(const media::Media& media, const HashedId& folder) {
  const auto is_there = [&](std::string_view url) {
    const auto file = media::own_file(url);
    return file && file->folder == folder && !file->name.starts_with(kStill);
  };
  const std::optional<media::Thumbnail> poster = media::own_poster(media);
  return is_there(media.storyboard) || (poster && is_there(poster->url)) ||
         std::ranges::any_of(media.assets, is_there, &media::Asset::url);
}

bool is_shown(const media::Media& media, const std::string& url) {
  return std::ranges::any_of(media::urls_of(media),
                             [&](std::string_view each) { return each == url; });
}

// The name of the picture, which no other job has.
std::string picture_of(const FilesJob& job) { return std::string(kStill) + job.id + ".jpg"; }

// That of an unchanged copy of an image of which no picture can be made.
std::string copy_of(const FilesJob& job) {
  const auto source = media::own_file(job.source);
  return std::string(kStill) + job.id + ending_of(source ? source->name : "");
}

// Whether the media shows one of these.
bool shows_picture(const media::Media& media, const FilesJob& job) {
  return is_shown(media, media::url_of_file(media.id, picture_of(job))) ||
         is_shown(media, media::url_of_file(media.id, copy_of(job)));
}

// Whether the record waits for the picture of that job.
bool waits_for(const media::Media& media, const FilesJob& job) {
  if (job.kind == FilesJob::Kind::Still)
    return media.next_poster == media::NextPoster{.at = job.at};
  return media.set_poster && media.set_poster->source == job.source && media.thumbnail &&
         media.thumbnail->url == job.source;
}

}  // namespace

FileJobs::FileJobs(stores::IngestQueue& queue, stores::CatalogRegistry& registry,
                   redis::Store& store, keeper::Guards& guards, loop::Loop& loop, Folders folders,
                   std::string work, const Limits& limits, const base::WallClock& clock,
                   std::function<void()> alive)
    : queue_(queue),
      registry_(registry),
      guard_queue_(store),
      guards_(guards),
      loop_(loop),
      folders_(std::move(folders)),
      work_(std::move(work)),
      limits_(limits),
      clock_(clock),
      alive_(std::move(alive)) {}

std::string FileJobs::folder_of(const HashedId& id) const {
  return folders_.media + "/" + id.value();
}

bool FileJobs::is_late(const Waiting& waiting) const {
  return loop_.clock().now() - waiting.since >= kOfBothWrites;
}

bool FileJobs::is_copied_from(const HashedId& folder) const {
  const auto copies = [&](const auto& entry) { return entry.second.folder == folder.value(); };
  return std::ranges::any_of(waiting_, copies) || std::ranges::any_of(seen_, copies);
}

void FileJobs::count_bytes(const media::Media& media) {
  std::uint64_t bytes = size_below(folder_of(media.id));
  for (const HashedId& folder : media.folders) bytes += size_below(folder_of(folder));
  wait(queue_.count_bytes(media.account, media.id, bytes));
}

void FileJobs::read_on() {
  const auto rank = [](const FilesJob& job) {
    switch (job.kind) {
      case FilesJob::Kind::Guard:
      case FilesJob::Kind::GuardAccount: return 0;
      case FilesJob::Kind::Poster:
      case FilesJob::Kind::Still: return 1;
      case FilesJob::Kind::Deletion:
      case FilesJob::Kind::Swap: break;
    }
    return 2;
  };
  bool goes_on = true;
  while (goes_on) {
    std::vector<FilesJob> jobs = wait(queue_.files_jobs(kFilesJobsPerRead, at_));
    goes_on = jobs.size() == kFilesJobsPerRead;
    if (!jobs.empty()) at_ = jobs.back().id;
    for (FilesJob& job : jobs) {
      const std::pair key(rank(job), job.id);
      turns_[job.account.value()].emplace(key, std::move(job));
    }
  }
}

std::optional<FilesJob> FileJobs::next() {
  if (turns_.empty()) return std::nullopt;
  auto turn = turns_.upper_bound(last_);
  if (turn == turns_.end()) turn = turns_.begin();
  last_ = turn->first;
  FilesJob job = std::move(turn->second.begin()->second);
  turn->second.erase(turn->second.begin());
  if (turn->second.empty()) turns_.erase(turn);
  return job;
}

bool FileJobs::run() {
  bool has_finished = false;
  std::optional<FilesJob> job;
  for (std::size_t i = 0; i < kFilesJobsAtOnce; ++i) {
    read_on();
    job = next();
    if (!job) break;
    has_finished |= handle(*job) == Outcome::Finished;
  }
  if (!job) {
    at_.clear();
    waiting_ = std::move(seen_);
    seen_.clear();
  }
  if (!deleted_.empty())
    wait(queue_.end_jobs_of(std::unordered_set<std::string>(deleted_.begin(), deleted_.end())));
  deleted_.clear();
  return job && has_finished;
}

FileJobs::Outcome FileJobs::handle(const FilesJob& job) {
  alive_();
  if (!job.is_readable) {
    base::log::warn("ingest.unreadable_job", {{"job", job.id}});
    wait(queue_.finish(job));
    return Outcome::Finished;
  }
  const auto known = waiting_.find(job.id);
  Waiting waiting =
      known == waiting_.end() ? Waiting{loop_.clock().now()} : std::move(known->second);
  waiting.folder.clear();
  if (known != waiting_.end()) waiting_.erase(known);
  Outcome outcome = Outcome::Later;
  try {
    outcome = outcome_of(job, waiting);
  } catch (const base::Unreadable&) {
    // It was logged where it was read. Its files stay.
    if (is_late(waiting)) outcome = Outcome::Finished;
  }
  if (outcome == Outcome::Finished) {
    wait(queue_.finish(job));
  } else {
    seen_.insert_or_assign(job.id, std::move(waiting));
  }
  return outcome;
}

FileJobs::Outcome FileJobs::outcome_of(const FilesJob& job, Waiting& waiting) {
  switch (job.kind) {
    case FilesJob::Kind::Poster:
    case FilesJob::Kind::Still: return change_poster(job, waiting);
    case FilesJob::Kind::Swap: return swap(job, waiting);
    case FilesJob::Kind::Guard:
    case FilesJob::Kind::GuardAccount: return leave_to_guards(job);
    case FilesJob::Kind::Deletion: break;
  }
  const std::string& id = job.media->value();
  if (!wait(registry_.has_media(*job.media))) {
    const auto is_removed = [&](const HashedId& folder) { return remove_unused(folder); };
    const bool own = is_removed(*job.media);
    if (!of_each(job.folders, is_removed) || !own) return Outcome::Later;
    unlink((folders_.uploads + "/" + id).c_str());
    // Its worker may have ended before it did.
    if (job.account.value() != 0) wait(queue_.forget_upload(job.account, *job.media));
    deleted_.push_back(id);
    base::log::info("ingest.deleted", {{"media", id}});
    return Outcome::Finished;
  }
  if (!is_late(waiting)) return Outcome::Later;
  // The deletion failed half way and was reported as failed, or the media was
  // imported again.
  // Its folder may have the markers of its former record.
  const std::optional<media::Media> media = find(*job.media);
  if (media && !guards_.guard_all(*media)) return Outcome::Later;
  base::log::warn("ingest.not_deleted", {{"media", id}});
  return Outcome::Finished;
}

bool FileJobs::remove_unused(const HashedId& folder) {
  if (is_copied_from(folder)) return false;
  if (owner_of(folder)) return true;
  discard_folder(folder_of(folder), work_);
  wait(registry_.forget_files_owner(folder));
  return true;
}

FileJobs::Outcome FileJobs::change_poster(const FilesJob& job, Waiting& waiting) {
  const std::optional<media::Media> media = find(*job.media);
  if (!media || media->account != job.account) return Outcome::Finished;
  const bool late = is_late(waiting);
  const bool is_still = job.kind == FilesJob::Kind::Still;
  const auto source = media::own_file(job.source);
  if (is_still || source) {
    if (source) waiting.folder = source->folder.value();
    if (waits_for(*media, job)) {
      const Outcome outcome =
          is_still ? set_still(job, *media, waiting) : copy_poster(job, *media, waiting);
      if (outcome == Outcome::Later) return Outcome::Later;
    } else if (!late && !shows_picture(*media, job)) {
      return Outcome::Later;
    }
    waiting.folder.clear();
  }
  for (const std::string& url : {job.former, waiting.former}) {
    // Only a copy: programs that may add jobs may not delete any file.
    const auto former = media::own_file(url);
    if (!former || former->folder != media->id || !former->name.starts_with(kStill)) continue;
    if (!late) return Outcome::Later;
    if (is_shown(*media, url)) continue;
    unlink((folder_of(former->folder) + "/" + former->name).c_str());
    count_bytes(*media);
  }
  return Outcome::Finished;
}

// A media that is not ready may still get a whole new folder.
FileJobs::Outcome FileJobs::copy_poster(const FilesJob& job, const media::Media& media,
                                        Waiting& waiting) {
  if (media.status != media::Status::Ready) return Outcome::Later;
  const auto source = media::own_file(job.source);
  const std::string from = folder_of(source->folder) + "/" + source->name;
  const std::string folder = folder_of(media.id) + "/";
  const auto is_there = [&](const std::string& name) { return size_of(folder + name).has_value(); };
  const auto set = [&](const std::function<void(media::Media&)>& edit) {
    return wait(registry_.change_media(media.id, [&](media::Media& record) {
      if (!waits_for(record, job)) return false;
      edit(record);
      return true;
    }));
  };
  const auto size = size_of(from);
  // A swap gave the folder to another media, before this one was imported again.
  const std::optional<media::Media> owner = owner_of(media.id);
  const bool has_its_folder = owner && owner->id == media.id;
  if (!has_its_folder || (!is_there(picture_of(job)) && !is_there(copy_of(job)) && !size)) {
    // Or its image was deleted at the same time as the poster was set.
    base::log::warn("ingest.poster_lost", {{"media", media.id.value()}});
    set([](media::Media& record) {
      record.thumbnail = std::move(record.set_poster->own);
      record.set_poster.reset();
    });
    return Outcome::Finished;
  }
  std::string name = picture_of(job);
  if (!is_there(name) && is_there(copy_of(job))) name = copy_of(job);
  if (!is_there(name)) {
    const std::string work = work_ + "/" + std::string(kStill) + job.id;
    const auto make = [&] {
      return ingest::make_picture(std::filesystem::absolute(from), work, limits_, alive_);
    };
    switch (make_once(make, work, job, media.id, waiting)) {
      case Made::Placed: break;
      case Made::Later: return Outcome::Later;
      case Made::Never:
        name = copy_of(job);
        if (!place(from, *size, media.id, name)) return Outcome::Later;
    }
  }
  const auto head = read_file(folder + name, 0, kSniffedBytes);
  const auto pixels = head ? sniff(*head).size : std::nullopt;
  const auto stored = set([&](media::Media& record) {
    record.thumbnail->url = media::url_of_file(record.id, name);
    if (pixels) record.thumbnail->size = pixels;
  });
  if (stored) {
    count_bytes(*stored);
  } else {
    remove_copy(media.id, name);
  }
  return Outcome::Finished;
}

bool FileJobs::place(const std::string& from, std::uint64_t size, const HashedId& media,
                     const std::string& name) {
  const std::string folder = folder_of(media);
  try {
    std::error_code error;
    std::filesystem::create_directories(work_, error);
    const std::string part = work_ + "/" + name;
    unlink(part.c_str());
    copy_slice(from, 0, size, part, alive_);
    std::filesystem::permissions(part, std::filesystem::perms(0644), error);
    make_shared_folder(folder);
    if (!guards_.guard(media)) return false;
    if (std::rename(part.c_str(), (folder + "/" + name).c_str()) != 0 || !sync_folder(folder) ||
        !sync_folder(folders_.media))
      throw FileError("cannot rename " + part);
  } catch (const FileError& error) {
    if (!is_short_of_room(folders_.media))
      base::log::warn("ingest.poster_not_copied",
                      {{"media", media.value()}, {"reason", error.what()}});
    return false;
  }
  return true;
}

// Another process has set it, or the poster was changed, or the media was deleted.
void FileJobs::remove_copy(const HashedId& media, const std::string& name) {
  const std::optional<media::Media> now = find(media);
  if (!now) {
    remove_unused(media);
  } else if (!is_shown(*now, media::url_of_file(media, name))) {
    unlink((folder_of(media) + "/" + name).c_str());
  }
}

FileJobs::Outcome FileJobs::set_still(const FilesJob& job, const media::Media& media,
                                      Waiting& waiting) {
  if (media.status != media::Status::Ready) return Outcome::Later;
  const media::Asset* const video = media::own_video(media);
  if (video == nullptr) {
    fail_still(job, "no file of the video is here");
    return Outcome::Finished;
  }
  const std::string name = picture_of(job);
  if (!size_of(folder_of(media.id) + "/" + name)) {
    const auto file = media::own_file(video->url);
    const Moment moment{std::filesystem::absolute(folder_of(file->folder) + "/" + file->name),
                        job.at, *video->size};
    if (!make_still(job, media, moment, waiting)) {
      const std::optional<media::Media> now = find(media.id);
      return now && waits_for(*now, job) ? Outcome::Later : Outcome::Finished;
    }
  }
  const auto stored = wait(registry_.change_media(media.id, [&](media::Media& record) {
    if (!waits_for(record, job)) return false;
    waiting.former = record.set_poster && record.thumbnail ? record.thumbnail->url : "";
    record.set_poster =
        media::SetPoster{media::url_of_moment(*video, job.at), media::own_poster(record)};
    record.thumbnail = media::Thumbnail{media::url_of_file(record.id, name), video->size};
    record.next_poster.reset();
    return true;
  }));
  if (stored) {
    count_bytes(*stored);
  } else {
    remove_copy(media.id, name);
  }
  return Outcome::Finished;
}

FileJobs::Made FileJobs::make_once(const std::function<std::optional<Failure>()>& make,
                                   const std::string& folder, const FilesJob& job,
                                   const HashedId& media, Waiting& waiting) {
  if (loop_.clock().now() < waiting.again || is_short_of_room(folders_.media)) return Made::Later;
  std::error_code error;
  std::filesystem::create_directories(work_, error);
  const std::optional<Failure> failure = make();
  Made made = Made::Later;
  if (!failure) {
    const std::string still = folder + "/" + kStillFile;
    if (place(still, size_of(still).value_or(0), media, picture_of(job))) made = Made::Placed;
  } else if (!failure->no_room && (failure->final || ++waiting.attempts == kMostAttempts)) {
    waiting.failure = failure->reason + " " + failure->detail;
    made = Made::Never;
  }
  remove_folder(folder);
  waiting.again = loop_.clock().now() + kBeforeNext;
  return made;
}

bool FileJobs::make_still(const FilesJob& job, const media::Media& media, const Moment& moment,
                          Waiting& waiting) {
  const std::string folder = work_ + "/" + std::string(kStill) + job.id;
  const auto make = [&] { return ingest::make_still(moment, folder, limits_, alive_); };
  const Made made = make_once(make, folder, job, media.id, waiting);
  if (made == Made::Never) fail_still(job, waiting.failure);
  return made == Made::Placed;
}

void FileJobs::fail_still(const FilesJob& job, const std::string& reason) {
  base::log::warn("ingest.poster_not_made", {{"media", job.media->value()}, {"reason", reason}});
  wait(registry_.change_media(*job.media, [&](media::Media& record) {
    if (!waits_for(record, job)) return false;
    record.next_poster->has_failed = true;
    return true;
  }));
}

// Only a copy of a poster may be of a media that was imported again, with the same id.
void FileJobs::end_left(const FilesJob& job, const media::Media& media) {
  const auto shows_its_files = [&](const media::Media& left) {
    return std::ranges::any_of(media::urls_of(left), [&](std::string_view url) {
      const auto file = media::own_file(url);
      return file && !file->name.starts_with(kStill) && has_folder(media, file->folder);
    });
  };
  wait(registry_.remove_media(job.taken.front(), shows_its_files, [&](stores::Commit& commit) {
    for (const HashedId& folder : job.taken) stores::give_files(commit, folder, media.id);
  }));
}

// Its writer may write the record after this.
FileJobs::Outcome FileJobs::leave_to_guards(const FilesJob& job) {
  const media::Guarded guarded{
      job.account, job.media,
      job.media ? media::Guarded::Turn::Other : media::Guarded::Turn::Again};
  wait(guard_queue_.announce({guarded}));
  wait(guard_queue_.add({guarded}));
  return Outcome::Finished;
}

// The media may be deleted meanwhile, or swapped into another one. The version before added the job
// before it changed the records, and may have ended in between.
FileJobs::Outcome FileJobs::swap(const FilesJob& job, Waiting& waiting) {
  const HashedId& other = job.taken.front();
  const std::optional<media::Media> media = find(*job.media);
  if (media && has_folder(*media, other)) {
    end_left(job, *media);
    if (!waiting.is_counted) count_bytes(*media);
    waiting.is_counted = true;
    if (!waiting.is_guarded) waiting.is_guarded = guards_.guard_all(*media);
  }
  if (clock_.now() < job.until) return Outcome::Later;
  if (!of_each(job.folders, [&](const HashedId& folder) { return tidy(folder); }))
    return Outcome::Later;
  if (const auto now = find(*job.media)) count_bytes(*now);
  return Outcome::Finished;
}

bool FileJobs::tidy(const HashedId& folder) {
  if (is_copied_from(folder)) return false;
  const std::optional<media::Media> media = owner_of(folder);
  if (!media) return remove_unused(folder);
  if (media->status != media::Status::Ready || plays_from(*media, folder)) return true;
  std::set<std::string, std::less<>> named;
  for (const std::string_view url : media::urls_of(*media)) {
    const auto file = media::own_file(url);
    if (file && file->folder == folder) named.insert(file->name.substr(0, file->name.find('/')));
  }
  bool is_empty = true;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(folder), error)) {
    alive_();
    if (keeper::is_marker(entry.path().filename().string())) continue;
    if (named.contains(entry.path().filename().string()) || is_fresh_copy(entry)) {
      is_empty = false;
      continue;
    }
    remove_folder(entry.path());
  }
  if (!is_empty) return true;
  discard_folder(folder_of(folder), work_);
  if (media->id == folder) return true;
  wait(registry_.change_media(
      media->id, [&](media::Media& record) { return std::erase(record.folders, folder) > 0; },
      [&](const media::Media&, stores::Commit& commit) {
        stores::give_files(commit, folder, folder);
      }));
  return true;
}

}  // namespace svc::ingest
