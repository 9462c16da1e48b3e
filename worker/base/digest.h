// digest: SHA-256 and SHA-1 (FIPS 180-4) of a text, and an HMAC.
#pragma once

#include <string>
#include <string_view>

namespace svc::base {

std::string sha256(std::string_view text);  // 32 bytes
// 20 bytes. Never for security: only for names that others define as SHA-1,
// such as those of Redis scripts.
std::string sha1(std::string_view text);

// 16 bytes. Only where others define MD5, such as nginx's secure_link.
std::string md5(std::string_view text);

// HMAC-SHA-1 (RFC 2104), 20 bytes, for RFC 4226.
std::string hmac_sha1(std::string_view key, std::string_view text);

// Takes constant time for texts of equal length. Returns false immediately if
// the lengths differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace svc::base
