#include "endpoints/upload.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "base/hex.h"
#include "base/log.h"
#include "base/number.h"
#include "base/paths.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "endpoints/body_fields.h"
#include "endpoints/media_response.h"
#include "http/api_error.h"
#include "http/refusal.h"
#include "library/project_service.h"
#include "media/file_title.h"
#include "media/upload_form.h"
#include "oauth/operation.h"
#include "text/multipart.h"
#include "text/rfc3339.h"

namespace svc::endpoints {
namespace {

// A disk writes 2 GB in this time, even a slow one. nginx/svc-upload-body.conf
// has a little more.
constexpr base::Duration kForTheDisk = std::chrono::minutes(2);

// Nothing of the name can lead out of the folder.
bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() &&
         path.substr(folder.size()).find('/') == std::string_view::npos &&
         !path.substr(folder.size()).starts_with('.');
}

// The result of the reading thread: nullopt if the file cannot be read.
using ReadForm = std::optional<base::Result<text::Multipart, std::string>>;

ReadForm read_form(const std::string& path, const std::string& boundary) {
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return std::nullopt;
  const auto read = [&](std::uint64_t offset, std::size_t length) {
    std::string piece(length, '\0');
    std::size_t got = 0;
    while (got < length) {
      const ssize_t now =
          pread(file.get(), piece.data() + got, length - got, static_cast<off_t>(offset + got));
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) break;
      got += static_cast<std::size_t>(now);
    }
    piece.resize(got);
    return piece;
  };
  return text::read_multipart(boundary, static_cast<std::uint64_t>(status.st_size), read);
}

bool sync(const std::string& path, int flags) {
  const base::UniqueFd file(open(path.c_str(), flags | O_CLOEXEC));
  return file && fsync(file.get()) == 0;
}

// Writes the body through to the disk. svc-ingest is another user; the folder is
// closed to all others. Returns 0 or errno. If nginx sends the request again, the
// file is at `to` already.
int write_through(const std::string& from, const std::string& to) {
  if (chmod(from.c_str(), 0644) != 0 && errno != ENOENT) return errno;
  if (sync(from, O_RDONLY) || (errno == ENOENT && sync(to, O_RDONLY))) return 0;
  return errno != 0 ? errno : EIO;
}

// Moves the body to `to`, so that it outlives the request and a power failure.
// Returns as write_through().
int keep(const std::string& from, const std::string& to, const std::string& folder) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    if (error != ENOENT || access(to.c_str(), F_OK) != 0) return error;
  }
  if (sync(folder, O_RDONLY | O_DIRECTORY)) return 0;
  return errno != 0 ? errno : EIO;
}

// The folder of the pages of an account's uploads: pages::UploadsPage.
std::string media_folder(media::AccountId account) {
  return base::paths::kAccountMedia.with(std::to_string(account.value())) + "/";
}

