// operations-D52: a foreign value in any key harms only the subject of that key. svc-ingest and
// svcctl: integration/ (operations-D53).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/settings/settings.h"
#include "stores/kinds.h"

namespace svc::rules::foreign {
namespace {

using Names = std::set<std::string>;

// The requests of ForeignValues::requests() that are about one thing.
const Names kPages{"media page",       "film page",   "projects page", "applications page",
                   "application page", "tokens page", "stats page",    "account's connections"};
const Names kChanges{"form", "edit", "project", "repetition"};
const Names kRequests{"token: media", "token: film",  "token: account",
                      "token: stats", "grant: media", "refresh"};

Names all_of(std::initializer_list<Names> parts) {
  Names all;
  for (Names part : parts) all.merge(part);
  return all;
}

const Names kAccount = all_of({kPages, kChanges, kRequests, {"player", "list", "frame"}});
const Names kContact = all_of(
    {kPages, kChanges, kRequests, {"connections", "security", "login", "authorize", "settings"}});
const Names kToken{"edit",        "project",        "repetition",  "token: media",
                   "token: film", "token: account", "token: stats"};
const Names kFilm{"film", "player", "frame",       "film page",
                  "form", "edit",   "token: film", "token: stats"};

// What lists or changes the media and projects of an account.
const Names kLists = all_of({kChanges,
                             {"media page", "film page", "projects page", "stats page",
                              "token: media", "token: stats", "grant: media"}});

// For each kind of stores/kinds.h, in its order.
struct Row {
  std::string_view kind;
  // Requests that may fail while the value of such a key is wrong.
  Names harms{};
  std::string sample{};  // a key, unless the service has written one
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.kind; }

const std::vector<Row> kRows{
    {"catalog:account:<id>", kAccount, "catalog:account:1001"},
    {"catalog:contact:<id>", kContact, "catalog:contact:501"},
    {"catalog:contact_email:<email>", {"login"}, "catalog:contact_email:olivia@acme.example"},
    {"catalog:password:<contact>", kContact, "catalog:password:501"},
    {"catalog:project:<id>"},
    {"catalog:media:<hashed_id>", kFilm, "catalog:media:l4unchf1lm"},
    {"catalog:captions:<media>", {}, "catalog:captions:l4unchf1lm"},
    {"catalog:captioned:<account>", {}, "catalog:captioned:1001"},
    {"catalog:files:<hashed_id>", {}, "catalog:files:l4unchf1lm"},
    {"catalog:playlist:<hashed_id>", {"list"}, "catalog:playlist:pl4yl1st01"},
    {"catalog:index:{<account>}", all_of({kLists, {"token: account"}}), "catalog:index:{1001}"},
    {"catalog:directory:{<account>}:<set>", kLists, "catalog:directory:{1001}:m"},
    {"catalog:block:{<account>}:<set>:<begin>", kLists},
    {"catalog:unindexed:{<account>}", kLists, "catalog:unindexed:{1001}"},
    {"catalog:changed:{<account>}", {}, "catalog:changed:{1001}"},
    {"oauth:client:<client_id>",
     {"application page", "authorize", "guess", "refresh"},
     "oauth:client:demo-client-0001"},
    {"oauth:deleted_client:<client_id>", {}, "oauth:deleted_client:demo-client-0001"},
    {"oauth:account_clients:<account>", {"applications page"}, "oauth:account_clients:1001"},
    {"oauth:ending_clients", {}, "oauth:ending_clients"},
    {"oauth:public_clients"},
    {"oauth:resources", {}, "oauth:resources"},
    {"oauth:grant:{<grant>}", {"authorize", "grant: media", "refresh"}},
    {"oauth:grant_used:{<grant>}"},
    {"oauth:contact_grants:<contact>", {"connections"}, "oauth:contact_grants:501"},
    {"oauth:client_grants:<client>", {"application page"}, "oauth:client_grants:demo-client-0001"},
    {"oauth:account_grants:<account>", {"account's connections"}, "oauth:account_grants:1001"},
    {"oauth:code:{<grant>}:<mac>"},
    {"oauth:codes:{<grant>}", {"authorize"}},
    {"oauth:access:{<grant>}", {"grant: media", "refresh"}},
    {"oauth:refresh:{<grant>}:<mac>", {"refresh"}},
    {"oauth:account_token:{<account>}:<name>", kToken},
    {"oauth:account_token_used:{<account>}:<name>"},
    {"oauth:account_tokens:{<account>}", {"tokens page"}},
    {"oauth:contact_account_tokens:<contact>"},
    {"oauth:repetition:{<account>}:<digest>", {"repetition"}},
    {"oauth:repetitions:{<account>}", {"repetition"}},
    {"oauth:repetition_bytes:{<account>}", {"repetition"}},
    {"oauth:once:<mac>", {}, "oauth:once:1"},
    {"oauth:guess:<client>:<address>", {"guess", "refresh"}},
    // The queues themselves; as for all that svc-ingest takes from them, operations-D53.
    {"ingest:incoming", {}, "ingest:incoming"},
    {"ingest:jobs", {}, "ingest:jobs"},
    {"ingest:deletions", {}, "ingest:deletions"},
    {"ingest:guards", {}, "ingest:guards"},
    {"ingest:guards_again", {}, "ingest:guards_again"},
    {"ingest:guarding", {}, "ingest:guarding"},
    {"ingest:dead", {}, "ingest:dead"},
    {"ingest:progress:<hashed_id>", {}, "ingest:progress:l4unchf1lm"},
    {"ingest:uploads:<account>", {"media page"}, "ingest:uploads:1001"},
    {"ingest:failed:<account>", {}, "ingest:failed:1001"},
    {"ingest:large:<account>", {}, "ingest:large:1001"},
    {"ingest:bytes:<account>", {"media page"}, "ingest:bytes:1001"},
    {"courier:queue:{courier}", {}, "courier:queue:{courier}"},
    {"courier:asked:{courier}:<sha256 of a URL>", {}, "courier:asked:{courier}:1"},
    {"courier:contact:{courier}:<id>", {}, "courier:contact:{courier}:501"},
    {"courier:address:{courier}:<address>", {}, "courier:address:{courier}:192.0.2.1"},
    {"courier:host:{courier}:<host>", {}, "courier:host:{courier}:app.example"},
    {"courier:again:{courier}:<sha256 of a URL>", {}, "courier:again:{courier}:1"},
    {"courier:known:{courier}", {}, "courier:known:{courier}"},
    {"courier:document:<sha256 of a URL>", {}, "courier:document:1"},
    {"courier:documents", {}, "courier:documents"},
    {"web:replacements", {}, "web:replacements"},
    {"web:replacement_failure:<hashed_id>", {}, "web:replacement_failure:l4unchf1lm"},
    {"web:session:<mac>"},
    {"web:contact_sessions:<contact>", {"security", "login"}, "web:contact_sessions:501"},
    {"web:login_pair:{<mac>}:<addr>", {"login"}},
    {"web:login_email:{<mac>}", {"login"}},
    {"web:login_known:{<mac>}", {"login"}},
    {"web:login_address:<addr>", {"login"}, "web:login_address:192.0.2.1"},
    {"web:login_network:<net>", {"login"}, "web:login_network:192.0.2.0/24"},
    {"web:login_factor:<contact>", kContact, "web:login_factor:501"},
    {"web:login_required:accounts", {}, "web:login_required:accounts"},
    {"web:login_challenge:<sha256>", {}, "web:login_challenge:1"},
    {"web:login_codes:<contact>", {}, "web:login_codes:501"},
    {"web:settings_forms:<contact>", {"form", "authorize"}, "web:settings_forms:501"},
    {"usage:manifest:<yyyy-mm-dd>", {}, "usage:manifest:2026-03-01"},
    {"stats:pieces:{<subject>}", {"token: stats", "film page"}, "stats:pieces:{media:l4unchf1lm}"},
    {"stats:rows:{<subject>}", {"token: stats", "film page"}, "stats:rows:{media:l4unchf1lm}"},
    {"stats:visitors:{<subject>}:<yyyymmdd>", {}, "stats:visitors:{media:l4unchf1lm}:20260301"},
    {"stats:openings:{media:<hashed_id>}", {}, "stats:openings:{media:l4unchf1lm}"},
    {"stats:open", {}, "stats:open"},
    {"stats:kept", {}, "stats:kept"},
    {"stats:plays:<account>", {}, "stats:plays:1001"},
    {"embed:salt:<yyyymmdd>", {}, "embed:salt:20260301"},
    {"embed:rendering:<hashed_id>", {}, "embed:rendering:l4unchf1lm"},
    // An action is refused if the trail cannot record it.
    {"audit:<kind>", {"login", "other login"}, "audit:login"},
    {"audit", {}, "audit"},
};

const stores::Kind& kind_named(std::string_view name) {
  return *std::ranges::find(stores::kKinds, name, &stores::Kind::key);
}

class ForeignValues : public WithSettings, public testing::WithParamInterface<Row> {
 protected:
  ForeignValues() {
    live();
    site_.listen();
  }

