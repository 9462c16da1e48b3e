#include "ingest/encryption.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ingest/bytes.h"
#include "ingest/files.h"

namespace svc::ingest {
namespace {

using namespace std::string_view_literals;

constexpr int kMostHeaders = 20'000;             // of one upload
constexpr std::uint64_t kMostEntries = 1 << 16;  // bytes of a track's sample entries
constexpr int kMostPackets = 20'000;
constexpr int kFewestScrambled = 10;  // fewer may be damaged packets
constexpr int kDepth = 6;             // of boxes and elements in others

// ISO/IEC 23001-7 §7.1 and Apple's and Audible's: the types of sample entries.
bool is_encrypted_entry(std::string_view type) {
  constexpr std::array kTypes{"encv"sv, "enca"sv, "drmi"sv, "drms"sv, "drmt"sv, "aavd"sv, "drm "sv};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

// The boxes of an MP4 file, ISO/IEC 14496-12 §4.2. The index may follow the media data.
class Mp4 {
 public:
  Mp4(const std::string& path, std::uint64_t offset) : path_(path), offset_(offset) {}

  bool is_encrypted(std::uint64_t begin, std::uint64_t end, int depth = kDepth) {
    while (begin < end && depth > 0 && --left_ > 0) {
      const auto header = read_file(path_, offset_ + begin, 16);
      if (!header || header->size() < 8) return false;
      std::uint64_t body = 8;
      std::uint64_t size = number_at(*header, 0, 4);
      const std::string_view type = std::string_view(*header).substr(4, 4);
      if (size == 0) size = end - begin;
      if (size == 1 && header->size() == 16) {
        size = number_at(*header, 8, 8);
        body = 16;
      }
      if (size < body || size > end - begin) return false;
      if (type == "stsd") {
        if (has_encrypted_entry(begin + body, begin + size)) return true;
      } else if (is_container(type)) {
        if (is_encrypted(begin + body, begin + size, depth - 1)) return true;
        if (type == "moov") return false;
      }
      begin += size;
    }
    return false;
  }

 private:
  static bool is_container(std::string_view type) {
    constexpr std::array kTypes{"moov"sv, "trak"sv, "mdia"sv, "minf"sv, "stbl"sv};
    return std::ranges::find(kTypes, type) != kTypes.end();
  }

  bool has_encrypted_entry(std::uint64_t begin, std::uint64_t end) const {
    const auto text = read_file(path_, offset_ + begin, std::min(end - begin, kMostEntries));
    if (!text || text->size() < 8) return false;
    std::string_view entries = std::string_view(*text).substr(8);  // version, flags, number
    while (entries.size() >= 8) {
      if (is_encrypted_entry(entries.substr(4, 4))) return true;
      const std::size_t size = number_at(entries, 0, 4);
      if (size < 8 || size > entries.size()) return false;
      entries.remove_prefix(size);
    }
    return false;
  }

  const std::string& path_;
  const std::uint64_t offset_;
  int left_ = kMostHeaders;
};

// An element of EBML, RFC 8794 §4.
struct Element {
  std::uint64_t id = 0;
  std::string_view body;
};

// Returns the length of a variable-size integer by its first byte; 0 if it is too long.
std::size_t length_of_integer(unsigned char first) {
  for (std::size_t length = 1; length <= 8; ++length) {
    if ((first & (0x100U >> length)) != 0) return length;
  }
  return 0;
}

// Takes the first element. Its body ends with the bytes, also if it claims more.
std::optional<Element> take_element(std::string_view& bytes) {
  constexpr std::size_t kLongestId = 4;
  if (bytes.empty()) return std::nullopt;
  const std::size_t id = length_of_integer(static_cast<unsigned char>(bytes[0]));
  if (id == 0 || id > kLongestId || bytes.size() <= id) return std::nullopt;
  const std::size_t size = length_of_integer(static_cast<unsigned char>(bytes[id]));
  if (size == 0 || bytes.size() < id + size) return std::nullopt;
  const std::uint64_t all = (std::uint64_t{1} << (7 * size)) - 1;
  const std::uint64_t length = number_at(bytes, id, size) & all;
  Element element{number_at(bytes, 0, id), bytes.substr(id + size)};
  if (length != all)  // all ones: unknown
    element.body = element.body.substr(0, std::min<std::uint64_t>(length, element.body.size()));
  bytes.remove_prefix(id + size + element.body.size());
  return element;
}

// RFC 9559 §5.1.4: ContentEncryption in a track.
bool is_encrypted_matroska(std::string_view bytes, int depth = kDepth) {
  constexpr std::uint64_t kContentEncryption = 0x5035;
  constexpr std::array<std::uint64_t, 5> kParents{0x18538067, 0x1654ae6b, 0xae, 0x6d80, 0x6240};
  if (depth == 0) return false;
  while (const auto element = take_element(bytes)) {
    if (element->id == kContentEncryption) return true;
    const bool is_parent = std::ranges::find(kParents, element->id) != kParents.end();
    if (is_parent && is_encrypted_matroska(element->body, depth - 1)) return true;
  }
  return false;
}

// ASF §3: the GUIDs of the objects Content Encryption, its extended form and Advanced Content
// Encryption in the header.
bool is_encrypted_asf(std::string_view head) {
  constexpr std::array kObjects{
      "\xfb\xb3\x11\x22\x23\xbd\xd2\x11\xb4\xb7\x00\xa0\xc9\x55\xfc\x6e"sv,
      "\x14\xe6\x8a\x29\x22\x26\x17\x4c\xb9\x35\xda\xe0\x7e\xe9\x28\x9c"sv,
      "\x33\x85\x05\x43\x81\x69\xe6\x49\x9b\x74\xad\x12\xcb\x86\xd5\x8c"sv};
  constexpr std::size_t kObjectHeader = 24;  // GUID and size of an object
  if (head.size() < kObjectHeader + 6) return false;
  const std::uint64_t size = number_at(head, 16, 8, Order::Little);
  std::string_view objects = head.substr(0, std::min<std::uint64_t>(size, head.size()));
  objects.remove_prefix(std::min<std::size_t>(objects.size(), kObjectHeader + 6));
  while (objects.size() >= kObjectHeader) {
    if (std::ranges::find(kObjects, objects.substr(0, 16)) != kObjects.end()) return true;
    const std::uint64_t length = number_at(objects, 16, 8, Order::Little);
    if (length < kObjectHeader || length > objects.size()) return false;
    objects.remove_prefix(length);
  }
  return false;
}

// ISO/IEC 13818-1 §2.4.3.2: packets with a payload whose transport_scrambling_control is set.
bool is_scrambled_ts(std::string_view head, std::size_t first, std::size_t stride) {
  int all = 0;
  int scrambled = 0;
  for (std::size_t at = first; at + 188 <= head.size() && all < kMostPackets; at += stride) {
    if (head[at] != '\x47') return false;
    const auto flags = number_at(head, at + 3, 1);
    const bool is_null = (number_at(head, at + 1, 2) & 0x1fff) == 0x1fff;
    if (is_null || (flags & 0x10) == 0) continue;
    ++all;
    scrambled += (flags & 0x80) != 0 ? 1 : 0;
  }
  return scrambled >= kFewestScrambled && scrambled > all / 2;
}

// §2.4.3.6: PES packets whose PES_scrambling_control is set, as on DVDs.
bool is_scrambled_ps(std::string_view head) {
  int all = 0;
  int scrambled = 0;
  while (head.size() >= 14 && all < kMostPackets && head.starts_with("\0\0\1"sv)) {
    const auto id = number_at(head, 3, 1);
    std::size_t length = 6 + number_at(head, 4, 2);
    if (id == 0xba) {
      const bool is_mpeg2 = (number_at(head, 4, 1) & 0xc0) == 0x40;
      length = is_mpeg2 ? 14 + (number_at(head, 13, 1) & 7) : 12;
    } else if (id == 0xbd || (id >= 0xc0 && id <= 0xef)) {
      const auto flags = number_at(head, 6, 1);
      ++all;
      scrambled += (flags & 0xc0) == 0x80 && (flags & 0x30) != 0 ? 1 : 0;
    }
    head.remove_prefix(std::min(length, head.size()));
  }
  return scrambled >= kFewestScrambled && scrambled > all / 4;
}

}  // namespace

bool is_encrypted(const std::string& path, std::uint64_t offset, std::uint64_t length,
                  std::string_view head) {
  if (head.size() < 16) return false;
  constexpr std::array kFirstBoxes{"ftyp"sv, "styp"sv, "moov"sv, "free"sv,
                                   "skip"sv, "wide"sv, "mdat"sv};
  if (std::ranges::find(kFirstBoxes, head.substr(4, 4)) != kFirstBoxes.end())
    return Mp4(path, offset).is_encrypted(0, length);
  if (head.starts_with("\x1a\x45\xdf\xa3"sv)) return is_encrypted_matroska(head);
  if (head.starts_with("\x30\x26\xb2\x75\x8e\x66\xcf\x11"sv)) return is_encrypted_asf(head);
  if (head.starts_with("\0\0\1\xba"sv)) return is_scrambled_ps(head);
  if (head[0] == '\x47' && head.size() > 188 && head[188] == '\x47')
    return is_scrambled_ts(head, 0, 188);
  if (head[4] == '\x47' && head.size() > 196 && head[196] == '\x47')
    return is_scrambled_ts(head, 4, 192);
  return false;
}

}  // namespace svc::ingest
