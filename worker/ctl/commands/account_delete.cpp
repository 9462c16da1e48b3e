// `svcctl account delete`.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/unreadable.h"
#include "ctl/commands/app_end.h"
#include "ctl/commands/drop_cached.h"
#include "ctl/commands/groups.h"
#include "ctl/commands/services.h"
#include "ctl/commands/user_access.h"
#include "ctl/confirm.h"
#include "ctl/progress_bar.h"
#include "ctl/report.h"
#include "ctl/tally.h"
#include "media/account.h"
#include "media/contact.h"
#include "media/guard.h"
#include "media/playlist.h"
#include "oauth/applications.h"
#include "stores/access/account_tokens.h"
#include "stores/access/client_registry.h"
#include "stores/access/factors.h"
#include "stores/access/grant_inspection.h"
#include "stores/access/grants.h"
#include "stores/catalog/account_end.h"
#include "stores/catalog/catalog_registry.h"
#include "stores/catalog/people.h"
#include "stores/catalog/project_registry.h"
#include "stores/catalog/uploads.h"
#include "stores/keys.h"
#include "stores/record_scan.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

using media::HashedId;

constexpr std::int64_t kGrantsPerStep = 500;

// What the catalog has of an account. The records need not be readable, but those of users.
struct Belongings {
  std::vector<HashedId> medias;
  std::vector<media::ProjectId> projects;
  std::vector<HashedId> playlists;
  std::vector<media::Contact> members;

  std::size_t count() const {
    return medias.size() + projects.size() + playlists.size() + members.size();
  }
};

// Calls `see` with each record whose key has that prefix, and the rest of the key.
void for_each(const Context& context, const std::string& label, std::string_view prefix,
              const std::function<void(const std::string& id, const std::string& text)>& see) {
  stores::RecordScan scan(context.store.redis, std::string(prefix), redis::Scan::Repeats::Dropped);
  ProgressBar bar(label, kWholeStore);
  std::uint64_t seen = 0;
  while (const auto records = context.store.run(scan.next())) {
    for (const stores::StoredRecord& record : *records) {
      ++seen;
      see(record.key.substr(prefix.size()), record.text);
    }
    bar.update(part_of_store(scan.fraction_done()), seen);
  }
}

Belongings find_belongings(const Context& context, media::AccountId account) {
  Belongings found;
  text::json::Document document;
  const auto is_of = [&](const std::string& text) {
    const auto value = document.parse(text.substr(0, text.find('\n')));
    const auto id = value ? value->find("account_id") : std::nullopt;
    return id && id->integer() == account.value();
  };
  const auto add_to = [&is_of]<class Id>(std::vector<Id>& ids) {
    return [&is_of, &ids](const std::string& name, const std::string& text) {
      const auto id = Id::parse(name);
      if (id && is_of(text)) ids.push_back(*id);
    };
  };
  for_each(context, "media", stores::keys::kMedias, add_to(found.medias));
  for_each(context, "projects", stores::keys::kProjects, add_to(found.projects));
  for_each(context, "playlists", stores::keys::kPlaylists, add_to(found.playlists));
  for_each(context, "users", stores::keys::kContactRecords,
           [&](const std::string& /*id*/, const std::string& text) {
             auto contact = text::parse_record(document, text, media::contact_from_record,
                                               text::json::Origin::Outside);
             if (!contact) return;
             const bool is_member = std::ranges::any_of(
                 contact->memberships, [&](const auto& each) { return each.account == account; });
             if (is_member) found.members.push_back(std::move(*contact));
           });
  return found;
}

bool is_only_here(const media::Contact& contact, media::AccountId account) {
  return std::ranges::all_of(contact.memberships,
                             [&](const auto& each) { return each.account == account; });
}

// All steps may be repeated after an interruption.
class AccountEnd {
 public:
  AccountEnd(Context& context, media::AccountId account)
      : context_(context), account_(account), registry_(context.store.redis) {}

  // From here on nobody works in the account, and nothing comes into it.
  void close() {
    context_.store.run(stores::close_account(context_.store.redis, account_));
    try {
      context_.store.run(registry_.change_account(account_, [](media::Account& account) {
        account.oauth_enabled = false;
        account.uploads_enabled = false;
      }));
    } catch (const base::Unreadable&) {
      // Then workers refuse all of it.
    }
  }

