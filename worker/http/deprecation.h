// Deprecation: a part of the data API that will end, and what its responses say of that: the
// headers Deprecation (RFC 9745) and Sunset (RFC 8594), and a link to the page about it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/request.h"
#include "http/response.h"

namespace svc::http {

struct Deprecation {
  // Operation: all of its responses have the headers. Field: the same, of the record in its
  // response. Parameter: those to requests whose query has it.
  enum class Of : std::uint8_t { Operation, Parameter, Field };
  Of of;
  std::string_view pattern;  // of the path
  std::string_view method;
  std::string_view name;     // of the parameter; of the field: "Media.name"; "": an operation
  std::string_view since;    // a date, as 2026-11-28
  std::string_view sunset;   // when it ends at the earliest; "": not decided
  std::string_view instead;  // a sentence: what to use

  bool operator==(const Deprecation&) const = default;
};

bool concerns(const Deprecation& deprecation, const Request& request);

// Adds the headers. `page`: the URL of the page about deprecated parts.
void announce(const Deprecation& deprecation, std::string_view page, Response& response);

}  // namespace svc::http
