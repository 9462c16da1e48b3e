// MessageCatalog: the translations of one gettext catalog, a .po file.
//
// Reads the format of the gettext manual, "The Format of PO Files", in UTF-8. Obsolete messages,
// and those that are marked as fuzzy or have no translation, are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/plural_rule.h"

namespace svc::text {

struct Message {
  std::string id;
  std::string plural;                     // empty: a message without a number
  std::vector<std::string> translations;  // one, or one per plural form
  int line = 0;                           // the line of its msgid
  bool is_of_player = false;              // a reference of it is a source of the player
};

class MessageCatalog {
 public:
  static constexpr std::size_t kMaxBytes = 1 << 20;
  static constexpr std::size_t kMaxMessages = 5000;

  // The error names the line, the problem and the allowed form.
  static base::Result<MessageCatalog, std::string> parse(std::string_view po);

  // Returns the translation; nullopt if the catalog has none.
  std::optional<std::string_view> find(std::string_view id) const;
  // Returns the translation of a message with a number, in the form for that number.
  std::optional<std::string_view> find(std::string_view id, std::uint64_t number) const;

  const std::map<std::string, Message, std::less<>>& messages() const { return messages_; }

 private:
  std::map<std::string, Message, std::less<>> messages_;
  PluralRule rule_;
};

}  // namespace svc::text
