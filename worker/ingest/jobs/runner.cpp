#include "ingest/jobs/runner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "base/unreadable.h"
#include "base/unwritable.h"
#include "ingest/files.h"
#include "ingest/folders.h"
#include "ingest/jobs/failed_uploads.h"
#include "keeper/markers.h"
#include "library/caption_list.h"
#include "media/upload_form.h"
#include "stores/record.h"
#include "text/rfc3339.h"

namespace svc::ingest {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using media::Status;
using stores::IngestJob;

constexpr auto kLookEvery = 500ms;  // for jobs, while none waits
constexpr auto kTryAgain = 1s;      // after an outage of the store
constexpr auto kCleanUpEvery = 1h;
constexpr auto kForgotten = 24h;      // age of an upload without a job
constexpr auto kTextsKept = 24h;      // in the record of a failed upload
constexpr int kFailuresAtOnce = 100;  // after which clean_up() bounds them
constexpr auto kAfterFailure = 10s;   // after a failure of the machine, times the attempt
constexpr auto kForRoom = 3s;         // a job waits this long if the disk lacks room for it

// Returns an empty text, or why the folder cannot be made.
std::string make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? why_not_stored(error.value()) : "";
}

}  // namespace

Runner::Runner(redis::Store& store, loop::Loop& loop, Folders folders, const Limits& limits,
               std::chrono::seconds failed_kept, std::string consumer, const base::WallClock& clock,
               base::Surroundings surroundings, const Lane& lane)
    : store_(store),
      loop_(loop),
      folders_(std::move(folders)),
      limits_(limits),
      failed_kept_(failed_kept),
      work_(folders_.media + "/.work/" + consumer),
      clock_(clock),
      surroundings_(std::move(surroundings)),
      lane_(lane),
      queue_(store, std::move(consumer)),
      registry_(store),
      guards_(registry_, loop, folders_.media, surroundings_.alive),
      file_jobs_(queue_, registry_, store_, guards_, loop, folders_, work_, limits_, clock,
                 surroundings_.alive) {}

std::string Runner::upload_of(const media::HashedId& id) const {
  return folders_.uploads + "/" + id.value();
}

std::string Runner::folder_of(const media::HashedId& id) const {
  return folders_.media + "/" + id.value();
}

void Runner::run() {
  remove_folder(work_);  // remains of an earlier process
  keeper::share_folders(folders_.media, surroundings_.alive);
  bool opened = false;
  auto clean_up_at = loop_.clock().now();
  while (!surroundings_.should_stop()) {
    surroundings_.alive();
    try {
      if (!opened) {
        opened = attempt([&] {
          wait(queue_.open());
          return true;
        });
      }
      if (loop_.clock().now() >= clean_up_at || has_many_failures()) {
        attempt([&] {
          clean_up();
          return true;
        });
        clean_up_at = loop_.clock().now() + kCleanUpEvery;
      }
      const bool goes_on = attempt([&] { return file_jobs_.run(); });
      const bool took_one = attempt([&] { return run_one(); });
      if (!took_one && !goes_on) surroundings_.pause(kLookEvery);
    } catch (const base::Unavailable& outage) {
      // Also thrown if the stream does not exist, after a restart with an empty store.
      base::log::warn("ingest.store_unavailable", {{"reason", outage.what()}});
      opened = false;
      surroundings_.pause(kTryAgain);
    }
  }
}

bool Runner::attempt(const std::function<bool()>& part) {
  try {
    return part();
  } catch (const base::Unreadable&) {
    // It was logged where it was read, and the next round comes to it again.
    return false;
  }
}

bool Runner::run_one() {
  std::optional<IngestJob> job =
      wait(queue_.next([this](const IngestJob& each) { return is_wanted(each); }));
  if (!job) return false;
  Outcome outcome = Outcome::Later;
  const auto began = loop_.clock().now();
  try {
    outcome = ingest(*job);
    queue_.count(*job, loop_.clock().now() - began);
  } catch (const base::Unreadable& broken) {
    // It stays as it is, so the job would stop all later ones.
    job->reason = broken.what();
    wait(queue_.bury(*job));
    base::log::error("ingest.given_up", {{"media", job->media.value()}, {"reason", broken.what()}});
    return true;
  }
  if (outcome == Outcome::Finished) wait(queue_.finish(*job));
  if (outcome != Outcome::Later) postponed_.erase(job->id);
  // A restart of the service does not count as a failure of the job.
  if (outcome == Outcome::Later && surroundings_.should_stop()) wait(queue_.put_back(*job));
  return true;
}

