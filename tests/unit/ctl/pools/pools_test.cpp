#include "ctl/pools/pools.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "ctl/pools/groups.h"
#include "fakes/temporary_directory.h"

namespace svc::ctl {
namespace {

using namespace std::chrono_literals;

Arguments arguments(const Group& group, const std::vector<std::string>& words) {
  auto read = Arguments::parse(group.commands.front().syntax, words);
  EXPECT_TRUE(read) << read.error();
  return read ? *read : Arguments{};
}

base::Result<std::vector<std::string>, std::string> default_sockets(const PoolDefaults& defaults) {
  return pool_sockets(arguments(status_commands(), {}), defaults.pid_file, defaults);
}

TEST(PoolSockets, AreThoseOfTheCallThenThatOfTheConfiguration) {
  const PoolDefaults defaults{.listen = "/from/listen.sock"};
  const auto named =
      pool_sockets(arguments(status_commands(), {"--socket", "/a", "--socket=/b"}), "", defaults);
  ASSERT_TRUE(named);
  EXPECT_EQ(*named, (std::vector<std::string>{"/a", "/b"}));
  const auto configured = default_sockets(defaults);
  ASSERT_TRUE(configured);
  EXPECT_EQ(*configured, std::vector<std::string>{"/from/listen.sock"});
}

// A socket there, as of a pool.
void listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

TEST(PoolSockets, AreInTheFolderOfTheConfigurationThenThoseOfTheUnits) {
  const fakes::TemporaryDirectory served;
  const fakes::TemporaryDirectory run;
  const PoolDefaults defaults{.config_file = served.path("svc.conf"), .run_folder = run.path("")};
  served.write("grant.sock", "no socket");
  listen_at(run.path("") + "/web.sock");
  const auto units = default_sockets(defaults);
  ASSERT_TRUE(units) << units.error();
  EXPECT_EQ(*units, std::vector<std::string>{run.path("") + "/web.sock"});
  for (const char* name : {"embed.sock", "web.sock", "redis-state.sock"})
    listen_at(served.path(name));
  const auto beside = default_sockets(defaults);
  ASSERT_TRUE(beside) << beside.error();
  EXPECT_EQ(*beside,
            (std::vector<std::string>{served.path("embed.sock"), served.path("web.sock")}));
}

TEST(PoolSockets, ReportTheSearchedPlacesIfNoSocketWasFound) {
  const fakes::TemporaryDirectory directory;
  const std::string run = directory.path("run");
  const auto none = default_sockets({.run_folder = run});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(),
            "no pool found: no socket at " + run +
                "/{embed,grant,web,upload}.sock; start the pools, or name a socket with "
                "--socket");
  const auto all = default_sockets(
      {.pid_file = "/there/a.pid", .config_file = "svc-of-nobody.conf", .run_folder = run});
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().find(" at /there/a.sock, ./{embed,grant,web,upload}.sock, " + run +
                             "/{embed,grant,web,upload}.sock; "),
            std::string::npos)
      << all.error();
}

TEST(PoolCommands, RefuseInvalidArguments) {
  struct Case {
    const Group& group;
    std::vector<std::string> words;
    const char* named;
  };
  for (const Case& c : {
           Case{reload_commands(), {"--json"}, "unknown option: --json"},
           Case{reload_commands(), {"--pid", "1"}, "--pid must be"},
           Case{reload_commands(), {"--pid", "2147483648"}, "--pid must be"},
           Case{reload_commands(), {"now"}, "unexpected argument: now"},
           Case{status_commands(), {"--watch", "2"}, "unexpected argument: 2"},
       }) {
    SCOPED_TRACE(c.named);
    const auto read = Arguments::parse(c.group.commands.front().syntax, c.words);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().find(c.named), std::string::npos) << read.error();
  }
  const Arguments read = arguments(reload_commands(), {"--timeout", "0.5", "--pid", "12"});
  EXPECT_EQ(read.seconds("--timeout"), 500ms);
  EXPECT_EQ(read.integer("--pid"), 12);
}

}  // namespace
}  // namespace svc::ctl
