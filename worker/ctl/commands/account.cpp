#include "media/account.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/number.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/services.h"
#include "ctl/confirm.h"
#include "ctl/if_absent.h"
#include "ctl/listing.h"
#include "ctl/printable.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "ctl/table.h"
#include "ctl/tally.h"
#include "library/open_files.h"
#include "media/contact.h"
#include "media/guard.h"
#include "stores/access/client_registry.h"
#include "stores/access/factors.h"
#include "stores/access/grant_inspection.h"
#include "stores/access/grants.h"
#include "stores/catalog/account_end.h"
#include "stores/catalog/catalog_index.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/people.h"
#include "stores/catalog/uploads.h"
#include "stores/keys.h"
#include "stores/record_scan.h"
#include "stores/replace.h"
#include "text/json.h"
#include "text/json_record.h"
#include "text/utf8.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

using base::Field;
using media::Account;

std::string no_account(media::AccountId id) {
  return "there is no account " + std::to_string(id.value());
}

// The flag of "account set" that changes a member.
struct ChangedBy {
  std::string_view flag;
  std::string_view takes;
  std::string_view help;
};
constexpr auto kMembers = base::describe<Account>(
    Field{"account_id", &Account::id},
    Field{"name", &Account::name, ChangedBy{"--name", "NAME", "the account's name"}},
    Field{"host", &Account::host, ChangedBy{"--host", "HOST", "the account's host name"}},
    Field{"url", &Account::url,
          ChangedBy{"--url", "URL", "the account's URL, which applications receive"}},
    Field{"oauth_enabled", &Account::oauth_enabled,
          ChangedBy{"--oauth-enabled", "yes|no",
                    "whether applications can be registered and authorized"}},
    Field{"uploads_enabled", &Account::uploads_enabled,
          ChangedBy{"--uploads-enabled", "yes|no",
                    "whether its owners, managers and applications may upload"}},
    Field{media::kAllowedDomainsField, &Account::allowed_domains,
          ChangedBy{kAllowedDomainsFlag, "LIST|any",
                    "the sites and applications whose pages may show its films, as in "
                    "site.example,*.site.example,capacitor://localhost; any: every site"}},
    Field{"allow_no_referrer", &Account::allow_no_referrer,
          ChangedBy{"--allow-no-referrer", "yes|no",
                    "whether pages that do not say where they are may show its films, too"}},
    Field{"logo", &Account::logo,
          ChangedBy{"--logo", "URL",
                    "its logo on the pages of its films: an https URL, or a path of a file of "
                    "this service; empty: none"}},
    Field{"colour", &Account::colour,
          ChangedBy{"--colour", "RRGGBB",
                    "its colour on the pages of its films: six hexadecimal digits; empty: none"}});

template <class Visit>
void for_each_changeable(const Visit& visit) {
  base::for_each(kMembers, [&](const auto& row) {
    if constexpr (requires { row.rule.flag; }) visit(row);
  });
}

void add(Report& report, std::string_view key, media::AccountId id) {
  report.integer(key, id.value());
}
void add(Report& report, std::string_view key, const std::string& text) { report.text(key, text); }
void add(Report& report, std::string_view key, bool value) { report.boolean(key, value); }
void add(Report& report, std::string_view key, std::optional<bool> value) {
  report.boolean(key, value.value_or(false));
}
void add(Report& report, std::string_view key,
         const std::optional<media::AllowedDomains>& domains) {
  report.texts(key, domains.value_or(media::AllowedDomains()));
}

// The account with what its record leaves open.
Account effective(Account account) {
  account.uploads_enabled = account.may_upload();
  return account;
}

void add_account(Report& report, const Account& account) {
  const Account shown = effective(account);
  base::for_each(kMembers, [&](const auto& row) { add(report, row.name, shown.*row.member); });
}

class ListedAccounts : public Listed {
 public:
  explicit ListedAccounts(bool json) : json_(json) {}

  bool take(const stores::StoredRecord& record) override {
    auto read = text::parse_record(document_, record.text, media::account_from_record,
                                   text::json::Origin::Outside);
    if (!read) {
      cannot_read(record, read.error());
      return false;
    }
    account_ = std::move(*read);
    return true;
  }

