#include "app/options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fakes/temporary_directory.h"

namespace svc::app {
namespace {

using Words = std::vector<std::string>;

base::Result<CommandLine, std::string> read(const Words& words, Program program = Program::Worker) {
  std::vector<const char*> argv{"program"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return read_command_line(program, static_cast<int>(argv.size()), argv.data());
}

// Parses arguments that must be valid.
Options options(const Words& words) {
  const auto line = read(words);
  if (!line) throw std::runtime_error(line.error());
  return line->options;
}

class OptionsFile : public testing::Test {
 protected:
  std::string write(std::string_view content) const {
    return directory_.write("svc.conf", content);
  }
  base::Result<CommandLine, std::string> read_file(std::string_view content,
                                                   Words more = {}) const {
    more.insert(more.begin(), {"--config", write(content)});
    return read(more);
  }
  fakes::TemporaryDirectory directory_;
};

TEST(Options, HaveDefaults) {
  const Options defaults = options({});
  EXPECT_EQ(defaults.roles.to_text(), "embed,grant,web,upload");
  EXPECT_EQ(defaults.listen, "");
  EXPECT_EQ(defaults.listen_mode, 0660u);
  EXPECT_EQ(defaults.renderings.max_silence, defaults.cache.max_silence);
  EXPECT_EQ(defaults.redis_state.to_text(), "unix:///run/svc/redis-state.sock");
  EXPECT_EQ(defaults.redis_cache.to_text(), "unix:///run/svc/redis-cache.sock");
  EXPECT_EQ(defaults.site.asset_base, defaults.site.embed_host);
  EXPECT_EQ(defaults.oembed.cache_age, std::nullopt);
  EXPECT_EQ(defaults.log_level, base::log::Level::Info);
  EXPECT_FALSE(defaults.pool.worker.log_requests);
}

TEST(Options, UrlsAreKeptAsBrowsersWriteThem) {
  EXPECT_EQ(options({"--app-url=HTTPS://Video.Example:443"}).site.app_url, "https://video.example");
  EXPECT_EQ(options({"--app-url=http://video.example:443"}).site.app_url,
            "http://video.example:443");
  EXPECT_EQ(options({"--base-url=https://[2001:DB8::1]:"}).site.base_url, "https://[2001:db8::1]");
  EXPECT_EQ(options({"--asset-base=Http://A.example:0080/Films"}).site.asset_base,
            "http://a.example/Films");
}

TEST(Options, UnsetUrlsDefaultToTheAppUrl) {
  const Options one = options({"--app-url=https://video.example"});
  EXPECT_EQ(one.site.base_url, "https://video.example");
  EXPECT_EQ(one.site.oembed_url, "https://video.example");
  EXPECT_EQ(one.site.embed_host, "https://video.example");
  EXPECT_EQ(one.site.provider_url, "https://video.example");
  EXPECT_EQ(one.site.asset_base, "https://video.example");
  EXPECT_EQ(one.issuer, "https://video.example");
  const Options two =
      options({"--embed-host=https://embed.example", "--app-url=https://video.example"});
  EXPECT_EQ(two.site.embed_host, "https://embed.example");
  EXPECT_EQ(two.site.asset_base, "https://embed.example");
  EXPECT_EQ(two.site.oembed_url, "https://video.example");
}

TEST(Options, TakeFlagsWithAnEqualsSignOrASpace) {
  struct Text {
    std::string name, value;
    std::string (*field)(const Options&);
  };
  for (const Text& c : {
           Text{"roles", "embed", [](const Options& o) { return o.pool.name; }},
           Text{"listen", "/run/svc/embed.sock", [](const Options& o) { return o.listen; }},
           Text{"pid-file", "/run/svc/embed.pid", [](const Options& o) { return o.pid_file; }},
           Text{"app-url", "https://app.example", [](const Options& o) { return o.site.app_url; }},
           Text{"base-url", "https://api.example",
                [](const Options& o) { return o.site.base_url; }},
           Text{"oembed-url", "https://oembed.example",
                [](const Options& o) { return o.site.oembed_url; }},
           Text{"embed-host", "https://embed.example",
                [](const Options& o) { return o.site.embed_host; }},
           Text{"asset-base", "https://assets.example",
                [](const Options& o) { return o.site.asset_base; }},
           Text{"service-domain", "media.example",
                [](const Options& o) { return o.site.service_domain; }},
           Text{"short-domain", "m.example", [](const Options& o) { return o.site.short_domain; }},
           Text{"provider-name", "A & B", [](const Options& o) { return o.site.provider_name; }},
           Text{"provider-url", "https://www.example",
                [](const Options& o) { return o.site.provider_url; }},
           Text{"logo-file", "/etc/svc/logo.svg", [](const Options& o) { return o.logo_file; }},
           Text{"accent-colour", "1456c4", [](const Options& o) { return o.site.accent_colour; }},
           Text{"help-url", "mailto:help@svc.example",
                [](const Options& o) { return o.site.help_url; }},
           Text{"terms-url", "https://www.example/terms?v=2",
                [](const Options& o) { return o.site.terms_url; }},
           Text{"privacy-url", "https://www.example/privacy",
                [](const Options& o) { return o.site.privacy_url; }},
           Text{"redis-state", "unix:///s",
                [](const Options& o) { return o.redis_state.to_text(); }},
           Text{"redis-cache", "rediss://h:6380/1",
                [](const Options& o) { return o.redis_cache.to_text(); }},
           Text{"redis-user", "svc", [](const Options& o) { return o.redis_user; }},
           Text{"redis-password-file", "/run/p",
                [](const Options& o) { return o.redis_password_file; }},
           Text{"key-file", "/run/k", [](const Options& o) { return o.key_file; }},
           Text{"language-dir", "/etc/svc/languages",
                [](const Options& o) { return o.language_dir; }},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(c.field(options({"--" + c.name + "=" + c.value})), c.value);
    EXPECT_EQ(c.field(options({"--" + c.name, c.value})), c.value);
  }
  const Options given =
      options({"--listen-mode=0600", "--memory-limit=64", "--request-timeout=2000",
               "--idle-timeout=30", "--oembed-cache-age=86400", "--redis-cache=rediss://h",
               "--redis-tls-ca-file=/run/ca", "--redis-tls-cert-file=/run/cert",
               "--redis-tls-key-file=/run/tls-key", "--log-level=debug", "--log-requests=on"});
  EXPECT_EQ(given.listen_mode, 0600u);
  EXPECT_EQ(given.pool.worker.memory_limit, 64u << 20);
  EXPECT_EQ(given.pool.worker.request_timeout, std::chrono::seconds(2));
  EXPECT_EQ(given.pool.worker.listener.idle_timeout, std::chrono::seconds(30));
  EXPECT_EQ(given.oembed.cache_age, 86400);
  EXPECT_EQ(given.redis_tls, (base::TlsFiles{"/run/ca", "/run/cert", "/run/tls-key"}));
  EXPECT_EQ(given.log_level, base::log::Level::Debug);
  EXPECT_TRUE(given.pool.worker.log_requests);
}

TEST_F(OptionsFile, HasOneKeyEqualsValuePerLine) {
  const auto line = read_file(
      "# a comment\n"
      "\n"
      "  # another\n"
      "workers = 7\n"
      "provider-name=Svc and friends\r\n"
      "\tservice-domain =\tmedia.example   \n"
      "key-file =\n"
      "roles = embed,web");
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->options.pool.workers, 7u);
  EXPECT_EQ(line->options.site.provider_name, "Svc and friends");
  EXPECT_EQ(line->options.site.service_domain, "media.example");
  EXPECT_EQ(line->options.key_file, "");
  EXPECT_EQ(line->options.roles.to_text(), "embed,web");
}

TEST_F(OptionsFile, FlagsOverrideTheFile) {
  const auto line = read_file("workers = 7\nredis-timeout = 100\n", {"--workers=9"});
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->options.pool.workers, 9u);
  EXPECT_EQ(line->options.redis_timeout, std::chrono::milliseconds(100));
}

TEST_F(OptionsFile, OperationsY60TheFilesOfItsFolderOverrideItByName) {
  EXPECT_TRUE(read_file("workers = 7\n")) << "without a folder";
  const std::string folder = directory_.path("svc.conf.d");
  std::filesystem::create_directory(folder);
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name) << text;
  };
  put("20-b.conf", "workers = 9\nredis-timeout = 100\n");
  put("10-a.conf", "workers = 8\nrequest-timeout = 9000\n");
  put("30-c.conf~", "workers = 10\n");
  const auto line = read_file("workers = 7\nrequest-timeout = 8000\nidle-timeout = 90\n");
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->options.pool.workers, 9u);
  EXPECT_EQ(line->options.redis_timeout, std::chrono::milliseconds(100));
  EXPECT_EQ(line->options.pool.worker.request_timeout, std::chrono::seconds(9));
  EXPECT_EQ(line->options.pool.worker.listener.idle_timeout, std::chrono::seconds(90));
  put("20-b.conf", "workers = 9\n\nworkers = 9\n");
  const auto wrong = read_file("workers = 7\n");
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().starts_with(folder + "/20-b.conf:3: workers was set before, at "))
      << wrong.error();
}

