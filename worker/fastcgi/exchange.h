// Exchange: one FastCGI request in, one response out. libfcgi stops here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fastcgi/listener.h"
#include "http/request.h"
#include "http/response.h"

namespace svc::fastcgi {

class Exchange {
 public:
  // In the worker, after fork(): the first sets up libfcgi's state of the process, and ends the
  // process where libfcgi would not use what codec_io gives it.
  Exchange();
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Reads the request that is ready, all of it. False when there is nothing to answer: it was cut
  // short, or is no request at all; then the connection is not to be kept.
  bool receive(const Ready& ready);

  // What receive() answered by itself, with 400, in place of handing it out.
  const std::optional<Refused>& refused() const;

  // What was received; its views live until respond().
  const http::Request& request() const;

  // Sends the answer to it, of which a HEAD gets no body.
  void respond(const http::Response& response);
  // The same for an answer that is bytes already: its head as http::append_head() writes it, and
  // its body, empty for a HEAD.
  void send(std::string_view head, std::string_view body);

  // Behind send(), respond() or a receive() that was false: whether the connection is good for a
  // next request. The peer asked for it, everything of the request was read and everything of the
  // answer written. It is the caller's either way.
  bool may_keep() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace svc::fastcgi
