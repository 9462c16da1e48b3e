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
  if (!token || !token->holder || !token->holder->has_contact()) co_return std::nullopt;
  co_return co_await standings.find_standing(*token->holder);
}

loop::Task<std::optional<Resources>> find_resources(const std::vector<std::string>& asked,
                                                    ResourceServers& servers,
                                                    const OwnResources& own) {
  if (asked.size() > kMostResources) co_return std::nullopt;
  Resources found;
  for (const std::string& resource : asked) {
    std::optional<std::string> one = own.find(resource);
    if (!one && resource.size() <= kMaxResource && resource.find(' ') == std::string::npos)
      one = co_await servers.find_resource(resource);
    if (!one) co_return std::nullopt;
    found.push_back(*std::move(one));
  }
  co_return own.unnamed(std::move(found));
}

// The store has compared the token's holder with the one in its record.
loop::Task<Standing> standing_of(Standings& standings, const Issued& issued,
                                 loop::Attempt<std::optional<Standing>>& early) {
  const std::optional<Standing>& known = early.get();
  if (known) co_return *known;
  if (!issued.person()) {
    co_return co_await standings.find_own_standing(issued.client, issued.account, issued.scopes);
  }
  const Holder holder = issued.holder();
  co_return co_await standings.find_standing(holder);
}

}  // namespace svc::oauth
