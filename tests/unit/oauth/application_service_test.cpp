#include "oauth/application_service.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unavailable.h"
#include "fakes/fixed_entropy.h"
#include "fakes/login.h"
#include "fakes/manual_clock.h"
#include "fakes/memory_oauth.h"
#include "fakes/tasks.h"

namespace svc::oauth {
namespace {

using Why = ApplicationRefusal;

// Throws while it is unavailable.
class UnreliableAudit : public fakes::MemoryAudit {
 public:
  bool away = false;
  std::vector<AuditEvent> whole;
  loop::Task<> record(const AuditEvent& event) override {
    if (away) throw base::Unavailable("the audit trail is away");
    whole.push_back(event);
    return MemoryAudit::record(event);
  }
};

// Also finds grants that are in no list.
class MemorySearch : public GrantSearch {
 public:
  explicit MemorySearch(fakes::MemoryGrants& grants) : grants_(grants) {}
  std::vector<GrantId> unlisted;

  loop::Task<std::vector<GrantId>> grants_of(const ClientId& id) override {
    std::vector<GrantId> found = unlisted;
    for (const auto& [text, grant] : grants_.grants) {
      if (grant.client == id) found.push_back(grant.id);
    }
    co_return found;
  }

 private:
  fakes::MemoryGrants& grants_;
};

class ApplicationServiceTest : public testing::Test {
 protected:
  ApplicationServiceTest() {
    account_.id = {1001};
    account_.oauth_enabled = true;
    settings_.name = "Reel Maker";
    settings_.description = "Makes reels.";
    settings_.redirect_uri = "https://reels.example/back";
    settings_.scopes.add("media:read");
  }

  base::Result<WithSecret, Why> create(const std::string& id = "app-1") {
    const NewApplication application{{id}, account_, settings_};
    return fakes::now(service_.create(application, kActor));
  }
  base::Result<WithSecret, Why> create_with_chosen_id(const std::string& id = "app-1") {
    const NewApplication application{{id}, account_, settings_};
    return fakes::now(service_.create_with_chosen_id(application, search_, kActor));
  }
  const Client& client(const std::string& id = "app-1") { return applications_.clients.at(id); }

  base::Result<Client, Why> edit(const Client& seen, const ApplicationSettings& settings) {
    return fakes::now(service_.edit(seen, settings, settings_edition(seen), kActor));
  }
  base::Result<WithSecret, Why> rotate(const Client& seen) {
    const std::string edition = secrets_edition(seen);
    return fakes::now(service_.rotate_secret(seen, edition, kActor));
  }
  base::Result<Client, Why> retire(const Client& seen) {
    const std::string edition = secrets_edition(seen);
    return fakes::now(service_.retire_old_secret(seen, edition, kActor));
  }
  void remove(const std::string& id = "app-1") {
    const Client removed = client(id);
    fakes::now(service_.remove(removed, kActor));
  }
  std::optional<Remains> remains(const std::string& id = "app-1") {
    const ClientId wanted{id};
    return fakes::now(service_.find_remains(wanted));
  }
  void remove_completely(const Remains& remains) {
    fakes::now(service_.remove_completely(remains, search_, kActor));
  }
  bool clean_up() { return fakes::now(clean_up_removed(applications_, grants_, clock_.now())); }

  void give(std::int64_t people, const ClientId& to = {"app-1"}) {
    for (std::int64_t contact = 1; contact <= people; ++contact) {
      Grant grant{};
      grant.id = GrantId::of({contact}, {1001}, to);
      grant.contact = {contact};
      grant.client = to;
      grants_.grants[grant.id.value()] = grant;
    }
  }

  static constexpr Actor kActor{
      .contact = media::ContactId{7}, .address = "192.0.2.1", .detail = "by a test"};