TEST_F(OptionsFile, ErrorsNameFileAndLine) {
  struct Case {
    std::string_view name, content, line, reason;
  };
  for (const Case& c : {
           Case{"an unknown key", "workers = 2\n\nworkerz = 3\n",
                ":3: ", "unknown key workerz; did you mean workers?"},
           Case{"a key in capitals", "Workers = 2\n", ":1: ", "unknown key Workers"},
           Case{"a flag that is none of the settings", "help = 1\n", ":1: ", "unknown key help"},
           Case{"a key twice", "workers = 2\n# x\nworkers = 2\n",
                ":3: ", "workers was set before, at "},
           Case{"a section", "[embed]\nworkers = 2\n",
                ":1: ", "sections are not supported, write key = value"},
           Case{"a section further down", "workers = 2\n  [web]\n",
                ":2: ", "sections are not supported"},
           Case{"no equals sign", "workers 2\n", ":1: ", "invalid line, write key = value"},
           Case{"a bad value", "# x\nworkers = many\n",
                ":2: ", "workers must be an integer from 1 to 512"},
           Case{"an empty value", "workers =\n",
                ":1: ", "workers must be an integer from 1 to 512"},
           Case{"two numbers", "workers = 1 2\n", ":1: ", "workers must be an integer"},
       }) {
    SCOPED_TRACE(c.name);
    const auto line = read_file(c.content);
    if (line) {
      ADD_FAILURE() << "accepted";
      continue;
    }
    EXPECT_TRUE(line.error().starts_with(directory_.path("svc.conf") + std::string(c.line)))
        << line.error();
    EXPECT_NE(line.error().find(c.reason), std::string::npos) << line.error();
  }
}

