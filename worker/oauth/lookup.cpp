#include "oauth/lookup.h"

namespace svc::oauth {

loop::Task<std::optional<AuthorizationCode>> find_code(Grants& grants,
                                                       const std::optional<Token>& token) {
  if (!token) co_return std::nullopt;
  co_return co_await grants.find_code(*token);
}

loop::Task<std::optional<Issued>> find_token(Grants& grants, const std::optional<Token>& token) {
  if (!token) co_return std::nullopt;
  co_return co_await grants.find_token(*token);
}

loop::Task<std::optional<Standing>> find_standing(Standings& standings,
                                                  const std::optional<Token>& token) {
  if (!token || !token->holder) co_return std::nullopt;
  co_return co_await standings.find_standing(*token->holder);
}

// The store has compared the token's holder with the one in its record.
loop::Task<Standing> standing_of(Standings& standings, Holder holder,
                                 loop::Attempt<std::optional<Standing>>& early) {
  const std::optional<Standing>& known = early.get();
  if (known) co_return *known;
  co_return co_await standings.find_standing(holder);
}

}  // namespace svc::oauth
