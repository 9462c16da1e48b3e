// A gettext catalog, as an operator's folder has it.
#include <string>

#include "fuzz/target.h"
#include "text/message_catalog.h"
#include "text/utf8.h"

namespace svc::fuzz {
namespace {

std::string po_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + "\"\n";
}

void run(std::string_view input) {
  const auto catalog = text::MessageCatalog::parse(input);
  if (!catalog) {
    require(!catalog.error().empty(), "a refusal has a reason");
    return;
  }
  std::string written;
  for (const auto& [id, message] : catalog->messages()) {
    require(!id.empty() && text::is_utf8(id), "a message has a text, in UTF-8");
    for (const std::string& translation : message.translations)
      require(!translation.empty() && text::is_utf8(translation), "a translation is not empty");
    require(catalog->find(id) == message.translations.front(), "a message is found");
    for (const std::uint64_t number : {0, 1, 2, 5, 1000}) {
      const auto form = catalog->find(id, number);
      require(form.has_value() == !message.plural.empty(), "a message with a number has its forms");
    }
    if (message.plural.empty())
      written += "msgid " + po_text(id) + "msgstr " + po_text(message.translations.front());
  }
  if (written.size() > text::MessageCatalog::kMaxBytes) return;
  const auto again = text::MessageCatalog::parse(written);
  require(static_cast<bool>(again), "a catalog is read as it was written");
  for (const auto& [id, message] : again->messages())
    require(catalog->find(id) == message.translations.front(), "with the same translations");
}

const Registered kRegistered("message_catalog", run);

}  // namespace
}  // namespace svc::fuzz
