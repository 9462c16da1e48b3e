#include "fakes/memory_tokens.h"

namespace svc::fakes {

loop::Task<std::optional<oauth::AuthorizationCode>> MemoryTokens::find_code(
    const oauth::Token& code) {
  check();
  co_return co_await MemoryGrants::find_code(code);
}

loop::Task<oauth::Redemption> MemoryTokens::redeem(const oauth::Token& code,
                                                   const oauth::AuthorizationCode& record,
                                                   std::string_view request_id,
                                                   oauth::Token& access,
                                                   const oauth::Token& refresh) {
  check();
  if (redemption == oauth::Redemption::Redeemed) {
    ++redeemed;
    spent_by[code.text] = request_id;
    tokens[access.text] = record.issued;
    tokens[refresh.text] = record.issued;
  }
  co_return redemption;
}

loop::Task<std::optional<oauth::Issued>> MemoryTokens::find_token(const oauth::Token& token) {
  check();
  const auto found = tokens.find(token.text);
  if (found == tokens.end()) co_return std::nullopt;
  co_return found->second;
}

loop::Task<bool> MemoryTokens::refresh(const oauth::Token&, const oauth::Issued& record,
                                       const oauth::ScopeSet& scopes, oauth::Token& access) {
  check();
  if (!refresh_token_alive) co_return false;
  oauth::Issued issued = record;
  issued.scopes = scopes;
  tokens[access.text] = issued;
  co_return true;
}

loop::Task<> MemoryTokens::revoke_tokens(const oauth::Token& token) {
  check();
  revoked.push_back(token.text);
  tokens.erase(token.text);
  co_return;
}

void MemoryTokens::check() const {
  if (away) throw base::Unavailable("the grants are away");
}

loop::Task<std::int64_t> CountedGuesses::guesses(const oauth::ClientId& id,
                                                 std::string_view address) {
  co_return counts[key(id, address)];
}

loop::Task<std::int64_t> CountedGuesses::count_guess(const oauth::ClientId& id,
                                                     std::string_view address) {
  co_return ++counts[key(id, address)];
}

std::string CountedGuesses::key(const oauth::ClientId& id, std::string_view address) {
  return id.value() + " " + std::string(address);
}

loop::Task<oauth::Standing> MemoryStandings::find_standing(const oauth::Holder&) {
  if (away) throw base::Unavailable("the catalog is away");
  co_return standing;
}

loop::Task<> RememberedAudit::record(const oauth::AuditEvent& event) {
  said.push_back(std::string(event.what) + " " + std::string(event.client) + " " +
                 std::string(event.detail));
  co_return;
}

}  // namespace svc::fakes
