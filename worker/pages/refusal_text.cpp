#include "pages/refusal_text.h"

#include <cstdint>

namespace svc::pages {
namespace {

std::string held_up_text(std::int64_t seconds, const Language& language) {
  if (seconds <= 90) {
    return language.plural("There were too many failed attempts. Try again in {count} second.",
                           "There were too many failed attempts. Try again in {count} seconds.",
                           seconds);
  }
  return language.plural("There were too many failed attempts. Try again in {count} minute.",
                         "There were too many failed attempts. Try again in {count} minutes.",
                         (seconds + 59) / 60);
}

}  // namespace

std::string refusal_text(const login::LoginRefusal& refusal, std::string_view wrong,
                         const Language& language) {
  switch (refusal.why) {
    case login::LoginRefusal::Why::Wrong: return language.translate(wrong);
    case login::LoginRefusal::Why::HeldUp: return held_up_text(refusal.retry_after, language);
    case login::LoginRefusal::Why::Busy:
      return language.translate("Many users are logging in at the moment. Try again shortly.");
  }
  return "";
}

}  // namespace svc::pages
