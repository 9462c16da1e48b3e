#include "oauth/client.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "media/record_fields.h"
#include "text/ascii.h"
#include "text/record_gate.h"

namespace svc::oauth {
namespace {

constexpr std::string_view kSecretLabel = "client_id and client_secret";

std::string context_of(const ClientId& id) { return "client_secret of " + id.value(); }

// The text for the MAC. An id contains no colon, so different pairs give
// different texts.
std::string message_of(const ClientId& id, std::string_view secret) {
  return id.value() + ":" + std::string(secret);
}

// The text of a secret: its limit, and whether old records lack it.
struct SecretText {
  std::size_t most = 0;
  bool is_optional = false;
};
constexpr auto kSecretFields = base::describe<ClientSecret>(
    base::Field{"sealed", &ClientSecret::sealed, SecretText{2048}},
    base::Field{"mac", &ClientSecret::mac, SecretText{64}},
    base::Field{"created", &ClientSecret::created, SecretText{64, true}});

// The row of the part that Client inherits.
struct Inherited {
  std::nullptr_t member = nullptr;
};
struct NotImported {};

constexpr auto kClientFields = base::describe<Client>(
    base::Field{"client_id", &Client::id}, base::Field{"account_id", &Client::account}, Inherited{},
    base::Field{"created", &Client::created},
    base::Field{"permission_version", &Client::permission_version, NotImported{}},
    base::Field{"secrets", &Client::secrets, NotImported{}},
    base::Field{"client_credentials", &Client::client_credentials, NotImported{}},
    base::Field{"resource_server", &Client::resource_server, NotImported{}},
    base::Field{"resources", &Client::resources, NotImported{}});

template <class Value>
void read_field(text::JsonRecord& record, std::string_view key, Value& value) {
  if constexpr (std::is_same_v<Value, ClientId>) {
    value = {record.text(key, 64)};
    if (!is_client_id(value.value()))
      record.refuse(key, "must be 1 to 64 letters, digits, '-', '_' and '.'");
  } else if constexpr (std::is_same_v<Value, media::AccountId>) {
    value = {record.integer(key, 1, media::kMaxIntegerId)};
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = media::read_time(record, key);
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    value = record.optional_integer(key, 1, media::kMaxIntegerId).value_or(value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = record.optional_boolean(key, value);
  } else if constexpr (std::is_same_v<Value, ScopeSet>) {
    const auto names = record.optional_array(key);
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      if (!value.add(names->at(i).string().value_or("")))
        record.refuse(key, "must be a list of " + ScopeSet::list_of_names());
    }
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    const auto texts = record.optional_array(key);
    for (std::size_t i = 0; texts && i < texts->size(); ++i)
      value.emplace_back(texts->at(i).string().value_or(""));
  } else if (const auto secrets = record.optional_array(key)) {
    for (std::size_t i = 0; i < secrets->size(); ++i) {
      text::JsonRecord fields(record, key, i, secrets->at(i));
      base::for_each(kSecretFields, [&, &secret = value.emplace_back()](const auto& row) {
        secret.*row.member = row.rule.is_optional
                                 ? fields.optional_text(row.name, row.rule.most).value_or("")
                                 : fields.text(row.name, row.rule.most);
      });
      record.adopt(fields);
    }
  }
}

template <class Value>
void write_field(text::json::ObjectWriter& writer, std::string_view key, const Value& value) {
  if constexpr (std::is_same_v<Value, ClientId>) {
    writer.string(key, value.value());
  } else if constexpr (std::is_same_v<Value, media::AccountId>) {
    writer.integer(key, value.value());
  } else if constexpr (std::is_same_v<Value, std::string>) {
    writer.string(key, value);
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    writer.integer(key, value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (value) writer.boolean(key, value);  // most records have none of these
  } else if constexpr (std::is_same_v<Value, ScopeSet>) {
    if (!value.empty()) writer.strings(key, value.names());
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    if (!value.empty())
      writer.strings(key, std::vector<std::string_view>(value.begin(), value.end()));
  } else {
    text::json::ArrayWriter secrets(writer.raw(key));
    for (const ClientSecret& secret : value) {
      text::json::ObjectWriter one(secrets.next());
      base::for_each(kSecretFields, [&](const auto& row) {
        const std::string& text = secret.*row.member;
        if (!row.rule.is_optional || !text.empty()) one.string(row.name, text);
      });
      one.end();
    }
    secrets.end();
  }
}

// Calls `visit` for each own field, and `visit_settings` in place of the settings.
template <class Visit, class VisitSettings>
void for_each_field(const Visit& visit, const VisitSettings& visit_settings) {
  base::for_each(kClientFields, [&]<class Row>(const Row& row) {
    if constexpr (std::is_same_v<Row, Inherited>) {
      visit_settings();
    } else {
      visit(row);
    }
  });
}

// For the gate (text/record_gate.h).
struct ClientRecord {
  static constexpr std::size_t kLimit = kMaxClientRecord;
  static constexpr std::array<std::string_view, 0> kMayGrow{};

  static std::string write(const Client& client) {
    std::string out;
    text::json::ObjectWriter writer(out);
    oauth::for_each_field(
        [&](const auto& row) { write_field(writer, row.name, client.*row.member); },
        [&] { write_settings(writer, client); });
    writer.end();
    return out;
  }
  static base::Result<Client, std::string> read(std::string_view written) {
    text::json::Document document;
    return text::parse_record(document, written, client_from_record);
  }
  template <class Visit>
  static void for_each_field(const Visit& visit) {
    const auto visit_own = [&](const auto& row) {
      visit(
          row.name,
          [&row](text::json::ObjectWriter& writer, const Client& client) {
            write_field(writer, row.name, client.*row.member);
          },
          [&row](const Client& written, const Client& read) {
            return written.*row.member == read.*row.member;
          });
    };
    const auto visit_setting = [&](const auto& row) {
      visit(
          row.name,
          [&row](text::json::ObjectWriter& writer, const Client& client) {
            write_settings(writer, client, row.name);
          },
          [&row](const Client& written, const Client& read) {
            return written.*row.member == read.*row.member;
          });
    };
    oauth::for_each_field(visit_own, [&] { base::for_each(kApplicationSettings, visit_setting); });
  }
};

std::vector<std::string_view> keys_of_import() {
  std::vector<std::string_view> keys{"kind"};
  const auto add = [&](const auto& row) {
    if (!std::is_same_v<decltype(row.rule), NotImported>) keys.push_back(row.name);
  };
  for_each_field(add, [&] { base::for_each(kApplicationSettings, add); });
  keys.insert(keys.begin() + 2, "client_secret");  // after the id
  keys.push_back("redirect_uris");
  return keys;
}

}  // namespace

const std::vector<std::string_view> kClientKeys = keys_of_import();

bool is_client_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return text::is_alnum(c) || c == '-' || c == '_' || c == '.';
  });
}

