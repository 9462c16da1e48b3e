// headers: looks up the headers of a Response by name.
#pragma once

#include <string>
#include <string_view>

#include "http/response.h"

namespace svc::fakes {

// Returns all values of a header, joined by ", ", or "none" if it is absent.
inline std::string header(const http::Response& response, std::string_view name) {
  std::string values;
  bool found = false;
  for (const http::Header& header : response.headers) {
    if (header.name != name) continue;
    values += (found ? ", " : "") + header.value;
    found = true;
  }
  return found ? values : "none";
}

}  // namespace svc::fakes
