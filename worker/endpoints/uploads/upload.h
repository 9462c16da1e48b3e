// Upload: the first half of an upload (oauth-S2, pages-W12), for the role upload.
//
// nginx has asked the grant or the web pool for permission and written the body
// to a file, which this moves to the folder of uploads: the process reads only
// the beginning and the end of it. It runs as nginx's user, and parses what
// strangers sent: so it has no store, no key and no say in whose upload it is.
//
// No client sees its response: nginx hands ReceivedUpload on to the pool that
// permitted the upload (endpoints/uploads/upload_commit.h), and deletes the file unless
// it was moved.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "endpoints/uploads/received_upload.h"
#include "http/endpoint.h"
#include "loop/threads.h"
#include "media/upload_form.h"

namespace svc::endpoints {

class Upload : public http::Endpoint {
 public:
  // `folder`: for uploads, without a slash at its end. Bodies are in
  // `folder`/incoming/.
  Upload(std::string folder, loop::Loop& loop) : folder_(std::move(folder)), threads_(loop) {}

  loop::Task<http::Response> answer(const http::Request& request) override;

 private:
  // Throws base::Unavailable if a thread cannot be started.
  template <class T>
  loop::Task<T> in_thread(std::function<T()> work);
  // `kept`: where the file is if nginx sends the request again. Throws base::Unavailable if it is
  // at neither place.
  loop::Task<ReceivedUpload> read(const http::Request& request, std::string boundary,
                                  std::string kept);
  // Moves the body to `to`. Returns nullopt, or why not: the disk is full. Throws
  // base::Unavailable for other errors.
  loop::Task<std::optional<ReceivedUpload::Problem>> keep(const http::Request& request,
                                                          std::string to);

  const std::string folder_;
  loop::Threads threads_;
};

}  // namespace svc::endpoints
