// TokensPage: Account → Settings → Account tokens. oauth-C2.
//
//   /settings/accounts/<account>/tokens            the list, and the form for a new one
//   /settings/accounts/<account>/tokens/<id>/end   ends a token; POST only
//   /settings/accounts/<account>/tokens/end        ends the pasted token; POST only
#include <algorithm>

#include "base/api_paths.h"
#include "base/settings_paths.h"
#include "pages/scope_descriptions.h"
#include "pages/settings/settings.h"

namespace svc::pages {
namespace {

constexpr std::string_view kEnd = "end";
constexpr std::string_view kEndOfOne = "/end";

std::string label_of_days(std::int64_t days) {
  return days == 0 ? "Never" : counted(days, "day", "days");
}

oauth::ScopeSet scopes_in(const Entered& entered) {
  oauth::ScopeSet scopes;
  if (entered.sent() == nullptr) return scopes;
  for (const text::FormField& field : entered.sent()->fields()) {
    if (field.name == "scope") scopes.add(field.value);  // our form sends no unknown one
  }
  return scopes;
}

struct OfTokens : InAccount {
  std::string list{};          // path of the list
  std::string_view subject{};  // "", or the rest of the path: "end", "<id>/end"
  oauth::Actor actor{};
};

class TokensPage : public PagesOf<Settings, OfTokens> {
  using PagesOf::PagesOf;

  loop::Task<base::Result<OfTokens, Refused>> find(const SettingsContext& context) override {
    base::Result<InAccount, Refused> account = co_await account_of(context);
    if (!account) co_return base::Refusal{account.error()};
    OfTokens of{*std::move(account)};
    of.list = base::paths::kAccountTokens.with(of.number);
    of.actor = {.contact = of.contact.id, .address = of.request.remote_address};
    if (const auto barrier = oauth::barrier_of({of.role, of.account.oauth_enabled}))
      co_return barred(of, kTokensBarred, *barrier);
    of.subject = of.after(of.list);
    if (of.request.path != of.list && of.subject != kEnd && !of.subject.ends_with(kEndOfOne))
      co_return instead(nothing_here(context, "page"));
    co_return of;
  }

  loop::Task<http::Response> page(const OfTokens& of) override {
    // A login between form and submission redirects here with GET.
    if (of.sent == nullptr && !of.subject.empty()) return at_once(go_to(of, of.list));
    if (of.subject.empty()) return form(of, &TokensPage::show, &TokensPage::create);
    if (of.subject == kEnd) return form(of, &TokensPage::show, &TokensPage::end_pasted);
    return end(of);
  }

  loop::Task<http::Response> show(const OfTokens& of, const Entered& entered) {
    return show_all(of, entered, std::nullopt);
  }

  loop::Task<http::Response> show_all(const OfTokens& of, const Entered& entered,
                                      std::optional<oauth::CreatedAccountToken> made) {
    const auto records = co_await parts_.token_service.tokens().of(of.account.id);
    std::vector<media::ContactId> ids;
    for (const oauth::AccountTokenRecord& record : records) {
      if (std::ranges::find(ids, record.contact) == ids.end()) ids.push_back(record.contact);
    }
    const std::vector<media::Contact> contacts = co_await parts_.people.find_contacts(ids);
    SettingsPage page(parts_, of, entered, "Account tokens", "tokens.tpl");
    Values& body = page.body();
    body.set("ACCOUNT", of.account_name()).set("API", parts_.site.url(base::paths::kAccount));
    if (made) {
      body.show_with("MADE")
          .set("NAME", clipped(made->record.name, kMaxShownName))
          .set("VALUE", made->text);
    }
    body.show(records.empty() ? "EMPTY" : "FULL");
    if (!records.empty() && !made) body.show("TO_NEW");
    for (const oauth::AccountTokenRecord& record : records) {
      Values one = body.show_with("ONE");
      one.set("NAME", clipped(record.name, kMaxShownName));
      page.set_form(one, of.list + "/" + record.id.value() + std::string(kEndOfOne));
      const auto contact = std::ranges::find(contacts, record.contact, &media::Contact::id);
      const bool is_known = contact != contacts.end();
      one.set("PERSON", is_known ? clipped(contact->name, kMaxShownName) : "a deleted user");
      oauth::Standing standing{std::nullopt, of.account.oauth_enabled};
      if (is_known) standing = oauth::standing_of(*contact, of.account);
      if (oauth::barrier_of(standing)) one.show("BARRED");
      set_time(one, "CREATED", record.created, of.now);
      if (record.expires == 0) {
        one.show("FOR_EVER");
      } else {
        Values until = one.show_with("UNTIL");
        set_time(until, "EXPIRES", record.expires, of.now);
      }
      if (record.last_used == 0) {
        one.show("UNUSED");
      } else {
        Values used = one.show_with("USED");
        set_time(used, "USED", record.last_used, of.now);
      }
      set_scopes(one, record.scopes);
    }
    if (!records.empty()) body.show("LIST_END");

    // After a token, or with the other form, the form for a token is empty.
    const Entered fresh;
    const Entered& shown = made || of.subject == kEnd ? fresh : entered;
    page.set_form(body, of.list);
    body.set("ENTERED_NAME", shown.text("name"))
        .set("MOST", static_cast<long>(oauth::kMostTokenName));
    show_scope_choices(body, "CHOICE", scopes_in(shown));
    for (const std::int64_t days : oauth::kTokenDays) {
      Values choice = body.show_with("DAYS");
      choice.set("VALUE", oauth::name_of_days(days)).set("LABEL", label_of_days(days));
      if (days == 0) choice.show("CAUTION");
      if (shown.text("expires", "90") == oauth::name_of_days(days)) choice.show("CHECKED");
    }
    if (!made) show_password(of, body);
    if (!records.empty()) {
      Values paste = body.show_with("PASTE");
      page.set_form(paste, of.list + "/" + std::string(kEnd));
    }
    co_return page.answer();
  }

