#include "redis/address.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {
namespace {

TEST(Address, ReadsUnixAndTcpUrls) {
  struct Case {
    std::string_view url, path, host;
    int port, database;
    std::string_view text;
  };
  for (const Case& c : {
           Case{"unix:///run/r.sock", "/run/r.sock", "", 6379, 0, "unix:///run/r.sock"},
           Case{"unix:///run/r.sock?db=3", "/run/r.sock", "", 6379, 3, "unix:///run/r.sock?db=3"},
           Case{"unix:///run/r.sock?db=0", "/run/r.sock", "", 6379, 0, "unix:///run/r.sock"},
           Case{"redis://h.example", "", "h.example", 6379, 0, "redis://h.example:6379"},
           Case{"redis://h.example/", "", "h.example", 6379, 0, "redis://h.example:6379"},
           Case{"redis://h.example:6380/2", "", "h.example", 6380, 2, "redis://h.example:6380/2"},
           Case{"redis://127.0.0.1:1/65535", "", "127.0.0.1", 1, 65535,
                "redis://127.0.0.1:1/65535"},
           Case{"redis://[::1]", "", "::1", 6379, 0, "redis://[::1]:6379"},
           Case{"redis://::1:6380", "", "::1", 6380, 0, "redis://[::1]:6380"},
           Case{"redis://[::1]:6380/1", "", "::1", 6380, 1, "redis://[::1]:6380/1"},
           Case{"rediss://h.example", "", "h.example", 6379, 0, "rediss://h.example:6379"},
           Case{"rediss://[::1]:6380/1", "", "::1", 6380, 1, "rediss://[::1]:6380/1"},
       }) {
    SCOPED_TRACE(c.url);
    const auto address = Address::parse(c.url);
    if (!address) {
      ADD_FAILURE() << address.error();
      continue;
    }
    EXPECT_EQ(address->path, c.path);
    EXPECT_EQ(address->kind, Address::Kind::Server);
    if (c.host.empty()) {
      EXPECT_TRUE(address->endpoints.empty());
    } else {
      EXPECT_EQ(address->endpoints,
                (std::vector<Endpoint>{{std::string(c.host), static_cast<std::uint16_t>(c.port)}}));
    }
    EXPECT_EQ(address->database, c.database);
    EXPECT_EQ(address->to_text(), c.text);
    EXPECT_EQ(Address::parse(address->to_text())->to_text(), c.text);
  }
}

TEST(Address, ReadsSentinelAndClusterUrls) {
  struct Case {
    std::string_view url;
    Address::Kind kind;
    std::vector<Endpoint> endpoints;
    std::string_view primary;
    int database;
    std::string_view text;
  };
  using enum Address::Kind;
  for (const Case& c : {
           Case{"sentinel://s1,s2:26380,[::1]/svc",
                Sentinel,
                {{"s1", 26379}, {"s2", 26380}, {"::1", 26379}},
                "svc",
                0,
                "sentinel://s1:26379,s2:26380,[::1]:26379/svc"},
           Case{"sentinel://s1/svc-state?db=2",
                Sentinel,
                {{"s1", 26379}},
                "svc-state",
                2,
                "sentinel://s1:26379/svc-state?db=2"},
           Case{"cluster://c1,c2:7001/",
                Cluster,
                {{"c1", 6379}, {"c2", 7001}},
                "",
                0,
                "cluster://c1:6379,c2:7001"},
           Case{"cluster://10.0.0.1:7001",
                Cluster,
                {{"10.0.0.1", 7001}},
                "",
                0,
                "cluster://10.0.0.1:7001"},
       }) {
    SCOPED_TRACE(c.url);
    const auto address = Address::parse(c.url);
    if (!address) {
      ADD_FAILURE() << address.error();
      continue;
    }
    EXPECT_EQ(address->kind, c.kind);
    EXPECT_EQ(address->endpoints, c.endpoints);
    EXPECT_EQ(address->primary, c.primary);
    EXPECT_EQ(address->database, c.database);
    EXPECT_EQ(address->tls, c.url.starts_with("rediss:"));
    EXPECT_EQ(address->to_text(), c.text);
    EXPECT_EQ(Address::parse(address->to_text())->to_text(), c.text);
  }
}

TEST(Address, ErrorsNameTheAllowedForms) {
  struct Case {
    std::string_view name;
    std::string url;
    std::string_view reason;
  };
  for (const Case& c : {
           Case{"nothing", "", "unknown scheme"},
           Case{"a bare path", "/run/r.sock", "unknown scheme"},
           Case{"a bare host", "localhost:6379", "unknown scheme"},
           Case{"TLS on a unix socket", "rediss:///run/r.sock", "the database is not a number"},
           Case{"TLS with a password", "rediss://:hunter2@h",
                "the URL must not contain a password"},
           Case{"more letters", "redisss://h", "unknown scheme"},
           Case{"a scheme in capitals", "REDIS://h", "unknown scheme"},
           Case{"a relative path", "unix://run/r.sock", "must be absolute"},
           Case{"no path", "unix://", "must be absolute"},
           Case{"a long path", "unix:///" + std::string(107, 'p'), "longer than 107 bytes"},
           Case{"another parameter", "unix:///r?x=1", "only db=N may follow"},
           Case{"no number", "unix:///r?db=", "only db=N may follow"},
           Case{"a negative number", "unix:///r?db=-1", "only db=N may follow"},
           Case{"something after it", "unix:///r?db=1&x", "only db=N may follow"},
           Case{"no host", "redis://", "the host is missing"},
           Case{"a port alone", "redis://:6379", "the host is missing"},
           Case{"port 0", "redis://h:0", "the port is not a number from 1 to 65535"},
           Case{"a high port", "redis://h:65536", "the port is not a number from 1 to 65535"},
           Case{"no port after the colon",
                "redis://h:", "the port is not a number from 1 to 65535"},
           Case{"a database without a number", "redis://h/x", "the database is not a number"},
           Case{"a path after it", "redis://h/1/2", "the database is not a number"},
           Case{"a password", "redis://:hunter2@h", "the URL must not contain a password"},
           Case{"a user and a password", "redis://u:hunter2@h/1",
                "the URL must not contain a password"},
           Case{"a query", "redis://h?db=1", "the database is not a number"},
           Case{"an open bracket", "redis://[::1", "a bracket of the host is not closed"},
           Case{"something after the bracket", "redis://[::1]x",
                "the closing bracket is not followed"},
           Case{"empty brackets", "redis://[]", "the host is missing"},
           Case{"Sentinels without a name", "sentinel://s1,s2", "the name of the primary"},
           Case{"an empty name", "sentinel://s1/", "the name of the primary"},
           Case{"two names", "sentinel://s1/a/b", "the name of the primary"},
           Case{"no Sentinel", "sentinel:///svc", "the host is missing"},
           Case{"an empty Sentinel", "sentinel://s1,,s2/svc", "the host is missing"},
           Case{"a Sentinel twice", "sentinel://s1,s1:26379/svc", "s1:26379 is named twice"},
           Case{"a Sentinel's port", "sentinel://s1:x/svc", "the port is not a number"},
           Case{"a Sentinel's query", "sentinel://s1/svc?x=1", "only db=N may follow"},
           Case{"a password of Sentinels", "sentinel://:hunter2@s1/svc",
                "the URL must not contain a password"},
           Case{"a database of a cluster", "cluster://c1/1", "a cluster has no databases"},
           Case{"a query of a cluster", "cluster://c1?db=1", "a cluster has no databases"},
           Case{"no node", "cluster://", "the host is missing"},
       }) {
    SCOPED_TRACE(c.name);
    const auto address = Address::parse(c.url);
    if (address) {
      ADD_FAILURE() << "accepted";
      continue;
    }
    EXPECT_NE(address.error().find(c.reason), std::string::npos) << address.error();
    EXPECT_NE(address.error().find("use unix:///path[?db=N], redis://host[:port][/N], sentinel://"
                                   "host[:port],.../name[?db=N] or cluster://host[:port],..."),
              std::string::npos)
        << address.error();
    EXPECT_EQ(address.error().find("hunter2"), std::string::npos) << address.error();
  }
}

}  // namespace
}  // namespace svc::redis
