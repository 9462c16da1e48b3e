#include "ctl/commands/jobs.h"

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "media/media.h"
#include "redis/catalog_registry.h"
#include "redis/ingest_queue.h"
#include "redis/uploads.h"
#include "text/json.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

using redis::IngestJob;

// svcctl takes no jobs, so it is no consumer.
redis::IngestQueue queue_of(const Context& context) { return {context.store.redis, "svcctl"}; }

constexpr std::size_t kMostDeletions = 10'000;  // shown

Outcome list_jobs(const Arguments& arguments, Context& context) {
  redis::IngestQueue queue = queue_of(context);
  redis::Uploads uploads(context.store.redis);
  const std::vector<IngestJob> waiting = context.store.run(queue.waiting());
  const std::vector<IngestJob> dead = context.store.run(queue.dead());
  const auto deletions = context.store.run(queue.deletions(kMostDeletions));
  if (waiting.empty() && dead.empty() && deletions.empty() && !arguments.json()) {
    std::cerr << "no jobs\n";
    return kDone;
  }
  Table table(std::cout, {{"HASHED ID", 12}, {"JOB", 6}, {"STATUS", 8}, {"ADDED", 20}, {"REASON"}});
  const auto print = [&](const media::HashedId& media, const std::string& job,
                         const std::string& status, std::int64_t milliseconds,
                         const std::string& reason) {
    const std::string added = text::to_rfc3339(milliseconds / 1000);
    if (!arguments.json()) {
      table.row({media.text(), job, status, added, reason});
      return;
    }
    Report()
        .text("hashed_id", media.text())
        .text("job", job)
        .text("status", status)
        .text("added", added)
        .text("reason", reason)
        .print(std::cout, true);
  };
  for (const auto& deletion : deletions) {
    if (!deletion.media) continue;  // svcctl changes nothing here: svc-ingest drops it
    print(*deletion.media, "delete", "waiting", redis::added_at(deletion.id), "");
  }
  for (const IngestJob& job : waiting) {
    const double progress = context.store.run(uploads.progress(job.media));
    std::string status = "waiting";
    if (progress > 0) status = std::to_string(static_cast<int>(progress * 100)) + " %";
    print(job.media, "ingest", status, job.added(), "");
  }
  for (const IngestJob& job : dead) print(job.media, "ingest", "given up", job.added(), job.reason);
  return kDone;
}

// The given-up job of a media.
std::optional<IngestJob> find_dead(const Context& context, redis::IngestQueue& queue,
                                   const std::string& id) {
  for (IngestJob& job : context.store.run(queue.dead())) {
    if (job.media.text() == id) return std::move(job);
  }
  return std::nullopt;
}

Outcome retry_job(const Arguments& arguments, Context& context) {
  const std::string& id = arguments.operand(0);
  redis::IngestQueue queue = queue_of(context);
  auto job = find_dead(context, queue, id);
  if (!job) return Refusal{"no job of " + printable(id) + " was given up; svcctl jobs list"};
  redis::CatalogRegistry registry(context.store.redis);
  const auto changed = context.store.run(registry.change_media(job->media, [](media::Media& media) {
    media.status = media::Status::Queued;
    media.failure.clear();
    return true;
  }));
  if (!changed) return Refusal{"there is no media " + id + " any more"};
  context.store.run(queue.revive(std::move(*job)));
  std::cout << "the job of " << id << " waits again\n";
  return kDone;
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
                       "first; then those that svc-ingest has given up after five attempts, with "
                       "the reason, for 30 days. Accounts take turns. A file that "
                       "cannot be used is no such job: its media has the status failed, and "
                       "\"svcctl media show\" the reason."},
           .run = list_jobs},
          {.name = "jobs retry",
           .summary = "Repeat a job that was given up",
           .syntax = {.operands = {{.takes = Takes::text("HASHED_ID"),
                                    .help = "the media's hashed id"}}},
           .details = {"The file that was uploaded is kept until then. To delete it, delete the "
                       "media."},
           .run = retry_job}}};
  return kGroup;
}

}  // namespace svc::ctl