  media::Account account_;
  ApplicationSettings settings_;
  fakes::MemoryApplications applications_;
  fakes::MemoryGrants grants_;
  UnreliableAudit audit_;
  MemorySearch search_{grants_};
  const Limits limits_{.applications_per_account = 3};
  const base::KeyRing keys_ = *base::KeyRing::parse("k1:" + std::string(64, '1'));
  fakes::FixedEntropy entropy_;
  fakes::ManualWallClock clock_;
  ApplicationService service_{applications_, grants_, audit_, limits_, keys_, entropy_, clock_};
};

TEST_F(ApplicationServiceTest, RegistersAnApplicationWithASecretThatOnlyTheKeysOpen) {
  const auto created = create();
  ASSERT_TRUE(created);
  EXPECT_EQ(differences_of(client(), settings_), "");
  EXPECT_EQ(client().account.value(), 1001);
  EXPECT_EQ(client().created, "2026-05-28T20:26:40Z");
  EXPECT_EQ(client().permission_version, 1);
  ASSERT_EQ(client().secrets.size(), 1u);
  EXPECT_TRUE(is_secret_of(keys_, client(), created->secret));
  EXPECT_EQ(to_record(client()).find(created->secret), std::string::npos);
  ASSERT_EQ(audit_.whole.size(), 1u);
  EXPECT_EQ(audit_.whole[0].account->value(), 1001);
  EXPECT_EQ(audit_.events, std::vector<std::string>{"client.created 7 by a test"});
}

TEST_F(ApplicationServiceTest, RefusesInvalidSettingsAndWritesNothing) {
  struct Case {
    std::string_view name;
    void (*spoil)(ApplicationSettings&, media::Account&);
    Why why;
  };
  using S = ApplicationSettings;
  using A = media::Account;
  for (const Case& c : {
           Case{"a name of 101 characters", [](S&s, A&) { s.name = std::string(101, 'n'); },
                Why::InvalidSettings},
           Case{"a description of 2001 characters",
                [](S&s, A&) { s.description = std::string(2001, 'd'); }, Why::InvalidSettings},
           Case{"no scope", [](S&s, A&) { s.scopes = {}; }, Why::InvalidSettings},
           Case{"an account without OAuth", [](S&, A&a) { a.oauth_enabled = false; },
                Why::OauthDisabled},
       }) {
    SCOPED_TRACE(c.name);
    const ApplicationSettings right = settings_;
    c.spoil(settings_, account_);
    for (const auto& refused : {create(), create_with_chosen_id()}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error(), c.why);
    }
    settings_ = right;
    account_.oauth_enabled = true;
  }
  EXPECT_TRUE(applications_.clients.empty());
  EXPECT_TRUE(audit_.events.empty());
}

TEST_F(ApplicationServiceTest, OauthK10LimitsTheApplicationsOfAnAccount) {
  Client one;
  for (int i = 1; i < limits_.applications_per_account; ++i) {
    one.id = {"other-" + std::to_string(i)};
    one.account = {1001};
    applications_.put(one);
  }
  one.id = {"of-another-account"};
  one.account = {1002};
  applications_.put(one);
  EXPECT_TRUE(create());
  for (const auto& refused : {create("app-2"), create_with_chosen_id("app-2")}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), Why::TooManyApplications);
  }
  EXPECT_EQ(audit_.events.size(), 1u);
  remove();
  EXPECT_TRUE(create("app-2"));
}

TEST_F(ApplicationServiceTest, RefusesAnIdThatIsTaken) {
  ASSERT_TRUE(create());
  give(1);
  const Client before = client();
  settings_.name.clear();
  for (const auto& refused : {create(), create_with_chosen_id()}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), Why::IdTaken) << "a form that is sent twice is told so first";
  }
  EXPECT_EQ(client().secrets, before.secrets);
  EXPECT_EQ(grants_.grants.size(), 1u) << "its grants stay";
}

TEST_F(ApplicationServiceTest, RefusesAnIdTakenByAnotherWriterInARace) {
  Client theirs;
  theirs.id = {"app-1"};
  theirs.name = "Theirs";
  applications_.meanwhile = [&] { applications_.put(theirs); };
  const auto refused = create();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Why::IdTaken);
  EXPECT_EQ(client().name, "Theirs");
}

TEST_F(ApplicationServiceTest, AChosenIdInheritsNothingFromAFormerApplication) {
  applications_.list.push_back({.id = {"app-1"}, .since = clock_.now()});
  give(150);
  give(1, {"app-2"});
  ASSERT_TRUE(create_with_chosen_id());
  EXPECT_EQ(grants_.grants.size(), 1u) << "another application's";
  EXPECT_TRUE(applications_.list.empty());
  EXPECT_EQ(client().permission_version, clock_.now());
  EXPECT_EQ(audit_.events, std::vector<std::string>{
                               "client.created 7 by a test, ended 150 grants of a former one"});
}

TEST_F(ApplicationServiceTest, EditsTheSettingsAndRecordsWhichChanged) {
  ASSERT_TRUE(create());
  settings_.name = "Clip Maker";
  settings_.scopes.add("stats:read");
  ASSERT_TRUE(edit(Client(client()), settings_));
  EXPECT_EQ(differences_of(client(), settings_), "");
  EXPECT_EQ(client().permission_version, 2);
  EXPECT_EQ(audit_.events.back(), "client.changed 7 by a test, name, scopes");
}