  static constexpr const char* kSecret = "demo-secret-0001-not-for-production";
  static Ask api(const std::string& line, const std::string& token) {
    return Ask(line).with("Authorization", "Bearer " + token);
  }
  static Ask json(const std::string& line, const std::string& token, const std::string& body) {
    return api(line, token).with("Content-Type", "application/json").with_body(body);
  }
  Ask refresh(const std::string& secret) {
    return Ask("POST /oauth/token")
        .with_form({{"grant_type", "refresh_token"},
                    {"client_id", kScheduler},
                    {"client_secret", secret},
                    {"refresh_token", refresh_}});
  }

  // Olivia and Manuel connect applications, make tokens, fail to log in, and watch.
  void live() {
    const Answer tokens = connect(browser_, kScheduler);
    access_ = member_of(tokens, "access_token");
    refresh_ = member_of(tokens, "refresh_token");
    use(tokens);
    Browser manuel(site_);
    manuel.log_in(kManuelsId);
    others_ = member_of(connect(manuel, kUploader, 1002), "access_token");
    const std::string page = std::string(kAcme) + "/tokens";
    const Answer made = browser_.submit(
        browser_.ask(page), page, {{"name", "Backup"}, {"scope", "all:all"}, {"expires", "90"}});
    const std::size_t at = made.body.find("value=\"svcp_") + 7;
    token_ = made.body.substr(at, made.body.find('"', at) - at);
    ask(json("POST /v1/projects", token_, R"({"name":"Films"})").with("Idempotency-Key", "one"));
    ask(api("/v1/medias", token_));
    ask(refresh("guess"));
    Browser first(site_);
    Browser second(site_);
    log_in(first, kOlivia, "right");
    log_in(second, kOlivia, "wrong");
  }

