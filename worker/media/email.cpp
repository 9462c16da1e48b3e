#include "media/email.h"

#include <algorithm>

#include "text/ascii.h"
#include "text/unicode.h"

namespace svc::media {
namespace {

// RFC 1034 §3.5, as the HTML standard has it.
bool is_label(std::string_view label) {
  constexpr std::size_t kMaxLabel = 63;
  return !label.empty() && label.size() <= kMaxLabel && label.front() != '-' &&
         label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return text::is_alnum(c) || c == '-'; });
}

}  // namespace

std::string canonical_email(std::string_view email) {
  const std::size_t at = email.rfind('@');
  if (at == std::string_view::npos) return std::string(email);
  return std::string(email.substr(0, at + 1)) + text::ascii_domain(email.substr(at + 1));
}

std::vector<std::string> spellings_of_email(std::string_view email) {
  std::vector<std::string> spellings{canonical_email(email)};
  const std::string& canonical = spellings.front();
  const std::size_t domain = canonical.rfind('@') + 1;  // 0 without one
  std::string unicode = canonical.substr(0, domain) +
                        text::unicode_domain(std::string_view(canonical).substr(domain));
  if (unicode != canonical) spellings.push_back(std::move(unicode));
  return spellings;
}

bool is_form_email(std::string_view email) {
  const std::string canonical = canonical_email(email);
  const std::size_t at = canonical.find('@');
  if (at == 0 || at == std::string::npos || canonical.size() > kMaxEmailBytes) return false;
  for (const char c : canonical.substr(0, at)) {
    if (!text::is_alnum(c) &&
        std::string_view(".!#$%&'*+/=?^_`{|}~-").find(c) == std::string_view::npos)
      return false;
  }
  std::string_view rest = std::string_view(canonical).substr(at + 1);
  while (true) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (!is_label(label)) return false;
    if (label.size() == rest.size()) return true;
    rest.remove_prefix(label.size() + 1);
  }
}

}  // namespace svc::media
