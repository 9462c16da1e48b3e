#include "integration/every_store.h"

#include "base/unavailable.h"
#include "embed/embed_request.h"
#include "embed/rendering.h"
#include "integration/committed.h"
#include "stores/keys.h"
#include "viewing/counts.h"

namespace svc::integration {

void EveryStore::set_captions(const std::string& version, const std::string& webvtt) {
  const auto name = [&](media::Media& media) {
    media.captions = {{media::url_of_captions(media.id, "de", version), "de", "Deutsch"}};
    return true;
  };
  run(library_.texts.edit(kMedia, {{version, webvtt}}, name, 1 << 20));
}

void EveryStore::write() {
  import();
  run(library_.records.edit_media(kMedia, [](media::Media& one) {
    one.customizations = {
        {"autoPlay", true}, {"playerColor", std::string("54bbff")}, {"volume", 0.5}};
    one.set_poster = media::SetPoster{"/files/p1ctur3/original.png", one.thumbnail};
    one.visibility = media::Visibility::Unlisted;
    one.allowed_domains = {"site.example", "*.localhost:8080"};
    one.thumbnail = media::Thumbnail{"/files/l4unchf1lm/still-1-0.png", media::Dimensions{8, 6}};
    one.next_poster = media::NextPoster{5250, true};
    return true;
  }));
  run(library_.records.change_contact({502},
                                      [](media::Contact& contact) { contact.disabled = true; }));
  const oauth::GrantId grant = oauth::GrantId::of(kContact, kAccount, kClient);
  code_ = oauth::Token::mint(oauth::TokenKind::Code, grant, entropy_, kHolder);
  access_ = oauth::Token::mint(oauth::TokenKind::Access, grant, entropy_, kHolder);
  refresh_ = oauth::Token::mint(oauth::TokenKind::Refresh, grant, entropy_, kHolder);
  oauth::AuthorizationCode record;
  record.issued = {kClient,     kContact,
                   kAccount,    *oauth::ScopeSet::parse("media:read stats:read"),
                   time_.now(), time_.now() + 60};
  record.redirect_uri = "https://app.example/cb";
  record.code_challenge = "challenge";
  run(grants_.is_first("asked"));
  must(run(grants_.issue_code(code_, record, true, 1)) == oauth::CodeIssue::Issued, "issue");
  record = *run(grants_.find_code(code_));
  must(run(grants_.redeem(code_, record, "request", access_, refresh_)) ==
           oauth::Redemption::Redeemed,
       "redeem");
  must(run(grants_.find_token(access_)).has_value(), "use");
  run(registered_.add(client("app-2"), 100));
  run(registered_.add(client("app-3"), 100));
  oauth::Client in_browsers = client("app-5");
  in_browsers.type = oauth::ClientType::Public;
  oauth::settle(in_browsers);
  run(registered_.add(in_browsers, 100));
  oauth::Client server = client("app-7");
  server.client_credentials.add("media:read");
  server.resource_server = true;
  server.resources = {"https://mcp.example/mcp", "https://second.example/"};
  run(registered_.add(server, 100));
  const oauth::ClientId gone{"app-3"};
  run(registered_.remove(gone, time_.now()));
  run(clients_.count_guess(kClient, kAddress));
  run(documents_.ask("https://app.example/client.json", {kContact, kAddress}));
  run(document_jobs_.put_document("https://fresh.example/client.json", "{}", 600));
  run(documents_.ask("https://fresh.example/client.json", {kContact, kAddress}));
  run(document_jobs_.put_refusal("https://refused.example/client.json", "why"));
  session_secret_ = run(sessions_.begin(kContact, kAddress, "password-tag", "Firefox on Linux"));
  run(sessions_.begin(kContact, "192.0.2.2", "password-tag", "Unknown browser"));
  // A failed login, a successful login, and an attempt that was told to wait.
  run(attempts_.begin(kEmail, kAddress, {}));
  run(attempts_.succeeded(kEmail, kAddress));
  for (const char* address : {kAddress, "192.0.2.2"}) run(attempts_.begin(kEmail, address, {}));
  run(attempts_.told_to_wait(kEmail, kAddress));
  run(form_limit_.wait(kContact));
  for (const char* name : {"ended", "running"})
    run(repetitions_.begin({grant, kAccount}, name, "digest", "request", time_.now()));
  run(repetitions_.end({grant, kAccount}, "ended", "digest", "request", "201\n", time_.now()));
  run(library_.audit.record({.what = oauth::event_named<"login.failed">(),
                             .contact = kContact,
                             .account = kAccount,
                             .client = kClient.value(),
                             .address = kAddress,
                             .detail = "detail"}));
  set_captions("6543210f0123456789abcdef00000030", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nA\n");
  usage_.count_manifest(kAccount);
  library_.statistics.count_opening(kMedia.value(), 1'780'000'000'000);
  run(library_.replacements.begin({kSecond, kMedia, kAccount, kContact, 1'780'000'000'000}));
  run(library_.replacements.fail(kSecond, "It was no film."));
  // A day that is added up, and a later day that is not.
  count_views(kWatched);
  run(library_.statistics.clean_up(kWatched + std::chrono::days(2), kWatched));
  count_views(kWatched + std::chrono::days(1));
  redis::Store::Call salt =
      cache_.command({"SET", stores::keys::salt("20260402"), "0123456789abcdef", "EX", "86400"});
  run(text_of(salt));
  // A failed job, a running job and a waiting job.
  run(queue_.open());
  run(library_.uploads.add(upload("fa1led00001"), {"film.mp4", 150, 4000}, {}));
  stores::IngestJob failed = *run(queue_.next());
  failed.reason = "The file is damaged.";
  failed.is_refused = true;
  media::Media large = upload("fa1led00001");
  large.description = std::string(3000, 'a');
  run(queue_.weigh(large));
  run(queue_.list_failed(large));
  run(queue_.bury(failed));
  run(library_.uploads.add(upload("runn1ng0001"), {"film.mp4", 150, 4000}, {}));
  run(queue_.next());
  run(library_.uploads.add(upload("wa1t1ng0001"), {"film.mp4", 150, 4000}, {}));
  run(queue_.set_progress(kMedia, 0.5));
  // The files of another media, whose record is missing.
  run(library_.uploads.remove(*media::HashedId::parse("d3l3tedf1lm"), std::nullopt));
  run(library_.uploads.change_poster(poster_files()));
  media::PosterFiles still{.media = kMedia, .account = kAccount, .at = 5250};
  run(library_.uploads.change_poster(still));
  swap_files();
  run(library_.uploads.announce_guard({{kAccount, kMedia}, {kAccount}}));
  using Turn = media::Guarded::Turn;
  run(library_.uploads.guard({{kAccount, kMedia},
                              {kAccount, kMedia, Turn::Closing},
                              {kAccount, kMedia, Turn::Awaited},
                              {kAccount},
                              {.account = kAccount, .turn = Turn::Again}}));
  run(guards_.run());
  for (const embed::EmbedRequest& request : requests()) {
    for (const embed::Format format : {embed::Format::Json, embed::Format::Xml})
      keep(request.id, embed::variant_of(format, request), {"rendering", 0});
  }
  run(index_many());
  // As an earlier version noted a change.
  redis::Store::Call noted =
      catalog_store_.command({"ZADD", "catalog:changed:{1004}", "-1780000000000000", "media a"});
  run(text_of(noted));
  media::Reads reads;
  embed::Subjects subjects(catalog_, &renderings_);
  run(subjects.find(embed::MediaKind::Playlist, kPlaylist, media::Detail::All, reads));
  keep(kMedia, embed::kManifestVariant, {"manifest", kAccount.value()});
  begin_family();
  make_account_token();
  make_factor();
  own_access_ = issue_own();
  must(run(grants_.find_token(own_access_)).has_value(), "use a token of an application");
  for (redis::Store* channel : {&state_, &catalog_store_, &cache_})
    echo(*channel, "all of it is written");
}

oauth::Token EveryStore::issue_own() {
  oauth::Issued issued{{"app-7"}, {}, kAccount, *oauth::ScopeSet::parse("media:read")};
  issued.issued = time_.now();
  issued.expires = time_.now() + 60;
  issued.resources = {"https://mcp.example/mcp"};
  oauth::Token access =
      oauth::Token::mint(oauth::TokenKind::Access, issued.grant(), entropy_, issued.holder());
  run(grants_.issue_own(access, issued));
  return access;
}

// Set up, with an attempt.
void EveryStore::make_factor() {
  run(factors_.write(kContact, {"k1:0011", time_.now(), 2}, {"mac1", "mac2"}));
  must(run(factors_.spend_step(kContact, "k1:0011", 59333333)), "a step");
  run(factors_.begin_attempt(kContact));
  run(factors_.require(kAccount, true));
  make_passkey();
}

// Added and used.
void EveryStore::make_passkey() {
  run(passkeys_.add(kContact, passkey(), 0));
  run(passkeys_.use(kContact, "cGFzc2tleQ", {.challenge = "", .count = 3}, time_.now(), "turn"));
  must(run(passkeys_.spend(std::string(64, 'a'), "turn")), "a challenge");
}

login::Passkey EveryStore::passkey() {
  return {"cGFzc2tleQ", "Phone \"1\"", "key", {"internal", "hybrid"}, time_.now(), 0};
}

void EveryStore::make_account_token() {
  account_token_ = oauth::AccountToken::mint(kHolder, entropy_);
  const oauth::AccountTokenRecord record{.id = account_token_.id,
                                         .name = "Backup",
                                         .contact = kContact,
                                         .scopes = *oauth::ScopeSet::parse("media:read"),
                                         .created = time_.now(),
                                         .expires = time_.now() + 30 * 86'400};
  must(run(account_tokens_.add(account_token_, record, 10)), "an account token");
  must(run(account_tokens_.find(account_token_)).has_value(), "use an account token");
}

// As a public application exchanges a code and refreshes once.
void EveryStore::begin_family() {
  const oauth::ClientId app{"app-2"};
  const oauth::GrantId grant = oauth::GrantId::of(kContact, kAccount, app);
  oauth::AuthorizationCode record;
  record.issued = {app,         kContact,
                   kAccount,    *oauth::ScopeSet::parse("media:read stats:read"),
                   time_.now(), time_.now() + 60};
  const auto code = oauth::Token::mint(oauth::TokenKind::Code, grant, entropy_, kHolder);
  must(run(grants_.issue_code(code, record, true, 1)) == oauth::CodeIssue::Issued, "issue");
  record = *run(grants_.find_code(code));
  oauth::FamilyTokens tokens = oauth::begin_family(grant, kHolder, keys_, entropy_);
  must(run(grants_.redeem(code, record, "request", tokens.access, tokens.refresh)) ==
           oauth::Redemption::Redeemed,
       "begin a family");
  family_refresh_ = tokens.refresh;
  family_access_ = tokens.access;
  must(run(grants_.find_token(family_access_)).has_value(), "use a family");
  rotate();
}

void EveryStore::rotate() {
  const auto issued = run(grants_.find_token(family_refresh_));
  if (!issued) return;  // it has ended
  oauth::FamilyTokens next =
      oauth::successors_of(family_refresh_, *oauth::family_of(family_refresh_, keys_), keys_);
  run(grants_.rotate(family_refresh_, *issued, *oauth::ScopeSet::parse("media:read"), next.access));
}

// As many that a set of the index has two blocks.
loop::Task<> EveryStore::index_many() {
  std::vector<std::string> keys;
  for (int i = 1000; i < 1300; ++i) keys.push_back(std::to_string(i));
  stores::IndexEdit edit(catalog_store_, {1003});
  loop::Task<> beginning = edit.begin();
  co_await beginning;
  loop::Task<> loading = edit.load("set", keys);
  co_await loading;
  for (const std::string& key : keys) edit.put("set", key, "value");
  loop::Task<bool> committing = edit.commit({});
  must(co_await committing, "index");
}

void EveryStore::count_views(std::chrono::sys_days day) {
  viewing::Counts counts;
  counts.loads = 3;
  counts.plays = 2;
  counts.watched = 9000;
  counts.seen.fill(2);
  counts.again.at(99) = 1;
  std::vector<stores::Statistics::Piece> pieces;
  pieces.push_back({viewing::Subject(kMedia),
                    day,
                    "1a2b",
                    viewing::to_bytes(counts),
                    {"a visitor"},
                    kAccount,
                    kMedia,
                    counts.plays});
  const auto stored = run(library_.statistics.write(std::move(pieces)));
  if (stored.front() == stores::Statistics::Stored::Unknown)
    throw base::Unavailable("the views are not stored");
}

std::string EveryStore::echo(redis::Store& channel, std::string_view word) {
  redis::Store::Call call = channel.command({"ECHO", word});
  return run(text_of(call));
}

// Another one each time: the queue must not be empty, and no limit reached.
void EveryStore::take_document_job() {
  const std::string number = std::to_string(++document_);
  run(documents_.ask("https://host" + number + ".example/x",
                     {media::ContactId{document_}, "address " + number}));
  run(document_jobs_.next());
}

std::vector<EveryStore::Action> EveryStore::actions() {
  const std::string session = keys_.mac("session", session_secret_);  // as the store names it
  const login::Session visitor{session,     kContact, time_.now(), time_.now(),
                               time_.now(), "",       "",          ""};
  const auto minted = [this](oauth::TokenKind kind) {
    return oauth::Token::mint(kind, access_.grant, entropy_, kHolder);
  };
  const auto issued = [this] {
    return oauth::Issued{kClient,     kContact,
                         kAccount,    *oauth::ScopeSet::parse("media:read"),
                         time_.now(), time_.now() + 60};
  };
  const auto code = [issued] {
    oauth::AuthorizationCode record;
    record.issued = issued();
    return record;
  };
  return {
      {"find_media", [this] { run(catalog_.find_media(kMedia, media::Detail::All, reads_)); }},
      {"find_captions",
       [this] { run(library_.texts.find(kMedia, "6543210f0123456789abcdef00000030", reads_)); }},
      {"caption_bytes", [this] { run(library_.texts.bytes(kAccount)); }},
      {"find_playlist and find_media twice, at once",
       [this] {
         run(loop::all(catalog_.find_playlist(kPlaylist, reads_),
                       catalog_.find_media(kMedia, media::Detail::All, reads_),
                       catalog_.find_media(kMedia, media::Detail::All, reads_)));
       }},
      {"find_playlist", [this] { run(catalog_.find_playlist(kPlaylist, reads_)); }},
      {"has_media", [this] { run(catalog_.has_media(kAccount, kMedia)); }},
      {"has_project", [this] { run(catalog_.has_project(kAccount, {"prj1"})); }},
      {"find_project", [this] { run(catalog_.find_project({"prj1"})); }},
      {"read what the index has",
       [this] { run(library_.listings.indexed(kAccount, stores::Indexed::Media, "", 10)); }},
      {"compare the index", [this] { run(library_.listings.disagreement(kAccount)); }},
      {"find_with_project, twice",
       [this] {
         run(loop::all(catalog_.find_with_project(kMedia), catalog_.find_with_project(kMedia)));
       }},
      {"find_medias",
       [this] {
         run(catalog_.find_medias({kMedia, kSecond}, media::Detail::All, reads_));
       }},
      {"find_contact by id", [this] { run(library_.people.find_contact(kContact)); }},
      {"find_contact by email",
       [this] { run(library_.people.find_contact(std::string_view(kEmail))); }},
      {"find_account", [this] { run(library_.people.find_account(kAccount)); }},
      {"find_accounts",
       [this] {
         run(library_.people.find_accounts({kAccount, {1002}}));
       }},
      {"find_client", [this] { run(clients_.find_client(kClient)); }},
      {"find_resource", [this] { run(servers_.find_resource("https://mcp.example/mcp")); }},
      {"find_own_standing",
       [this] {
         run(standings_.find_own_standing({"app-7"}, kAccount, *oauth::ScopeSet::parse("all:all")));
       }},
      {"find a token of an application", [this] { run(grants_.find_token(own_access_)); }},
      {"find a document",
       [this] {
         run(documents_.find("https://fresh.example/client.json", {kContact, kAddress}));
       }},
      {"public applications", [this] { run(public_.exist()); }},
      {"public applications of an origin", [this] { run(public_.have_origin("https://a.b")); }},
      {"guesses", [this] { run(clients_.guesses(kClient, kAddress)); }},
      {"find an application", [this] { run(registered_.find(kClient)); }},
      {"the applications of an account", [this] { run(registered_.of(kAccount)); }},
      {"all applications", [this] { run(registered_.for_each([](const oauth::Client&) {})); }},
      {"find_code", [this] { run(grants_.find_code(code_)); }},
      {"find_token, access", [this] { run(grants_.find_token(access_)); }},
      {"find_token, twice at once",
       [this] { run(loop::all(grants_.find_token(access_), grants_.find_token(access_))); }},
      {"find_token, refresh", [this] { run(grants_.find_token(refresh_)); }},
      {"find_token, of a family", [this] { run(grants_.find_token(family_refresh_)); }},
      {"find_token, access of a family", [this] { run(grants_.find_token(family_access_)); }},
      {"inspect, of a family", [this] { run(inspection_.inspect(family_refresh_)); }},
      {"find_grant", [this] { run(grants_.find_grant(access_.grant)); }},
      {"grants of a contact", [this] { run(grants_.grants_of(kContact, 0, 50)); }},
      {"grants of a client", [this] { run(grants_.grants_of(kClient, 0, 50)); }},
      {"grants of an account", [this] { run(grants_.grants_of(kAccount, 0, 50)); }},
      {"count_grants", [this] { run(grants_.count_grants(kClient)); }},
      {"find_standing",
       [this] {
         run(standings_.find_standing({kContact, kAccount}));
       }},
      {"find_all applications", [this] { run(registered_.find_all({kClient})); }},
      {"ending applications", [this] { run(registered_.ending()); }},
      {"is_ending", [this] { run(registered_.is_ending(kClient)); }},
      {"inspect, code", [this] { run(inspection_.inspect(code_)); }},
      {"inspect, access", [this] { run(inspection_.inspect(access_)); }},
      {"inspect, refresh", [this] { run(inspection_.inspect(refresh_)); }},
      {"inspect the grants of a client", [this] { run(inspection_.grants_of(kClient)); }},
      {"inspect the grants of an account", [this] { run(inspection_.grants_of(kAccount)); }},
      {"find an account token", [this] { run(account_tokens_.find(account_token_)); }},
      {"inspect an account token", [this] { run(account_tokens_.inspect(account_token_)); }},
      {"account tokens of a contact", [this] { run(account_tokens_.of(kContact)); }},
      {"account tokens of an account", [this] { run(account_tokens_.of(kAccount)); }},
      {"find a second factor", [this] { run(factors_.find(kContact)); }},
      {"passkeys of a contact", [this] { run(passkeys_.of(kContact)); }},
      {"find a session", [this] { run(sessions_.find(session_secret_)); }},
      {"find a session of nobody", [this] { run(sessions_.find(std::string(64, '0'))); }},
      {"the sessions of a contact", [this] { run(sessions_.of(kContact)); }},
      {"history", [this] { run(attempts_.history(kEmail, kAddress)); }},
      {"the last login", [this] { run(attempts_.last_login(kEmail)); }},
      {"waiting jobs", [this] { run(queue_.waiting()); }},
      {"jobs that were given up", [this] { run(queue_.dead()); }},
      {"recent uploads", [this] { run(library_.uploads.recent(kAccount)); }},
      {"take a place for an upload",
       [this] { run(library_.uploads.take_place(kAccount, upload_place())); }},
      {"free the place of an upload",
       [this] { run(library_.uploads.free_place(kAccount, upload_place())); }},
      {"deletions", [this] { run(queue_.files_jobs(10)); }},
      {"progress", [this] { run(library_.uploads.progress(kMedia)); }},
      {"who has files", [this] { run(library_.records.owner_of_files(kOther)); }},
      {"has_media", [this] { run(library_.records.has_media(kMedia)); }},
      {"the newest of the audit trail", [this] { run(trail_.newest(10, std::nullopt, see_all)); }},
      {"the audit trail", [this] { run(trail_.from(0, see_all)); }},
      {"usage", [this] { run(usage_.manifests(kAccount, 3)); }},
      {"total views", [this] { run(library_.statistics.total(viewing::Subject(kMedia))); }},
      {"total views of several",
       [this] {
         run(library_.statistics.totals({kMedia, kSecond}));
       }},
      {"views by day",
       [this] {
         run(library_.statistics.days(viewing::Subject(kMedia), kWatched,
                                      kWatched + std::chrono::days(1)));
       }},
      {"kept days of views",
       [this] { run(library_.statistics.kept_days(viewing::Subject(kMedia))); }},
      {"most played media", [this] { run(library_.statistics.most_played(kAccount, 10)); }},
      {"find a rendering",
       [this] { run(renderings_.find(kMedia, embed::kManifestVariant, reads_)); }},
      {"find a rendering, twice at once",
       [this] {
         run(loop::all(renderings_.find(kMedia, embed::kManifestVariant, reads_),
                       renderings_.find(kMedia, embed::kManifestVariant, reads_)));
       }},
      // Functions that write.
      {"list medias",
       [this] {
         media::MediaQuery query;
         query.order.count = 10;
         run(library_.listings.medias(kAccount, query));
       }},
      {"name projects", [this] { run(library_.listings.named_projects(kAccount, 10)); }},
      {"whether a media is indexed",
       [this] {
         run(stores::find_indexed(catalog_store_, kAccount,
                                  {stores::Indexed::Media, kMedia.value()}));
       }},
      {"list projects", [this] { run(library_.listings.projects(kAccount, {.count = 10})); }},
      {"count records",
       [this] { run(library_.listings.counts(kAccount, media::ProjectId{"prj1"})); }},
      {"set_password_hash",
       [this] { run(library_.people.set_password_hash(kContact, "before", "after")); }},
      {"change a contact",
       [this] {
         run(library_.records.change_contact(kContact,
                                             [](media::Contact& one) { one.name += "+"; }));
       }},
      {"change an account",
       [this] {
         run(library_.records.change_account(kAccount,
                                             [](media::Account& one) { one.name += "+"; }));
       }},
      {"edit captions", [this] { set_captions("6543210f0123456789abcdef00000007", "WEBVTT\n"); }},
      {"change_media",
       [this] {
         run(library_.records.change_media(kMedia, [](media::Media& one) {
           one.name += "+";
           return true;
         }));
       }},
      {"move media into a project",
       [this] {
         run(library_.project_records.move_medias(kAccount, {"prj1"}, {kMedia},
                                                  "2026-03-01T10:00:00Z"));
       }},
      {"add a project",
       [this] {
         run(library_.project_records.add_project(
             {{"prj2"}, kAccount, "Films", "", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"},
             10));
       }},
      {"edit_project",
       [this] {
         run(library_.project_records.edit_project({"prj1"}, [](media::Project& one) {
           one.name += "+";
           return true;
         }));
       }},
      {"take a media out of a playlist",
       [this] { run(library_.records.take_out(kPlaylist, kSecond)); }},
      {"count_guess", [this] { run(clients_.count_guess(kClient, kAddress)); }},
      {"ask for a document, and take the job", [this] { take_document_job(); }},
      {"put a document",
       [this] { run(document_jobs_.put_document("https://fresh.example/x", "{}", 600)); }},
      {"put a refusal", [this] { run(document_jobs_.put_refusal("https://a.example/x", "why")); }},
      {"add an application in browsers",
       [this] {
         oauth::Client in_browsers = client("app-6");
         in_browsers.type = oauth::ClientType::Public;
         oauth::settle(in_browsers);
         run(registered_.add(in_browsers, 100));
       }},
      {"issue_own", [this] { issue_own(); }},
      {"revoke a token of an application", [this] { run(grants_.revoke_tokens(own_access_)); }},
      {"add an application", [this] { run(registered_.add(client("app-4"), 100)); }},
      {"change an application",
       [this] {
         (void)run(registered_.change(kClient, [](oauth::Client changed) {
           changed.name += "+";
           return base::Result<oauth::Client, oauth::ApplicationRefusal>(std::move(changed));
         }));
       }},
      {"is_first", [this] { run(grants_.is_first("asked")); }},
      {"issue_code",
       [this, minted, code] {
         run(grants_.issue_code(minted(oauth::TokenKind::Code), code(), true, 1));
       }},
      {"redeem",
       [this, minted, code] {
         oauth::Token access = minted(oauth::TokenKind::Access);
         const oauth::Token refresh = minted(oauth::TokenKind::Refresh);
         run(grants_.redeem(code_, code(), "request", access, refresh));
       }},
      {"refresh",
       [this, minted, issued] {
         oauth::Token access = minted(oauth::TokenKind::Access);
         run(grants_.refresh(refresh_, issued(), issued().scopes, access));
       }},
      {"find and rotate a family", [this] { rotate(); }},
      {"make an account token", [this] { make_account_token(); }},
      {"end an account token", [this] { run(account_tokens_.end(account_token_.id)); }},
      {"end all account tokens", [this] { run(account_tokens_.end_all(kContact)); }},
      {"which accounts require a second factor",
       [this] {
         run(factors_.requiring({kAccount, {1002}}));
       }},
      {"require a second factor", [this] { run(factors_.require(kAccount, true)); }},
      {"contacts with a second factor", [this] { run(factors_.contacts()); }},
      {"seal a second factor again",
       [this] { run(factors_.reseal(kContact, "k1:0011", "k1:0011")); }},
      {"write a second factor",
       [this] {
         run(factors_.write(kContact, {"k1:0011", time_.now(), 1}, {"mac1"}));
       }},
      {"write recovery codes", [this] { run(factors_.write_codes(kContact, {"mac3"})); }},
      {"spend a step", [this] { run(factors_.spend_step(kContact, "k1:0011", 1)); }},
      {"spend a recovery code", [this] { run(factors_.spend_code(kContact, {"mac3"})); }},
      {"add a passkey", [this] { run(passkeys_.add(kContact, passkey(), 0)); }},
      {"use a passkey",
       [this] {
         run(passkeys_.use(kContact, "cGFzc2tleQ", {.challenge = "", .count = 4}, time_.now(),
                           "turn 2"));
       }},
      {"spend a challenge", [this] { run(passkeys_.spend(std::string(64, 'b'), "turn")); }},
      {"remove a passkey", [this] { run(passkeys_.remove(kContact, "cGFzc2tleQ")); }},
      {"begin a code", [this] { run(factors_.begin_attempt(kContact)); }},
      {"a code was right", [this] { run(factors_.succeeded(kContact)); }},
      {"remove a second factor", [this] { run(factors_.remove(kContact)); }},
      {"begin a session", [this] { run(sessions_.begin(kContact, kAddress, "tag", "")); }},
      {"password_was_given", [this, visitor] { run(sessions_.password_was_given(visitor)); }},
      {"begin an attempt", [this] { run(attempts_.begin(kEmail, kAddress, {})); }},
      {"was_busy", [this] { run(attempts_.was_busy(kAddress)); }},
      {"told_to_wait", [this] { run(attempts_.told_to_wait(kEmail, kAddress)); }},
      {"an attempt succeeded", [this] { run(attempts_.succeeded(kEmail, kAddress)); }},
      {"count a form", [this] { run(form_limit_.wait(kContact)); }},
      {"record", [this] { run(library_.audit.record({.what = oauth::event_named<"denied">()})); }},
      {"count_manifest", [this] { usage_.count_manifest(kAccount); }},
      {"add_manifests",
       [this] {
         run(usage_.add_manifests({{}, 7, 1}, {{kAccount, 3}}));
       }},
      {"has_added",
       [this] {
         run(usage_.has_added({{}, 7, 1}));
       }},
      {"count views", [this] { count_views(kWatched); }},
      {"clean up views",
       [this] { run(library_.statistics.clean_up(kWatched + std::chrono::days(2), kWatched)); }},
      {"count an opening", [this] { library_.statistics.count_opening(kMedia.value(), 7); }},
      {"openings", [this] { run(library_.statistics.openings(kMedia)); }},
      {"keep openings",
       [this] {
         library_.statistics.count_opening(kMedia.value(), 8);
         run(library_.statistics.keep_openings(kMedia, {7}));
       }},
      {"begin a replacement",
       [this] {
         run(library_.replacements.begin({kMedia, kSecond, kAccount, kContact, 1}));
       }},
      {"replacements", [this] { run(library_.replacements.all()); }},
      {"end a replacement", [this] { run(library_.replacements.end(kMedia)); }},
      {"a replacement failed", [this] { run(library_.replacements.fail(kMedia, "why")); }},
      {"why a replacement failed", [this] { run(library_.replacements.failure(kMedia)); }},
      {"keys of views", [this] { run(library_.statistics.keys_of(kMedia)); }},
      {"keep a rendering",
       [this] {
         keep(kMedia, embed::kManifestVariant, {"manifest", 0});
       }},
      {"add an upload",
       [this] {
         run(library_.uploads.add(upload("another0001"), {"film.mp4", 150, 4000}, upload_place()));
       }},
      {"open the queue", [this] { run(queue_.open()); }},
      {"bury a job",
       [this] {
         auto job = run(queue_.next());
         must(job.has_value(), "a job waits");
         run(queue_.renew(*job));
         run(queue_.bury(*job));
       }},
      {"set the progress", [this] { run(queue_.set_progress(kMedia, 0.75)); }},
      {"revive a job",
       [this] {
         auto jobs = run(queue_.dead());
         must(!jobs.empty(), "a job has failed");
         run(queue_.revive(jobs.front()));
         run(queue_.forget(jobs.front()));
       }},
      {"drop renderings",
       [this] {
         run(stores::drop_renderings(cache_, {kMedia, kSecond}));
       }},
      // Functions that end something.
      {"delete a project",
       [this] {
         run(library_.project_records.remove_project({"prj1"}, kAccount,
                                                     [](const media::Project*) { return true; }));
       }},
      {"revoke_tokens, access", [this] { run(grants_.revoke_tokens(access_)); }},
      {"revoke_tokens, refresh", [this] { run(grants_.revoke_tokens(refresh_)); }},
      {"revoke_tokens, of a family", [this] { run(grants_.revoke_tokens(family_refresh_)); }},
      {"end_some grants", [this] { run(grants_.end_some(kContact, 10)); }},
      {"end a grant", [this] { run(grants_.end(access_.grant)); }},
      {"end other sessions", [this, visitor] { run(sessions_.end_others(visitor)); }},
      {"end a session", [this, visitor] { run(sessions_.end(visitor)); }},
      {"an application has ended", [this] { run(registered_.has_ended(kClient)); }},
      {"remove an application", [this] { run(registered_.remove(kClient, time_.now())); }},
      {"forget addresses", [this] { run(attempts_.forget_addresses(kEmail)); }},
      {"remove a contact", [this] { run(library_.records.end_contact(kContact)); }},
      {"close an account", [this] { run(stores::close_account(catalog_store_, {7})); }},
      {"end an account", [this] { run(stores::end_account(catalog_store_, {7})); }},
      {"open an account", [this] { run(stores::open_account(catalog_store_, {7})); }},
      {"swap files", [this] { swap_files(); }},
      {"remove a media if",
       [this] {
         run(library_.records.remove_media(kMedia, [](const media::Media&) { return true; }));
       }},
      {"change a poster", [this] { run(library_.uploads.change_poster(poster_files())); }},
      {"announce a guard",
       [this] {
         run(library_.uploads.announce_guard({{kAccount, kMedia}}));
       }},
      {"guard a media",
       [this] {
         run(library_.uploads.guard({{kAccount, kMedia}}));
       }},
      {"take a guard",
       [this] {
         const auto turn = run(guards_.first());
         must(turn.has_value(), "an account waits");
         const auto job = run(guards_.after({0}, *turn));
         must(job && run(guards_.take(*job)), "its media waits");
         run(guards_.end(*job));
       }},
      {"a process guards", [this] { run(guards_.run()); }},
      {"await a guard",
       [this] {
         run(guards_.await_closed({{kAccount, kMedia}}));
       }},
      {"list guards", [this] { run(guards_.waiting(10)); }},
      {"guards that are due",
       [this] {
         const auto due = run(guards_.due(INT64_MAX));
         must(due && !due->all.empty(), "one is announced");
         run(guards_.postpone(due->all.front(), 1));
         run(guards_.forget(due->time));
       }},
      {"add announced guards", [this] { run(guards_.add_announced()); }},
      {"forget who has files", [this] { run(library_.records.forget_files_owner(kOther)); }},
      {"discard an upload",
       [this] { run(library_.uploads.discard(*media::HashedId::parse("d1scarded01"), kAccount)); }},
      {"remove a media", [this] { run(library_.uploads.remove(kMedia, kAccount)); }},
      {"files are deleted",
       [this] {
         for (const auto& deletion : run(queue_.files_jobs(10))) run(queue_.finish(deletion));
       }},
      {"list uploads that failed", [this] { run(queue_.list_failed(upload())); }},
      {"list an upload again", [this] { run(queue_.list_again(upload())); }},
      {"weigh an upload", [this] { run(queue_.weigh(upload())); }},
      {"count the bytes of an upload", [this] { run(queue_.count_bytes(kAccount, kMedia, 1)); }},
      {"bytes of uploads", [this] { run(library_.uploads.bytes(kAccount)); }},
      {"sizes of uploads", [this] { run(library_.uploads.sizes(kAccount)); }},
      {"large uploads", [this] { run(library_.uploads.large(kAccount)); }},
      {"forget an upload", [this] { run(queue_.forget_upload(kAccount, kMedia)); }},
  };
}

media::UploadPlace EveryStore::upload_place() {
  return {.name = "0123456789abcdef0123456789abcdef",
          .limits = {},
          .now = 1'780'000'000,
          .bytes = 4000};
}

media::PosterFiles EveryStore::poster_files() const {
  return {.media = kMedia,
          .account = kAccount,
          .source = "/files/p1ctur3/original.png",
          .former = "/files/l4unchf1lm/still-0-0.png"};
}

void EveryStore::swap_files() {
  media::Media other = upload(kOther.value());
  other.folders = {*media::HashedId::parse("f0rm3rf1lm")};
  run(put_record(catalog_store_, kAccount, {stores::Indexed::Media, kOther.value()},
                 to_record(other)));
  media::SwapChange take = [](media::Media& media, const media::Media* from) {
    if (from != nullptr) media.folders = {from->id, from->folders.front()};
    return from != nullptr;
  };
  run(library_.uploads.swap({kMedia, kOther, 1'772'445'600}, std::move(take)));
}

media::Media EveryStore::upload(const std::string& id) const {
  media::Media media;
  media.id = id.empty() ? kMedia : *media::HashedId::parse(id);
  media.account = kAccount;
  media.type = "Video";
  media.name = "Film";
  media.created = media.updated = "2026-03-01T10:00:00Z";
  return media;
}

void EveryStore::keep(const media::HashedId& id, std::string_view variant,
                      const embed::Renderings::Found& rendering) {
  media::Reads reads;
  const embed::Renderings::Search search = run(renderings_.find(id, variant, reads));
  renderings_.keep(id, variant, search, rendering, reads);
}

loop::Task<std::string> EveryStore::text_of(redis::Store::Call& call) {
  const redis::Reply reply = co_await call;
  co_return std::string(reply.text().value_or(""));
}

void EveryStore::must(bool was, const char* what) {
  if (!was) throw std::runtime_error(std::string("a life of the service cannot ") + what);
}

oauth::Client EveryStore::client(const std::string& id) {
  oauth::Client one;
  one.id = {id};
  one.account = kAccount;
  one.name = "Second";
  one.redirect_uris = {"https://app.example/cb"};
  one.scopes.add("media:read");
  one.created = "2026-01-05T09:00:00Z";
  return one;
}

std::vector<embed::EmbedRequest> EveryStore::requests() const {
  std::vector<embed::EmbedRequest> all;
  for (const embed::EmbedType type :
       {embed::EmbedType::Iframe, embed::EmbedType::Async, embed::EmbedType::Popover,
        embed::EmbedType::WebComponent, embed::EmbedType::OpenGraphTags}) {
    embed::EmbedRequest request;
    request.id = kMedia;
    request.type = type;
    all.push_back(request);
  }
  all.back().size = {1, 2, 3, 4};
  all.back().responsive = true;
  all.back().handle = "player";
  return all;
}

void EveryStore::import() {
  constexpr std::string_view kLines =
      R"({"kind":"account","id":1001,"name":"Acme","host":"acme.svc.localhost","url":"https://acme.svc.localhost","oauth_enabled":true}
{"kind":"account","id":1002,"name":"Other","host":"other.svc.localhost","url":"https://other.svc.localhost","uploads_enabled":true,"allowed_domains":["site.example"],"allow_no_referrer":true,"logo":"/d/logo.svg","colour":"54bbff"}
{"kind":"user","id":501,"name":"Olivia","email":"olivia@acme.example","password_hash":"scrypt$14$8$5$00000000000000000000000000000000$0000000000000000000000000000000000000000000000000000000000000000","memberships":[{"account_id":1001,"role":"owner"},{"account_id":1002,"role":"user"}]}
{"kind":"user","id":502,"name":"Dora","email":"dora@acme.example","memberships":[]}
{"kind":"project","id":"prj1","account_id":1001,"name":"Films","created":"2026-01-05T09:00:00Z","updated":"2026-06-01T12:00:00Z"}
{"kind":"media","id":"l4unchf1lm","account_id":1001,"project_id":"prj1","type":"Video","name":"Launch film","description":"<p>A film.</p>","status":"ready","duration":16.43,"width":1920,"height":1080,"player_color":"54bbff","thumbnail":{"url":"/d/poster.jpg","width":1920,"height":1080},"created":"2026-03-01T10:00:00Z","updated":"2026-06-10T08:30:00Z","assets":[{"type":"hls","width":1920,"height":1080,"bandwidth":254594,"average_bandwidth":243890,"codecs":"avc1.4d4028,mp4a.40.2","frame_rate":29.97,"url":"/d/index.m3u8"},{"type":"captions","url":"/d/en.vtt","language":"en","label":"English","default":true}]}
{"kind":"media","id":"cinema2391","account_id":1001,"type":"Video","name":"Second","status":"queued","created":"2026-03-01T10:00:00Z","updated":"2026-06-10T08:30:00Z","assets":[]}
{"kind":"playlist","id":"pl4yl1st01","account_id":1001,"name":"Films","media_ids":["l4unchf1lm","cinema2391"]}
{"kind":"application","client_id":"app-1","client_secret":"app-1-secret-0123456789","account_id":1001,"name":"App","description":"Words.","redirect_uri":"https://app.example/cb","scopes":["media:read","stats:read"],"created":"2026-04-01T10:00:00Z","scope_format":"array"}
)";
  const base::UniqueFd file(
      open(directory_.write("catalog.jsonl", kLines).c_str(), O_RDONLY | O_CLOEXEC));
  const auto go_on = [](std::uint64_t, std::uint64_t) { return true; };
  const ctl::Store state{loop_, catalog_store_};
  ctl::LineFile lines(file.get());
  ctl::ImportCheck check(lines, state, true);
  must(check.run(go_on) && check.refused().count == 0, "check its catalog");
  ctl::ImportWrite write(lines, state, &keys_, entropy_);
  must(write.run(check, go_on), "import its catalog");
}

}  // namespace svc::integration
