#include "pages/settings/tokens_page.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "oauth/consent.h"
#include "pages/formatting.h"
#include "pages/scope_descriptions.h"

namespace svc::pages {
namespace {

constexpr std::string_view kEnd = "end";
constexpr std::string_view kEndOfOne = "/end";

oauth::Actor author_of(const SettingsContext& context) {
  return {.contact = context.contact.id, .address = context.request.remote_address};
}

std::string label_of_days(std::int64_t days) {
  return days == 0 ? "Never" : counted(days, "day", "days");
}

}  // namespace

loop::Task<base::Result<TokensPage::Place, http::Response>> TokensPage::place_of(
    const SettingsContext& context) {
  auto found = co_await account_of(context);
  if (!found) co_return base::Refusal{found.error()};
  auto& [account, role] = *found;
  const auto barrier = oauth::barrier_of({role, account.oauth_enabled});
  Place place{
      std::move(account), base::paths::kAccountTokens.with(context.request.part("account")), {}};
  if (barrier) {
    SettingsPage page(parts_, context, "Account tokens", "tokens_barred.tpl");
    page.body()
        .set("ACCOUNT", clipped(place.account.name, kMaxShownName))
        .show(*barrier == oauth::Barrier::OauthDisabled ? "DISABLED" : "ONLY_A_USER");
    co_return base::Refusal{page.answer(403)};
  }
  const std::string_view rest = context.request.rest();
  if (!rest.empty()) place.subject = rest.substr(1);
  const bool is_known = rest.empty() || place.subject == kEnd || place.subject.ends_with(kEndOfOne);
  if (!is_known) co_return base::Refusal{nothing_here(context, "page")};
  co_return place;
}

loop::Task<http::Response> TokensPage::show(const SettingsContext& context) {
  const base::Result<Place, http::Response> place = co_await place_of(context);
  if (!place) co_return place.error();
  // A login between form and submission redirects here with GET.
  if (!place->subject.empty()) co_return see_other(place->list, context.visitor);
  const Entered fresh;
  co_return co_await page(context, *place, fresh);
}

loop::Task<http::Response> TokensPage::take(const SettingsContext& context,
                                            const text::Form& form) {
  const base::Result<Place, http::Response> place = co_await place_of(context);
  if (!place) co_return place.error();
  if (place->subject.empty()) co_return co_await create(context, *place, form);
  if (place->subject == kEnd) co_return co_await end_pasted(context, *place, form);
  co_return co_await end(context, *place);
}

loop::Task<http::Response> TokensPage::page(const SettingsContext& context, const Place& place,
                                            const Entered& entered) {
  const auto records = co_await service_.tokens().of(place.account.id);
  std::vector<media::ContactId> ids;
  for (const oauth::AccountTokenRecord& record : records) {
    if (std::ranges::find(ids, record.contact) == ids.end()) ids.push_back(record.contact);
  }
  const std::vector<media::Contact> contacts = co_await parts_.people.find_contacts(ids);
  SettingsPage page(parts_, context,
                    entered.status == 200 ? "Account tokens" : "Not saved: Account tokens",
                    "tokens.tpl");
  page.show_done();
  Values& body = page.body();
  body.set("ACCOUNT", clipped(place.account.name, kMaxShownName))
      .set("API", parts_.site.url(base::paths::kAccount));
  if (!entered.token.empty()) {
    body.show_with("MADE")
        .set("NAME", clipped(entered.token_name, kMaxShownName))
        .set("VALUE", entered.token);
  }
  if (!entered.problem.empty()) body.show_with("PROBLEM").set("PROBLEM", entered.problem);
  body.show(records.empty() ? "EMPTY" : "FULL");
  if (!records.empty() && entered.token.empty()) body.show("TO_NEW");
  for (const oauth::AccountTokenRecord& record : records) {
    Values one = body.show_with("ONE");
    one.set("NAME", clipped(record.name, kMaxShownName));
    page.set_form(one, place.list + "/" + record.id.value() + std::string(kEndOfOne));
    const auto contact = std::ranges::find(contacts, record.contact, &media::Contact::id);
    const bool is_known = contact != contacts.end();
    one.set("PERSON", is_known ? clipped(contact->name, kMaxShownName) : "a deleted user");
    oauth::Standing standing{std::nullopt, place.account.oauth_enabled};
    if (is_known) standing = oauth::standing_of(*contact, place.account);
    if (oauth::barrier_of(standing)) one.show("BARRED");
    set_time(one, "CREATED", record.created, context.now);
    if (record.expires == 0) {
      one.show("FOR_EVER");
    } else {
      Values until = one.show_with("UNTIL");
      set_time(until, "EXPIRES", record.expires, context.now);
    }
    if (record.last_used == 0) {
      one.show("UNUSED");
    } else {
      Values used = one.show_with("USED");
      set_time(used, "USED", record.last_used, context.now);
    }
    set_scopes(one, record.scopes);
  }
  if (!records.empty()) body.show("LIST_END");

  page.set_form(body, place.list);
  body.set("ENTERED_NAME", entered.name).set("MOST", static_cast<long>(oauth::kMostTokenName));
  // At the field, and above all with a link to it.
  const auto summarise = [&](std::string_view field, const std::string& problem) {
    if (problem.empty()) return;
    body.show_with("SUMMARY").set("FIELD", field).set("PROBLEM", problem);
  };
  if (entered.is_refused() || !entered.paste_problem.empty()) body.show("HAS_PROBLEMS");
  summarise("name", entered.name_problem);
  summarise("scopes", entered.scopes_problem);
  summarise("expires", entered.expires_problem);
  summarise("password", entered.password.problem);
  summarise("found", entered.paste_problem);
  const auto show_problem = [&](std::string_view field, const std::string& problem) {
    if (problem.empty()) return;
    body.show(std::string(field) + "_WRONG");
    body.show_with(std::string(field) + "_PROBLEM").set("PROBLEM", problem);
  };
  show_problem("NAME", entered.name_problem);
  show_problem("SCOPES", entered.scopes_problem);
  show_problem("EXPIRES", entered.expires_problem);
  oauth::ScopeSet all;
  for (const std::string_view name : oauth::ScopeSet::kNames) all.add(name);
  for (const std::string_view name : in_display_order(all)) {
    oauth::ScopeSet one;
    one.add(name);
    const ScopeDescription description = describe_scope(name);
    Values choice = body.show_with("CHOICE");
    choice.set("VALUE", name).set("TITLE", description.title).set("TEXT", description.text);
    if (entered.scopes.covers(one)) choice.show("CHECKED");
  }
  for (const std::int64_t days : oauth::kTokenDays) {
    Values choice = body.show_with("DAYS");
    choice.set("VALUE", oauth::name_of_days(days)).set("LABEL", label_of_days(days));
    if (days == 0) choice.show("CAUTION");
    if (entered.expires == oauth::name_of_days(days)) choice.show("CHECKED");
  }
  if (needs_password(context) && entered.token.empty()) {
    Values password = body.show_with("PASSWORD");
    password.set("EMAIL", context.contact.email);
    if (!entered.password.problem.empty()) {
      password.show("WRONG");
      password.show_with("PASSWORD_PROBLEM").set("PROBLEM", entered.password.problem);
    }
  }
  if (!records.empty()) {
    Values paste = body.show_with("PASTE");
    page.set_form(paste, place.list + "/" + std::string(kEnd));
    if (!entered.paste_problem.empty()) {
      paste.show("WRONG");
      paste.show_with("PASTE_PROBLEM").set("PROBLEM", entered.paste_problem);
    }
  }
  http::Response response = page.answer(entered.status);
  if (entered.password.retry_after > 0)
    response.with("Retry-After", std::to_string(entered.password.retry_after));
  co_return response;
}

// Without a redirect: a token is only shown in the response to its form.
loop::Task<http::Response> TokensPage::create(const SettingsContext& context, const Place& place,
                                              const text::Form& form) {
  Entered entered;
  entered.name = tidy(form.find("name").value_or(""));
  entered.expires = form.find("expires").value_or("");
  for (const text::FormField& field : form.fields()) {
    if (field.name == "scope") entered.scopes.add(field.value);  // our form sends no unknown one
  }
  const auto days = oauth::days_named(entered.expires);
  if (const std::string why = oauth::why_not_name(entered.name, oauth::kMostTokenName);
      !why.empty()) {
    entered.name_problem = entered.name.empty() ? "Enter a name." : "The name " + why + ".";
  }
  if (entered.scopes.empty()) entered.scopes_problem = "Choose at least one permission.";
  if (!days) entered.expires_problem = "Choose when it expires.";
  entered.status = kNotSavedStatus;
  // Last, so that a typing error elsewhere does not ask for the password twice.
  if (!entered.is_refused()) {
    entered.password = co_await check_password(context, form);
    if (!entered.password.problem.empty()) entered.status = entered.password.status;
  }
  if (entered.is_refused()) co_return co_await page(context, place, entered);
  const oauth::NewAccountToken asked{place.account, context.contact, entered.name, entered.scopes,
                                     *days};
  const oauth::Actor actor = author_of(context);
  auto created = co_await service_.create(asked, actor);
  if (!created) {
    entered.status = kOvertakenStatus;
    entered.problem = created.error() == oauth::AccountTokenRefusal::TooMany
                          ? "This account has as many tokens as are allowed, " +
                                with_separators(service_.most_per_account()) +
                                ". Revoke an unused token first."
                          : "You may not make tokens for this account any more.";
    co_return co_await page(context, place, entered);
  }
  Entered shown;
  shown.token = std::move(created->text);
  shown.token_name = created->record.name;
  co_return co_await page(context, place, shown);
}

loop::Task<http::Response> TokensPage::end(const SettingsContext& context, const Place& place) {
  const std::string_view text = place.subject.substr(0, place.subject.size() - kEndOfOne.size());
  const auto id = oauth::AccountTokenId::parse(text);
  if (!id || id->account() != place.account.id)
    co_return nothing_here(context, "token", place.list, "Settings");
  const auto record = co_await service_.tokens().find(*id);
  // The form was sent twice, or the token has expired: the goal is reached.
  if (record) {
    const oauth::Actor actor = author_of(context);
    co_await service_.end(*record, actor);
  }
  co_return done(context, place.list, "ended");
}

loop::Task<http::Response> TokensPage::end_pasted(const SettingsContext& context,
                                                  const Place& place, const text::Form& form) {
  const std::string pasted = tidy(form.find("token").value_or(""));
  const auto token = oauth::AccountToken::parse(pasted);
  Entered refused;
  refused.status = kNotSavedStatus;
  if (!token) {
    refused.paste_problem = "This is not an account token: it begins with svcp_.";
  } else if (token->id.account() != place.account.id) {
    refused.paste_problem = "This token is not of this account.";
  }
  if (!refused.paste_problem.empty()) co_return co_await page(context, place, refused);
  const auto record = co_await service_.tokens().inspect(*token);
  if (!record) {
    refused.paste_problem = "This token was revoked already, or never existed.";
    co_return co_await page(context, place, refused);
  }
  const oauth::Actor actor = author_of(context);
  co_await service_.end(*record, actor);
  co_return done(context, place.list, "ended");
}

}  // namespace svc::pages