  void print() override {
    if (json_) {
      Report report;
      add_account(report, account_);
      report.print(std::cout, true);
      return;
    }
    table_.row({std::to_string(account_.id.value()), account_.oauth_enabled ? "yes" : "no",
                account_.host, account_.name});
  }

 private:
  const bool json_;
  text::json::Document document_;
  Account account_;
  Table table_{std::cout, {{"ID", 10}, {"OAUTH", 5}, {"HOST", 30}, {"NAME"}}};
};

Outcome list_accounts(const Arguments& arguments, Context& context) {
  const auto page = read_page(arguments);
  if (!page) return wrong_call(context, page.error());
  ListedAccounts listed(arguments.json());
  return list_records(arguments, context, stores::keys::kAccounts, Ids::Numbers, *page, listed,
                      "no account");
}

// Counts the records of one kind that belong to the account. Scans the whole
// store.
template <class BelongsTo>
std::int64_t count(const Context& context, const std::string& label, const std::string& prefix,
                   BelongsTo belongs_to) {
  std::int64_t found = 0;
  stores::RecordScan scan(context.store.redis, prefix, redis::Scan::Repeats::Dropped);
  ProgressBar bar(label, kWholeStore);
  while (const auto records = context.store.run(scan.next())) {
    for (const stores::StoredRecord& record : *records) {
      if (belongs_to(record.text)) ++found;
    }
    bar.update(part_of_store(scan.fraction_done()), static_cast<std::uint64_t>(found));
  }
  return found;
}

void add_counts(Report& report, const Context& context, media::AccountId id) {
  text::json::Document document;
  const auto names_it = [&](const std::string& text) {
    const auto value = document.parse(text.substr(0, text.find('\n')));
    const auto account = value ? value->find("account_id") : std::nullopt;
    return account && account->integer() == id.value();
  };
  const auto is_member = [&](const std::string& text) {
    const auto contact =
        text::parse_record(document, text, media::contact_from_record, text::json::Origin::Outside);
    if (!contact) return false;
    return std::ranges::any_of(contact->memberships, [&](const media::Membership& membership) {
      return membership.account == id;
    });
  };
  report.integer("medias", count(context, "media", stores::keys::kMedias, names_it))
      .integer("playlists", count(context, "playlists", stores::keys::kPlaylists, names_it))
      .integer("users", count(context, "users", stores::keys::kContactRecords, is_member));
}

// Not of the record: an import does not change it.
constexpr std::string_view kSecondFactor = "--second-factor";
constexpr std::string_view kFactorRequired = "second_factor_required";

bool requires_factor(const Context& context, media::AccountId id) {
  const std::vector<media::AccountId> one{id};
  return !context.store.run(stores::Factors(context.store.redis).requiring(one)).empty();
}

Outcome show_account(const Arguments& arguments, Context& context) {
  const media::AccountId id{arguments.integer_operand(0)};
  stores::People people(context.store.redis);
  const auto account = context.store.run(people.find_account(id));
  if (!account) return Refusal{no_account(id)};
  stores::ClientRegistry registry(context.store.redis);
  const auto applications = context.store.run(registry.of(id));
  stores::Grants grants(context.state.redis, context.store.redis, *context.keys, context.limits,
                        context.clock, context.entropy);
  Report report;
  add_account(report, *account);
  report.boolean(kFactorRequired, requires_factor(context, id));
  report.integer("applications", static_cast<std::int64_t>(applications.size()))
      .integer("grants", context.state.run(grants.count_grants(id)))
      .integer("upload_bytes", context.store.run(stores::Uploads(context.store.redis).bytes(id)));
  if (arguments.has("--count")) add_counts(report, context, id);
  report.print(std::cout, arguments.json());
  return kDone;
}