  // Each returns a status. Those of "other …" are about another account and user.
  std::map<std::string, std::function<int()>> requests() {
    const auto page = [this](const std::string& path) {
      return [this, path] { return browser_.ask(path).status; };
    };
    const auto open = [this](const std::string& target) {
      return [this, target] { return ask(Ask(target)).status; };
    };
    const auto of = [this](const std::string& path, const std::string& token) {
      return [this, path, token] { return ask(api(path, token)).status; };
    };
    const auto send = [this](const Ask& asked) {
      return [this, asked] { return ask(asked).status; };
    };
    const auto enter = [this](const std::string& email, const std::string& address) {
      return [this, email, address] {
        site_.address = address;
        Browser browser(site_);
        const Answer shown = browser.ask("/login");
        const int status =
            shown.status == 200
                ? browser
                      .submit(shown, "/login", {{"email", email}, {"password", password_of(email)}})
                      .status
                : shown.status;
        site_.address = kHome;
        return status;
      };
    };
    const std::string acme(kAcme);
    const std::string film = "https%3A%2F%2Facme.svc.localhost%2Fmedias%2F";
    return {
        {"film", open("/oembed?url=" + film + "l4unchf1lm")},
        {"player", open("/embed/medias/l4unchf1lm.json")},
        {"frame", open("/embed/iframe/l4unchf1lm")},
        {"list", open("/embed/playlists/pl4yl1st01.json")},
        {"settings", page("/settings")},
        {"connections", page(kConnected)},
        {"security", page(kSecurity)},
        {"media page", page(acme + "/media")},
        {"film page", page(acme + "/media/l4unchf1lm")},
        {"projects page", page(acme + "/projects")},
        {"applications page", page(acme + "/applications")},
        {"application page", page(acme + "/applications/demo-client-0001")},
        {"tokens page", page(acme + "/tokens")},
        {"stats page", page(acme + "/stats")},
        {"account's connections", page(acme + "/connected")},
        {"token: media", of("/v1/medias", token_)},
        {"token: film", of("/v1/medias/l4unchf1lm", token_)},
        {"token: account", of("/v1/account", token_)},
        {"token: stats", of("/v1/stats/medias/l4unchf1lm", token_)},
        {"grant: media", of("/v1/medias", access_)},
        {"edit", send(json("PUT /v1/medias/l4unchf1lm", token_, R"({"name":"Launch film"})"))},
        {"project", send(json("POST /v1/projects", token_, R"({"name":"More"})"))},
        {"repetition", send(json("POST /v1/projects", token_, R"({"name":"Films"})")
                                .with("Idempotency-Key", "one"))},
        {"refresh", send(refresh(kSecret))},
        {"guess", send(refresh("guess"))},
        {"authorize", page("/oauth/authorize?response_type=code&client_id=demo-client-0001&"
                           "redirect_uri=http%3A%2F%2F127.0.0.1%3A9090%2Fcallback")},
        {"login", enter(kOlivia, kHome)},
        {"form",
         [this, acme] {
           const std::string path = acme + "/media/l4unchf1lm/edit";
           const Answer shown = browser_.ask(path);
           // Without a session, it is the page of the login.
           if (!shown.has("action=\"" + path + "\"")) return shown.status;
           return browser_.submit(shown, path, {{"name", "Launch film"}}).status;
         }},
        {"other film", open("/oembed?url=" + film + "p0rtrait99")},
        {"other token", of("/v1/medias", others_)},
        {"other login", enter(kManuel, "198.51.100.7")},
    };
  }
  Names failed() {
    Names names;
    for (const auto& [name, send] : requests()) {
      if (send() >= 500) names.insert(name);
    }
    site_.run_periodic_tasks();
    return names;
  }
  // Those that failed, and may not.
  Names harmed(const Names& harms) {
    Names wrong;
    std::ranges::set_difference(failed(), harms, std::inserter(wrong, wrong.end()));
    return wrong;
  }