std::optional<bool> Runner::persistently(const std::function<bool()>& ask) {
  while (true) {
    try {
      return ask();
    } catch (const base::Unavailable& outage) {
      base::log::warn("ingest.store_unavailable", {{"reason", outage.what()}});
    }
    if (surroundings_.should_stop()) return std::nullopt;
    surroundings_.alive();
    surroundings_.pause(kTryAgain);
  }
}

Runner::Outcome Runner::ingest(const IngestJob& job) {
  if (job.deliveries > kMaxDeliveries) return give_up(job);
  std::optional<media::Media> media;
  std::optional<std::string> failure;  // left by an attempt that ended before its job
  const bool exists = wait(registry_.has_media(job.media));
  if (exists) {
    media = wait(registry_.change_media(job.media, [&](media::Media& record) {
      failure.reset();
      if (record.account == job.account && record.status == Status::Failed)
        failure = record.failure;
      if (record.account != job.account || record.status == Status::Ready ||
          record.status == Status::Failed)
        return false;
      record.status = Status::Processing;
      return true;
    }));
  }
  if (failure) {
    IngestJob failed = job;
    failed.reason = *failure;
    failed.is_refused = true;
    return fail(std::move(failed), *failure);
  }
  if (!media) {
    // Deleted, never acknowledged, or finished by an earlier attempt.
    if (!exists) wait(queue_.forget_upload(job.account, job.media));
    unlink(upload_of(job.media).c_str());
    base::log::info("ingest.dropped", {{"media", job.media.value()}});
    return Outcome::Finished;
  }
  return convert(job, *media);
}

Runner::Outcome Runner::give_up(const IngestJob& job) {
  IngestJob failed = job;
  failed.reason = "given up after " + std::to_string(kMaxDeliveries) + " attempts";
  return fail(std::move(failed), "the service could not process the file");
}

bool Runner::keep_alive(const IngestJob& job, double progress, bool& removed) {
  surroundings_.alive();
  if (surroundings_.should_stop()) return false;
  try {
    wait(queue_.renew(job));
    wait(queue_.set_progress(job.media, progress));
    removed = !wait(registry_.has_media(job.media));
    file_jobs_.run();
  } catch (const base::Unavailable&) {
    // The work continues: its result is stored once the store is back.
  } catch (const base::Unreadable&) {
    // The record of another media, which was deleted. The work continues; the store logs it.
  }
  return !removed;
}

Runner::Outcome Runner::convert(const IngestJob& job, const media::Media& media) {
  const std::string upload = upload_of(job.media);
  if (access(upload.c_str(), R_OK) != 0 && errno == ENOENT)
    return refuse(job, "the uploaded file is lost");
  const std::string work = work_ + "/" + media.id.value();
  remove_folder(work);
  if (const std::string why = make_folder(work); !why.empty())
    return delay(job, {false, why, "", true});
  const auto began = loop_.clock().now();
  bool removed = false;
  bool is_too_long = false;
  double pixels = 0;
  const std::chrono::duration<double> most = lane_.most_time;
  const auto taken = [&] { return std::chrono::duration<double>(loop_.clock().now() - began); };
  auto product = transcode(
      Input{upload, job.file.offset, job.file.length, job.file.name}, work, limits_,
      [&](double progress) {
        is_too_long = taken() >= Lane::kMisjudged * most;
        return keep_alive(job, progress, removed) && !is_too_long;
      },
      [&](double pixels_of_all) {
        pixels = pixels_of_all;
        is_too_long = pixels * seconds_per_pixel_ >= most.count();
        return !is_too_long;
      });
  if (surroundings_.should_stop()) return Outcome::Later;
  if (removed) {
    remove_folder(work);
    unlink(upload.c_str());
    base::log::info("ingest.dropped", {{"media", job.media.value()}});
    return Outcome::Finished;
  }
  if (product) {
    learn(pixels, taken().count());
    return store(job, work, std::move(*product), began);
  }
  remove_folder(work);
  if (is_too_long) {
    too_long_.insert(job.id);
    wait(queue_.hand_over(job));
    base::log::info("ingest.left_to_other_lane", {{"media", job.media.value()}});
    return Outcome::Later;
  }
  if (product.error().final) return refuse(job, product.error().reason);
  return delay(job, product.error());
}

