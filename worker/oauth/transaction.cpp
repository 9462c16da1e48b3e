#include "oauth/transaction.h"

#include "base/hex.h"
#include "base/number.h"

namespace svc::oauth {
namespace {

constexpr std::size_t kTransactionSecretBytes = 32;
constexpr std::string_view kCodeLabel = "authorization code secret";

constexpr std::string_view kTransactionContext = "authorization transaction";

}  // namespace

std::string random_secret(base::Entropy& entropy) {
  std::string bytes(kTransactionSecretBytes, '\0');
  entropy.fill({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
  return base::to_hex(bytes);
}

// One line of words, then the query, which may contain any byte:
//   <secret> <begun> <account> <permission version> <binding>\n<query>
std::string seal(const Transaction& transaction, std::string_view binding,
                 const base::KeyRing& keys, base::Entropy& entropy) {
  const std::string plain = transaction.secret + " " + std::to_string(transaction.begun) + " " +
                            std::to_string(transaction.account.value()) + " " +
                            std::to_string(transaction.permission_version) + " " +
                            std::string(binding) + "\n" + transaction.query;
  return keys.seal(plain, kTransactionContext, entropy);
}

std::optional<Transaction> open_transaction(std::string_view sealed, std::string_view binding,
                                            const base::KeyRing& keys) {
  const auto plain = keys.open(sealed, kTransactionContext);
  if (!plain) return std::nullopt;
  // Only this service can have written it, so check only what memory safety
  // needs.
  const std::string_view text = *plain;
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos || line_end < 2 * kTransactionSecretBytes)
    return std::nullopt;
  Transaction transaction;
  transaction.secret = text.substr(0, 2 * kTransactionSecretBytes);
  transaction.query = text.substr(line_end + 1);
  std::string_view line =
      text.substr(2 * kTransactionSecretBytes, line_end - 2 * kTransactionSecretBytes);
  for (std::int64_t* number :
       {&transaction.begun, &transaction.account.raw, &transaction.permission_version}) {
    if (line.empty()) return std::nullopt;
    line.remove_prefix(1);  // the space
    const auto taken = base::take_number<std::int64_t>(line);
    if (!taken) return std::nullopt;
    *number = *taken;
  }
  if (!line.starts_with(' ') || line.substr(1) != binding) return std::nullopt;
  return transaction;
}

std::optional<std::string> query_of_any_transaction(std::string_view sealed,
                                                    const base::KeyRing& keys) {
  const auto plain = keys.open(sealed, kTransactionContext);
  if (!plain) return std::nullopt;
  const std::size_t line_end = plain->find('\n');
  if (line_end == std::string::npos) return std::nullopt;
  return plain->substr(line_end + 1);
}

Token code_of(const Transaction& transaction, const GrantId& grant, const Holder& holder,
              const base::KeyRing& keys) {
  return Token::of(TokenKind::Code, grant, keys.mac(kCodeLabel, transaction.secret), holder);
}

}  // namespace svc::oauth
