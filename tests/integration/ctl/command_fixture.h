// CommandFixture: runs commands of svcctl against a store of its own, with accounts, a user, and
// the grants and sessions that a test adds.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "ctl/commands/audit.h"
#include "ctl/commands/groups.h"
#include "fakes/manual_clock.h"
#include "fakes/temporary_directory.h"
#include "integration/redis_server.h"
#include "integration/store.h"
#include "oauth/limits.h"
#include "oauth/token.h"
#include "stores/access/client_registry.h"
#include "stores/access/grants.h"
#include "stores/access/sessions.h"
#include "stores/catalog/people.h"
#include "stores/keys.h"

namespace svc::integration {

struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

class CommandFixture : public testing::Test {
 protected:
  static constexpr const char* kKeys =
      "k1:1111111111111111111111111111111111111111111111111111111111111111\n";

  CommandFixture();
  // Each key must be in the store of its kind.
  void TearDown() override;

  // Runs one command on the state.
  redis::Reply state_command(std::initializer_list<std::string_view> words);
  void set(const std::string& key, const std::string& value);
  // A film of the account 41, of 16.43 s.
  void add_media(const std::string& id);

  // Runs `svcctl GROUP WORDS`. As the program does, it reads the keys first.
  Ran run(const ctl::Group& group, const std::vector<std::string>& words,
          const std::string& input = "");

  Ran app(const std::vector<std::string>& words) { return run(ctl::app_commands(), words); }
  Ran user(const std::vector<std::string>& words, const std::string& input = "") {
    return run(ctl::user_commands(), words, input);
  }

  // The current contents of the key file.
  base::KeyRing ring() const { return *base::KeyRing::load(key_file_); }

  // The secret that `app create` prints.
  std::string create_app(const std::string& id);

  // The secret of a new session.
  std::string begin_session(media::ContactId contact = {410});
  std::optional<login::Session> find_session(const std::string& secret);

  stores::Grants grants(const base::KeyRing& keys);

  struct Tokens {
    oauth::Token code;
    oauth::Token access;
    oauth::Token refresh;
  };
  // The tokens of a new authorization by that contact.
  Tokens authorize(const oauth::ClientId& client, media::ContactId contact = {410});
  bool alive(const oauth::Token& token);
  std::optional<oauth::Grant> find_grant(const oauth::GrantId& id);
  std::optional<oauth::Client> find_client(const std::string& id);
  // The whole audit trail, as `svcctl audit --json` prints it.
  std::string audited() { return run(ctl::audit_commands(), {"--count", "100000", "--json"}).out; }

  fakes::TemporaryDirectory directory_;
  std::string key_file_ = [this] {
    const std::string path = directory_.write("keys", kKeys);
    chmod(path.c_str(), 0600);
    return path;
  }();
  std::string watch_key_file_;
  static constexpr int kFailedUploadDays = 7;
  std::string upload_dir_ = directory_.path("uploads");  // does not exist
  RedisServer server_;                                   // the catalog; the state is its database 1
  redis::ConnectionSettings state_settings() const;
  fakes::ManualWallClock clock_;
  base::SystemEntropy entropy_;
  oauth::Limits limits_;
  Store store_{server_};
  redis::Store state_{state_settings(), store_.loop()};
  stores::ClientRegistry registry_{store_.redis()};
  redis::TripObserver* observer_ = nullptr;  // of the connections of commands
};

}  // namespace svc::integration