TEST_F(OptionsFile, IsRefusedWhenItCannotBeRead) {
  const auto line = read({"--config", directory_.path("nothing.conf")});
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error(), "cannot read the configuration file " + directory_.path("nothing.conf") +
                              ": No such file or directory");
  EXPECT_FALSE(read({"--config", directory_.path(".")})) << "a directory";
}

TEST(Options, RefuseBadValuesAndNameTheAllowedOnes) {
  struct Case {
    std::string flag;
    std::string_view reason;
  };
  constexpr std::string_view kRoles = "must be a list of embed, grant, web, upload, or all";
  constexpr std::string_view kUrl =
      "must be an absolute http(s) URL that does not end with a slash, query or fragment";
  constexpr std::string_view kOrigin =
      "must be http:// or https://, a host and possibly a port, such as https://media.example";
  constexpr std::string_view kDomain = "must be a domain name such as media.example";
  constexpr std::string_view kHost = "must have a valid host name, such as media.example";
  constexpr std::string_view kPolicyHost =
      "must have a host that a Content-Security-Policy can name, of letters, digits, hyphens and "
      "dots, or an IPv4 address";
  constexpr std::string_view kName = "must be UTF-8 without control characters";
  constexpr std::string_view kLine =
      "must not contain # or a control character, nor begin or end with a space: a line of the "
      "configuration file cannot contain such a value";
  constexpr std::string_view kMode = "must be 0600, 0620, 0640 or 0660";
  for (const Case& c : {
           Case{"--roles=embeds", kRoles},
           Case{"--roles=embed,", ""},
           Case{"--roles=embed web", kRoles},
           Case{"--listen=127.0.0.1:9000", "TCP is never used"},
           Case{"--listen=:9000", "TCP is never used"},
           Case{"--listen=9000", "TCP is never used"},
           Case{"--listen=localhost:9000", "TCP is never used"},
           Case{"--listen=./embed.sock", ""},
           Case{"--listen=dir/embed.sock", ""},
           Case{"--listen-mode=0666", kMode},
           Case{"--listen-mode=0777", kMode},
           Case{"--listen-mode=0670", kMode},
           Case{"--listen-mode=0400", kMode},
           Case{"--listen-mode=660x", kMode},
           Case{"--listen-mode=0b11", kMode},
           Case{"--app-url=app.example", kOrigin},
           Case{"--app-url=https://app.example/", kOrigin},
           Case{"--app-url=https://app.example?x", kOrigin},
           Case{"--app-url=https://app.example#x", kOrigin},
           Case{"--app-url=/path", kOrigin},
           Case{"--app-url=ftp://app.example", kOrigin},
           Case{"--app-url=https://user@app.example", kOrigin},
           Case{"--app-url=https://app example", kOrigin},
           Case{"--app-url=https://app.example/\"><script>", kOrigin},
           Case{"--asset-base=assets", kUrl},
           Case{"--service-domain=.media.example", kDomain},
           Case{"--service-domain=media.example.", kDomain},
           Case{"--service-domain=media.example:80", kDomain},
           Case{"--service-domain=https://media.example", kDomain},
           Case{"--short-domain=a b", kDomain},
           Case{"--service-domain=a..b", kDomain},
           Case{"--service-domain=127.0.0.1", kDomain},
           Case{"--service-domain=-a.example", kDomain},
           Case{"--short-domain=a-.example", kDomain},
           Case{"--short-domain=" + std::string(64, 'a') + ".example", kDomain},
           Case{"--short-domain=" + std::string(63, 'a') + ".example", ""},
           Case{"--short-domain=a--b.c_d.example", ""},
           Case{"--app-url=https://a..b", kHost},
           Case{"--embed-host=https://-a.example:8443", kHost},
           Case{"--app-url=https://_", kHost},
           Case{"--base-url=https://a._b.example", kHost},
           Case{"--oembed-url=http://1.2.3", kHost},
           Case{"--embed-host=http://256.0.0.1", kHost},
           Case{"--base-url=http://a.0x7f", kHost},
           Case{"--base-url=http://[1:2]", kHost},
           Case{"--short-domain=_.example", kDomain},
           Case{"--base-url=http://192.0.2.1", ""},
           Case{"--base-url=http://[::1]:8080", ""},
           Case{"--base-url=https://a_b.example", ""},
           Case{"--embed-host=http://[::1]:8080", kPolicyHost},
           Case{"--embed-host=https://a_b.example", kPolicyHost},
           Case{"--oembed-url=https://a_b.example", kPolicyHost},
           Case{"--asset-base=https://a_b.example/films", kPolicyHost},
           Case{"--asset-base=https://0x7f.1", kHost},
           Case{"--asset-base=https://cdn.example/films", ""},
           Case{"--app-url=https://a_b.example", kPolicyHost},
           Case{"--language-dir=languages", "must be an absolute path"},
           Case{"--language-dir=/etc/svc/languages/", "must be an absolute path that does not end"},
           Case{"--example-media=l4unchf1lm", ""},
           Case{"--security-contact=mailto:security@svc.example https://svc.example/report "
                "tel:+1-201",
                ""},
           Case{"--security-contact=security@svc.example", "must be URIs that begin with mailto:"},
           Case{"--security-contact=mailto:svc.example", "must be URIs that begin with mailto:"},
           Case{"--security-contact=http://svc.example/", "must be URIs that begin with mailto:"},
           Case{"--security-contact=mailto:a@svc.example mailto:\xc3\xa4@x", "must be URIs"},
           Case{"--accent-colour=#1456c4", "must be six hexadecimal digits without #"},
           Case{"--accent-colour=blue", "must be six hexadecimal digits without #"},
           Case{"--accent-colour=-1456c", "must be six hexadecimal digits without #"},
           Case{"--help-url=help@svc.example", "must be a URI that begins with https://"},
           Case{"--terms-url=javascript:alert(1)", "must be a URI that begins with https://"},
           Case{"--privacy-url=/privacy", "must be a URI that begins with https://"},
           Case{"--logo-file=logo.svg", "must be an absolute path that ends in .svg, .png or .ico"},
           Case{"--logo-file=/etc/svc/logo.gif", "must be an absolute path that ends in .svg"},
           Case{"--example-media=a/b", "must be the id of a media: at most 64 letters and digits"},
           Case{"--example-media=" + std::string(65, 'a'), "must be the id of a media"},
           Case{"--provider-name=a\tb", kName},
           Case{"--provider-name=a\nworkers = 9", kName},
           Case{"--provider-name=a\x7f", kName},
           Case{"--provider-name=caf\xe9", kName},
           Case{"--provider-name=\xc3", kName},
           Case{"--provider-name=a\xc2\x85", kName},
           Case{"--provider-name=caf\xc3\xa9 \xc2\xab\xe6\x97\xa5\xc2\xbb", ""},
           Case{"--provider-name=C#", kLine},
           Case{"--provider-name= a", kLine},
           Case{"--provider-name=a ", kLine},
           Case{"--listen=/run/a#b.sock", kLine},
           Case{"--pid-file=/run/a\nb", kLine},
           Case{"--redis-user=#", kLine},
           Case{"--redis-state=unix:///run/#.sock", kLine},
           Case{"--oembed-cache-age=never", "must be off or an integer from 0 to 31536000"},
           Case{"--redis-state=localhost:6379", "unknown scheme; use"},
           Case{"--redis-cache=redis://:pw@h", "the URL must not contain a password"},
           Case{"--demo-users=a@b.example pass c@b.example word", ""},
           Case{"--demo-users=a@b.example", "must have a password after each email"},
           Case{"--demo-gallery=gallery", kUrl},
           Case{"--amp-script-url=amp", kUrl},
           Case{"--log-level=verbose", "must be debug, info, warn or error"},
           Case{"--log-requests=yes", "must be on or off"},
           Case{"--client-id-hosts=https://app.example",
                "must be host names without scheme, port and path, separated by spaces, or *"},
           Case{"--client-id-hosts=app.example:443", "must be host names without scheme"},
           Case{"--client-id-hosts=app.example/x", "must be host names without scheme"},
           Case{"--client-id-hosts=*.example", "must be host names without scheme"},
           Case{"--client-id-hosts=192.0.2.1", "must be host names without scheme"},
           Case{"--client-id-scopes=media:write", "must be some of all:all, all:read, media:read"},
           Case{"--client-id-scopes=media:read,stats:read", "must be some of all:all"},
           Case{"--courier-allow-loopback=yes", "must be on or off"},
       }) {
    SCOPED_TRACE(c.flag);
    const auto line = read({c.flag});
    if (c.reason.empty()) {
      EXPECT_TRUE(line) << line.error();
      continue;
    }
    if (line) {
      ADD_FAILURE() << "accepted";
      continue;
    }
    const std::string name = c.flag.substr(2, c.flag.find('=') - 2);
    EXPECT_TRUE(line.error().starts_with("command line: " + name + " ")) << line.error();
    EXPECT_NE(line.error().find(c.reason), std::string::npos) << line.error();
  }
}

