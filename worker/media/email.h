// email: spellings of an email address.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::media {

inline constexpr std::size_t kMaxEmailBytes = 254;  // RFC 5321 §4.5.3.1.3, without < and >

// Returns the address as some browsers send it, with the domain in ASCII
// (text::ascii_domain()). The part before the @ is unchanged. Addresses are one
// if their canonical spellings are, without case.
std::string canonical_email(std::string_view email);

// Returns the canonical spelling and, if its domain has one, the spelling with
// Unicode labels, under which earlier versions stored it.
std::vector<std::string> spellings_of_email(std::string_view email);

// Returns true if a browser sends the address from a field of type email (the
// HTML standard, "valid email address"), in any of its spellings.
bool is_form_email(std::string_view email);

}  // namespace svc::media
