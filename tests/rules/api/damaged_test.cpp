// api.md: only readable records are stored; an unreadable record breaks only its own requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "rules/api/api.h"
#include "text/json.h"

namespace svc::rules::damaged {
namespace {

std::string json_text(std::string_view text) {
  std::string out;
  text::json::append_string(out, text);
  return out;
}

class Damaged : public WithApi {
 protected:
  static constexpr const char* kKey = "catalog:media:damaged0001";
  static inline const std::string kPath = "/v1/medias/damaged0001";
  static inline const std::string kSettings = "/settings/accounts/1001";
  static inline const std::string kPage = kSettings + "/media/damaged0001";

  void SetUp() override {
    token_ = token_of("all:all");
    stores().import(film());
    stores().import(R"({"kind":"playlist","id":"damagedl1st","account_id":1001,"name":"List",)"
                    R"("media_ids":["l4unchf1lm","damaged0001"]})"
                    "\n");
    browser_.log_in(502);
    site_.listen();
  }
  static std::string film(const std::string& name = "A film", const std::string& assets = "") {
    return R"({"kind":"media","id":"damaged0001","account_id":1001,"type":"Video","name":)" +
           json_text(name) +
           R"(,"status":"ready","created":"2026-01-05T09:00:00Z",)"
           R"("updated":"2026-01-05T09:00:00Z","assets":[)" +
           assets + "]}\n";
  }
  Ask with_token(const Ask& ask) const { return ask.with("Authorization", "Bearer " + token_); }
  Answer send(const std::string& line, const std::string& body) {
    return ask(with_token(Ask(line).with("Content-Type", "application/json").with_body(body)));
  }
  Answer set_chapters(const std::string& file) {
    return send("PUT " + kPath + "/chapters", R"({"chapters_file":)" + json_text(file) + "}");
  }
  std::string record() { return std::string(*stores().command({"GET", kKey}).text()); }

  // Everything that shows records of the account; all are 200.
  void expect_lists(const std::string& after) {
    for (const char* path :
         {"/v1/medias", "/v1/medias?sort_by=name", "/v1/medias?hashed_ids[]=damaged0001",
          "/v1/medias?name=A+film", "/v1/medias?cursor[enabled]=1", "/v1/projects", "/v1/captions",
          "/v1/account"})
      EXPECT_EQ(ask(with_token(Ask(path))).status, 200) << path << " after " << after;
    for (const char* page : {"/media", "/media?text=film", "/projects", "/stats", "/sites"})
      EXPECT_EQ(browser_.ask(kSettings + page).status, 200) << page << " after " << after;
    for (const char* path : {"/embed/playlists/damagedl1st.json", "/embed/playlists/damagedl1st"})
      EXPECT_EQ(ask(Ask(path)).status, 200) << path << " after " << after;
    EXPECT_EQ(browser_.ask("/settings/accounts/1001/applications").status, 200) << after;
  }