TEST(Options, RefuseMoreThanAnOriginWhereNginxServesNoMore) {
  struct Case {
    std::string more;
    std::string_view named;
  };
  for (const std::string name : {"app-url", "base-url", "oembed-url", "embed-host", "issuer"}) {
    for (const Case& c : {
             Case{"a.example/", "slash at the end"},
             Case{"a.example/tenant", "path"},
             Case{"a.example/tenant/", "path"},
             Case{"a.example//", "path"},
             Case{"a.example:8443/.", "path"},
             Case{"a.example/%2e", "path"},
             Case{"[::1]:80/a", "path"},
             Case{"a.example?", "query"},
             Case{"a.example/?a=b", "query"},
             Case{"a.example#", "fragment"},
             Case{"a.example/a?b#c", "fragment"},
             Case{"user@a.example", "user name"},
             Case{"user:secret@a.example/a", "user name"},
         }) {
      const auto line = read({"--" + name + "=https://" + c.more});
      ASSERT_FALSE(line) << name << " " << c.more;
      EXPECT_EQ(line.error(), "command line: " + name +
                                  " must be http:// or https://, a host and possibly a port, such "
                                  "as https://media.example, without a " +
                                  std::string(c.named));
    }
    EXPECT_TRUE(read({"--" + name + "=http://a.example:8080"})) << name;
  }
  for (const std::string name : {"asset-base", "provider-url", "amp-script-url", "demo-gallery"}) {
    EXPECT_TRUE(read({"--" + name + "=https://a.example/of/others"})) << name;
  }
}

