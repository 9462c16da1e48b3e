// Bots: recognises programs that load pages without viewers, by their user agent (api-B3).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::viewing {

class Bots {
 public:
  // One part of a user agent per line, in any case; blank lines and lines that begin with # are
  // ignored. The error names the line: a part has 3 to 100 characters, all printable ASCII.
  static base::Result<Bots, std::string> parse(std::string_view text);

  // Whether it has one of the parts. True also without a user agent, which every browser sends.
  bool has(std::string_view user_agent) const;

 private:
  std::vector<std::string> parts_;  // lower case
};

}  // namespace svc::viewing
