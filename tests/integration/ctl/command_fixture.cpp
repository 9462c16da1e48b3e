#include "integration/ctl/command_fixture.h"

#include "base/unavailable.h"
#include "integration/key_stores.h"

namespace svc::integration {

CommandFixture::CommandFixture() {
  set("catalog:account:41", R"({"id":41,"name":"With","host":"a.example",)"
                            R"("url":"https://a.example","oauth_enabled":true})");
  set("catalog:contact:410",
      R"({"id":410,"name":"Owner","email":"owner@example.com","password_hash":"scrypt$14$8$5$)" +
          std::string(32, '0') + "$" + std::string(64, '0') +
          R"(","memberships":[{"account_id":41,"role":"owner"}]})");
  set("catalog:contact_email:owner@example.com", "410");
}

void CommandFixture::TearDown() {
  const std::vector<std::string> none;
  try {
    std::vector<std::string> strangers =
        strangers_in(stores::Store::Catalog, server_.command({"KEYS", "*"}));
    std::erase_if(strangers, [](const std::string& key) {
      return store_of(key) == stores::Store::Cache;  // which is the same database
    });
    EXPECT_EQ(strangers, none);
    EXPECT_EQ(strangers_in(stores::Store::State, state_command({"KEYS", "*"})), none);
  } catch (const base::Unavailable&) {
    // The test has stopped the server.
  }
}

redis::ConnectionSettings CommandFixture::state_settings() const {
  redis::ConnectionSettings settings = server_.settings();
  settings.address.database = 1;
  return settings;
}

redis::Reply CommandFixture::state_command(std::initializer_list<std::string_view> words) {
  redis::Store::Call call = state_.command(words);
  const auto reply_to = [](redis::Store::Call& one) -> loop::Task<redis::Reply> {
    co_return co_await one;
  };
  return store_.run(reply_to(call));
}

void CommandFixture::set(const std::string& key, const std::string& value) {
  server_.command({"SET", key, value});
}

void CommandFixture::add_media(const std::string& id) {
  set("catalog:media:" + id,
      R"({"id":")" + id +
          R"(","account_id":41,"type":"Video","name":"Film","status":"ready",)"
          R"("duration":16.43,"width":null,"height":null,"player_color":""})"
          "\n"
          R"({"description":"","created":"2026-01-05T09:00:00Z",)"
          R"("updated":"2026-01-06T09:00:00Z","assets":[]})");
}

Ran CommandFixture::run(const ctl::Group& group, const std::vector<std::string>& words,
                        const std::string& input) {
  const auto keys = std::optional(ring());
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const base::UniqueFd in(ends[0]);
  base::UniqueFd feed(ends[1]);
  EXPECT_EQ(write(feed.get(), input.data(), input.size()), static_cast<ssize_t>(input.size()));
  feed.reset();
  const auto observed = [this](redis::ConnectionSettings settings) {
    settings.observer = observer_;
    return settings;
  };
  Store store(observed(server_.settings()));
  redis::Store state(observed(state_settings()), store.loop());
  redis::Store cache(server_.settings(), store.loop());
  std::vector<std::string> call{std::string(group.name)};
  call.insert(call.end(), words.begin(), words.end());
  ctl::Context context{.store = {store.loop(), store.redis()},
                       .state = {store.loop(), state},
                       .keys = keys,
                       .key_file = key_file_,
                       .watch_key_file = watch_key_file_,
                       .app_url = "https://app.example",
                       .embed_host = "https://embed.example",
                       .limits = limits_,
                       .sessions = {},
                       .upload_dir = upload_dir_,
                       .failed_upload_days = kFailedUploadDays,
                       .cache = &cache,
                       .entropy = entropy_,
                       .clock = clock_,
                       .input = in.get()};
  std::ostringstream out;
  std::ostringstream err;
  std::streambuf* const before_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const before_err = std::cerr.rdbuf(err.rdbuf());
  const int status = ctl::run({&group}, call, context);
  std::cout.rdbuf(before_out);
  std::cerr.rdbuf(before_err);
  std::cout.clear();
  return {status, out.str(), err.str()};
}

std::string CommandFixture::create_app(const std::string& id) {
  const Ran ran = app({"create", "--account", "41", "--name", "App", "--redirect-uri",
                       "https://c.example/cb", "--scopes", "media:read", "--client-id", id});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::size_t at = ran.out.find("client_secret ");
  return at == std::string::npos ? "" : ran.out.substr(ran.out.find_first_not_of(' ', at + 13), 64);
}

std::string CommandFixture::begin_session(media::ContactId contact) {
  const base::KeyRing keys = ring();
  stores::Sessions sessions(state_, keys, entropy_, clock_, {});
  return store_.run(sessions.begin(contact, "192.0.2.1", "tag", "Firefox on Linux"));
}

std::optional<login::Session> CommandFixture::find_session(const std::string& secret) {
  const base::KeyRing keys = ring();
  stores::Sessions sessions(state_, keys, entropy_, clock_, {});
  return store_.run(sessions.find(secret));
}

stores::Grants CommandFixture::grants(const base::KeyRing& keys) {
  return {state_, store_.redis(), keys, limits_, clock_, entropy_};
}

CommandFixture::Tokens CommandFixture::authorize(const oauth::ClientId& client,
                                                 media::ContactId contact) {
  const base::KeyRing keys = ring();
  const auto grant = oauth::GrantId::of(contact, {41}, client);
  Tokens tokens{oauth::Token::mint(oauth::TokenKind::Code, grant, entropy_),
                oauth::Token::mint(oauth::TokenKind::Access, grant, entropy_),
                oauth::Token::mint(oauth::TokenKind::Refresh, grant, entropy_)};
  stores::Grants store = grants(keys);
  const auto before = store_.run(store.find_grant(grant));
  oauth::AuthorizationCode record;
  record.issued = {client,       contact,
                   {41},         *oauth::ScopeSet::parse("media:read"),
                   clock_.now(), clock_.now() + limits_.code};
  record.redirect_uri = "https://c.example/cb";
  record.consent = before ? before->consent : "";
  const oauth::CodeIssue issued = store_.run(store.issue_code(tokens.code, record, true, 1));
  EXPECT_TRUE(issued == oauth::CodeIssue::Issued || issued == oauth::CodeIssue::IssuedUnchanged);
  const auto found = store_.run(store.find_code(tokens.code));
  EXPECT_TRUE(found);
  EXPECT_EQ(store_.run(store.redeem(tokens.code, *found, "r", tokens.access, tokens.refresh)),
            oauth::Redemption::Redeemed);
  return tokens;
}

bool CommandFixture::alive(const oauth::Token& token) {
  const base::KeyRing keys = ring();
  stores::Grants store = grants(keys);
  return store_.run(store.find_token(token)).has_value();
}

std::optional<oauth::Grant> CommandFixture::find_grant(const oauth::GrantId& id) {
  const base::KeyRing keys = ring();
  stores::Grants store = grants(keys);
  return store_.run(store.find_grant(id));
}

std::optional<oauth::Client> CommandFixture::find_client(const std::string& id) {
  return store_.run(registry_.find({id}));
}

}  // namespace svc::integration