TEST(Options, RefuseEmptyValuesWhereAValueIsRequired) {
  for (const std::string name : {"roles", "service-domain", "workers", "app-url", "redis-state"}) {
    const auto line = read({"--" + name, ""});
    ASSERT_FALSE(line) << name;
    EXPECT_TRUE(line.error().starts_with("command line: " + name + " must be") ||
                line.error().starts_with("command line: " + name + " unknown scheme"))
        << line.error();
  }
  for (const std::string name :
       {"listen", "pid-file", "asset-base", "key-file", "redis-user", "amp-script-url",
        "demo-gallery", "demo-users", "short-domain", "example-media", "security-contact",
        "logo-file", "accent-colour", "help-url", "terms-url", "privacy-url"}) {
    const auto line = read({"--" + name, ""});
    EXPECT_TRUE(line) << line.error();
  }
}

TEST(Options, OfClientDocumentsAreHostsAndScopes) {
  const auto shipped = read({});
  EXPECT_FALSE(shipped->options.limits.documents.is_on());
  EXPECT_EQ(shipped->options.limits.documents.scopes.to_text(), "media:read");
  const auto line = read({"--client-id-hosts=App.example  *", "--client-id-scopes=stats:read"});
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->options.limits.documents.hosts, (Words{"app.example", "*"}));
  EXPECT_EQ(line->options.limits.documents.scopes.to_text(), "stats:read");
  EXPECT_TRUE(line->options.limits.documents.is_on());
}

// CIMD §8.6
TEST(Options, TheCourierMayAskLoopbackOnlyIfTheServiceIsThereToo) {
  for (const std::string host : {"127.0.0.1", "[::1]", "localhost"}) {
    const auto line = read({"--courier-allow-loopback=on", "--base-url=http://" + host + ":8080"});
    EXPECT_TRUE(line) << line.error();
  }
  for (const std::string name : {"base-url", "issuer"}) {
    const auto line = read({"--courier-allow-loopback=on", "--" + name + "=https://a.example"});
    ASSERT_FALSE(line) << name;
    EXPECT_NE(line.error().find("courier-allow-loopback must be off unless the hosts of base-url "
                                "and issuer are localhost, 127.0.0.1 or [::1]; that of " +
                                name + " is a.example"),
              std::string::npos)
        << line.error();
  }
}

TEST(Options, RefuseUnknownFlags) {
  for (const Words& words : {Words{"--workerz=2"}, Words{"--worker=2"}, Words{"--work", "2"},
                             Words{"-x"}, Words{"stray"}, Words{"--workers"},
                             Words{"--workers=2", "--workers=3"}, Words{"--no-such"}}) {
    const auto line = read(words);
    ASSERT_FALSE(line) << words.front();
    EXPECT_TRUE(line.error().starts_with("command line: ")) << line.error();
    const bool is_near =
        words.front().starts_with("--work") && !words.front().starts_with("--workers");
    EXPECT_EQ(line.error().find("; did you mean --workers?") != std::string::npos, is_near)
        << line.error();
  }
}

// svcctl continues with the other lines.
TEST_F(OptionsFile, AWrongLineLeavesTheOthersToSvcctl) {
  struct Case {
    std::string_view content;
    std::string_view why;               // after the place
    std::vector<std::string> settings;  // that the line was meant to set
  };
  const std::string others = "base-url = http://api.example\nredis-timeout = 60\n";
  for (const Case& c : {
           Case{"redis-stat = unix:///x\n", "unknown key redis-stat; did you", {"redis-state"}},
           Case{"where = redis://h\n", "unknown key where", {"redis-state", "redis-catalog"}},
           Case{"redis-state = x\n", "redis-state unknown scheme", {"redis-state"}},
           Case{"workers = many\n", "workers must be an integer", {"workers"}},
           Case{"redis-timeout = 60\n", "redis-timeout was set before, at ", {"redis-timeout"}},
           Case{"listen /run/x\n", "invalid line", {"listen"}},
           Case{"[listen]\n", "sections are not supported", {"listen"}},
           Case{"nothing-like-it = 1\n", "unknown key nothing-like-it; the known keys are", {}},
       }) {
    const std::string file = write(others + std::string(c.content));
    const auto line = read({"--config", file, "status"}, Program::Ctl);
    ASSERT_TRUE(line) << line.error();
    EXPECT_EQ(line->options.site.base_url, "http://api.example");
    EXPECT_EQ(line->options.redis_timeout, std::chrono::milliseconds(60));
    ASSERT_EQ(line->wrong_lines.size(), 1u) << c.content;
    EXPECT_TRUE(line->wrong_lines[0].why.starts_with(file + ":3: " + std::string(c.why)))
        << line->wrong_lines[0].why;
    EXPECT_EQ(line->wrong_lines[0].settings, c.settings) << c.content;
    EXPECT_FALSE(read({"--config", file})) << "a worker";
    EXPECT_FALSE(read({"--config", file, "--check-config"}, Program::Ctl));
  }
  const std::string together = write("session-idle = 20\nsession-max = 10\n");
  const auto line = read({"--config", together, "status"}, Program::Ctl);
  ASSERT_TRUE(line) << line.error();
  ASSERT_EQ(line->wrong_lines.size(), 1u);
  EXPECT_EQ(line->wrong_lines[0].settings,
            (std::vector<std::string>{"session-idle", "session-max"}));
}