std::string words_of(const std::string& text) { return text; }
std::string words_of(bool value) { return value ? "yes" : "no"; }
void set(std::string& member, const std::string& text) { member = text; }
std::string words_of(std::optional<bool> value) { return words_of(value.value_or(false)); }
std::string words_of(const std::optional<media::AllowedDomains>& domains) {
  return domain_words(domains.value_or(media::AllowedDomains()));
}
void set(bool& member, const std::string& text) { member = text == "yes"; }
void set(std::optional<bool>& member, const std::string& text) { member = text == "yes"; }
// Accepts any text: why_not() refuses wrong ones.
void set(std::optional<media::AllowedDomains>& member, const std::string& text) {
  if (text == kAnyDomain) {
    member.emplace();
    return;
  }
  const media::AllowedDomains given = domains_given(text);
  const auto canonical = media::canonical_domains(given);
  member = canonical ? *canonical : given;
}

std::vector<Flag> flags_of_members() {
  std::vector<Flag> flags;
  for_each_changeable([&](const auto& row) {
    constexpr bool kSwitch = std::is_same_v<decltype(row.member), bool Account::*> ||
                             std::is_same_v<decltype(row.member), std::optional<bool> Account::*>;
    const auto& [name, takes, help] = row.rule;
    flags.push_back({.name = name,
                     .takes = kSwitch ? Takes::choice(takes, {"yes", "no"}) : Takes::text(takes),
                     .help = help});
  });
  return flags;
}

// Returns whether it is required now.
bool change_factor(const Arguments& arguments, const Context& context, media::AccountId id) {
  const bool before = requires_factor(context, id);
  if (!arguments.has(kSecondFactor)) return before;
  const bool asked = arguments.value(kSecondFactor) == "yes";
  if (asked == before) return before;
  const std::string detail = who_is_this() + ", " + std::string(kFactorRequired) + " " +
                             words_of(before) + " → " + words_of(asked);
  record_event(context,
               {.what = oauth::event_named<"account.changed">(), .account = id, .detail = detail});
  stores::Factors factors(context.store.redis);
  context.store.run(factors.require(id, asked));
  return asked;
}

std::vector<Flag> flags_of_change() {
  std::vector<Flag> flags = flags_of_members();
  flags.push_back({.name = kSecondFactor,
                   .takes = Takes::choice("yes|no", {"yes", "no"}),
                   .help = "whether those who authorize applications or manage it need one"});
  flags.push_back(yes_flag());
  return flags;
}

std::vector<Flag> flags_of_creation() {
  std::vector<Flag> flags = flags_of_members();
  for (Flag& flag : flags) flag.required = flag.name == "--name" || flag.name == "--host";
  flags.push_back({.name = "--id",
                   .takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                   .help = "the account's id; without it the next one"});
  flags.push_back(if_absent_flag());
  return flags;
}

// Returns why the call is wrong; empty if it is correct.
std::string why_no_change(const Arguments& arguments) {
  std::string names;
  bool any = false;
  for_each_changeable([&](const auto& row) {
    any |= arguments.has(row.rule.flag);
    text::add_word(names, row.rule.flag);
  });
  if (any || arguments.has(kSecondFactor)) return "";
  return "nothing to change: one of " + names + ", " + std::string(kSecondFactor) + " is missing";
}

void change(Account& account, const Arguments& arguments) {
  for_each_changeable([&](const auto& row) {
    if (arguments.has(row.rule.flag)) set(account.*row.member, arguments.value(row.rule.flag));
  });
}

// Returns why an import would refuse these values; empty if it would accept
// them.
std::string why_not(const Account& account, const Account* before = nullptr) {
  bool is_utf8 = true;
  for_each_changeable(
      [&](const auto& row) { is_utf8 &= text::is_utf8(words_of(account.*row.member)); });
  if (!is_utf8) return "the values must be UTF-8";
  text::json::Document document;
  const std::string record = to_record(account, before);
  const auto value = document.parse(record);
  if (!value) return value.error();
  text::JsonRecord fields(*value);
  fields.be_strict();
  const auto read = media::account_from_record(fields);
  return read ? "" : read.error();
}

std::string changes_between(const Account& stored, const Account& changed) {
  const Account before = effective(stored);
  const Account after = effective(changed);
  std::string changes;
  for_each_changeable([&](const auto& row) {
    const std::string was = words_of(before.*row.member);
    const std::string is = words_of(after.*row.member);
    if (was != is) changes += ", " + std::string(row.name) + " " + was + " → " + is;
  });
  return changes;
}

