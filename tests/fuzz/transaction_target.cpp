// Sealed transactions in forms. First byte: bit 0: the rest is the text inside a
// valid seal, as if a key had leaked; otherwise it is the sealed text itself.
#include <string>

#include "base/key_ring.h"
#include "fakes/fixed_entropy.h"
#include "fuzz/target.h"
#include "oauth/transaction.h"

namespace svc::fuzz {
namespace {

constexpr std::string_view kBinding = "browser 1";

bool are_equal(const oauth::Transaction& a, const oauth::Transaction& b) {
  return a.secret == b.secret && a.begun == b.begun && a.account == b.account &&
         a.permission_version == b.permission_version && a.query == b.query;
}

void run(std::string_view input) {
  static const base::KeyRing keys =
      *base::KeyRing::parse("k2:" + std::string(64, 'a') + "\nk1:" + std::string(64, 'b') + "\n");
  const bool sealed_here = !input.empty() && (input.front() & 1) != 0;
  if (!input.empty()) input.remove_prefix(1);
  fakes::FixedEntropy entropy;
  std::string text(input);
  if (sealed_here) text = keys.seal(input, "authorization transaction", entropy);
  const auto opened = oauth::open_transaction(text, kBinding, keys);
  if (!opened) return;
  require(sealed_here, "only a text that was sealed with a key can be opened");
  require(opened->secret.size() == 64, "a transaction has a secret of 64 characters");
  require(!oauth::open_transaction(text, "browser 2", keys), "a transaction is for one browser");
  require(oauth::query_of_any_transaction(text, keys) == opened->query, "its query is for all");
  const std::string again = oauth::seal(*opened, kBinding, keys, entropy);
  const auto reopened = oauth::open_transaction(again, kBinding, keys);
  require(reopened && are_equal(*opened, *reopened), "a sealed transaction is opened as it was");
  // One changed digit of the tag, at the end.
  std::string forged = again;
  forged.back() = forged.back() == '0' ? '1' : '0';
  require(!oauth::open_transaction(forged, kBinding, keys), "a changed text cannot be opened");
}

const Registered registered("transaction", run);

}  // namespace
}  // namespace svc::fuzz