// Each number has a default and a field of its own. It accepts its whole range,
// and nothing else.
TEST_F(OptionsFile, NumbersHaveDefaultsRangesAndFieldsOfTheirOwn) {
  // With these, no number at its lowest or highest contradicts another setting.
  const Words low_others{"--redis-timeout=1",           "--memory-cache-size=0",
                         "--oembed-negative-max-age=0", "--session-idle=1",
                         "--password-memory=35840",     "--password-passes=5"};
  const Words high_others{"--request-timeout=600000", "--memory-limit=0",
                          "--oembed-max-age=31536000", "--session-max=31536000"};
  const std::string printed = read({"--print-config"})->printed;
  const auto numbers = number_settings(options({}));
  EXPECT_GT(numbers.size(), 30U);
  for (const NumberSetting& number : numbers) {
    SCOPED_TRACE(number.name);
    const std::string name(number.name);
    const std::string allowed = "must be an integer from " + std::to_string(number.low) + " to " +
                                std::to_string(number.high);
    EXPECT_NE(printed.find("\n" + name + " = " + std::to_string(number.value) + "\n"),
              std::string::npos);
    for (const std::int64_t value : {number.low, number.high}) {
      Words words = value == number.low ? low_others : high_others;
      std::erase_if(words,
                    [&](const std::string& word) { return word.starts_with("--" + name + "="); });
      const auto before = number_settings(options(words));
      words.insert(words.end(), {"--" + name, std::to_string(value), "--print-config"});
      const auto line = read(words);
      ASSERT_TRUE(line) << line.error();
      const auto after = number_settings(line->options);
      for (std::size_t i = 0; i < after.size(); ++i)
        EXPECT_EQ(after[i].value, after[i].name == name ? value : before[i].value) << after[i].name;
      const auto again = read_file(line->printed, {"--print-config"});
      ASSERT_TRUE(again) << again.error();
      EXPECT_EQ(again->printed, line->printed);
    }
    for (const std::string& value :
         {std::to_string(number.low - 1), std::to_string(number.high + 1), std::string(),
          std::string("1.5"), std::string("1s"), std::string("0x1"), std::string("1 2"),
          std::string(20, '9')}) {
      const auto line = read_file(name + " = " + value + "\n");
      EXPECT_EQ(line ? value + " is accepted" : line.error(),
                directory_.path("svc.conf") + ":1: " + name + " " + allowed);
    }
  }
}

TEST_F(OptionsFile, RenderingCacheIsOffPlaylistsOrOn) {
  EXPECT_FALSE(options({}).renderings.of_media);
  EXPECT_TRUE(options({}).renderings.of_playlists) << "oembed-C3: as shipped";
  struct Case {
    const char* value;
    bool of_media;
    bool of_playlists;
  };
  for (const Case& c :
       {Case{"on", true, true}, Case{"playlists", false, true}, Case{"off", false, false}}) {
    SCOPED_TRACE(c.value);
    const auto line = read({"--rendering-cache", c.value, "--print-config"});
    ASSERT_TRUE(line) << line.error();
    const auto again = read_file(line->printed);
    ASSERT_TRUE(again) << again.error();
    for (const auto* one : {&*line, &*again}) {
      EXPECT_EQ(one->options.renderings.of_media, c.of_media);
      EXPECT_EQ(one->options.renderings.of_playlists, c.of_playlists);
    }
  }
  for (const char* value : {"", "yes", "On", "1"}) {
    const auto line = read({"--rendering-cache", value});
    ASSERT_FALSE(line) << value;
    EXPECT_EQ(line.error(), "command line: rendering-cache must be off, playlists or on");
  }
}