// Returns the largest id in the catalog; 0 if the catalog is empty.
std::int64_t largest_id(const Context& context) {
  std::int64_t largest = 0;
  stores::RecordScan scan(context.store.redis, stores::keys::kAccounts,
                          redis::Scan::Repeats::Possible);
  while (const auto records = context.store.run(scan.next())) {
    for (const stores::StoredRecord& record : *records) {
      const auto id = base::parse_number<std::int64_t>(
          record.key.substr(std::string_view(stores::keys::kAccounts).size()), 1,
          media::kMaxIntegerId);
      largest = std::max(largest, id.value_or(0));
    }
  }
  return largest;
}

Outcome create_account(const Arguments& arguments, Context& context) {
  const bool is_chosen = arguments.has("--id");
  const bool if_absent = arguments.has(kIfAbsent);
  if (if_absent && !is_chosen)
    return wrong_call(context, "--if-absent needs --id, by which it finds the account");
  Account account;
  change(account, arguments);
  if (account.url.empty()) account.url = "https://" + account.host;
  account.id = {arguments.integer("--id").value_or(1)};
  if (const std::string why = why_not(account); !why.empty()) return Refusal{why};
  stores::People people(context.store.redis);
  const auto add = [&] {
    const std::string key = stores::keys::account(account.id);
    const std::string record = to_record(account);
    // Before: the account can be used as soon as its record exists.
    if (!context.store.run(people.find_account(account.id)))
      context.store.run(stores::open_account(context.store.redis, account.id));
    return context.store.run(stores::claim(context.store.redis, key, record));
  };
  bool created = false;
  if (!is_chosen) {
    // Another command may have taken the id.
    do account.id = {largest_id(context) + 1};
    while (!add());
    created = true;
  } else if (!context.store.run(people.find_account(account.id))) {
    created = add();
  }
  if (created) {
    const std::string detail = who_is_this();
    record_event(
        context,
        {.what = oauth::event_named<"account.created">(), .account = account.id, .detail = detail});
  } else {
    const auto there = context.store.run(people.find_account(account.id));
    const std::string id = std::to_string(account.id.value());
    if (!there || !if_absent) return Refusal{"there is an account " + id + " already"};
    if (const std::string differs = changes_between(*there, account); !differs.empty())
      return Refusal{"account " + id + " exists, but differs" + differs};
  }
  Report report;
  add_account(report, account);
  if (if_absent) report.boolean(kCreated, created);
  report.print(std::cout, arguments.json());
  return kDone;
}

// Cached renderings are not dropped: workers do not use those that are older than a change of an
// account that they depend on.
void change_account(const Context& context, const Account& before, const Account& after,
                    const Arguments& arguments) {
  const std::string detail = who_is_this() + changes_between(before, after);
  record_event(
      context,
      {.what = oauth::event_named<"account.changed">(), .account = before.id, .detail = detail});
  std::vector<media::Guarded> guarded;
  if (media::changes_guards(before.site_rule(), after.site_rule())) {
    using Turn = media::Guarded::Turn;
    const bool opens = after.site_rule().is_everywhere();
    guarded.push_back({.account = before.id, .turn = opens ? Turn::Other : Turn::Awaited});
  }
  stores::Uploads uploads(context.store.redis);
  context.store.run(uploads.announce_guard(guarded));
  stores::CatalogRegistry registry(context.store.redis);
  context.store.run(
      registry.change_account(before.id, [&](Account& account) { change(account, arguments); }));
  context.store.run(uploads.guard(std::move(guarded)));
}

// Reports the grants and tokens that stop working while OAuth is disabled for
// the account.
Report what_stops(const Context& context, const base::KeyRing& keys, const Account& account) {
  stores::ClientRegistry registry(context.store.redis);
  const auto applications = context.store.run(registry.of(account.id));
  stores::GrantInspection inspection(context.state.redis, keys, context.limits, context.clock);
  const Tally tally = tally_of(inspection, context, account.id);
  Report report;
  report.integer("account_id", account.id.value())
      .text("name", account.name)
      .integer("applications", static_cast<std::int64_t>(applications.size()));
  add_tally(report, tally);
  return report;
}

