// Exchange: one FastCGI request in, one response out. libfcgi stops here.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fastcgi/listener.h"
#include "http/request.h"
#include "http/response.h"

namespace svc::fastcgi {

// Told as a request goes on, for the scoreboard.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void handling(const http::Request& request) = 0;
  virtual void writing(int status) = 0;
};

class Exchange {
 public:
  // In the worker, after fork(): libfcgi sets up state of the process once.
  Exchange();
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  enum class After { Keep, Drop, Closed };

  // Answers the request that is ready. Keep: the peer asked for it, everything of the request was
  // read and everything of the answer written. The descriptor stays open and the caller's, but for
  // Closed: then libfcgi found what it could not read, and has closed it.
  After serve(const Ready& ready, Progress& progress,
              const std::function<http::Response(const http::Request&)>& handler);

 private:
  struct Impl;
  After serve_on(int fd, Progress& progress,
                 const std::function<http::Response(const http::Request&)>& handler);
  After serve_collected(const Ready& ready, Progress& progress,
                        const std::function<http::Response(const http::Request&)>& handler);

  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::fastcgi