TEST_F(OptionsFile, OperationsD50AClusterHasTheStateOnly) {
  const std::string why = "redis-catalog must be one server, or the primary that Sentinels name";
  struct Case {
    std::string file;
    bool is_accepted;
  };
  for (const Case& c :
       {Case{"redis-state = cluster://h\n", false}, Case{"redis-state = cluster+tls://h\n", false},
        Case{"redis-state = cluster://h\nredis-catalog = cluster://h\n", false},
        Case{"redis-state = cluster://h\nredis-catalog = cluster://i\n", false},
        Case{"redis-state = redis://h\nredis-catalog = cluster://i\n", false},
        Case{"redis-state = cluster://h\nredis-catalog = redis://i\n", true},
        Case{"redis-state = cluster://h\nredis-catalog = unix:///s\n", true},
        Case{"redis-state = cluster://h\nredis-catalog = sentinel://i/svc\n", true},
        Case{"redis-state = redis://h\nredis-catalog = redis://i\n", true}}) {
    SCOPED_TRACE(c.file);
    const std::string file = write(c.file);
    for (const Program program :
         {Program::Worker, Program::Ctl, Program::Ingest, Program::Courier, Program::Keeper}) {
      const auto line = read({"--config", file, "--check-config"}, program);
      EXPECT_EQ(static_cast<bool>(line), c.is_accepted);
      if (line) continue;
      EXPECT_NE(line.error().find(why), std::string::npos) << line.error();
    }
  }
}

TEST_F(OptionsFile, RefusesContradictorySettings) {
  constexpr std::string_view kBoth =
      ":1: redis-tls-cert-file and redis-tls-key-file must both be set, or both be empty";
  constexpr std::string_view kUrl =
      " needs TLS: the URL redis-state, redis-catalog or redis-cache must begin with rediss://";
  struct Case {
    std::string file;
    Words flags;
    std::vector<std::string> said;  // none if the settings are accepted
  };
  const std::string path = directory_.path("svc.conf");
  const std::string all =
      "redis-tls-ca-file = a\nredis-tls-cert-file = b\nredis-tls-key-file = c\n";
  for (const Case& c : {
           Case{"request-timeout = 500\nredis-timeout = 500\n",
                {},
                {path + ":1: ", path + ":2: ",
                 "redis-timeout must be shorter than request-timeout"}},
           Case{"request-timeout = 500\n", {"--redis-timeout=600"}, {"command line: ", ":1: "}},
           // A peer that does not read delays only itself.
           Case{"request-timeout = 700\nwrite-timeout = 900\n", {}, {}},
           Case{"memory-limit = 100\nmemory-cache-size = 51\n",
                {},
                {path + ":2: " + path +
                 ":1: memory-cache-size must be at most half of memory-limit: otherwise a full "
                 "cache ends its worker"}},
           Case{"memory-limit = 100\nmemory-cache-size = 50\n", {}, {}},
           Case{"memory-limit = 0\nmemory-cache-size = 4096\n", {}, {}},
           Case{"memory-limit = 60\npassword-memory = 31000\n",
                {},
                {"password-memory must be at most half of memory-limit"}},
           Case{"memory-limit = 60\npassword-memory = 31000\nroles = grant\n", {}, {}},
           Case{"password-memory = 7168\n", {}, {"times password-passes must be at least 35 MiB"}},
           Case{"password-memory = 65536\npassword-passes = 7\n",
                {},
                {"password-memory times password-passes must be at most 384 MiB"}},
           Case{"password-memory = 7168\npassword-passes = 5\npassword-lanes = 4\n", {}, {}},
           Case{"",
                {"--service-domain=media.example", "--short-domain=Media.example"},
                {"short-domain must differ from service-domain"}},
           Case{"",
                {"--oembed-max-age=5", "--oembed-negative-max-age=6"},
                {"oembed-negative-max-age must not be longer than oembed-max-age"}},
           Case{"redis-state = rediss://h\n", {}, {}},
           Case{"redis-state = rediss://h\nredis-tls-ca-file = a\n", {}, {}},
           Case{"redis-cache = rediss://h\n" + all, {}, {}},
           Case{"redis-catalog = rediss://h\n" + all, {}, {}},
           Case{"redis-catalog = redis://h\nredis-catalog-wait-replicas = 0\n", {}, {}},
           Case{"redis-catalog-wait-replicas = 0\n",
                {},
                {":1: redis-catalog-wait-replicas needs a redis-catalog of its own"}},
           Case{"redis-tls-cert-file = b\nredis-state = rediss://h\n", {}, {std::string(kBoth)}},
           Case{"redis-tls-key-file = c\nredis-state = rediss://h\n", {}, {std::string(kBoth)}},
           Case{"redis-tls-ca-file = a\n", {}, {":1: redis-tls-ca-file" + std::string(kUrl)}},
           Case{"redis-tls-cert-file = b\nredis-tls-key-file = c\nredis-state = redis://h\n",
                {},
                {":1: ", "redis-tls-cert-file" + std::string(kUrl)}},
       }) {
    SCOPED_TRACE(c.file);
    const auto line = read_file(c.file, c.flags);
    EXPECT_EQ(static_cast<bool>(line), c.said.empty());
    for (const std::string& said : c.said)
      EXPECT_NE((line ? "" : line.error()).find(said), std::string::npos) << said;
  }
}

// Every accepted value that is printed and read again is unchanged, even if it
// looks like INI syntax.
TEST_F(OptionsFile, PrintsEveryValueInAFormThatReadsBackTheSame) {
  for (const std::string value :
       {"a=b", "a = b", "[a]", "'a'", "\"a\"", "a\\", "a;b", "; a", "a  b", "=", "", "$a ${b} %c",
        "caf\xc3\xa9", "a #b", "#", " a", "a\t", "a\r"}) {
    SCOPED_TRACE(value);
    const auto first = read({"--provider-name", value, "--print-config"});
    if (!first) {
      EXPECT_NE(value.find_first_of("#\t\r") != std::string::npos || value.starts_with(' '), false)
          << first.error();
      continue;
    }
    EXPECT_EQ(first->options.site.provider_name, value);
    const auto second = read_file(first->printed, {"--print-config"});
    if (!second) {
      ADD_FAILURE() << second.error();
      continue;
    }
    EXPECT_EQ(second->options.site.provider_name, value);
    EXPECT_EQ(second->printed, first->printed);
  }
}