  void end_access() {
    stores::ClientRegistry clients(context_.store.redis);
    for (const oauth::ClientId& id : context_.store.run(clients.ids_of(account_))) {
      if (!is_of_another(clients, id)) end_application(context_, id);
    }
    stores::Grants grants(context_.state.redis, context_.store.redis, *context_.keys,
                          context_.limits, context_.clock, context_.entropy);
    // Applications of a run that was interrupted, among others.
    for (const oauth::Applications::Ending& each : context_.store.run(clients.ending()))
      context_.store.run(oauth::finish_removal(each.id, clients, grants));
    while (context_.state.run(grants.end_some(account_, kGrantsPerStep)) > 0) continue;
    // The list may be incomplete.
    stores::GrantInspection inspection(context_.state.redis, *context_.keys, context_.limits,
                                       context_.clock);
    for (const stores::LiveGrant& grant : tally_of(inspection, context_, account_).grants)
      context_.state.run(grants.end(grant.id));
    stores::AccountTokens tokens(context_.store.redis, *context_.keys, context_.clock);
    for (const oauth::AccountTokenRecord& token : context_.store.run(tokens.of(account_)))
      context_.store.run(tokens.end(token.id));
  }

  // The playlists first: at every moment, all media in playlists exist.
  void end(const Belongings& found) {
    std::vector<HashedId> changed;
    for (const HashedId& playlist : found.playlists) {
      context_.store.run(registry_.remove_playlist(playlist));
      changed.push_back(playlist);
    }
    if (!found.medias.empty()) take_out_of_playlists(found.medias, changed);
    stores::Uploads uploads(context_.store.redis);
    ProgressBar bar("deleting", found.medias.size());
    std::uint64_t done = 0;
    for (const HashedId& media : found.medias) {
      context_.store.run(uploads.remove(media, account_));
      changed.push_back(media);
      if (changed.size() >= kDroppedAtOnce) drop_cached(context_, std::exchange(changed, {}));
      ++done;
      bar.update(done, done);
    }
    drop_cached(context_, changed);
    stores::ProjectRegistry projects(context_.store.redis);
    for (const media::ProjectId& project : found.projects) {
      const std::function<bool(const media::Project*)> any = [](const media::Project*) {
        return true;
      };
      context_.store.run(projects.remove_project(project, account_, any));
    }
    for (const media::Contact& member : found.members) end_membership(member);
  }

  void end_record() {
    stores::Factors factors(context_.store.redis);
    context_.store.run(factors.require(account_, false));
    // Another account may get the id: its films are not closed by the rule of this one.
    std::vector<media::Guarded> guarded{{.account = account_, .turn = media::Guarded::Turn::Other}};
    stores::Uploads uploads(context_.store.redis);
    context_.store.run(uploads.announce_guard(guarded));
    context_.store.run(stores::end_account(context_.store.redis, account_));
    context_.store.run(uploads.guard(std::move(guarded)));
  }

 private:
  static constexpr std::size_t kDroppedAtOnce = 500;

  bool is_of_another(stores::ClientRegistry& clients, const oauth::ClientId& id) {
    try {
      const auto client = context_.store.run(clients.find(id));
      return client && client->account != account_;
    } catch (const base::Unreadable&) {
      return false;
    }
  }

  // Those of other accounts.
  void take_out_of_playlists(const std::vector<HashedId>& medias, std::vector<HashedId>& changed) {
    std::set<std::string_view> ids;
    for (const HashedId& media : medias) ids.insert(media.value());
    text::json::Document document;
    for_each(context_, "searching", stores::keys::kPlaylists,
             [&](const std::string& /*id*/, const std::string& text) {
               const auto playlist =
                   text::parse_record(document, text, media::playlist_from_record);
               if (!playlist) return;  // nothing shows it, and it cannot be changed
               for (const HashedId& media : playlist->media_ids) {
                 if (!ids.contains(media.value())) continue;
                 context_.store.run(registry_.take_out(playlist->id, media));
                 changed.push_back(playlist->id);
               }
             });
  }

  void end_membership(const media::Contact& found) {
    // Another command may have changed it since.
    stores::People people(context_.store.redis);
    const auto stored = context_.store.run(people.find_contact(found.id));
    if (!stored) return;
    const media::Contact& member = *stored;
    if (is_only_here(member, account_)) {
      const std::string detail =
          who_is_this() + ", with account " + std::to_string(account_.value());
      end_user(context_, {.contact = member, .is_stored = true}, detail, GrantsOf::List);
      return;
    }
    context_.store.run(registry_.change_contact(member.id, [&](media::Contact& contact) {
      std::erase_if(contact.memberships,
                    [&](const auto& each) { return each.account == account_; });
    }));
  }