Outcome set_account(const Arguments& arguments, Context& context) {
  const media::AccountId id{arguments.integer_operand(0)};
  if (const std::string why = why_no_change(arguments); !why.empty())
    return wrong_call(context, why);
  stores::People people(context.store.redis);
  const auto before = context.store.run(people.find_account(id));
  if (!before) return Refusal{no_account(id)};
  Account after = *before;
  change(after, arguments);
  Account given = after;
  // Earlier versions stored names that are refused now.
  if (after.name == before->name) given.name = "unchanged";
  if (const std::string why = why_not(given, &*before); !why.empty()) return Refusal{why};
  stores::CatalogIndex listings(context.store.redis);
  const std::string open = context.store.run(
      library::open_file_of(listings, id, before->site_rule(), after.site_rule()));
  if (!open.empty())
    return Refusal{std::string(kAllowedDomainsFlag) + " must allow every site: " + printable(open)};
  if (before->oauth_enabled && !after.oauth_enabled) {
    const Ending ending{.typed = std::to_string(id.value()),
                        .to_do = "switch OAuth off for it",
                        .done = "changed",
                        .ends = "stops working until OAuth is enabled again",
                        .would_end = "would stop working until OAuth is enabled again"};
    return end_if_confirmed(arguments, context, what_stops(context, *context.keys, *before), ending,
                            [&] {
                              change_account(context, *before, after, arguments);
                              change_factor(arguments, context, id);
                              return true;
                            });
  }
  if (to_record(after, &*before) != to_record(*before, &*before))
    change_account(context, *before, after, arguments);
  const bool is_required = change_factor(arguments, context, id);
  Report report;
  add_account(report, after);
  report.boolean(kFactorRequired, is_required);
  report.print(std::cout, arguments.json());
  return kDone;
}

}  // namespace

const Group& account_commands() {
  static const Operand kAccount{.takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                .help = "the account's id"};
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "account",
      .subjects = "Accounts",
      .commands = {
          {.name = "account list",
           .summary = "List accounts",
           .syntax = {.flags = {limit_flag(), after_flag()}, .json = kJsonLines},
           .details = {"Without --limit the order is that of the store."},
           .only_reads = always,
           .run = list_accounts},
          {.name = "account show",
           .summary = "Show an account, with the number of its applications",
           .syntax = {.operands = {kAccount},
                      .flags = {{.name = "--count",
                                 .help = "also count media, playlists and users"}},
                      .json = kJsonObject},
           .details = {"--count reads the whole catalog: some seconds per million records."},
           .needs_keys = always,
           .only_reads = always,
           .run = show_account},
          {.name = "account create",
           .summary = "Create an account",
           .syntax = {.flags = flags_of_creation(), .json = kJsonObject},
           .details =
               {"Values are checked as in an import line. The URL is https:// and the host "
                "unless it is given; OAuth is disabled without --oauth-enabled yes. Uploads are "
                "enabled if OAuth is, unless --uploads-enabled is given.",
                "With --if-absent and --id an existing account is not an error, "
                "but it is refused if any value differs."},
           .run = create_account},
          {.name = "account set",
           .summary = "Change an account; enable or disable OAuth for it",
           .syntax = {.operands = {kAccount}, .flags = flags_of_change(), .json = kJsonObject},
           .details =
               {"Values are checked as in an import line. A later import whose file has the "
                "account overwrites them.",
                "With --oauth-enabled no, the grants and tokens of the account stop working "
                "immediately on all workers; enabling OAuth makes them work again. For this "
                "change alone it prints first what stops, and asks; without a terminal it needs "
                "--yes.",
                "--uploads-enabled is for the forms of the settings and for applications, which "
                "need OAuth too. An account for which it was never given may upload if OAuth is "
                "enabled.",
                "With --second-factor yes, grants and their tokens stay. Who has no second factor "
                "is asked to set one up at the next authorization, also if consent is remembered, "
                "and on the pages of the account. Only this command changes it."},
           .needs_keys =
               [](const Arguments& arguments) {
                 return arguments.value("--oauth-enabled") == "no";
               },
           .run = set_account},
          account_delete_command()}};
  return kGroup;
}

}  // namespace svc::ctl
