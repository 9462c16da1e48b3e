#include "fastcgi/request_decoder.h"

#include <fcgiapp.h>
#include <fcntl.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/log.h"
#include "base/number.h"
#include "base/unique_fd.h"
#include "fastcgi/codec_io.h"
#include "fastcgi/record.h"
#include "fastcgi/request_inspection.h"

namespace svc::fastcgi {
namespace {

struct Parameter {
  std::string_view name;
  std::string_view http::Request::*field;
};
// The parameters that nginx sets for us (nginx/svc-fastcgi.conf), in the order in which most
// requests have them. Others are ignored.
constexpr std::array<Parameter, 24> kParameters{{
    {"REQUEST_METHOD", &http::Request::method},
    {"REMOTE_ADDR", &http::Request::remote_address},
    {"REQUEST_SCHEME", &http::Request::scheme},
    {"HTTP_HOST", &http::Request::host},
    {"REQUEST_ID", &http::Request::request_id},
    {"DOCUMENT_URI", &http::Request::path},
    {"QUERY_STRING", &http::Request::query},
    {"HTTP_IF_NONE_MATCH", &http::Request::if_none_match},
    {"PAGE_ORIGIN", &http::Request::site},
    {"HTTP_ACCEPT_LANGUAGE", &http::Request::accept_language},
    {"CONTENT_TYPE", &http::Request::content_type},
    {"HTTP_AUTHORIZATION", &http::Request::authorization},
    {"HTTP_IF_MATCH", &http::Request::if_match},
    {"HTTP_ACCEPT", &http::Request::accept},
    {"HTTP_IDEMPOTENCY_KEY", &http::Request::idempotency_key},
    {"HTTP_COOKIE", &http::Request::cookie},
    {"HTTP_ORIGIN", &http::Request::origin},
    {"HTTP_USER_AGENT", &http::Request::user_agent},
    {"UNCOUNTED", &http::Request::uncounted},
    {"BODY_FILE", &http::Request::body_file},
    {"UPLOAD_PERMIT", &http::Request::upload_permit},
    {"UPLOAD_FORM", &http::Request::upload_form},
    {"UPLOAD_LENGTH", &http::Request::upload_length},
    {"UPLOAD_ANSWER", &http::Request::upload_answer},
}};

// Sets the fields of a request, which are empty, one after the other.
class Reader {
 public:
  explicit Reader(http::Request& request) : request_(request) {}

  // Returns false if it is a CONTENT_LENGTH that is not a number.
  bool read(std::string_view name, std::string_view value) {
    if (value.empty()) {
      // No header would be no condition. An empty list is one: none of its tags matches.
      if (name == "HTTP_IF_MATCH") request_.if_match = ",";
      return true;
    }
    // The next parameter of the table is most often the next one of the request.
    if (next_ != kParameters.end() && next_->name == name) {
      request_.*(next_++)->field = value;
      return true;
    }
    return search(name, value);
  }

  // 0 if it is missing, -1 if it is not a number.
  long long content_length() const { return content_length_; }

 private:
  // Not inline, so that read() is: it runs for each parameter of each request.
  [[gnu::noinline]] bool search(std::string_view name, std::string_view value) {
    for (const Parameter& parameter : kParameters) {
      if (parameter.name != name) continue;
      request_.*parameter.field = value;
      next_ = &parameter + 1;
      return true;
    }
    if (name != "CONTENT_LENGTH") return true;
    const auto length = base::parse_number<long long>(value, 0);
    content_length_ = length.value_or(-1);
    return length.has_value();
  }

  http::Request& request_;
  const Parameter* next_ = kParameters.begin();
  long long content_length_ = 0;
};

// Sets the fields of the request. Returns CONTENT_LENGTH: 0 if it is missing,
// -1 if it is not a number.
long long read_parameters(char** environment, http::Request& request) {
  Reader reader(request);
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const std::string_view pair(*entry);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (!reader.read(pair.substr(0, equals), pair.substr(equals + 1))) return -1;
  }
  return reader.content_length();
}

// Decodes a test request, to check that libfcgi uses our functions: otherwise
// every request would fail without an explanation.
//
// Returns the name of a function that was not replaced, or nullptr. libfcgi
// gets a descriptor of /dev/null, which its own functions would use.
const char* not_replaced() {
  const base::UniqueFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  FCGX_Request fcgi{};
  FCGX_InitRequest(&fcgi, -1, 0);
  const std::string empty = request_without_body("", KeepConnection::Yes);
  codec_io::read_from(empty);
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

// Initialises libfcgi once per process.
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

struct RequestDecoder::State {
  FCGX_Request fcgi{};

  void end() {
    FCGX_Free(&fcgi, 0);
    fcgi.ipcFd = -1;
    fcgi.keepConnection = 0;
  }
};

RequestDecoder::RequestDecoder() : state_(std::make_unique<State>()) {
  static const bool once = (set_up(), true);
  static_cast<void>(once);
  // No listening socket: if a request is invalid, libfcgi fails instead of
  // accepting another connection.
  FCGX_InitRequest(&state_->fcgi, -1, 0);
}

RequestDecoder::~RequestDecoder() = default;

RequestDecoder::Outcome RequestDecoder::decode(std::string_view bytes, http::Request& request,
                                               std::string& text) {
  FCGX_Request& fcgi = state_->fcgi;
  request = {};
  text.clear();
  codec_io::read_from(bytes);
  // libfcgi takes this for a keep-alive connection and skips its accept(). It
  // does not use the descriptor.
  fcgi.ipcFd = 0;
  fcgi.keepConnection = 1;
  if (FCGX_Accept_r(&fcgi) != 0) {
    fcgi.ipcFd = -1;
    fcgi.keepConnection = 0;
    return Outcome::Cut;
  }
  if (FCGX_GetError(fcgi.in) != 0) return state_->end(), Outcome::Cut;
  const long long content_length = read_parameters(fcgi.envp, request);
  std::string body;
  std::array<char, 1024> piece;  // zeroed for each request, so not larger; NOLINT: filled below
  while (const int got = FCGX_GetStr(piece.data(), static_cast<int>(piece.size()), fcgi.in)) {
    body.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (FCGX_GetError(fcgi.in) != 0) return state_->end(), Outcome::Cut;
  // A shorter body than announced was cut in transit.
  if (content_length > static_cast<long long>(body.size())) return state_->end(), Outcome::Cut;
  request.body = body;
  // libfcgi frees its strings in end().
  copy_fields(request, text);
  state_->end();
  return content_length == static_cast<long long>(body.size()) ? Outcome::Whole
                                                               : Outcome::WrongLength;
}

void copy_fields(http::Request& request, std::string& text) {
  std::size_t size = request.body.size();
  for (const Parameter& parameter : kParameters) size += (request.*parameter.field).size();
  text.clear();
  text.reserve(size);
  const auto copy = [&](std::string_view& field) {
    const std::size_t at = text.size();
    text += field;
    field = std::string_view(text).substr(at);
  };
  for (const Parameter& parameter : kParameters) copy(request.*parameter.field);
  copy(request.body);
}

bool view_request(std::string_view bytes, http::Request& request) {
  const auto pairs = single_params(bytes);
  if (!pairs) return false;
  Reader reader(request);
  std::string_view rest = *pairs;
  std::string_view name;
  std::string_view value;
  while (take_pair(rest, name, value)) {
    if (!reader.read(name, value)) return false;
  }
  return reader.content_length() == 0;
}

}  // namespace svc::fastcgi
