// fastcgi_bytes: FastCGI records as a peer writes them, valid or not
// (specification §3.3, §3.4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace svc::fakes {

inline constexpr int kBeginRequest = 1;
inline constexpr int kAbortRequest = 2;
inline constexpr int kParams = 4;
inline constexpr int kStdin = 5;
inline constexpr int kGetValues = 9;

inline std::string fcgi_record(int type, std::string_view content, std::uint16_t id = 1,
                               std::size_t padding = 0) {
  std::string out;
  for (const std::size_t byte :
       {std::size_t{1}, static_cast<std::size_t>(type), std::size_t{id} >> 8, std::size_t{id} & 255,
        content.size() >> 8, content.size() & 255, padding, std::size_t{0}}) {
    out += static_cast<char>(byte);
  }
  return out + std::string(content) + std::string(padding, '#');
}

inline std::string fcgi_begin(std::uint16_t id = 1, int role = 1, bool keep = true) {
  const std::string body{static_cast<char>(role >> 8), static_cast<char>(role), keep ? '\1' : '\0'};
  return fcgi_record(kBeginRequest, body + std::string(5, '\0'), id);
}

inline std::string fcgi_length(std::size_t length) {
  if (length < 128) return {static_cast<char>(length)};
  return {static_cast<char>(length >> 24 | 0x80), static_cast<char>(length >> 16),
          static_cast<char>(length >> 8), static_cast<char>(length)};
}

inline std::string fcgi_pair(std::string_view name, std::string_view value) {
  return fcgi_length(name.size()) + fcgi_length(value.size()) + std::string(name) +
         std::string(value);
}

// A complete request with these parameters and this body, as nginx sends it.
inline std::string fcgi_request(
    std::initializer_list<std::pair<std::string_view, std::string_view>> params,
    std::string_view body = "", std::uint16_t id = 1) {
  std::string pairs;
  for (const auto& [name, value] : params) pairs += fcgi_pair(name, value);
  std::string out = fcgi_begin(id);
  if (!pairs.empty()) out += fcgi_record(kParams, pairs, id);  // an empty record ends PARAMS
  out += fcgi_record(kParams, "", id);
  for (; !body.empty(); body.remove_prefix(std::min<std::size_t>(body.size(), 65535))) {
    out += fcgi_record(kStdin, body.substr(0, 65535), id);
  }
  return out + fcgi_record(kStdin, "", id);
}

}  // namespace svc::fakes