  // Without a redirect: a token is only shown in the response to its form.
  loop::Task<Applied> create(const OfTokens& of, Entered& entered) {
    const std::string name = entered.text("name");
    const oauth::ScopeSet scopes = scopes_in(entered);
    const auto days = oauth::days_named(entered.text("expires"));
    refuse_name(entered, name, oauth::kMostTokenName);
    if (scopes.empty()) entered.refuse("scopes", "Choose at least one permission.");
    if (!days) entered.refuse("expires", "Choose when it expires.");
    // Last, so that a typing error elsewhere does not ask for the password twice.
    if (entered.has_problems()) co_return entered.refused();
    const bool is_confirmed = co_await check_password(of, entered);
    if (!is_confirmed) co_return entered.refused();
    const oauth::NewAccountToken asked{of.account, of.contact, name, scopes, *days};
    const auto created = co_await parts_.token_service.create(asked, of.actor);
    if (created) {
      std::optional<oauth::CreatedAccountToken> shown(*created);
      co_return co_await show_all(of, entered, std::move(shown));
    }
    const std::string why = created.error() == oauth::AccountTokenRefusal::TooMany
                                ? "This account has as many tokens as are allowed, " +
                                      with_separators(parts_.token_service.most_per_account()) +
                                      ". Revoke an unused token first."
                                : "You may not make tokens for this account any more.";
    co_return entered.refuse("", why, kOvertakenStatus);
  }

  loop::Task<http::Response> end(const OfTokens& of) {
    const std::string_view text = of.subject.substr(0, of.subject.size() - kEndOfOne.size());
    const auto id = oauth::AccountTokenId::parse(text);
    if (!id || id->account() != of.account.id)
      co_return nothing_here(of, "token", of.list, "Account tokens");
    const auto record = co_await parts_.token_service.tokens().find(*id);
    // The form was sent twice, or the token has expired: the goal is reached.
    if (record) co_await parts_.token_service.end(*record, of.actor);
    co_return done(of, of.list, "ended");
  }

  loop::Task<Applied> end_pasted(const OfTokens& of, Entered& entered) {
    constexpr std::string_view kField = "found";
    const auto token = oauth::AccountToken::parse(entered.text("token"));
    if (!token)
      co_return entered.refuse(kField, "This is not an account token: it begins with svcp_.");
    if (token->id.account() != of.account.id)
      co_return entered.refuse(kField, "This token is not of this account.");
    const auto record = co_await parts_.token_service.tokens().inspect(*token);
    if (!record)
      co_return entered.refuse(kField, "This token was revoked already, or never existed.");
    co_await parts_.token_service.end(*record, of.actor);
    co_return done(of, of.list, "ended");
  }
};

}  // namespace

OwnedPage tokens_page(const SettingsParts& parts) { return std::make_unique<TokensPage>(parts); }

}  // namespace svc::pages