// Short conversions say little: programs start, and files are synchronised.
void Runner::learn(double pixels, double seconds) {
  constexpr double kLeastPixels = 1e8;
  if (pixels >= kLeastPixels) seconds_per_pixel_ = (seconds_per_pixel_ + seconds / pixels) / 2;
}

Runner::Outcome Runner::delay(const IngestJob& job, const Failure& failure) {
  const bool is_known = postponed_.contains(job.id);
  if (!failure.no_room || !is_known) {
    base::log::error(
        "ingest.attempt_failed",
        {{"media", job.media.value()}, {"attempt", job.deliveries}, {"reason", failure.reason}});
  }
  if (!failure.no_room) {
    surroundings_.pause(kAfterFailure * job.deliveries);
    return Outcome::Later;
  }
  // Other jobs may be smaller, and deletions make room.
  postponed_[job.id] = loop_.clock().now() + kForRoom;
  wait(queue_.put_back(job));
  return Outcome::Later;
}

bool Runner::is_wanted(const IngestJob& job) {
  if (job.file.length > lane_.most_bytes || too_long_.contains(job.id)) return false;
  const auto known = postponed_.find(job.id);
  return known == postponed_.end() || known->second <= loop_.clock().now();
}

bool Runner::is_processing(const IngestJob& job) {
  bool processing = false;
  wait(registry_.change_media(job.media, [&](media::Media& record) {
    processing = record.account == job.account && record.status == Status::Processing;
    return false;
  }));
  return processing;
}

Runner::Outcome Runner::refuse(IngestJob job, const std::string& why) {
  job.reason = why;
  job.is_refused = true;
  return fail(std::move(job), why);
}

Runner::Outcome Runner::fail(IngestJob job, const std::string& why) {
  const auto write = [&](const std::string& failure) {
    return wait(registry_.change_media(job.media, [&](media::Media& record) {
      if (record.account != job.account || record.status == Status::Ready) return false;
      record.status = Status::Failed;
      record.failure = failure;
      record.updated = text::to_rfc3339(clock_.now());
      return true;
    }));
  };
  std::optional<media::Media> failed;
  bool has_room = true;
  try {
    failed = write(why);
  } catch (const base::Unwritable&) {
    has_room = false;
  }
  if (!has_room) failed = write("");
  if (!failed) {  // deleted, or finished by an earlier attempt
    unlink(upload_of(job.media).c_str());
    return Outcome::Finished;
  }
  wait(queue_.list_failed(*failed));
  wait(queue_.weigh(*failed));
  const std::uint64_t bytes = size_of(upload_of(job.media)).value_or(0);
  wait(queue_.count_bytes(job.account, job.media, bytes));
  wait(queue_.bury(job));
  ++failed_;
  failed_bytes_ += bytes;
  if (job.is_refused) {
    base::log::info("ingest.failed", {{"media", job.media.value()}, {"reason", job.reason}});
  } else {
    base::log::error("ingest.given_up", {{"media", job.media.value()}, {"reason", job.reason}});
  }
  return Outcome::Buried;
}

bool Runner::closes(const std::string& folder) {
  try {
    std::optional<keeper::MarkedFolder> marked = keeper::MarkedFolder::open(folder);
    if (marked) marked->close(surroundings_.alive);
    return marked.has_value();
  } catch (const FileError&) {
    return false;
  }
}

