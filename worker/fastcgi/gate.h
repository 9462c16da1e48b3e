// gate: looks at the bytes of a connection before libfcgi does.
//
// libfcgi gives half a request out as a whole one, and dies of some records that only somebody with
// access to the socket can send. So it is handed nothing but one whole, plain request:
//
//   BEGIN_REQUEST (responder, id ≠ 0) · PARAMS … PARAMS(empty) · STDIN … STDIN(empty)
//
// all of the same id, with name-value pairs that end where their records end and have no NUL in
// them. The FastCGI 1.0 specification's sections stand in parentheses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::fastcgi {

struct Limits {
  std::size_t params = 65'535;  // bytes of all name-value pairs; nginx sends no more either
  std::size_t body = 65'536;    // bytes of a request body
};

enum class Verdict {
  NeedMore,     // the beginning of something that may become a request
  Pass,         // one whole request
  GetValues,    // a management record that we answer ourselves (§4.1)
  UnknownRole,  // a request for a role that is not ours (§5.5)
  TooLarge,     // a request with more body than allowed
  Refuse,       // anything else: close without an answer
};

struct Inspection {
  Verdict verdict = Verdict::NeedMore;
  std::uint16_t request_id = 0;
  std::size_t size = 0;  // Pass, GetValues: how many bytes it takes
  bool padded = false;   // Pass: there is padding where libfcgi cannot skip it
  bool keeps = false;    // Pass: the peer asks for the connection to be kept (§5.1)
};

Inspection inspect(std::string_view seen, const Limits& limits);

// The same whole request with no padding in it. libfcgi takes padding behind BEGIN_REQUEST and
// behind the end of PARAMS for the next record, so what it reads would not be what was looked at
// here.
std::string without_padding(std::string_view request);

// The value of the first parameter of that name in a request whose PARAMS are whole; "" without
// one.
std::string parameter(std::string_view request, std::string_view name);

// The name-value pairs of a whole request without padding that has them in one record, and no body;
// nothing for any other.
std::optional<std::string_view> single_params(std::string_view request);

// The answer to one whole GET_VALUES record: what it asks of FCGI_MAX_CONNS, FCGI_MAX_REQS and
// FCGI_MPXS_CONNS, each once (§4.1). Nothing else is known, so nothing else is answered.
std::string answer_get_values(std::string_view record);

// END_REQUEST with FCGI_UNKNOWN_ROLE (§5.5).
std::string unknown_role(std::uint16_t request_id);

// A whole answer with this status and no body but the JSON error, for what never gets to libfcgi.
std::string refusal(std::uint16_t request_id, int status, std::string_view message);

}  // namespace svc::fastcgi