TEST_F(OptionsFile, PrintsAConfigurationThatReadsBackTheSame) {
  const auto first = read_file(
      "workers = 7\nroles = web\nprovider-name = A & B # C\nredis-state = unix:///s?db=2\n"
      "oembed-cache-age = 60\nlisten = /run/x.sock\n",
      {"--print-config", "--log-level=warn"});
  ASSERT_TRUE(first) << first.error();
  EXPECT_EQ(first->action, Action::PrintConfig);
  EXPECT_EQ(read_file(first->printed, {"--check-config"})->action, Action::CheckConfig);
  EXPECT_NE(first->printed.find("\nworkers = 7\n"), std::string::npos) << first->printed;
  EXPECT_NE(first->printed.find("\nlog-level = warn\n"), std::string::npos);
  EXPECT_NE(first->printed.find("\nredis-timeout = 500\n"), std::string::npos) << "defaults too";
  const auto second = read_file(first->printed, {"--print-config"});
  ASSERT_TRUE(second) << second.error();
  EXPECT_EQ(second->printed, first->printed);
  EXPECT_EQ(second->options.roles.to_text(), "web");
  EXPECT_EQ(second->options.redis_state.to_text(), "unix:///s?db=2");
}

TEST(Options, HelpNamesEveryKeyThatPrintConfigPrints) {
  const auto help = read({"--help"});
  ASSERT_TRUE(help) << help.error();
  EXPECT_EQ(help->action, Action::Help);
  EXPECT_EQ(read({"--version"})->action, Action::Version);
  const auto printed = read({"--print-config"});
  ASSERT_TRUE(printed);
  std::istringstream lines(printed->printed);
  int keys = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    ++keys;
    const std::string key = line.substr(0, line.find(' '));
    EXPECT_NE(help->printed.find("--" + key), std::string::npos) << key;
  }
  EXPECT_GT(keys, 30);
}

TEST(Options, SvcctlOptionsMustPrecedeTheCommand) {
  // Arguments after the command belong to it even if they look like settings: a
  // name may be any text.
  const Words words{"app", "create", "--name", "-c", "--description=", "", "--redis-timeout=1"};
  Words all{"--redis-timeout", "100", "--log-level=warn"};
  all.insert(all.end(), words.begin(), words.end());
  const auto line = read(all, Program::Ctl);
  ASSERT_TRUE(line) << line.error();
  EXPECT_EQ(line->arguments, words);
  EXPECT_EQ(line->options.redis_timeout, std::chrono::milliseconds(100));
  EXPECT_EQ(read({"import", "-"}, Program::Ctl)->arguments, (Words{"import", "-"}));
  EXPECT_FALSE(read({"--nonsense", "import", "file"}, Program::Ctl));
  EXPECT_FALSE(read({"--redis-timeout"}, Program::Ctl));
  EXPECT_EQ(read({"--help"}, Program::Ctl)->action, Action::Help);
}

TEST_F(OptionsFile, SvcctlReadsTheFileInSvcConfigUnlessAFileIsNamed) {
  const std::string path = directory_.write("default.conf", "workers = 3\n");
  ASSERT_EQ(setenv("SVC_CONFIG", path.c_str(), 1), 0);
  const auto found = read({"app", "list"}, Program::Ctl);
  const auto named = read({"--config", write("workers = 4\n"), "app", "list"}, Program::Ctl);
  const auto of_a_worker = read({});
  const auto missing = (setenv("SVC_CONFIG", "/nowhere/svc.conf", 1), read({}, Program::Ctl));
  const auto help = read({"--help-settings"}, Program::Ctl);
  unsetenv("SVC_CONFIG");
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->options.pool.workers, 3U);
  EXPECT_EQ(found->config_file, path);
  ASSERT_TRUE(named) << named.error();
  EXPECT_EQ(named->options.pool.workers, 4U);
  ASSERT_TRUE(of_a_worker) << of_a_worker.error();
  EXPECT_EQ(of_a_worker->config_file, "");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(),
            "cannot read the configuration file /nowhere/svc.conf: No such file or directory");
  ASSERT_TRUE(help) << "even if the configuration cannot be read";
  EXPECT_EQ(help->action, Action::HelpSettings);
  EXPECT_NE(help->printed.find("--memory-limit"), std::string::npos);
}

TEST(Roles, AreAnUnorderedList) {
  EXPECT_EQ(options({"--roles=web,embed"}).roles.to_text(), "embed,web");
  EXPECT_EQ(options({"--roles=grant"}).roles.to_text(), "grant");
  EXPECT_EQ(options({"--roles=all"}).roles.to_text(), "embed,grant,web,upload");
}

}  // namespace
}  // namespace svc::app
