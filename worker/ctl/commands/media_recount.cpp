#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/number.h"
#include "ctl/commands/groups.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "ingest/files.h"
#include "media/media.h"
#include "stores/catalog/ingest_queue.h"
#include "stores/catalog/uploads.h"
#include "stores/keys.h"
#include "stores/record_scan.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

struct Measured {
  std::uint64_t bytes = 0;
  std::vector<media::HashedId> folders{};
};
using Sizes = std::map<std::string, Measured>;  // by id of the media

// Returns the size of the files of a media on this machine. `folders`: its other folders.
std::uint64_t bytes_of(const Context& context, const std::string& id,
                       const std::vector<media::HashedId>& folders = {}) {
  std::uint64_t made = ingest::size_below(context.media_dir + "/" + id);
  for (const media::HashedId& folder : folders)
    made += ingest::size_below(context.media_dir + "/" + folder.value());
  return made > 0 ? made : ingest::size_of(context.upload_dir + "/" + id).value_or(0);
}

std::map<std::int64_t, Sizes> measure(const Context& context) {
  std::map<std::int64_t, Sizes> accounts;
  stores::RecordScan scan_accounts(context.store.redis, stores::keys::kAccounts,
                                   redis::Scan::Repeats::Dropped);
  while (const auto records = context.store.run(scan_accounts.next())) {
    for (const stores::StoredRecord& record : *records) {
      const auto id = base::parse_number<std::int64_t>(
          record.key.substr(std::string_view(stores::keys::kAccounts).size()), 1);
      if (id) accounts[*id];
    }
  }
  text::json::Document document;
  stores::RecordScan scan(context.store.redis, stores::keys::kMedias,
                          redis::Scan::Repeats::Dropped);
  ProgressBar bar("media", kWholeStore);
  std::uint64_t seen = 0;
  while (const auto records = context.store.run(scan.next())) {
    for (const stores::StoredRecord& record : *records) {
      const auto media = media::media_from_stored(document, record.text, media::Detail::All);
      if (!media) continue;
      ++seen;
      const std::uint64_t bytes = bytes_of(context, media->id.value(), media->folders);
      if (bytes > 0) accounts[media->account.value()][media->id.value()] = {bytes, media->folders};
    }
    bar.update(part_of_store(scan.fraction_done()), seen);
  }
  return accounts;
}

Outcome recount(const Arguments& arguments, Context& context) {
  for (const std::string& folder : {context.upload_dir, context.media_dir}) {
    if (access(folder.c_str(), R_OK | X_OK) != 0)
      return Refusal{folder + ": " + std::strerror(errno) + "; run it on a machine that has it"};
  }
  stores::Uploads uploads(context.store.redis);
  stores::IngestQueue queue(context.store.redis, "svcctl");
  std::int64_t changed = 0;
  std::int64_t total = 0;
  const auto set = [&](media::AccountId account, const std::string& id, std::uint64_t bytes) {
    const auto media = media::HashedId::parse(id);
    if (!media) return;
    context.store.run(queue.count_bytes(account, *media, bytes));
    ++changed;
  };
  for (const auto& [number, sizes] : measure(context)) {
    const media::AccountId account{number};
    std::map<std::string, std::uint64_t> counted;
    for (const auto& [id, bytes] : context.store.run(uploads.sizes(account)))
      counted[id.value()] = static_cast<std::uint64_t>(bytes);
    for (const auto& [id, measured] : sizes) {
      total += static_cast<std::int64_t>(measured.bytes);
      const auto known = counted.find(id);
      if (known == counted.end() || known->second != measured.bytes)
        set(account, id,
            bytes_of(context, id, measured.folders));  // measured again: the files may have changed
    }
    for (const auto& [id, bytes] : counted) {
      // A new upload has its file before its record.
      if (!sizes.contains(id) && bytes_of(context, id) == 0) set(account, id, 0);
    }
  }
  Report report;
  report.integer("bytes", total).integer("changed", changed).print(std::cout, arguments.json());
  return kDone;
}

}  // namespace

Command media_recount_command() {
  return {
      .name = "media recount",
      .summary = "Measure the files of all uploads again",
      .syntax = {.json = kJsonObject},
      .details = {"Uploads, conversions and deletions keep the bytes of each account, which "
                  "bytes-per-account limits. This command corrects them: once after an upgrade "
                  "from a version that did not, and after files were restored, moved or deleted "
                  "by hand. Run it on a machine that has upload-dir and media-dir."},
      .run = recount};
}

}  // namespace svc::ctl