  std::string token_;
};

// Characters on which terminals and browsers act, characters that JSON and Lua write differently,
// and texts that become long when they are stored.
const std::vector<std::string> kNasty{"a\tb",
                                      "a\x01z",
                                      "a\x7fz",
                                      "a\xc2\x85z",
                                      "a\xe2\x80\x8ez",
                                      "a\xe2\x80\x8fz",
                                      "a\xe2\x80\xa8z",
                                      "a\xe2\x80\xaez",
                                      "a\xd8\x9cz",
                                      "a\xf3\xa0\x80\x81z",
                                      "a\xffz",
                                      "a\xed\xa0\x80z",
                                      std::string("a\0z", 3),
                                      "\xe2\x80\x8b",
                                      "\"",
                                      "\\",
                                      "a\r\nb",
                                      "&rlm;x",
                                      "&#x2028;x",
                                      std::string(260, '<'),
                                      std::string(256, '&'),
                                      std::string(2048, '\xff'),
                                      std::string(2049, 'a')};

// The family of api-C4's chapters: each way in to a text that is stored, with each nasty text.
TEST_F(Damaged, ApiN12AnyTextIsRefusedOrStoredSoThatItCanBeRead) {
  struct Way {
    std::string name;
    std::function<int(const std::string& text)> send;  // the status
  };
  const auto api = [this](const std::string& line, const std::string& before) {
    return [this, line, before](const std::string& text) {
      return send(line, "{" + before + json_text(text) + "}").status;
    };
  };
  const auto form = [this](const std::string& page, const std::string& action,
                           const Ask::Fields& more, const std::string& field) {
    return [=, this](const std::string& text) {
      Ask::Fields fields = more;
      fields.emplace_back(field, text);
      const Answer shown = browser_.ask(page);
      if (shown.status != 200) return shown.status;
      return browser_.submit(shown, action, fields).status;
    };
  };
  const auto line = [this](const std::function<std::string(const std::string&)>& made) {
    return [=, this](const std::string& text) {
      try {
        stores().import(made(text) + "\n");
        return 200;
      } catch (const std::runtime_error&) {
        return 422;
      }
    };
  };
  const std::string times = R"("created":"2026-01-05T09:00:00Z","updated":"2026-01-05T09:00:00Z")";
  const std::vector<Way> ways{
      {"name", api("PUT " + kPath, R"("name":)")},
      {"description", api("PUT " + kPath, R"("description":)")},
      {"site", api("PUT " + kPath, R"("allowed_domains":)")},
      {"chapter",
       [this](const std::string& text) {
         return set_chapters("WEBVTT\n\n00:00.000 --> 00:04.000\n" + text + "\n").status;
       }},
      {"chapter of SRT",
       [this](const std::string& text) {
         return set_chapters("1\n00:00:00,000 --> 00:00:04,000\n" + text + "\n").status;
       }},
      {"option", api("PUT " + kPath + "/customizations", R"("playerColor":)")},
      {"option of any name",
       [this](const std::string& text) {
         return send("PUT " + kPath + "/customizations", "{" + json_text(text) + ":true}").status;
       }},
      {"captions",
       [this](const std::string& text) {
         return send("POST " + kPath + "/captions",
                     R"({"language":"de","caption_file":)" +
                         json_text("1\n00:00:00,000 --> 00:00:04,000\n" + text + "\n") + "}")
             .status;
       }},
      {"language",
       [this](const std::string& text) {
         return send("POST " + kPath + "/captions",
                     R"({"language":)" + json_text(text) +
                         R"(,"caption_file":"1\n00:00:00,000 --> 00:00:04,000\nx\n"})")
             .status;
       }},
      {"project", api("POST /v1/projects", R"("name":)")},
      {"project's description", api("POST /v1/projects", R"("name":"P","description":)")},
      {"form: name", form(kPage + "/edit", kPage + "/edit", {}, "name")},
      {"form: description", form(kPage + "/edit", kPage + "/edit", {}, "description")},
      {"form: chapter",
       form(kPage + "/chapters", kPage + "/chapters", {{"time-1", "0"}}, "title-1")},
      {"form: application", form(kSettings + "/applications/new", kSettings + "/applications/new",
                                 {{"redirect_uri-1", "https://client.example/cb"}}, "name")},
      {"import: name", line([](const std::string& text) {
         const std::string made = film(text);
         return made.substr(0, made.size() - 1);
       })},
      {"import: chapter", line([](const std::string& text) {
         const std::string made =
             film("A film",
                  R"({"type":"chapters","chapters":[{"at":0,"title":)" + json_text(text) + "}]}");
         return made.substr(0, made.size() - 1);
       })},
      {"import: label", line([](const std::string& text) {
         const std::string made =
             film("A film", R"({"type":"captions","url":"/d/x.vtt","language":"fr","label":)" +
                                json_text(text) + R"(,"default":false})");
         return made.substr(0, made.size() - 1);
       })},
      {"import: playlist", line([](const std::string& text) {
         return R"({"kind":"playlist","id":"damagedl1st","account_id":1001,"name":)" +
                json_text(text) + R"(,"media_ids":["l4unchf1lm","damaged0001"]})";
       })},
      {"import: project", line([times](const std::string& text) {
         return R"({"kind":"project","id":"damagedproj","account_id":1001,"name":)" +
                json_text(text) + "," + times + "}";
       })},
      {"import: account", line([](const std::string& text) {
         return R"({"kind":"account","id":1001,"host":"acme-films.example.com",)"
                R"("url":"https://acme-films.example.com","oauth_enabled":true,"name":)" +
                json_text(text) + "}";
       })},
  };
  for (const Way& way : ways) {
    for (const std::string& text : kNasty) {
      const std::string what = way.name + ": " + json_text(text).substr(0, 40);
      EXPECT_LT(way.send(text), 500) << what;
      EXPECT_EQ(ask(with_token(Ask(kPath))).status, 200) << what;
      EXPECT_EQ(ask(with_token(Ask(kPath + "/chapters"))).status, 200) << what;
    }
    expect_lists(way.name);
  }
}

TEST_F(Damaged, ApiC4ATitleThatCannotBeShownIsRefusedAtItsField) {
  for (const std::string& title :
       std::vector<std::string>{"a\tb", "a\xe2\x80\x8ez", "a\xe2\x80\xa8z", "&rlm;x",
                                std::string(50, '<'), std::string(257, 'a')}) {
    const Answer told = set_chapters("WEBVTT\n\n00:01.000 --> 00:04.000\nFirst\n\n" +
                                     std::string("00:04.000 --> 00:05.000\n") + title + "\n");
    EXPECT_EQ(told.status, 422) << title;
    EXPECT_TRUE(told.has(R"("errors":{"chapters_file":["has a title, at 00:00:04.000, that must)"))
        << told.body;
  }
  EXPECT_EQ(record().find("chapters"), std::string::npos);
  EXPECT_EQ(
      set_chapters("1\n00:00:01,000 --> 00:00:04,000\n" + std::string(256, 'a') + "\n").status,
      200);
}

class UnreadableRecord : public Damaged, public testing::WithParamInterface<const char*> {
 protected:
  // As an earlier version stored it, or as a disk returns it.
  void damage() {
    const std::string how = GetParam();
    if (how == "chapter") {
      set_chapters("WEBVTT\n\n00:00.000 --> 00:04.000\nTitle\n");
      stores().edit(kKey, "Title", "Ti\\tle");
    } else {
      // An entry of the index names it.
      ASSERT_EQ(ask(with_token(Ask("/v1/medias"))).status, 200);
      stores().command({"DEL", kKey});
      if (how == "type") {
        stores().command({"RPUSH", kKey, "a list"});
      } else {
        stores().command({"SET", kKey,
                          how == "line"   ? R"({"id":"damaged0001"})"
                          : how == "long" ? std::string(1 << 20, '\xfe')
                                          : "\x01garbage"});
      }
    }
    ASSERT_EQ(ask(with_token(Ask(kPath))).status, 503);
  }
};

TEST_P(UnreadableRecord, ApiN12IsLeftOutOfListsAndCanBeDeleted) {
  damage();
  expect_lists("the damage");
  const Answer page = browser_.ask(kSettings + "/media");
  EXPECT_TRUE(page.has("The item <bdi>damaged0001</bdi> cannot be read")) << page.body;
  EXPECT_TRUE(page.has(kPage + "/delete"));
  const Answer list = ask(with_token(Ask("/v1/medias")));
  EXPECT_FALSE(list.has("damaged0001"));
  EXPECT_TRUE(list.has("l4unchf1lm"));
  const Answer playlist = ask(Ask("/embed/playlists/damagedl1st.json"));
  EXPECT_FALSE(playlist.has("damaged0001")) << playlist.body;
  EXPECT_TRUE(playlist.has("l4unchf1lm"));
  const std::string other = token_of("all:all", "1002");
  const Ask deletion("DELETE " + kPath);
  EXPECT_EQ(ask(deletion.with("Authorization", "Bearer " + other)).status, 404)
      << "of another account";
  for (const auto& [name, value] :
       {std::pair{"If-Match", "\"any\""}, {"If-None-Match", "*"}, {"If-None-Match", "\"any\""}})
    EXPECT_EQ(ask(with_token(deletion.with(name, value))).status, 412) << name << value;
  EXPECT_EQ(ask(with_token(Ask("/v1/captions?media_id=damaged0001"))).body, "[]");
  EXPECT_EQ(stores().command({"EXISTS", kKey}).integer(), 1);
  EXPECT_EQ(ask(with_token(deletion)).status, 204);
  EXPECT_EQ(stores().command({"EXISTS", kKey}).integer(), 0);
  EXPECT_EQ(stores().events("media.removed"), 1u);
  EXPECT_EQ(ask(with_token(Ask(kPath))).status, 404);
  expect_lists("the deletion");
}

TEST_P(UnreadableRecord, ApiN12IsDeletedByTheFormOfTheSettings) {
  damage();
  const Answer asked = browser_.ask(kPage + "/delete");
  EXPECT_EQ(asked.status, 200);
  const Answer sent = browser_.submit(asked, kPage + "/delete");
  EXPECT_EQ(sent.status, 303) << sent.body;
  EXPECT_EQ(stores().command({"EXISTS", kKey}).integer(), 0);
}

INSTANTIATE_TEST_SUITE_P(, UnreadableRecord,
                         testing::Values("chapter", "line", "garbage", "long", "type"),
                         [](const auto& of) { return std::string(of.param); });

class UnreadableProject : public Damaged, public testing::WithParamInterface<const char*> {
 protected:
  void damage() {
    id_ = member(send("POST /v1/projects", R"({"name":"Fine"})"), "hashedId");
    // The lists have it in their index.
    ASSERT_TRUE(ask(with_token(Ask("/v1/projects"))).has(id_));
    const std::string how = GetParam();
    if (how == "name") {
      stores().edit(key(), R"("name":"Fine")", R"("name":"")");
    } else if (how == "type") {
      stores().command({"DEL", key()});
      stores().command({"RPUSH", key(), "a list"});
    } else {
      stores().command({"SET", key(), how == "member" ? R"({"id":"x"})" : "\x01garbage"});
    }
    ASSERT_EQ(ask(with_token(Ask("/v1/projects/" + id_))).status, 503);
    ASSERT_EQ(send("PUT /v1/projects/" + id_, R"({"name":"New"})").status, 503);
  }
  std::string key() const { return "catalog:project:" + id_; }
  bool exists() { return stores().command({"EXISTS", key()}).integer() == 1; }
  Ask deletion() const { return Ask("DELETE /v1/projects/" + id_); }

  std::string id_;
};

TEST_P(UnreadableProject, ApiN12IsLeftOutOfListsAndCanBeDeleted) {
  damage();
  expect_lists("the damage");
  EXPECT_FALSE(ask(with_token(Ask("/v1/projects"))).has(id_));
  const std::string other = token_of("all:all", "1002");
  EXPECT_EQ(ask(deletion().with("Authorization", "Bearer " + other)).status, 404)
      << "of another account";
  for (const auto& [name, value] :
       {std::pair{"If-Match", "\"any\""}, {"If-None-Match", "*"}, {"If-None-Match", "\"any\""}})
    EXPECT_EQ(ask(with_token(deletion().with(name, value))).status, 412) << name << value;
  EXPECT_TRUE(exists());
  EXPECT_EQ(ask(with_token(deletion())).status, 204);
  EXPECT_FALSE(exists());
  EXPECT_EQ(stores().events("project.deleted"), 1u);
  EXPECT_EQ(ask(with_token(deletion())).status, 404);
  EXPECT_EQ(ask(with_token(Ask("/v1/projects/" + id_))).status, 404);
  expect_lists("the deletion");
}

TEST_P(UnreadableProject, ApiN12ApiP3IsDeletedOnlyIfItIsEmpty) {
  id_ = member(send("POST /v1/projects", R"({"name":"Fine"})"), "hashedId");
  ASSERT_EQ(send("PUT /v1/medias/move",
                 R"({"hashed_ids":["damaged0001"],"project_id":)" + json_text(id_) + "}")
                .status,
            200);
  ASSERT_TRUE(ask(with_token(Ask("/v1/projects"))).has(id_));
  stores().command({"SET", key(), "{}"});
  const Answer refused = ask(with_token(deletion()));
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(member(refused, "mediaCount"), "1") << refused.body;
  EXPECT_EQ(ask(with_token(Ask("DELETE " + kPath))).status, 204);
  EXPECT_EQ(ask(with_token(deletion())).status, 204);
}

TEST_P(UnreadableProject, ApiN12IsDeletedByTheFormOfTheSettings) {
  damage();
  const std::string path = kSettings + "/projects/" + id_ + "/delete";
  const Answer asked = browser_.ask(path);
  EXPECT_EQ(asked.status, 200);
  const Answer sent = browser_.submit(asked, path);
  EXPECT_EQ(sent.status, 303) << sent.body;
  EXPECT_FALSE(exists());
}

INSTANTIATE_TEST_SUITE_P(, UnreadableProject, testing::Values("name", "member", "garbage", "type"),
                         [](const auto& of) { return std::string(of.param); });

// The kind: each other record that lists have, or that its owner can end.
class OtherRecord : public Damaged {
 protected:
  void SetUp() override {
    Damaged::SetUp();
    browser_.log_in(kOlivia);
    settings_.log_in(kOlivia);
  }
  void write(const std::string& key, const std::string& text) {
    ASSERT_EQ(stores().command({"EXISTS", key}).integer(), 1) << key;
    stores().command({"SET", key, text});
  }
  void set(const std::string& key, const std::string& field, const std::string& value) {
    ASSERT_EQ(stores().command({"HEXISTS", key, field}).integer(), 1) << key;
    stores().command({"HSET", key, field, value});
  }
  std::string only(const std::string& pattern) {
    const std::vector<std::string> found = keys(pattern);
    EXPECT_EQ(found.size(), 1u) << pattern;
    return found.empty() ? "" : found.front();
  }

  Browser settings_{site_};  // Olivia, who owns the account
};

TEST_F(OtherRecord, ApiN12FailsNoListAndCanBeEnded) {
  // Account tokens, grants, sessions.
  const std::string tokens = kSettings + "/tokens";
  settings_.submit(settings_.ask(tokens), tokens,
                   {{"name", "Backup"}, {"scope", "media:read"}, {"expires", "90"}});
  new_tokens();
  const std::string token = only("oauth:account_token:{1001}:*");
  const std::string page = settings_.ask(tokens).body;
  const std::size_t form = page.find(tokens + "/0");
  const std::string end_of_token = page.substr(form, page.find('"', form) - form);
  struct Case {
    std::string name;
    std::function<void()> damage;
    std::vector<std::string> lists;
    std::string end;  // a form of the settings; "": none
  };
  const std::string grant = [&] {
    for (const std::string& key : keys("oauth:grant:*")) {
      if (stores().command({"HMGET", key, "contact"}).at(0).text() == "501") return key;
    }
    return std::string();
  }();
  const std::string kGrantPrefix = "oauth:grant:{";
  ASSERT_GT(grant.size(), kGrantPrefix.size());
  const std::string application = kSettings + "/applications/demo-client-0003";
  const std::vector<Case> cases{
      {"an account token", [&] { set(token, "scopes", "of:tomorrow"); }, {tokens}, end_of_token},
      {"a grant",
       [&] { set(grant, "scopes", "of:tomorrow"); },
       {"/settings/connected", kSettings + "/connected"},
       "/settings/connected/" +
           grant.substr(kGrantPrefix.size(), grant.size() - kGrantPrefix.size() - 1)},
      {"an application",
       [&] { write("oauth:client:demo-client-0003", "{}"); },
       {kSettings + "/applications", "/settings/connected"},
       application + "/delete"},
      {"an application without its account",
       [&] { write("oauth:client:every-scope-0001", "garbage"); },
       {kSettings + "/applications", kSettings + "/connected"},
       kSettings + "/applications/every-scope-0001/delete"},
      {"another session",
       [&] {
         const std::vector<std::string> before = keys("web:session:*");
         Browser other(site_);
         other.log_in(kOlivia);
         for (const std::string& key : keys("web:session:*")) {
           if (std::ranges::find(before, key) == before.end()) set(key, "created", "yesterday");
         }
         EXPECT_EQ(other.ask("/login").status, 200) << "it is none";
       },
       {"/settings/security"},
       ""},
      {"another account",
       [&] { write("catalog:account:1002", "{}"); },
       {"/settings/connected"},
       ""},
      {"another user",
       [&] { write("catalog:contact:502", "{}"); },
       {kSettings + "/connected", tokens},
       ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    c.damage();
    for (const std::string& list : c.lists) EXPECT_EQ(settings_.ask(list).status, 200) << list;
    if (c.end.empty()) continue;
    const Answer asked = settings_.ask(c.end);
    const Answer sent =
        settings_.submit(asked.status == 200 ? asked : settings_.ask(c.lists.front()), c.end);
    EXPECT_EQ(sent.status, 303) << c.end;
    for (const std::string& list : c.lists) EXPECT_EQ(settings_.ask(list).status, 200) << list;
  }
}

TEST_F(Damaged, ApiN12AProjectThatCannotBeReadHidesNoMedia) {
  const Answer made = send("POST /v1/projects", R"({"name":"Fine"})");
  const std::string id = member(made, "hashedId");
  ASSERT_EQ(send("PUT /v1/medias/move",
                 R"({"hashed_ids":["damaged0001"],"project_id":)" + json_text(id) + "}")
                .status,
            200);
  stores().edit("catalog:project:" + id, R"("name":"Fine")", R"("name":"")");
  expect_lists("the damage");
  EXPECT_FALSE(ask(with_token(Ask("/v1/projects"))).has(id));
  const Answer list = ask(with_token(Ask("/v1/medias")));
  EXPECT_TRUE(list.has("damaged0001"));
  EXPECT_EQ(ask(with_token(Ask(kPath))).status, 200);
}

TEST_F(Damaged, ApiN12AGrantOfAnotherTypeIsNamedAndRevoked) {
  const std::string key = keys("oauth:grant:{*").at(0);
  const std::string id = key.substr(13, 32);
  stores().command({"DEL", key});
  stores().command({"RPUSH", key, "a list"});
  Browser owner(site_);
  owner.log_in(501);
  const std::string mine = "/settings/connected", all = kSettings + "/connected";
  for (const auto& [browser, list] : {std::pair{&browser_, mine}, {&owner, all}}) {
    const Answer page = browser->ask(list);
    EXPECT_EQ(page.status, 200);
    EXPECT_TRUE(page.has("A connection that cannot be read")) << page.body;
    EXPECT_TRUE(page.has("href=\"" + list + "/" + id + "\"")) << page.body;
  }
  EXPECT_EQ(owner.ask(mine + "/" + id).status, 404) << "of another user";
  const Answer asked = browser_.ask(mine + "/" + id);
  EXPECT_EQ(asked.status, 200);
  EXPECT_EQ(browser_.submit(asked, mine + "/" + id).status, 303);
  EXPECT_EQ(stores().command({"EXISTS", key}).integer(), 0);
  EXPECT_EQ(stores().events("revoked"), 1u);
  EXPECT_FALSE(browser_.ask(mine).has(id));
  EXPECT_FALSE(owner.ask(all).has(id));
  EXPECT_EQ(ask(with_token(Ask("/v1/account"))).status, 401);
  token_ = token_of("all:all");
  EXPECT_EQ(ask(with_token(Ask("/v1/account"))).status, 200) << "allowed again";
}

TEST_F(Damaged, ApiN12AnAccountTokenOfAnotherTypeIsNamedAndRevoked) {
  const std::string list = kSettings + "/tokens";
  Browser owner(site_);
  owner.log_in(501);
  for (const char* name : {"Fine", "Damaged"}) {
    const Answer made = owner.submit(owner.ask(list), list,
                                     {{"name", name}, {"scope", "all:all"}, {"expires", "90"}});
    ASSERT_TRUE(made.has("svcp_")) << made.body;
  }
  std::string key;
  for (const std::string& each : keys("oauth:account_token:{1001}:*")) {
    if (stores().command({"HGET", each, "name"}).text() == "Damaged") key = each;
  }
  stores().command({"DEL", key});
  stores().command({"RPUSH", key, "a list"});
  const Answer page = owner.ask(list);
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.has("Fine"));
  EXPECT_TRUE(page.has("A token that cannot be read")) << page.body;
  const std::size_t at =
      page.body.rfind("action=\"",
                      page.body.find("Revoke<", page.body.find("A token that cannot be read"))) +
      8;
  EXPECT_EQ(owner.submit(page, page.body.substr(at, page.body.find('"', at) - at)).status, 303);
  EXPECT_EQ(stores().command({"EXISTS", key}).integer(), 0);
  const Answer after = owner.ask(list);
  EXPECT_TRUE(after.has("Fine"));
  EXPECT_FALSE(after.has("A token that cannot be read"));
}

TEST_F(Damaged, ApiN11ChaptersThatWereSetSurviveAnImport) {
  const auto line = [](const std::string& title) {
    return film("Imported", R"({"type":"chapters","chapters":[{"at":0,"title":")" + title +
                                R"("},{"at":5000,"title":"End"}]})");
  };
  const auto shown = [this](const std::string& title) {
    return ask(with_token(Ask(kPath + "/chapters"))).has(title);
  };
  stores().import(line("Of the import"));
  EXPECT_TRUE(shown("Of the import"));
  stores().import(line("Of the next"));
  EXPECT_TRUE(shown("Of the next")) << "none were set";
  ASSERT_EQ(set_chapters("WEBVTT\n\n00:00.000 --> 00:04.000\nOf the application\n").status, 200);
  stores().import(line("Of the import"));
  EXPECT_EQ(member(ask(with_token(Ask(kPath))), "name"), "Imported");
  EXPECT_TRUE(shown("Of the application"));
  EXPECT_FALSE(shown("Of the import"));
  stores().import(film());
  EXPECT_TRUE(shown("Of the application")) << "a line without chapters";
  ASSERT_EQ(ask(with_token(Ask("DELETE " + kPath + "/chapters"))).status, 204);
  EXPECT_FALSE(shown("-->"));
  stores().import(line("Of the import"));
  EXPECT_TRUE(shown("Of the import")) << "as captions that were deleted";
  // The form of the settings counts as an application.
  const Answer form = browser_.ask(kPage + "/chapters");
  ASSERT_EQ(browser_.submit(form, kPage + "/chapters", {{"title-1", "Of the form"}}).status, 303);
  stores().import(line("Of the import"));
  EXPECT_TRUE(shown("Of the form"));
}

}  // namespace
}  // namespace svc::rules::damaged
