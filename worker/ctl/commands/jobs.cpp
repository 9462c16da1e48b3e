#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ctl/commands/groups.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "media/media.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/guard_queue.h"
#include "stores/catalog/ingest_queue.h"
#include "stores/catalog/uploads.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

using stores::IngestJob;

// svcctl is not a consumer, because it never takes jobs.
stores::IngestQueue queue_of(const Context& context) { return {context.store.redis, "svcctl"}; }

constexpr std::string_view kFailed = "failed";
constexpr std::string_view kGivenUp = "given-up";

std::string_view status_of(const IngestJob& job) { return job.is_refused ? kFailed : kGivenUp; }

constexpr std::size_t kMostOfFiles = 10'000;  // shown

constexpr std::string_view kGuardJob = "guard";

std::string_view name_of(stores::FilesJob::Kind kind) {
  switch (kind) {
    case stores::FilesJob::Kind::Deletion: return "delete";
    case stores::FilesJob::Kind::Poster:
    case stores::FilesJob::Kind::Still: return "poster";
    case stores::FilesJob::Kind::Swap: return "swap";
    case stores::FilesJob::Kind::Guard:
    case stores::FilesJob::Kind::GuardAccount: break;
  }
  return kGuardJob;
}

Outcome list_jobs(const Arguments& arguments, Context& context) {
  stores::IngestQueue queue = queue_of(context);
  stores::Uploads uploads(context.store.redis);
  const std::vector<IngestJob> waiting = context.store.run(queue.waiting());
  const std::vector<IngestJob> dead = context.store.run(queue.dead());
  const std::vector<stores::FilesJob> of_files = context.store.run(queue.files_jobs(kMostOfFiles));
  const std::vector<media::Guarded> guards =
      context.store.run(stores::GuardQueue(context.store.redis).waiting(kMostOfFiles));
  if (waiting.empty() && dead.empty() && of_files.empty() && guards.empty() && !arguments.json()) {
    std::cerr << "no jobs\n";
    return kDone;
  }
  Table table(std::cout, {{"HASHED ID", 12}, {"JOB", 6}, {"STATUS", 8}, {"ADDED", 20}, {"REASON"}});
  const auto print = [&](const std::string& media, const std::string& job,
                         const std::string& status, std::int64_t milliseconds,
                         const std::string& reason) {
    const std::string added = milliseconds == 0 ? "" : text::to_rfc3339(milliseconds / 1000);
    if (!arguments.json()) {
      table.row({media, job, status, added, reason});
      return;
    }
    Report()
        .text("hashed_id", media)
        .text("job", job)
        .text("status", status)
        .text("added", added)
        .text("reason", reason)
        .print(std::cout, true);
  };
  const auto subject = [](const auto& job) {
    return job.media ? job.media->value() : "account " + std::to_string(job.account.value());
  };
  // Without a time: however often it is added, it is in the list once.
  for (const media::Guarded& job : guards)
    print(subject(job), std::string(kGuardJob), "waiting", 0, "");
  for (const stores::FilesJob& job : of_files) {
    if (!job.is_readable) continue;  // svcctl changes nothing here: svc-ingest drops it
    print(subject(job), std::string(name_of(job.kind)), "waiting", stores::added_at(job.id), "");
  }
  for (const IngestJob& job : waiting) {
    const double progress = context.store.run(uploads.progress(job.media));
    std::string status = "waiting";
    if (progress > 0) status = std::to_string(static_cast<int>(progress * 100)) + " %";
    print(job.media.value(), "ingest", status, job.uploaded(), "");
  }
  for (const IngestJob& job : dead)
    print(job.media.value(), "ingest", std::string(status_of(job)), job.added(), job.reason);
  return kDone;
}

bool is_expired(const Context& context, const IngestJob& job) {
  const std::chrono::seconds age(context.clock.now() - job.added() / 1000);
  return age >= std::chrono::days(context.failed_upload_days);
}

// The folder may be that of another machine.
bool is_file_gone(const Context& context, const IngestJob& job) {
  return access(context.upload_dir.c_str(), X_OK) == 0 &&
         access((context.upload_dir + "/" + job.media.value()).c_str(), F_OK) != 0 &&
         errno == ENOENT;
}