Runner::Outcome Runner::store(const IngestJob& job, const std::string& work, Product product,
                              base::TimePoint began) {
  const std::string folder = folder_of(job.media);
  const auto url = [&](const std::string& name) { return media::url_of_file(job.media, name); };
  for (media::Asset& asset : product.assets) asset.url = url(asset.url);
  for (media::Captions& track : product.captions) track.url = url(track.url);
  if (!product.storyboard.empty()) product.storyboard = url(product.storyboard);
  if (product.thumbnail) product.thumbnail->url = url(product.thumbnail->url);
  const auto drop = [&](const std::string& made) {
    discard_folder(made, work_);
    unlink(upload_of(job.media).c_str());
    base::log::info("ingest.dropped", {{"media", job.media.value()}});
    return Outcome::Finished;
  };
  const auto processing = persistently([&] { return is_processing(job); });
  if (!processing) return Outcome::Later;
  if (!*processing) return drop(work);  // deleted, or finished by another process that took it over
  // Left by an attempt that ended before the record was written.
  discard_folder(folder, work_);
  // Closed, until the record says whether it is open.
  if (!closes(work) || std::rename(work.c_str(), folder.c_str()) != 0 ||
      !sync_folder(folders_.media)) {
    const int error = errno;
    return delay(job, {false, why_not_stored(error), "", !why_no_room(folders_.media).empty()});
  }
  const auto guarded = persistently([&] { return guards_.guard(job.media); });
  if (!guarded) return Outcome::Later;
  if (!*guarded) {
    const bool no_room = !why_no_room(folders_.media).empty();
    return delay(job, {false, "the media folder takes no markers", "", no_room});
  }
  // Before the record: an attempt that ends in between is repeated.
  const std::uint64_t bytes = size_below(folder);
  std::string unwritable;
  const auto write = [&] {
    wait(queue_.count_bytes(job.account, job.media, bytes));
    const auto ready = wait(registry_.change_media(job.media, [&](media::Media& record) {
      if (record.status == Status::Ready) return false;
      record.type = product.type;
      record.duration = product.duration;
      record.native = product.native;
      set_own_poster(record, product.thumbnail);
      record.assets = product.assets;
      record.captions = library::with_set_captions(product.captions, record.captions);
      if (record.chapters.empty()) record.chapters = product.chapters;
      record.storyboard = product.storyboard;
      record.status = Status::Ready;
      record.updated = text::to_rfc3339(clock_.now());
      return true;
    }));
    if (ready) wait(queue_.weigh(*ready));
    const bool has_media = wait(registry_.has_media(job.media));
    if (!has_media) wait(queue_.forget_upload(job.account, job.media));
    return has_media;
  };
  const auto exists = persistently([&] {
    try {
      return write();
    } catch (const base::Unwritable& refused) {
      unwritable = refused.what();
      return true;
    }
  });
  if (!exists) return Outcome::Later;
  if (!unwritable.empty()) {
    discard_folder(folder, work_);
    return refuse(job, "its record cannot be stored: " + unwritable);
  }
  if (!*exists) return drop(folder);  // deleted during the conversion
  unlink(upload_of(job.media).c_str());
  const std::chrono::duration<double> taken = loop_.clock().now() - began;
  base::log::info("ingest.ready", {{"media", job.media.value()}, {"seconds", taken.count()}});
  return Outcome::Finished;
}

void Runner::forget(IngestJob dead) {
  const std::string id = dead.media.value();
  // The record first: without it, svcctl cannot repeat the job any more.
  try {
    bool is_ready = false;
    wait(registry_.remove_media(dead.media, [&](const media::Media& record) {
      is_ready = record.account != dead.account || record.status == Status::Ready;
      return !is_ready;
    }));
    if (!is_ready) wait(queue_.forget_upload(dead.account, dead.media));
  } catch (const base::Unreadable&) {
    // It stays: a later version may be able to read it.
  }
  unlink(upload_of(dead.media).c_str());
  wait(queue_.forget(std::move(dead)));
  base::log::info("ingest.forgotten_upload", {{"media", id}});
}

