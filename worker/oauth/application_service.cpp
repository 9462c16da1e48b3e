#include "oauth/application_service.h"

#include <algorithm>
#include <utility>

#include "oauth/limits.h"
#include "text/rfc3339.h"
#include "text/word_list.h"

namespace svc::oauth {
namespace {

std::string grants_end(std::int64_t count) { return std::to_string(count) + " grants end with it"; }

}  // namespace

std::int64_t ApplicationService::most_per_account() const {
  return limits_.applications_per_account;
}

loop::Task<base::Result<WithSecret, ApplicationRefusal>> ApplicationService::create(
    const NewApplication& application, const Actor& actor) {
  const std::optional<ApplicationRefusal> refusal = co_await why_not(application);
  if (refusal) co_return base::Refusal{*refusal};
  const WithSecret created = make(application, 1);
  co_await record(event_named<"client.created">(), created.client.id, created.client.account, "",
                  actor);
  co_return co_await add(created);
}

loop::Task<base::Result<WithSecret, ApplicationRefusal>> ApplicationService::create_with_chosen_id(
    const NewApplication& application, GrantSearch& search, const Actor& actor) {
  const std::optional<ApplicationRefusal> refusal = co_await why_not(application);
  if (refusal) co_return base::Refusal{*refusal};
  const std::vector<GrantId> former = co_await search.grants_of(application.id);
  std::string detail;
  if (!former.empty())
    detail = "ended " + std::to_string(former.size()) + " grants of a former one";
  // No former application had the time in seconds as its permission version.
  const WithSecret created = make(application, clock_.now());
  co_await record(event_named<"client.created">(), created.client.id, created.client.account,
                  detail, actor);
  co_await end_all_grants(application.id, search);
  co_return co_await add(created);
}

loop::Task<std::optional<ApplicationRefusal>> ApplicationService::why_not(
    const NewApplication& application) {
  // First, so that a form that is sent twice finds its own application.
  const std::optional<Client> before = co_await applications_.find(application.id);
  if (before) co_return ApplicationRefusal::IdTaken;
  if (!problems_of(application.settings).empty() ||
      oauth::why_not(application.operated, application.settings.type))
    co_return ApplicationRefusal::InvalidSettings;
  if (!application.account.oauth_enabled) co_return ApplicationRefusal::OauthDisabled;
  const std::vector<Client> others = co_await applications_.of(application.account.id);
  if (std::ssize(others) >= most_per_account()) co_return ApplicationRefusal::TooManyApplications;
  co_return std::nullopt;
}

WithSecret ApplicationService::make(const NewApplication& application,
                                    std::int64_t permission_version) {
  Client client =
      with_operator_settings(with_settings({}, application.settings), application.operated);
  client.id = application.id;
  client.account = application.account.id;
  client.permission_version = permission_version;
  client.created = text::to_rfc3339(clock_.now());
  if (client.is_public()) return {std::move(client), ""};
  const std::string secret = new_client_secret(entropy_);
  client.secrets = {seal(client.id, secret)};
  return {std::move(client), secret};
}

loop::Task<base::Result<WithSecret, ApplicationRefusal>> ApplicationService::add(
    const WithSecret& created) {
  const auto refusal = co_await applications_.add(created.client, most_per_account());
  if (refusal) co_return base::Refusal{*refusal};
  co_return created;
}

loop::Task<base::Result<Client, ApplicationRefusal>> ApplicationService::edit(
    const Client& seen, const ApplicationSettings& asked, std::string_view edition,
    const Actor& actor) {
  ApplicationSettings settings = asked;
  settings.type = seen.type;  // for life
  settle(settings);
  if (!problems_of(settings).empty()) co_return base::Refusal{ApplicationRefusal::InvalidSettings};
  const ApplicationSettings& before = seen;
  const bool changes = !(before == settings) && settings_edition(seen) == edition;
  if (changes) {
    const std::string fields = differences_of(before, settings);
    co_await record(event_named<"client.changed">(), seen.id, seen.account, fields, actor);
  }
  const Applications::Change change = [&](Client now) -> base::Result<Client, ApplicationRefusal> {
    if (now == settings) return now;  // a form that was sent twice
    if (!changes || settings_edition(now) != edition)
      return base::Refusal{ApplicationRefusal::Overtaken};
    return with_settings(std::move(now), settings);
  };
  co_return co_await applications_.change(seen.id, change);
}

loop::Task<base::Result<Client, ApplicationRefusal>> ApplicationService::operate(
    const Client& seen, const Operate& operate, const Actor& actor) {
  const OperatorSettings before = seen.operated();
  const OperatorSettings after = operate(before);
  if (oauth::why_not(after, seen.type))
    co_return base::Refusal{ApplicationRefusal::InvalidSettings};
  std::string fields;
  if (!(before.client_credentials == after.client_credentials)) fields = "client_credentials";
  if (before.resource_server != after.resource_server) text::add_word(fields, "resource_server");
  if (!fields.empty())
    co_await record(event_named<"client.changed">(), seen.id, seen.account, fields, actor);
  const Applications::Change change = [&](Client now) -> base::Result<Client, ApplicationRefusal> {
    const OperatorSettings settings = operate(now.operated());
    return with_operator_settings(std::move(now), settings);
  };
  co_return co_await applications_.change(seen.id, change);
}

loop::Task<base::Result<WithSecret, ApplicationRefusal>> ApplicationService::rotate_secret(
    const Client& seen, std::string_view edition, const Actor& actor) {
  if (seen.is_public()) co_return base::Refusal{ApplicationRefusal::NoSecret};
  const std::string secret = new_client_secret(entropy_);
  const ClientSecret sealed = seal(seen.id, secret);
  const Applications::Change change = [&](Client now) -> base::Result<Client, ApplicationRefusal> {
    if (secrets_edition(now) != edition) return base::Refusal{ApplicationRefusal::Overtaken};
    auto two = with_new_secret(std::move(now), sealed);
    if (!two) return base::Refusal{ApplicationRefusal::TwoLiveSecrets};
    return std::move(*two);
  };
  auto changed = co_await change_secrets(seen, event_named<"secret.rotated">(), change, actor);
  if (!changed) co_return base::Refusal{changed.error()};
  co_return WithSecret{std::move(*changed), secret};
}

loop::Task<base::Result<Client, ApplicationRefusal>> ApplicationService::retire_old_secret(
    const Client& seen, std::string_view edition, const Actor& actor) {
  if (seen.is_public()) co_return base::Refusal{ApplicationRefusal::NoSecret};
  const Applications::Change change = [&](Client now) -> base::Result<Client, ApplicationRefusal> {
    if (secrets_edition(now) != edition) return base::Refusal{ApplicationRefusal::Overtaken};
    auto one = with_newest_secret_only(std::move(now));
    if (!one) return base::Refusal{ApplicationRefusal::OneLiveSecret};
    return std::move(*one);
  };
  co_return co_await change_secrets(seen, event_named<"secret.retired">(), change, actor);
}

loop::Task<base::Result<Client, ApplicationRefusal>> ApplicationService::change_secrets(
    const Client& seen, EventName what, const Applications::Change& change, const Actor& actor) {
  base::Result<Client, ApplicationRefusal> allowed = change(seen);
  if (!allowed) co_return allowed;
  co_await record(what, seen.id, seen.account, "", actor);
  co_return co_await applications_.change(seen.id, change);
}

loop::Task<std::vector<std::optional<std::string>>> ApplicationService::show_secrets(
    const Client& client, const Actor& actor) {
  std::vector<std::optional<std::string>> secrets;
  for (const ClientSecret& secret : client.secrets)
    secrets.push_back(open_secret(keys_, client.id, secret));
  if (std::ranges::any_of(secrets, [](const auto& secret) { return secret.has_value(); }))
    co_await record(event_named<"secret.shown">(), client.id, client.account, "", actor);
  co_return secrets;
}

loop::Task<> ApplicationService::remove(const Client& client, const Actor& actor) {
  // One event, not one per grant: these would evict other events from the
  // trail.
  const GrantList list = client.id;
  const std::int64_t count = co_await grants_.count_grants(list);
  const std::string detail = grants_end(count);
  co_await record(event_named<"client.deleted">(), client.id, client.account, detail, actor);
  co_await applications_.remove(client.id, clock_.now());
  co_await grants_.end_some(list, kGrantsPerStep);
}

loop::Task<std::optional<Remains>> ApplicationService::find_remains(const ClientId& id) {
  Remains remains{id, std::nullopt};
  const std::vector<ClientId> ids{id};
  std::vector<Client> readable = co_await applications_.find_all(ids);
  if (!readable.empty()) {
    remains.client = std::move(readable.front());
    remains.has_record = true;
    co_return remains;
  }
  remains.has_record = co_await applications_.is_stored(id);
  if (remains.has_record) co_return remains;
  const bool ends = co_await applications_.is_ending(id);
  if (ends) co_return remains;
  co_return std::nullopt;
}

loop::Task<> ApplicationService::remove_completely(const Remains& remains, GrantSearch& search,
                                                   const Actor& actor) {
  // Delete the record first, which ends every use immediately. If the rest is
  // interrupted, a second call or clean_up_removed() finishes it.
  if (remains.has_record) {
    const std::vector<GrantId> found = co_await search.grants_of(remains.id);
    const std::string detail = (remains.client ? "" : "unreadable record, ") +
                               grants_end(static_cast<std::int64_t>(found.size()));
    std::optional<media::AccountId> account;  // an unreadable record has none
    if (remains.client) account = remains.client->account;
    co_await record(event_named<"client.deleted">(), remains.id, account, detail, actor);
    co_await applications_.remove(remains.id, clock_.now());
  }
  co_await end_all_grants(remains.id, search);
}

loop::Task<> ApplicationService::end_all_grants(const ClientId& id, GrantSearch& search) {
  co_await finish_removal(id, applications_, grants_);
  // The lists may be outdated.
  const std::vector<GrantId> unlisted = co_await search.grants_of(id);
  for (const GrantId& grant : unlisted) co_await grants_.end(grant);
}

ClientSecret ApplicationService::seal(const ClientId& id, const std::string& secret) {
  return keep_secret(keys_, id, secret, entropy_, text::to_rfc3339(clock_.now()));
}

loop::Task<> ApplicationService::record(EventName what, const ClientId& id,
                                        std::optional<media::AccountId> account,
                                        std::string_view detail, const Actor& actor) {
  std::string all(actor.detail);
  if (!detail.empty()) text::add_word(all, detail);
  const AuditEvent event{.what = what,
                         .contact = actor.contact,
                         .account = account,
                         .client = id.value(),
                         .address = actor.address,
                         .detail = all};
  co_await audit_.record(event);
}

}  // namespace svc::oauth