TEST_F(ApplicationServiceTest, AnEditThatIsSentTwiceIsRecordedOnce) {
  ASSERT_TRUE(create());
  const Client seen = client();
  const std::string edition = settings_edition(seen);
  settings_.name = "Clip Maker";
  ASSERT_TRUE(edit(seen, settings_));
  const Client now = client();
  EXPECT_TRUE(fakes::now(service_.edit(now, settings_, edition, kActor)));
  EXPECT_EQ(audit_.events.size(), 2u);
}

TEST_F(ApplicationServiceTest, RefusesAnEditAfterAnotherWritersChange) {
  ASSERT_TRUE(create());
  const Client seen = client();
  ApplicationSettings mine = settings_;
  mine.name = "Mine";
  applications_.meanwhile = [&] { applications_.clients.at("app-1").name = "Theirs"; };
  const auto race = edit(seen, mine);
  ASSERT_FALSE(race);
  EXPECT_EQ(race.error(), Why::Overtaken);
  EXPECT_EQ(client().name, "Theirs");

  // The page that the user submits is older than the record that this request
  // reads.
  audit_.events.clear();
  const Client now = client();
  const std::string edition = settings_edition(seen);
  const auto late = fakes::now(service_.edit(now, mine, edition, kActor));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), Why::Overtaken);
  EXPECT_TRUE(audit_.events.empty());

  applications_.clients.clear();
  const auto gone = edit(now, mine);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error(), Why::NotFound);
}

TEST_F(ApplicationServiceTest, RefusesAnEditToInvalidSettings) {
  ASSERT_TRUE(create());
  ApplicationSettings wrong = settings_;
  wrong.name = std::string(101, 'n');
  const auto refused = edit(Client(client()), wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Why::InvalidSettings);
  EXPECT_EQ(client().name, "Reel Maker");
  EXPECT_EQ(audit_.events.size(), 1u);
}

// Imports read longer names than the service accepts.
TEST_F(ApplicationServiceTest, ManagesTheSecretsOfAnApplicationWithALongerNameFromAnImport) {
  ASSERT_TRUE(create());
  applications_.clients.at("app-1").name = std::string(300, 'n');
  EXPECT_TRUE(rotate(Client(client())));
}

TEST_F(ApplicationServiceTest, OauthK2RotatesASecretWithTwoLiveAtMost) {
  const std::string older = create()->secret;
  clock_.advance(60);
  const auto rotated = rotate(Client(client()));
  ASSERT_TRUE(rotated);
  EXPECT_TRUE(is_secret_of(keys_, client(), older));
  EXPECT_TRUE(is_secret_of(keys_, client(), rotated->secret));
  EXPECT_EQ(client().secrets.front().created, "2026-05-28T20:27:40Z");
  const auto third = rotate(Client(client()));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error(), Why::TwoLiveSecrets);

  ASSERT_TRUE(retire(Client(client())));
  EXPECT_FALSE(is_secret_of(keys_, client(), older));
  EXPECT_TRUE(is_secret_of(keys_, client(), rotated->secret));
  const auto last = retire(Client(client()));
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error(), Why::OneLiveSecret);
  EXPECT_EQ(audit_.events,
            (std::vector<std::string>{"client.created 7 by a test", "secret.rotated 7 by a test",
                                      "secret.retired 7 by a test"}));
}

TEST_F(ApplicationServiceTest, TheSecondOfTwoSimultaneousRotationsIsRefused) {
  ASSERT_TRUE(create());
  const Client seen = client();
  ASSERT_TRUE(rotate(seen));
  ASSERT_TRUE(retire(Client(client())));
  const auto late = rotate(seen);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), Why::Overtaken);
  EXPECT_EQ(client().secrets.size(), 1u);
}

TEST_F(ApplicationServiceTest, OauthK7RecordsThatSecretsWereShownOnlyIfAnyWas) {
  const std::string older = create()->secret;
  const std::string newer = rotate(Client(client()))->secret;
  Client shown = client();
  using Secrets = std::vector<std::optional<std::string>>;
  EXPECT_EQ(fakes::now(service_.show_secrets(shown, kActor)), (Secrets{newer, older}));
  EXPECT_EQ(audit_.events.back(), "secret.shown 7 by a test");
  audit_.events.clear();
  shown.secrets[0].sealed = "a lost key's";
  EXPECT_EQ(fakes::now(service_.show_secrets(shown, kActor)), (Secrets{std::nullopt, older}));
  EXPECT_EQ(audit_.events.size(), 1u);
  shown.secrets[1].sealed = "a lost key's";
  EXPECT_EQ(fakes::now(service_.show_secrets(shown, kActor)),
            (Secrets{std::nullopt, std::nullopt}));
  EXPECT_EQ(audit_.events.size(), 1u) << "nothing was shown";
}