std::vector<IngestJob> Runner::failed_jobs() {
  std::unordered_set<std::string> seen;
  std::vector<IngestJob> jobs;
  std::vector<IngestJob> dead = wait(queue_.dead());
  // The newest first: it counts if a media has several.
  std::ranges::reverse(dead);
  for (IngestJob& job : dead) {
    surroundings_.alive();
    if (seen.insert(job.media.value()).second) {
      jobs.push_back(std::move(job));
    } else {
      wait(queue_.forget(std::move(job)));
    }
  }
  std::ranges::reverse(jobs);
  return jobs;
}

void Runner::bound_failures(std::vector<IngestJob>& failed) {
  std::vector<FailedUpload> uploads;
  for (const IngestJob& job : failed)
    uploads.push_back({job.account, size_of(upload_of(job.media)).value_or(0)});
  std::error_code error;
  const fs::space_info disk = fs::space(folders_.uploads, error);
  if (!error) {
    for (const std::size_t index : too_large(uploads, disk.available)) {
      unlink(upload_of(failed[index].media).c_str());
      wait(queue_.count_bytes(failed[index].account, failed[index].media, 0));
      base::log::warn("ingest.no_room_for_failed", {{"media", failed[index].media.value()}});
    }
  }
  std::vector<std::size_t> superfluous = too_many(uploads);
  std::ranges::sort(superfluous, std::ranges::greater());
  for (const std::size_t index : superfluous) {
    surroundings_.alive();
    forget(std::move(failed[index]));
    failed.erase(failed.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

void Runner::shorten(const IngestJob& dead) {
  const std::string name =
      dead.file.name.empty() ? std::string(media::kFallbackName) : dead.file.name;
  try {
    const auto shortened = wait(registry_.change_media(dead.media, [&](media::Media& record) {
      if (record.account != dead.account || record.status != Status::Failed) return false;
      if (record.name == name && record.description.empty()) return false;
      record.name = name;
      record.description.clear();
      return true;
    }));
    if (shortened) wait(queue_.weigh(*shortened));
  } catch (const base::Unreadable&) {
    // It stays: a later version may be able to read it.
  }
}

// Jobs that failed long ago, with their uploads and media. Returns the media of all
// other jobs.
std::unordered_set<std::string> Runner::forget_old_jobs() {
  std::unordered_set<std::string> wanted;
  const auto add_waiting = [&] {
    for (const IngestJob& job : wait(queue_.waiting())) wanted.insert(job.media.value());
  };
  // Before and after: in between, a job may fail on another machine, or svcctl may repeat it.
  add_waiting();
  std::vector<IngestJob> failed = failed_jobs();
  add_waiting();
  std::erase_if(failed, [&](const IngestJob& job) { return wanted.contains(job.media.value()); });
  bound_failures(failed);
  for (IngestJob& job : failed) {
    surroundings_.alive();
    wanted.insert(job.media.value());
    const std::chrono::seconds age(clock_.now() - job.added() / 1000);
    if (age >= failed_kept_) {
      forget(std::move(job));
    } else if (age >= kTextsKept) {
      shorten(job);
    }
  }
  return wanted;
}

bool Runner::has_many_failures() const {
  std::error_code error;
  return failed_ >= kFailuresAtOnce ||
         (failed_ > 0 && failed_bytes_ > fs::space(folders_.uploads, error).available / 8);
}

// Uploads without a job: their worker ended between two steps. Never a finished
// media: with an empty store, no media would have a record.
void Runner::clean_up() {
  failed_ = 0;
  failed_bytes_ = 0;
  // Entries of jobs that ended in another process, or with their media.
  const auto is_over = [now = loop_.clock().now()](const auto& entry) {
    return entry.second <= now;
  };
  std::erase_if(postponed_, is_over);
  const std::unordered_set<std::string> wanted = forget_old_jobs();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folders_.uploads, error)) {
    surroundings_.alive();
    std::error_code unknown;
    if (!entry.is_regular_file(unknown)) continue;
    const std::string name = entry.path().filename().string();
    if (wanted.contains(name)) continue;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(unknown);
    if (unknown || age < kForgotten) continue;
    fs::remove(entry.path(), unknown);
    base::log::info("ingest.forgotten_upload", {{"media", name}});
  }
}

}  // namespace svc::ingest