// Returns an empty text, or why the job cannot be repeated.
std::string why_not(Context& context, stores::IngestQueue& queue, const IngestJob& job) {
  const std::string& id = job.media.value();
  if (is_expired(context, job))
    return "the upload of " + id + " failed more than " +
           std::to_string(context.failed_upload_days) +
           " days ago (failed-upload-days) and has expired: upload the file again";
  if (is_file_gone(context, job))
    return "the file of " + id + " is not in " + context.upload_dir + " any more: upload it again";
  stores::CatalogRegistry registry(context.store.redis);
  bool is_ready = false;
  const auto changed = context.store.run(registry.change_media(job.media, [&](media::Media& media) {
    is_ready = media.status == media::Status::Ready;
    if (is_ready) return false;
    media.status = media::Status::Queued;
    media.failure.clear();
    media.updated = text::to_rfc3339(context.clock.now());
    return true;
  }));
  if (is_ready) return "the media " + id + " is ready";
  if (!changed) return "there is no media " + id + " any more";
  record_event(context, {.what = oauth::event_named<"upload.retried">(),
                         .account = job.account,
                         .detail = who_is_this() + ", media " + id});
  context.store.run(queue.list_again(*changed));
  context.store.run(queue.revive(job));
  return "";
}

Outcome retry_job(const Arguments& arguments, Context& context) {
  const bool has_id = arguments.operands() == 1;
  if (has_id == arguments.has("--all"))
    return wrong_call(context, "it takes a hashed id, or --all for several jobs");
  if (has_id && (arguments.has("--account") || arguments.has("--status")))
    return wrong_call(context, "--account and --status choose from --all");
  stores::IngestQueue queue = queue_of(context);
  const auto account = arguments.integer("--account");
  const std::string& status = arguments.value("--status");
  std::unordered_set<std::string> repeated;
  bool any_refused = false;
  std::vector<IngestJob> dead = context.store.run(queue.dead());
  // The newest first: it counts if a media has several.
  std::ranges::reverse(dead);
  for (IngestJob& job : dead) {
    const std::string id = job.media.value();
    if (has_id && id != arguments.operand(0)) continue;
    if (account && job.account.value() != *account) continue;
    if (!status.empty() && status != status_of(job)) continue;
    if (!repeated.contains(id)) {
      if (const std::string why = why_not(context, queue, job); !why.empty()) {
        if (has_id) return Refusal{why};
        std::cerr << why << "\n";
        any_refused = true;
        continue;
      }
      repeated.insert(id);
      std::cout << "the job of " << id << " waits again\n";
    }
    context.store.run(queue.forget(std::move(job)));
  }
  if (repeated.empty() && has_id)
    return Refusal{"no job of " + printable(arguments.operand(0)) +
                   " has failed, or it has expired (failed-upload-days); svcctl jobs list"};
  if (repeated.empty() && !any_refused) std::cerr << "no such job has failed\n";
  return any_refused ? kRefused : kDone;
}

}  // namespace

const Group& jobs_commands() {
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "jobs",
      .subjects = "Uploads",
      .commands = {
          {.name = "jobs list",
           .summary = "List the jobs of svc-ingest",
           .syntax = {.json = kJsonLines},
           .details = {"Files to delete; then the jobs that wait or are being done, the oldest "
                       "first; then those that failed, with the reason, for failed-upload-days: "
                       "failed, because of the file; given-up, because the machine failed in five "
                       "attempts. Accounts take turns. While the disk is full or read-only, jobs "
                       "wait."},
           .only_reads = always,
           .run = list_jobs},
          {.name = "jobs retry",
           .summary = "Repeat a job that failed",
           .syntax = {.operands = {{.takes = Takes::text("HASHED_ID"),
                                    .help = "the media's hashed id",
                                    .count = Operand::Count::Optional}},
                      .flags = {{.name = "--all", .help = "all jobs that failed"},
                                {.name = "--account",
                                 .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                 .help = "with --all: those of this account"},
                                {.name = "--status",
                                 .takes = Takes::choice("STATUS", {kFailed, kGivenUp}),
                                 .help = "with --all: those with this status in jobs list"}}},
           .details = {"The file that was uploaded is kept for failed-upload-days after it failed. "
                       "Then the media is deleted, too. To delete both before, delete the media.",
                       "The media is queued again. With --all, jobs that cannot be repeated are "
                       "listed on standard error, and the exit status is 1."},
           .run = retry_job}}};
  return kGroup;
}

}  // namespace svc::ctl
