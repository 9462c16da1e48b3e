#include "redis/people.h"

#include <array>
#include <charconv>

#include "redis/keys.h"
#include "redis/record.h"
#include "redis/script.h"

namespace svc::redis {
namespace {

// The reason of a record that cannot be read names keys and limits, never a value.
template <class T, class Read>
T read_record(text::json::Document& document, const std::string& key, std::string_view text,
              Read read) {
  std::string why;
  if (const auto value = document.parse(text, text::json::Origin::Ours)) {
    text::JsonRecord record(*value);
    auto parsed = read(record);
    if (parsed) return std::move(*parsed);
    why = parsed.error();
  } else {
    why = value.error();
  }
  corrupt_record(key, why);
}

// The one place in the record that is this key with this value: a quotation mark inside of any
// other value would have a backslash before it. Everything else stays as it is, also what only a
// newer worker knows. KEYS: the record. ARGV: the hash before, the hash after.
const Script& password_script() {
  static const Script kScript(R"(
local record = redis.call('GET', KEYS[1])
if not record then return 0 end
local first, last = string.find(record, '"password_hash":"' .. ARGV[1] .. '"', 1, true)
if not first then return 0 end
redis.call('SET', KEYS[1], string.sub(record, 1, first - 1) .. '"password_hash":"' .. ARGV[2] ..
           '"' .. string.sub(record, last + 1))
return 1)");
  return kScript;
}

}  // namespace

std::optional<media::Contact> People::find_contact(media::ContactId id) {
  const std::string key = keys::contact(id);
  const ReplyView reply = connection_.get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return read_record<media::Contact>(document_, key, *text, media::contact_from_record);
}

// As many trips for an email that nobody has (there is no contact 0): how long it takes must not
// tell who is a customer.
std::optional<media::Contact> People::find_contact(std::string_view email) {
  const ReplyView reply = connection_.get(keys::contact_email(email));
  const std::string_view number = reply.text().value_or("");
  media::ContactId id;
  std::from_chars(number.data(), number.data() + number.size(), id.number);
  auto contact = find_contact(id);
  // The index may lag behind a record.
  if (contact && !text::equal_ignoring_case(contact->email, email)) return std::nullopt;
  return contact;
}

std::optional<media::Account> People::find_account(media::AccountId id) {
  const std::string key = keys::account(id);
  const ReplyView reply = connection_.get(key);
  const auto text = reply.text();
  if (!text) return std::nullopt;
  return read_record<media::Account>(document_, key, *text, media::account_from_record);
}

std::vector<media::Account> People::find_accounts(const std::vector<media::AccountId>& ids) {
  std::vector<media::Account> found;
  for (const media::AccountId id : ids) connection_.expect(keys::account(id));
  for (const media::AccountId id : ids) {
    if (auto account = find_account(id)) found.push_back(std::move(*account));
  }
  return found;
}

std::vector<media::Contact> People::find_contacts(const std::vector<media::ContactId>& ids) {
  std::vector<media::Contact> found;
  for (const media::ContactId id : ids) connection_.expect(keys::contact(id));
  for (const media::ContactId id : ids) {
    if (auto contact = find_contact(id)) found.push_back(std::move(*contact));
  }
  return found;
}

bool People::set_password_hash(media::ContactId id, std::string_view before,
                               std::string_view after) {
  if (before.empty()) return false;
  const std::array<std::string, 1> key{keys::contact(id)};
  const std::array<std::string, 2> hashes{std::string(before), std::string(after)};
  return connection_.eval(password_script(), key, hashes).integer() == 1;
}

}  // namespace svc::redis
