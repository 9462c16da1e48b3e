#include "fastcgi/exchange.h"

#include <fcgiapp.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/log.h"
#include "base/unique_fd.h"
#include "fastcgi/codec_io.h"

namespace svc::fastcgi {
namespace {

// Room for an answer that stays for the next one; a larger one is given back.
constexpr std::size_t kKeptRoom = 64 * 1024;

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

// One request for libfcgi alone, to see that it reads and writes where we say: where its own
// functions cannot be replaced, each request would fail, and nobody would know why.
constexpr std::string_view kEmptyRequest(
    "\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0"  // BEGIN_REQUEST, responder, kept
    "\1\4\0\1\0\0\0\0"                   // the end of PARAMS
    "\1\5\0\1\0\0\0\0",                  // the end of STDIN
    32);

// The function of libfcgi that is its own still, or null. It is given a descriptor that holds
// nothing, for its own functions would use it.
const char* not_replaced() {
  const base::UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  FCGX_Request fcgi{};
  FCGX_InitRequest(&fcgi, -1, 0);
  codec_io::read_from(kEmptyRequest);
  fcgi.ipcFd = nothing.get();
  fcgi.keepConnection = 1;
  if (FCGX_Accept_r(&fcgi) != 0) return "OS_Read";
  std::string answer;
  codec_io::write_to(answer);
  FCGX_FClose(fcgi.err);
  FCGX_FClose(fcgi.out);
  codec_io::read_from({});
  FCGX_Free(&fcgi, 1);
  if (answer.empty()) return "OS_Write";
  return fcntl(nothing.get(), F_GETFD) < 0 ? "OS_IpcClose" : nullptr;
}

// libfcgi's state of the process.
void set_up() {
  if (FCGX_Init() != 0) std::abort();
  const char* const function = not_replaced();
  if (function == nullptr) return;
  base::log::error(
      "libfcgi.unusable",
      {{"reason", "it does not call this program's function (fcgios.h)"}, {"function", function}});
  std::abort();
}

}  // namespace

struct Exchange::Impl {
  FCGX_Request fcgi{};
  http::Request request;
  std::string body;
  std::string head;
  std::string answer;  // as FastCGI records
  std::optional<Refused> refused;
  bool keep = false;
  int peer = -1;

  void respond(const http::Response& response, int flags);
  // The flags are those of send(2).
  void send(std::string_view first, std::string_view rest, int flags);
  // Without a word to the peer.
  void end() {
    FCGX_Free(&fcgi, 0);
    fcgi.ipcFd = -1;
    fcgi.keepConnection = 0;
  }
};

Exchange::Exchange() : impl_(std::make_unique<Impl>()) {
  static const bool once = (set_up(), true);
  static_cast<void>(once);
  // No listening socket: when a request is no good, libfcgi gives up instead of accepting another.
  FCGX_InitRequest(&impl_->fcgi, -1, 0);
}

Exchange::~Exchange() = default;

const http::Request& Exchange::request() const { return impl_->request; }

const std::optional<Refused>& Exchange::refused() const { return impl_->refused; }

bool Exchange::receive(const Ready& ready) {
  FCGX_Request& fcgi = impl_->fcgi;
  impl_->request = {};
  impl_->refused.reset();
  impl_->keep = false;
  impl_->peer = ready.fd;
  codec_io::read_from(ready.request);
  // libfcgi takes what stands here for a kept connection, and skips its accept.
  fcgi.ipcFd = ready.fd;
  fcgi.keepConnection = 1;
  if (FCGX_Accept_r(&fcgi) != 0) {
    fcgi.ipcFd = -1;
    fcgi.keepConnection = 0;
    return false;
  }
  const bool asked_to_keep = fcgi.keepConnection != 0;
  if (FCGX_GetError(fcgi.in) != 0) return impl_->end(), false;
  const long long content_length = read_parameters(fcgi.envp, impl_->request);
  std::string& body = impl_->body;
  body.clear();
  std::array<char, 8192> piece;  // NOLINT: filled below
  while (const int got = FCGX_GetStr(piece.data(), static_cast<int>(piece.size()), fcgi.in)) {
    body.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (FCGX_GetError(fcgi.in) != 0) return impl_->end(), false;
  // A body that is shorter than announced was cut on its way; one that is longer hides something.
  if (content_length != static_cast<long long>(body.size())) {
    if (content_length > static_cast<long long>(body.size())) return impl_->end(), false;
    impl_->refused = {std::string(impl_->request.path), 400};
    // A peer that does not read is not waited for either: nobody knows yet whose request it is, and
    // the parent would take the time for that of another.
    impl_->respond(http::json_error(400, "the body's length is not what Content-Length says"),
                   MSG_DONTWAIT);
    impl_->keep = false;
    return false;
  }
  impl_->request.body = body;
  impl_->keep = asked_to_keep && ready.alone;
  return true;
}

void Exchange::respond(const http::Response& response) { impl_->respond(response, 0); }

void Exchange::send(std::string_view head, std::string_view body) { impl_->send(head, body, 0); }

void Exchange::Impl::respond(const http::Response& response, int flags) {
  head.clear();
  http::append_head(head, response);
  send(head, request.method == "HEAD" ? std::string_view() : response.body, flags);
}

void Exchange::Impl::send(std::string_view first, std::string_view rest, int flags) {
  answer.clear();
  codec_io::write_to(answer);
  for (const std::string_view piece : {first, rest}) {
    if (!piece.empty()) FCGX_PutStr(piece.data(), static_cast<int>(piece.size()), fcgi.out);
  }
  // In this order the errors have no records of their own when there are none.
  FCGX_FClose(fcgi.err);
  FCGX_FClose(fcgi.out);
  end();
  // The connection blocks, with a time limit for each piece that the kernel has room for; less than
  // all means that it ran out, and the rest is not tried.
  const ssize_t sent = ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL | flags);
  if (sent != static_cast<ssize_t>(answer.size())) keep = false;
  answer.clear();
  if (answer.capacity() > kKeptRoom) answer.shrink_to_fit();
}

bool Exchange::may_keep() const { return impl_->keep; }

}  // namespace svc::fastcgi