  redis::Reply run(redis::Words words) {
    return kind_.store == stores::Store::Cache ? stores().cache_command(words)
                                               : stores().command(words);
  }
  // A key of the kind that the service has written; "": none.
  std::string written() {
    std::string pattern;
    bool is_name = false;
    for (const char c : kind_.key) {
      if (c == '<') pattern += '*';
      if (c == '<' || c == '>') {
        is_name = c == '<';
      } else if (!is_name) {
        pattern += c;
      }
    }
    const redis::Reply found = run({"KEYS", pattern});
    std::string first;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string key(*found.at(i).text());
      if (first.empty() || key < first) first = key;
    }
    return first;
  }
  void plant_other_type(const std::string& key) {
    run({"DEL", key});
    if (kind_.type == "list") {
      run({"SADD", key, "foreign"});
    } else {
      run({"RPUSH", key, "foreign"});
    }
  }
  // Leaves garbage of the right type.
  void damage(const std::string& key) {
    const std::string_view garbage = "\x01garbage";
    if (kind_.type == "string") {
      run({"SET", key, garbage, "KEEPTTL"});
    } else if (kind_.type == "hash") {
      run({"HSET", key, garbage, garbage});
      const redis::Reply fields = run({"HKEYS", key});
      for (std::size_t i = 0; i < fields.size(); ++i)
        run({"HSET", key, *fields.at(i).text(), garbage});
    } else if (kind_.type == "zset") {
      run({"ZADD", key, "-1e300", garbage, "1e300", "\x02garbage"});
    } else if (kind_.type == "set") {
      run({"SADD", key, garbage});
    } else if (kind_.type == "list") {
      run({"LPUSH", key, garbage});
    } else {
      run({"XADD", key, "*", garbage, garbage});
    }
  }

  const stores::Kind& kind_ = kind_named(GetParam().kind);
  std::string access_, refresh_, others_, token_;
};

TEST_P(ForeignValues, OperationsD52HarmWhatTheirKeyIsAbout) {
  const Row& row = GetParam();
  const std::string key = row.sample.empty() ? written() : row.sample;
  ASSERT_NE(key, "");
  ASSERT_EQ(stores::kind_of(key), &kind_) << key;
  const redis::Reply dumped = run({"DUMP", key});
  const std::optional<std::string> before(dumped.text());
  const Names none;
  plant_other_type(key);
  EXPECT_EQ(harmed(row.harms), none) << key << " has another type";
  run({"DEL", key});
  EXPECT_EQ(failed(), none) << key << " is deleted, as svcctl catalog discard does";
  run({"DEL", key});
  if (before) run({"RESTORE", key, "0", *before});
  damage(key);
  EXPECT_EQ(harmed(row.harms), none) << key << " is damaged";
}

INSTANTIATE_TEST_SUITE_P(, ForeignValues, testing::ValuesIn(kRows), [](const auto& of) {
  std::string name;
  for (const char c : of.param.kind.substr(0, of.param.kind.find('<')))
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + (of.param.kind.ends_with('>') ? "of" : "");
});

TEST(ForeignValuesTable, OperationsD52HasEachKind) {
  std::vector<std::string_view> kinds;
  for (const stores::Kind& kind : stores::kKinds) kinds.push_back(kind.key);
  std::vector<std::string_view> rows;
  for (const Row& row : kRows) rows.push_back(row.kind);
  EXPECT_EQ(rows, kinds);
}

}  // namespace
}  // namespace svc::rules::foreign
