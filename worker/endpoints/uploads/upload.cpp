#include "endpoints/uploads/upload.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/digest.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "endpoints/body_fields.h"
#include "text/multipart.h"

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
int move_file(const std::string& from, const std::string& to, const std::string& folder) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    if (error != ENOENT || access(to.c_str(), F_OK) != 0) return error;
  }
  if (sync(folder, O_RDONLY | O_DIRECTORY)) return 0;
  return errno != 0 ? errno : EIO;
}

http::Response handed_on(const ReceivedUpload& received) {
  http::Response response;
  response.status = ReceivedUpload::kStatus;
  response.with(ReceivedUpload::kHeader, received.to_text());
  return response;
}

ReceivedUpload refused_upload(int status, std::string why, std::string digest = "") {
  return {std::move(digest),
          base::Refusal{ReceivedUpload::Problem{status, {media::kFileField, std::move(why)}}}};
}

}  // namespace

// A disk that is busy must not delay other uploads.
template <class T>
loop::Task<T> Upload::in_thread(std::function<T()> work) {
  try {
    co_return co_await threads_.run<T>(std::move(work));
  } catch (const std::system_error& error) {
    throw base::Unavailable(std::string("cannot start a thread: ") + error.what());
  }
}

loop::Task<http::Response> Upload::answer(const http::Request& request) {
  const auto boundary = text::multipart_boundary(request.content_type);
  if (!boundary)
    co_return handed_on(
        refused_upload(415, "the body must be multipart/form-data, with a boundary"));
  if (request.request_id.empty()) throw base::Unavailable("an upload has no id");
  // The commit derives the same id.
  const std::string to = folder_ + "/" + media::id_of_upload(request.request_id).value();
  ReceivedUpload received = co_await read(request, *boundary, to);
  if (received.form) {
    std::optional<ReceivedUpload::Problem> problem = co_await keep(request, to);
    if (problem) received.form = base::Refusal{*std::move(problem)};
  }
  co_return handed_on(received);
}

loop::Task<ReceivedUpload> Upload::read(const http::Request& request, std::string boundary,
                                        std::string kept) {
  const auto unreadable = [](const std::string& why) {
    return refused_upload(422, why, base::to_hex(base::sha256(why)));
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
  const ReadForm form = co_await in_thread(std::move(work));
  if (!form) throw base::Unavailable("the body of an upload cannot be read");
  if (!*form) co_return unreadable(form->error());
  std::string digest = base::to_hex(base::sha256(canonical_form(**form)));
  auto read = media::read_upload_form(**form, "");
  if (!read)
    co_return ReceivedUpload{std::move(digest),
                             base::Refusal{ReceivedUpload::Problem{422, read.error()}}};
  co_return ReceivedUpload{std::move(digest), *std::move(read)};
}

loop::Task<std::optional<ReceivedUpload::Problem>> Upload::keep(const http::Request& request,
                                                                std::string to) {
  std::function<int()> work = [from = std::string(request.body_file), to, folder = folder_] {
    const int error = write_through(from, to);
    return error != 0 ? error : move_file(from, to, folder);
  };
  const int error = co_await in_thread(std::move(work));
  if (error == 0) co_return std::nullopt;
  unlink(to.c_str());
  if (error == ENOSPC || error == EDQUOT)
    co_return ReceivedUpload::Problem{
        507, {media::kFileField, "the disk is full; nothing of the upload was stored"}};
  base::log::error("upload.not_kept", {{"reason", std::strerror(error)}});
  throw base::Unavailable("an upload cannot be kept");
}

}  // namespace svc::endpoints
