#include "text/message_catalog.h"

#include <algorithm>
#include <utility>

#include "text/ascii.h"
#include "text/utf8.h"

namespace svc::text {
namespace {

constexpr std::string_view kPlayer = "nginx/player/";

// Reads the lines of a catalog, one message after the other. After the first mistake it reads no
// more.
class Reader {
 public:
  explicit Reader(std::string_view po) : rest_(po) {}

  // Returns the next message, also one without a translation; nullopt at the end and at a mistake.
  std::optional<Message> next();
  bool is_fuzzy() const { return is_fuzzy_; }
  int line() const { return line_; }

  // Returns nullopt, and stores the first problem: later problems are dropped.
  std::nullopt_t fail(int line, std::string_view what) {
    if (wrong_.empty()) wrong_ = "line " + std::to_string(line) + ": " + std::string(what);
    return std::nullopt;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  // Moves to the next line that is not empty. Returns false at the end and at a mistake.
  bool read_line();
  // Returns the strings after a keyword, joined. The current line begins with them.
  std::optional<std::string> strings();
  bool append_string(std::string& out);
  bool append_escaped(std::string& out, char escaped);
  void read_comment(Message& message);
  bool read_translation(Message& message);
  bool take(std::string_view keyword);

  std::string_view rest_;
  std::string_view text_;  // the rest of the current line
  int line_ = 0;
  bool is_fuzzy_ = false;
  bool has_line_ = false;
  std::string wrong_;
};

bool Reader::read_line() {
  while (wrong_.empty() && !rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    text_ = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    if (!text_.empty()) return has_line_ = true;
  }
  return has_line_ = false;
}

bool Reader::take(std::string_view keyword) {
  if (!text_.starts_with(keyword)) return false;
  const std::string_view after = text_.substr(keyword.size());
  if (!after.starts_with(' ') && !after.starts_with('"') && !after.starts_with('\t')) return false;
  text_ = trimmed(after);
  return true;
}

bool Reader::append_escaped(std::string& out, char escaped) {
  switch (escaped) {
    case 'n': out += '\n'; return true;
    case 't': out += '\t'; return true;
    case '"':
    case '\\': out += escaped; return true;
    default: return false;
  }
}

bool Reader::append_string(std::string& out) {
  if (!text_.starts_with('"')) return false;
  for (std::size_t i = 1; i < text_.size(); ++i) {
    if (text_[i] == '"') return i + 1 == text_.size();
    if (text_[i] != '\\') {
      out += text_[i];
    } else if (++i == text_.size() || !append_escaped(out, text_[i])) {
      return false;
    }
  }
  return false;
}

std::optional<std::string> Reader::strings() {
  std::string out;
  do {
    if (!append_string(out))
      return fail(line_,
                  R"(write a text in quotation marks, with the escapes \n, \t, \" and \\ only)");
  } while (read_line() && text_.starts_with('"'));
  return out;
}

void Reader::read_comment(Message& message) {
  if (text_.starts_with("#,")) is_fuzzy_ |= text_.find("fuzzy") != std::string_view::npos;
  if (text_.starts_with("#:")) message.is_of_player |= text_.find(kPlayer) != text_.npos;
}

// Reads `msgstr "…"` or `msgstr[N] "…"`.
bool Reader::read_translation(Message& message) {
  if (message.plural.empty()) {
    if (!take("msgstr")) return false;
  } else {
    const std::string keyword = "msgstr[" + std::to_string(message.translations.size()) + "]";
    if (!take(keyword)) return false;
  }
  auto translation = strings();
  if (!translation) return false;
  message.translations.push_back(std::move(*translation));
  return true;
}

std::optional<Message> Reader::next() {
  Message message;
  is_fuzzy_ = false;
  if (line_ == 0 && !read_line()) return std::nullopt;
  while (has_line_ && text_.starts_with('#')) {
    read_comment(message);
    read_line();
  }
  if (!has_line_) return std::nullopt;
  message.line = line_;
  if (text_.starts_with("msgctxt")) return fail(line_, "msgctxt is not used here; remove it");
  if (!take("msgid")) return fail(line_, "write msgid or a comment here");
  auto id = strings();
  if (!id) return std::nullopt;
  message.id = std::move(*id);
  if (has_line_ && take("msgid_plural")) {
    auto plural = strings();
    if (!plural) return std::nullopt;
    message.plural = std::move(*plural);
  }
  while (has_line_ && read_translation(message) && !message.plural.empty()) {
  }
  if (!wrong_.empty()) return std::nullopt;
  if (message.translations.empty())
    return fail(has_line_ ? line_ : message.line,
                message.plural.empty() ? "write msgstr after msgid"
                                       : "write msgstr[0] and the other forms after msgid_plural");
  return message;
}

// Returns the value of the header line with that name, or "".
std::string_view field_of(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::string_view line = header.substr(0, header.find('\n'));
    header.remove_prefix(std::min(header.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon != line.npos && equal_ignoring_case(line.substr(0, colon), name))
      return trimmed(line.substr(colon + 1));
  }
  return "";
}

bool has_every_form(const Message& message) {
  for (const std::string& translation : message.translations) {
    if (translation.empty()) return false;
  }
  return true;
}

}  // namespace

base::Result<MessageCatalog, std::string> MessageCatalog::parse(std::string_view po) {
  if (po.size() > kMaxBytes) {
    return base::Refusal{"a catalog has at most " + std::to_string(kMaxBytes) +
                         " bytes, and this one has " + std::to_string(po.size())};
  }
  if (!is_utf8(po)) return base::Refusal{std::string("a catalog must be UTF-8")};
  if (po.starts_with("\xef\xbb\xbf")) po.remove_prefix(3);
  MessageCatalog catalog;
  bool has_rule = false;
  Reader reader(po);
  while (auto message = reader.next()) {
    const int line = message->line;
    const auto wrong = [&](std::string_view what) {
      reader.fail(line, what);
      return base::Refusal{reader.wrong()};
    };
    if (message->id.empty()) {
      const std::string_view header = message->translations.front();
      const std::string_view type = field_of(header, "Content-Type");
      if (!to_lower(type).ends_with("charset=utf-8"))
        return wrong("the header's Content-Type must be text/plain; charset=UTF-8");
      const std::string_view rule = field_of(header, "Plural-Forms");
      if (rule.empty()) continue;
      const auto parsed = PluralRule::parse(rule);
      if (!parsed)
        return wrong(
            "the header's Plural-Forms must be like nplurals=2; plural=n != 1; with at most " +
            std::to_string(PluralRule::kMaxForms) + " forms");
      catalog.rule_ = *parsed;
      has_rule = true;
      continue;
    }
    if (reader.is_fuzzy() || !has_every_form(*message)) continue;
    if (!message->plural.empty()) {
      if (!has_rule)
        return wrong("a message with msgid_plural needs Plural-Forms in the header above it");
      if (message->translations.size() != catalog.rule_.forms())
        return wrong("the header's Plural-Forms has " + std::to_string(catalog.rule_.forms()) +
                     " forms, so write msgstr[0] to msgstr[" +
                     std::to_string(catalog.rule_.forms() - 1) + "]");
    }
    if (catalog.messages_.size() == kMaxMessages)
      return wrong("a catalog has at most " + std::to_string(kMaxMessages) + " messages");
    std::string id = message->id;
    const auto [at, is_new] = catalog.messages_.emplace(std::move(id), std::move(*message));
    if (!is_new)
      return wrong("the message of line " + std::to_string(at->second.line) + " is repeated");
  }
  if (!reader.wrong().empty()) return base::Refusal{reader.wrong()};
  return catalog;
}

std::optional<std::string_view> MessageCatalog::find(std::string_view id) const {
  const auto found = messages_.find(id);
  if (found == messages_.end()) return std::nullopt;
  return found->second.translations.front();
}

std::optional<std::string_view> MessageCatalog::find(std::string_view id,
                                                     std::uint64_t number) const {
  const auto found = messages_.find(id);
  if (found == messages_.end() || found->second.plural.empty()) return std::nullopt;
  return found->second.translations.at(rule_.form_of(number));
}

}  // namespace svc::text
