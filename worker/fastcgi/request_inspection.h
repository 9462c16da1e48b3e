// request_inspection: checks the bytes of a connection before libfcgi reads them.
//
// libfcgi treats half a request as a whole one, and crashes on some records
// that only a process with access to the socket can send. So it only gets
// single, complete, plain requests:
//
//   BEGIN_REQUEST (responder, id ≠ 0) · PARAMS … PARAMS(empty) · STDIN … STDIN(empty)
//
// All records have the same id, name-value pairs end where their records end,
// and contain no NUL. No name contains an equals sign. Sections of the FastCGI 1.0 specification
// are in parentheses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::fastcgi {

struct Limits {
  std::size_t params = 65'535;  // bytes of all name-value pairs; nginx has the same limit
  std::size_t body = 3 << 20;   // bytes of a request body: nginx allows so many for captions
};

enum class Verdict {
  NeedMore,     // may be the beginning of a request
  Pass,         // one whole request
  GetValues,    // a management record, which we answer ourselves (§4.1)
  UnknownType,  // a management record of a type that the specification does not define (§4.2)
  Abort,        // a request that its peer aborted before its end (§5.4)
  Ignore,       // an abort of a request that is over (§3.3)
  UnknownRole,  // a request for another role than responder (§5.5)
  TooLarge,     // a request whose body exceeds the limit
  Refuse,       // anything else: close without a response
};

struct Inspection {
  Verdict verdict = Verdict::NeedMore;
  std::uint16_t request_id = 0;
  std::uint8_t type = 0;  // UnknownType: the record's
  // Bytes of the request or of the record, for Pass, GetValues, UnknownType,
  // Abort and Ignore.
  std::size_t size = 0;
  bool padded = false;  // Pass: has padding that libfcgi cannot skip
  bool keeps = false;   // Pass, Abort: the peer requests keep-alive (§5.1)
};

Inspection inspect(std::string_view seen, const Limits& limits);

// Returns the whole request without its padding. libfcgi parses padding after
// BEGIN_REQUEST or after the end of PARAMS as the next record, so it would read
// something else than was checked here.
std::string without_padding(std::string_view request);

// Returns the value of the first parameter of that name, in a request whose
// PARAMS are complete; "" if the request lacks it.
std::string parameter(std::string_view request, std::string_view name);

// Returns the name-value pairs of a whole request without padding and body that
// has them in one record; nullopt for any other request.
std::optional<std::string_view> single_params(std::string_view request);

// Returns the reply to a whole GET_VALUES record: FCGI_MAX_CONNS, FCGI_MAX_REQS
// and FCGI_MPXS_CONNS if it names them, each once (§4.1). Other names are
// ignored.
std::string answer_get_values(std::string_view record);

// The reply to a management record of an unknown type (§4.2).
std::string unknown_type(std::uint8_t type);

// END_REQUEST with FCGI_REQUEST_COMPLETE and application status 0: the reply to
// an abort (§5.4).
std::string aborted(std::uint16_t request_id);

// END_REQUEST with FCGI_UNKNOWN_ROLE (§5.5).
std::string unknown_role(std::uint16_t request_id);

// Returns a whole response with this status and a JSON error, for requests that
// are refused before libfcgi.
std::string refusal(std::uint16_t request_id, int status, std::string_view message);

}  // namespace svc::fastcgi
