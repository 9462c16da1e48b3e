#include "fastcgi/exchange.h"

#include <fcgiapp.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/unique_fd.h"

namespace svc::fastcgi {
namespace {

struct Parameter {
  std::string_view name;
  std::string_view http::Request::*field;
};
// What nginx sets for us (nginx/svc-fastcgi.conf); everything else it might send is left alone.
constexpr std::array<Parameter, 12> kParameters{{
    {"REQUEST_METHOD", &http::Request::method},
    {"DOCUMENT_URI", &http::Request::path},
    {"QUERY_STRING", &http::Request::query},
    {"REQUEST_SCHEME", &http::Request::scheme},
    {"HTTP_HOST", &http::Request::host},
    {"REMOTE_ADDR", &http::Request::remote_address},
    {"REQUEST_ID", &http::Request::request_id},
    {"CONTENT_TYPE", &http::Request::content_type},
    {"HTTP_IF_NONE_MATCH", &http::Request::if_none_match},
    {"HTTP_AUTHORIZATION", &http::Request::authorization},
    {"HTTP_COOKIE", &http::Request::cookie},
    {"HTTP_ORIGIN", &http::Request::origin},
}};

// Sets what the parameters say and gives CONTENT_LENGTH back: -1 when it is not a number.
long long read_parameters(char** environment, http::Request& request) {
  long long content_length = 0;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const std::string_view pair(*entry);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    const std::string_view value = pair.substr(equals + 1);
    if (name == "CONTENT_LENGTH") {
      if (value.empty()) continue;
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), content_length);
      if (error != std::errc{} || end != value.data() + value.size() || content_length < 0)
        return -1;
      continue;
    }
    for (const Parameter& parameter : kParameters) {
      if (parameter.name == name) {
        request.*parameter.field = value;
        break;
      }
    }
  }
  return content_length;
}

}  // namespace

struct Exchange::Impl {
  FCGX_Request fcgi{};
  http::Request request;
  std::string body;
  std::string head;
  std::optional<Refused> refused;
  After after = After::Drop;
  int peer = -1;
  // Where a request was collected: libfcgi's end of a pair, and ours.
  base::UniqueFd inner;
  base::UniqueFd outer;

  void take_back() {
    fcgi.ipcFd = -1;
    fcgi.keepConnection = 0;
  }
};

Exchange::Exchange() : impl_(std::make_unique<Impl>()) {
  // Read by FCGX_Init: a close of libfcgi's must not wait for the peer.
  setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 1);
  if (FCGX_Init() != 0) std::abort();
  // No listening socket: when a connection fails, libfcgi gives up instead of accepting another.
  FCGX_InitRequest(&impl_->fcgi, -1, 0);
}

Exchange::~Exchange() = default;

const http::Request& Exchange::request() const { return impl_->request; }

const std::optional<Refused>& Exchange::refused() const { return impl_->refused; }

// The bytes are ours already, but libfcgi only reads descriptors: it gets one end of a socket pair.
bool Exchange::relay_collected(const Ready& ready) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  impl_->inner.reset(ends[0]);
  impl_->outer.reset(ends[1]);
  // Room for the whole request and the whole answer, since nobody reads while the other writes. An
  // answer that does not fit runs into the time limit, and the connection is dropped.
  const int room = 4 * 1024 * 1024;
  setsockopt(impl_->outer.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  setsockopt(impl_->inner.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  const timeval timeout{1, 0};
  setsockopt(impl_->inner.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  return ::send(impl_->outer.get(), ready.collected.data(), ready.collected.size(),
                MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(ready.collected.size());
}

// Leaves the request unanswered.
void Exchange::abandon() {
  FCGX_Free(&impl_->fcgi, 0);
  impl_->take_back();
}

bool Exchange::receive(const Ready& ready) {
  FCGX_Request& fcgi = impl_->fcgi;
  impl_->request = {};
  impl_->refused.reset();
  impl_->after = After::Drop;
  impl_->peer = ready.fd;
  if (!ready.collected.empty() && !relay_collected(ready)) return false;
  // libfcgi takes a descriptor that stands here for a kept connection, and skips its accept.
  fcgi.ipcFd = impl_->inner ? impl_->inner.get() : ready.fd;
  fcgi.keepConnection = 1;
  if (FCGX_Accept_r(&fcgi) != 0) {
    impl_->take_back();
    if (impl_->inner) {
      impl_->inner.release();
    } else {
      impl_->after = After::Closed;
    }
    return false;
  }
  const bool asked_to_keep = fcgi.keepConnection != 0;
  // From here on we decide whether the connection stays: libfcgi would wait for the peer, twice.
  fcgi.keepConnection = 1;
  if (FCGX_GetError(fcgi.in) != 0) return abandon(), false;
  const long long content_length = read_parameters(fcgi.envp, impl_->request);
  // To its end, whatever it is: what is left unread would be taken for the next request.
  std::string& body = impl_->body;
  body.clear();
  std::array<char, 8192> piece;  // NOLINT: filled below
  while (const int got = FCGX_GetStr(piece.data(), static_cast<int>(piece.size()), fcgi.in)) {
    body.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (FCGX_GetError(fcgi.in) != 0) return abandon(), false;
  // A body that is shorter than announced was cut on its way; one that is longer hides something.
  if (content_length != static_cast<long long>(body.size())) {
    if (content_length > static_cast<long long>(body.size())) return abandon(), false;
    impl_->refused = {std::string(impl_->request.path), 400};
    respond(http::json_error(400, "the body's length is not what Content-Length says"));
    impl_->after = After::Drop;
    return false;
  }
  impl_->request.body = body;
  // libfcgi reads ahead, so when a next request is there already, its first bytes may be gone with
  // this one's buffer. The peer is told by a close, not left waiting.
  impl_->after = asked_to_keep && ready.alone ? After::Keep : After::Drop;
  return true;
}

void Exchange::respond(const http::Response& response) {
  std::string& head = impl_->head;
  head.clear();
  http::append_head(head, response);
  send(head, impl_->request.method == "HEAD" ? std::string_view() : response.body);
}

void Exchange::send(std::string_view head, std::string_view body) {
  FCGX_Request& fcgi = impl_->fcgi;
  // libfcgi writes on after a write that failed, each time for the whole time limit; together they
  // would outlast the request's deadline, and the worker be ended for it. Then they fail at once.
  const auto give_up = [&] { shutdown(fcgi.ipcFd, SHUT_RDWR); };
  for (const std::string_view piece : {head, body}) {
    if (!piece.empty() && FCGX_PutStr(piece.data(), static_cast<int>(piece.size()), fcgi.out) < 0) {
      give_up();
    }
  }
  // In this order the end of the errors, of the answer and of the request go out with one write.
  // Not FCGX_Finish_r: it would close the descriptor itself where the write failed.
  if (FCGX_FClose(fcgi.err) != 0) give_up();
  if (FCGX_FClose(fcgi.out) != 0) impl_->after = After::Drop;
  FCGX_Free(&fcgi, 0);
  impl_->take_back();
}

Exchange::After Exchange::finish() {
  if (impl_->outer) {
    impl_->inner.reset();
    std::array<char, 16 * 1024> piece;  // NOLINT: filled below
    ssize_t got = 0;
    while ((got = recv(impl_->outer.get(), piece.data(), piece.size(), 0)) > 0) {
      if (::send(impl_->peer, piece.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) != got) {
        // Each further try would wait for as long again, and what follows a gap is no answer.
        impl_->after = After::Drop;
        break;
      }
    }
    impl_->outer.reset();
  }
  return impl_->after;
}

}  // namespace svc::fastcgi
