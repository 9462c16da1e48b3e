#include "pages/refusal_text.h"

#include <cstdint>

#include "pages/formatting.h"

namespace svc::pages {
namespace {

// Returns e.g. "5 seconds" or "15 minutes", rounded up.
std::string duration_text(std::int64_t seconds) {
  return seconds <= 90 ? counted(seconds, "second", "seconds")
                       : counted((seconds + 59) / 60, "minute", "minutes");
}

}  // namespace

std::string refusal_text(const login::LoginRefusal& refusal, std::string_view wrong) {
  switch (refusal.why) {
    case login::LoginRefusal::Why::Wrong: return std::string(wrong);
    case login::LoginRefusal::Why::HeldUp:
      return "There were too many failed attempts. Try again in " +
             duration_text(refusal.retry_after) + ".";
    case login::LoginRefusal::Why::Busy:
      return "Many users are logging in at the moment. Try again shortly.";
  }
  return "";
}

}  // namespace svc::pages