TEST_F(ApplicationServiceTest, ChangesNothingIfTheAuditTrailIsUnavailable) {
  ASSERT_TRUE(create());
  ASSERT_TRUE(rotate(Client(client())));
  const Client before = client();
  give(1);
  audit_.away = true;
  ApplicationSettings other = settings_;
  other.name = "Other";
  EXPECT_THROW(static_cast<void>(create("app-2")), base::Unavailable);
  give(1, {"app-3"});
  EXPECT_THROW(static_cast<void>(create_with_chosen_id("app-3")), base::Unavailable);
  EXPECT_THROW(static_cast<void>(edit(before, other)), base::Unavailable);
  EXPECT_THROW(static_cast<void>(retire(before)), base::Unavailable);
  EXPECT_THROW(fakes::now(service_.show_secrets(before, kActor)), base::Unavailable);
  EXPECT_THROW(remove(), base::Unavailable);
  EXPECT_THROW(remove_completely(*remains()), base::Unavailable);
  EXPECT_EQ(applications_.clients.size(), 1u);
  EXPECT_EQ(to_record(client()), to_record(before));
  EXPECT_EQ(grants_.grants.size(), 2u);
}

TEST_F(ApplicationServiceTest, DeletesTheRecordBeforeItsGrants) {
  ASSERT_TRUE(create());
  give(2);
  give(1, {"app-2"});
  std::size_t grants_at_removal = 0;
  applications_.meanwhile = [&] { grants_at_removal = grants_.grants.size(); };
  remove();
  EXPECT_EQ(grants_at_removal, 3u);
  EXPECT_EQ(grants_.grants.size(), 1u) << "another application's";
  EXPECT_TRUE(applications_.clients.empty());
}

TEST_F(ApplicationServiceTest, OauthK7ADeletionIsOneEventHoweverManyGrantsEndWithIt) {
  ASSERT_TRUE(create());
  give(2000);
  remove();
  EXPECT_EQ(audit_.events.size(), 2u);
  EXPECT_EQ(audit_.events.back(), "client.deleted 7 by a test, 2000 grants end with it");
}

TEST_F(ApplicationServiceTest, DeletesGrantsInBoundedSteps) {
  ASSERT_TRUE(create());
  give(2000);
  remove();
  std::size_t left = grants_.grants.size();
  EXPECT_GE(left, 1000u);
  clock_.advance(1);
  while (clean_up()) {
    EXPECT_LE(left - grants_.grants.size(), 500u);
    left = grants_.grants.size();
  }
  EXPECT_EQ(grants_.grants.size(), 0u);
}

TEST_F(ApplicationServiceTest, CompleteDeletionIncludesGrantsThatAreInNoList) {
  ASSERT_TRUE(create());
  give(2000);
  search_.unlisted = {GrantId::of({1}, {1001}, {"lost"})};
  Grant lost{};
  lost.id = search_.unlisted.front();
  lost.client = {"a list names it no more"};
  grants_.grants[lost.id.value()] = lost;
  const auto left = remains();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->client->name, "Reel Maker");
  remove_completely(*left);
  EXPECT_TRUE(grants_.grants.empty());
  EXPECT_TRUE(applications_.clients.empty());
  EXPECT_TRUE(applications_.list.empty());
  EXPECT_EQ(audit_.events.back(), "client.deleted 7 by a test, 2001 grants end with it");
  EXPECT_FALSE(remains());
}

TEST_F(ApplicationServiceTest, OperationsD5DeletesARecordThatCannotBeRead) {
  applications_.unreadable = {"app-1"};
  give(1);
  const auto left = remains();
  ASSERT_TRUE(left);
  EXPECT_FALSE(left->client);
  remove_completely(*left);
  EXPECT_TRUE(applications_.unreadable.empty());
  EXPECT_TRUE(grants_.grants.empty());
  ASSERT_EQ(audit_.whole.size(), 1u);
  EXPECT_FALSE(audit_.whole[0].account);
  EXPECT_EQ(audit_.events[0],
            "client.deleted 7 by a test, unreadable record, 1 grants end with it");
}

TEST_F(ApplicationServiceTest, FinishesADeletionThatWasInterruptedWithoutASecondEvent) {
  ASSERT_TRUE(create());
  give(300);
  remove();
  const auto left = remains();
  ASSERT_TRUE(left);
  EXPECT_FALSE(left->has_record);
  remove_completely(*left);
  EXPECT_TRUE(grants_.grants.empty());
  EXPECT_FALSE(remains());
  EXPECT_EQ(audit_.events.size(), 2u);
}

}  // namespace
}  // namespace svc::oauth