std::string random_id(base::Entropy& entropy) {
  std::array<unsigned char, 16> bytes{};
  entropy.fill(bytes);
  return base::to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

ApiOperation Upload::describe() {
  ApiOperation post{.method = "POST", .id = "uploadMedia", .summary = "Upload a file"};
  post.about =
      "The file is converted afterwards: `status` and `progress` of the media tell how far it is. "
      "The token is in the query only. A repetition with an Idempotency-Key sends the whole file "
      "again, which is compared by its name and size.";
  post.needs = &oauth::kUploadMedia;
  post.credentials = Credentials::Query;
  post.is_repeatable = true;
  DescribedField file{std::string(media::kFileField), a_file(),
                      "A video, a sound, an image or a PDF. Behind the other fields.", true,
                      R"("film.mp4")"};
  DescribedField name = describe_name(false, R"("A film")");
  name.about += " If it is absent, the media has the name of the file.";
  post.body = {{name,
                describe_description(),
                {std::string(media::kProjectField), project_id_schema(),
                 "The id of a project of the account.", false},
                {std::string(media::kVisibilityField), visibility_schema(),
                 "Who may watch it; `public` if it is absent.", false},
                file},
               "",
               true};
  post.response =
      json_response(201, "The media, with the status `queued`.", a_record(kMediaRecord));
  post.refusals = {{507,
                    "The disk is full, or the account has as many uploads, or bytes of files, "
                    "as are allowed. 429: too many of its uploads wait."}};
  return post;
}

// A page has this header already.
void Upload::add_common_headers(http::Response& response) const {
  const bool has = std::ranges::any_of(
      response.headers, [](const http::Header& each) { return each.name == "Cache-Control"; });
  if (!has) response.with("Cache-Control", "no-store");
}

http::Response Upload::refuse(const http::Request& request, int status,
                              std::string_view why) const {
  if (request.upload_answer.empty()) return http::api_error(status, why);
  return request.upload_answer == "html" ? page_(request, site_, status, why)
                                         : http::json_error(status, why);
}

http::Response Upload::refuse(const http::Request& request,
                              const media::FormProblem& problem) const {
  if (!request.upload_answer.empty()) return refuse(request, 422, problem.sentence());
  return http::api_invalid_fields({{std::string(problem.field), problem.words}});
}

std::optional<http::Response> Upload::unavailable(const http::Request& request) const {
  if (request.upload_answer.empty()) return std::nullopt;
  if (request.upload_answer == "html") return page_(request, site_, 503, "");
  return http::refusal(http::ErrorForm::Json, request, 503, "").with("Retry-After", "1");
}

// A disk that is busy must not delay other uploads.
template <class T>
loop::Task<T> Upload::in_thread(std::function<T()> work) {
  try {
    loop::Task<T> running = threads_.run<T>(std::move(work));
    T value = co_await running;
    co_return value;
  } catch (const std::system_error& error) {
    throw base::Unavailable(std::string("cannot start a thread: ") + error.what());
  }
}

loop::Task<http::Response> Upload::answer(const http::Request& request) {
  const auto account =
      base::parse_number<std::int64_t>(request.upload_account, 1, media::kMaxIntegerId);
  if (!account) co_return http::api_error(403, "uploads need permission first");
  const auto boundary = text::multipart_boundary(request.content_type);
  if (!boundary)
    co_return refuse(request, 415, "the body must be multipart/form-data, with a boundary");
  const media::HashedId id = media::id_of_upload(
      request.request_id.empty() ? random_id(entropy_) : std::string(request.request_id));
  const std::string to = folder_ + "/" + id.value();
  auto reading = read(request, *boundary, to);
  Body body = co_await reading;
  if (body.form) {
    // Before the key is claimed: it may take longer than a claim is valid. nginx deletes the file
    // of a request that is refused.
    std::function<int()> write = [from = std::string(request.body_file), to] {
      return write_through(from, to);
    };
    loop::Task<int> writing = in_thread(std::move(write));
    const int error = co_await writing;
    auto refusal = why_not_kept(request, error);
    if (refusal) co_return std::move(*refusal);
  }
  auto taking = take(request, std::move(body.form), media::AccountId{*account}, id);
  if (request.upload_grant.empty()) co_return co_await taking;
  const Repeated::Owner owner{oauth::GrantId{std::string(request.upload_grant)}, {*account}};
  auto answering = repeated_.answer(request, owner, std::move(body.canonical), std::move(taking));
  co_return co_await answering;
}

loop::Task<Upload::Body> Upload::read(const http::Request& request, std::string boundary,
                                      std::string kept) {
  const auto unreadable = [](std::string why) {
    return Body{why, base::Refusal{media::FormProblem{media::kFileField, why}}};
  };
  const std::string body(request.body_file);
  if (!is_below(body, folder_ + "/incoming/"))
    co_return unreadable("the form has no file: the body is empty");
  if (request.peer != nullptr) request.peer->takes_longer(kForTheDisk);
  std::function<ReadForm()> work = [body, kept, boundary] {
    ReadForm form = read_form(body, boundary);
    if (!form) form = read_form(kept, boundary);
    return form;
  };
  loop::Task<ReadForm> reading = in_thread(std::move(work));
  const ReadForm form = co_await reading;
  if (!form) throw base::Unavailable("the body of an upload cannot be read");
  if (!*form) co_return unreadable(form->error());
  co_return Body{canonical_form(**form),
                 media::read_upload_form(**form, text::to_rfc3339(clock_.now()))};
}

std::optional<http::Response> Upload::why_not_kept(const http::Request& request, int error) const {
  if (error == 0) return std::nullopt;
  if (error == ENOSPC || error == EDQUOT)
    return refuse(request, 507, "the disk is full; nothing of the upload was stored");
  base::log::error("upload.not_kept", {{"reason", std::strerror(error)}});
  throw base::Unavailable("an upload cannot be kept");
}

loop::Task<http::Response> Upload::take(const http::Request& request, Form form,
                                        media::AccountId account, media::HashedId id) {
  if (!form) co_return refuse(request, form.error());
  media::Media& media = form->media;
  media.id = id;
  media.account = account;
  // An application gets the name of the file.
  if (!request.upload_answer.empty() && media.name == form->file.name)
    media.name = media::title_of_file(media.name);
  if (media.is_private()) end_links(media, clock_.now_ms());
  std::optional<media::Project> project;
  const media::FormProblem no_project{media::kProjectField, "must be a project of the account"};
  if (media.project) {
    project = co_await catalog_.find_project(*media.project);
    if (!project || project->account != account) co_return refuse(request, no_project);
  }
  const std::string from(request.body_file);
  const std::string to = folder_ + "/" + id.value();
  std::function<int()> keep_file = [from, to, folder = folder_] { return keep(from, to, folder); };
  loop::Task<int> work = in_thread(std::move(keep_file));
  const int error = co_await work;
  auto refusal = why_not_kept(request, error);
  if (refusal) {
    unlink(to.c_str());
    co_return std::move(*refusal);
  }
  // If this fails the file stays: the record may exist nevertheless. svc-ingest
  // deletes the file with a job that has no record, and one without a job after a
  // day.
  loop::Task<bool> adding = library::add_upload(uploads_, projects_, media, form->file);
  const bool is_added = co_await adding;
  // The project was deleted since. The file stays too: it may be that of the first try.
  if (!is_added) co_return refuse(request, no_project);
  if (request.upload_answer == "html") {
    http::Response seen;
    seen.status = 303;
    seen.about = id.value();
    seen.with("Location", media_folder(account) + id.value());
    co_return seen;
  }
  http::Response response = media_response(media, media_json(site_, media, project, 0));
  response.status = 201;
  response.with("Location", site_.url(base::paths::kMedia, id.value()));
  co_return response;
}

}  // namespace svc::endpoints
