#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/hex.h"
#include "base/unique_fd.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/services.h"
#include "ctl/printable.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "library/project_service.h"
#include "media/reads.h"
#include "media/upload_form.h"
#include "stores/catalog/catalog.h"
#include "stores/catalog/people.h"
#include "stores/catalog/project_registry.h"
#include "stores/catalog/uploads.h"
#include "text/rfc3339.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPiece = 8 << 20;  // bytes per sendfile(2)

Refusal cannot(const std::string& path) {
  return Refusal{printable(path) + ": " + std::strerror(errno)};
}

// Copies `length` bytes. Returns false and sets errno if it cannot.
bool copy(int from, int to, std::uint64_t length) {
  ProgressBar bar("copying", length);
  std::uint64_t done = 0;
  while (done < length) {
    const ssize_t now = sendfile(to, from, nullptr, kPiece);
    if (now < 0 && errno == EINTR) continue;
    if (now == 0) errno = EIO;  // the file became shorter
    if (now <= 0) return false;
    done += static_cast<std::uint64_t>(now);
    bar.update(done, done);
  }
  return fsync(to) == 0;
}

bool sync_folder(const std::string& path) {
  const base::UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && fsync(folder.get()) == 0;
}

media::HashedId new_id(base::Entropy& entropy) {
  std::array<unsigned char, 16> bytes{};
  entropy.fill(bytes);
  return media::id_of_upload({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Reads the flags as the API reads the form of an upload.
base::Result<media::UploadForm, media::FormProblem> read_form(const Arguments& arguments,
                                                              const std::string& path,
                                                              std::uint64_t size,
                                                              const std::string& now) {
  text::Multipart form;
  form.file = {"file", std::filesystem::path(path).filename().string(), 0, size};
  for (const auto& [flag, field] :
       {std::pair("--name", "name"), std::pair("--description", "description"),
        std::pair("--project", "project_id"), std::pair("--visibility", "visibility")}) {
    if (arguments.has(flag)) form.fields.push_back({field, arguments.value(flag)});
  }
  return media::read_upload_form(form, now);
}

// Waits until the media is ready or failed. Returns nullopt if it was deleted.
std::optional<media::Media> wait_for(const Context& context, const media::HashedId& id) {
  stores::Catalog catalog(context.store.redis);
  stores::Uploads uploads(context.store.redis);
  constexpr std::uint64_t kWhole = 1000;
  ProgressBar bar("processing", kWhole);
  while (true) {
    media::Reads reads;
    auto media = context.store.run(catalog.find_media(id, media::Detail::All, reads));
    if (!media || media->status == media::Status::Ready || media->status == media::Status::Failed)
      return media;
    const double progress = context.store.run(uploads.progress(id));
    const auto done = static_cast<std::uint64_t>(progress * kWhole);
    bar.update(done, done);
    std::this_thread::sleep_for(500ms);
  }
}

Outcome add(const Arguments& arguments, Context& context) {
  const std::string& path = arguments.operand(0);
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return cannot(path);
  if (!S_ISREG(status.st_mode)) return Refusal{printable(path) + " is not a file"};
  auto form = read_form(arguments, path, static_cast<std::uint64_t>(status.st_size),
                        text::to_rfc3339(context.clock.now()));
  if (!form) return Refusal{printable(path) + ": " + form.error().sentence()};
  media::Media& media = form->media;
  media.account = {*arguments.integer("--account")};
  if (media.is_private()) end_links(media, context.clock.now_ms());
  stores::People people(context.store.redis);
  if (!context.store.run(people.find_account(media.account)))
    return Refusal{"there is no account " + std::to_string(media.account.value())};
  if (media.project) {
    stores::Catalog catalog(context.store.redis);
    const auto project = context.store.run(catalog.find_project(*media.project));
    if (!project || project->account != media.account)
      return Refusal{"the account has no project " + printable(media.project->value())};
  }
  media.id = new_id(context.entropy);
  const std::string upload = context.upload_dir + "/" + media.id.value();
  const base::UniqueFd copied(open(upload.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!copied) return cannot(upload);
  if (fchmod(copied.get(), 0644) != 0 ||
      !copy(file.get(), copied.get(), static_cast<std::uint64_t>(status.st_size)) ||
      !sync_folder(context.upload_dir)) {
    const int error = errno;
    unlink(upload.c_str());
    return Refusal{"cannot copy " + printable(path) + " to " + context.upload_dir + ": " +
                   std::strerror(error) + "; nothing was added"};
  }
  const std::string detail = who_is_this() + ", media " + media.id.value();
  record_event(
      context,
      {.what = oauth::event_named<"media.added">(), .account = media.account, .detail = detail});
  stores::Uploads uploads(context.store.redis);
  if (context.store.run(uploads.add(media, form->file, std::nullopt)))
    return Refusal{"the project " + printable(media.project->value()) +
                   " has just been deleted; nothing was added"};
  Report report;
  report.text("hashed_id", media.id.value()).integer("account_id", media.account.value());
  if (arguments.has("--no-wait")) {
    report.text("status", to_text(media.status)).print(std::cout, arguments.json());
    return kDone;
  }
  const auto made = wait_for(context, media.id);
  if (!made) return Refusal{"the media " + media.id.value() + " has been deleted"};
  if (made->status == media::Status::Failed)
    return Refusal{"media " + media.id.value() + " failed: " + made->failure};
  report.text("status", to_text(made->status)).text("type", made->type);
  if (made->duration) report.decimal("duration", *made->duration);
  report.text("name", made->name).print(std::cout, arguments.json());
  return kDone;
}

}  // namespace

Command media_add_command() {
  return {
      .name = "media add",
      .summary = "Add a file to the catalog, as an upload",
      .syntax = {.operands = {{.takes = Takes::file(), .help = "a film, a sound or a document"}},
                 .flags = {{.name = "--account",
                            .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                            .help = "the account that it belongs to",
                            .required = true},
                           {.name = "--project",
                            .takes = Takes::text("ID"),
                            .help = "a project of the account"},
                           {.name = "--name",
                            .takes = Takes::text("TEXT"),
                            .help = "name of the media; otherwise that of the file"},
                           {.name = "--description",
                            .takes = Takes::text("HTML"),
                            .help = "description of the media"},
                           visibility_flag(),
                           {.name = "--no-wait", .help = "do not wait until it is processed"}},
                 .json = kJsonObject},
      .details = {"Copies the file to upload-dir, from where svc-ingest takes it, and shows the "
                  "progress. Run it on a machine that has that folder. An interrupted wait changes "
                  "nothing: \"svcctl media show\" has the status."},
      .run = add};
}

}  // namespace svc::ctl