  Context& context_;
  const media::AccountId account_;
  stores::CatalogRegistry registry_;
};

// The account, its name as far as its record can be read.
std::optional<std::string> find_name(const Context& context, media::AccountId id) {
  stores::People people(context.store.redis);
  try {
    const auto account = context.store.run(people.find_account(id));
    if (!account) return std::nullopt;
    return account->name;
  } catch (const base::Unreadable&) {
    return "";
  }
}

Outcome delete_account(const Arguments& arguments, Context& context) {
  const media::AccountId id{arguments.integer_operand(0)};
  const std::optional<std::string> name = find_name(context, id);
  const Belongings found = find_belongings(context, id);
  const std::string number = std::to_string(id.value());
  if (!name && found.count() == 0) return Refusal{"there is no account " + number};
  const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  const std::int64_t only_here = std::ranges::count_if(
      found.members, [&](const media::Contact& member) { return is_only_here(member, id); });
  stores::ClientRegistry clients(context.store.redis);
  stores::AccountTokens tokens(context.store.redis, *context.keys, context.clock);
  stores::GrantInspection inspection(context.state.redis, *context.keys, context.limits,
                                     context.clock);
  const Tally tally = tally_of(inspection, context, id);
  Report report;
  report.integer("account_id", id.value())
      .text("name", name.value_or(""))
      .integer("medias", size(found.medias))
      .integer("projects", size(found.projects))
      .integer("playlists", size(found.playlists))
      .integer("users", only_here)
      .integer("memberships", size(found.members) - only_here)
      .integer("applications", size(context.store.run(clients.of(id))))
      .integer("account_tokens", size(context.store.run(tokens.of(id))));
  add_tally(report, tally);
  const Ending ending{.typed = number, .to_do = "delete the account", .done = "deleted"};
  std::size_t left = 0;
  const Outcome outcome = end_if_confirmed(arguments, context, std::move(report), ending, [&] {
    const std::string detail = who_is_this() + ", " + std::to_string(found.medias.size()) +
                               " media, " + std::to_string(only_here) + " users";
    record_event(context, {.what = oauth::event_named<"account.deleted">(),
                           .account = id,
                           .detail = detail,
                           .makes_room = true});
    AccountEnd end(context, id);
    end.close();
    end.end_access();
    // Again, since an import, or a request that was on its way, may have written in the meantime.
    Belongings rest = find_belongings(context, id);
    while (rest.count() > 0 && rest.count() != left) {
      left = rest.count();
      end.end(rest);
      rest = find_belongings(context, id);
    }
    left = rest.count();
    if (left > 0) return false;
    // Again: an application or a grant may have been on its way.
    end.end_access();
    end.end_record();
    return true;
  });
  if (left == 0) return outcome;
  return Refusal{std::to_string(left) + " records of account " + number +
                 " could not be deleted, and it stays, closed: svcctl catalog check names those "
                 "that cannot be read; svcctl account delete " +
                 number + " does the rest"};
}

}  // namespace

Command account_delete_command() {
  return {.name = "account delete",
          .summary = "Delete an account with all that belongs to it",
          .syntax = {.operands = {{.takes = Takes::integer("ID", 1, media::kMaxIntegerId),
                                   .help = "the account's id"}},
                     .flags = {yes_flag()},
                     .json = kJsonObject},
          .details = {"Ends its media with their files, captions, links and statistics, projects, "
                      "playlists, applications, grants and tokens, and the users who are in no "
                      "other account. Others lose their membership. Playlists of other accounts "
                      "lose its media. The audit trail keeps its events.",
                      "First nobody can work in it and nothing comes into it; then all of it ends "
                      "step by step, its films one after another; the record goes last. If svcctl "
                      "is interrupted, the same command does the rest.",
                      "Prints first what ends, and asks; without a terminal it needs --yes. It "
                      "reads the whole catalog. An import whose file still has the account creates "
                      "it again. Make a backup first: there is no way back."},
          .needs_keys = always,
          .run = delete_account};
}

}  // namespace svc::ctl