base::Result<Client, std::string> client_from_record(text::JsonRecord& record) {
  Client client;
  for_each_field([&](const auto& row) { read_field(record, row.name, client.*row.member); },
                 [&] { read_settings(record, client); });
  if (!record.ok()) return base::Refusal{record.error()};
  return client;
}

std::string to_record(const Client& client, const Client* before) {
  return text::pass_gate<ClientRecord>(client, before);
}

ClientSecret keep_secret(const base::KeyRing& keys, const ClientId& id, std::string_view secret,
                         base::Entropy& entropy, std::string created) {
  return {keys.seal(secret, context_of(id), entropy),
          keys.mac(kSecretLabel, message_of(id, secret)), std::move(created)};
}

std::optional<std::string> open_secret(const base::KeyRing& keys, const ClientId& id,
                                       const ClientSecret& secret) {
  return keys.open(secret.sealed, context_of(id));
}

std::optional<ClientSecret> renew_secret(const base::KeyRing& keys, const ClientId& id,
                                         const ClientSecret& secret, base::Entropy& entropy) {
  const auto plain = open_secret(keys, id, secret);
  if (!plain) return std::nullopt;
  if (base::KeyRing::id_of(secret.sealed) == keys.ids().front() &&
      keys.mac(kSecretLabel, message_of(id, *plain)) == secret.mac) {
    return secret;
  }
  return keep_secret(keys, id, *plain, entropy, secret.created);
}

bool is_secret_of(const base::KeyRing& keys, const Client& client, std::string_view secret) {
  const std::string message = message_of(client.id, secret);
  bool matches = false;
  for (const ClientSecret& stored : client.secrets)
    matches |= keys.mac_matches(kSecretLabel, message, stored.mac);
  if (matches) return true;
  // Old MACs did not include the id, so they may have been copied from another
  // record. The sealed secret is bound to the id, so compare the secret itself.
  for (const ClientSecret& stored : client.secrets) {
    const auto plain = open_secret(keys, client.id, stored);
    matches |= plain && base::equal_in_constant_time(*plain, secret);
  }
  return matches;
}

}  // namespace svc::oauth
