#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "ctl/commands/groups.h"
#include "ctl/confirm.h"
#include "ctl/terminal.h"
#include "login/new_password.h"

namespace svc::ctl {
namespace {

constexpr const char* kScript = "/usr/lib/svc/svc-operate";

// Replaces this program by the script. Returns only if that fails.
Outcome become_script(std::vector<std::string> words) {
  if (getuid() != 0) return Refusal{std::string("only root may do this: sudo svcctl")};
  std::vector<char*> argv;
  words.insert(words.begin(), kScript);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout << std::flush;
  execv(kScript, argv.data());
  return Refusal{std::string("cannot run ") + kScript + ": " + std::strerror(errno)};
}

std::string given(const Arguments& arguments, std::string_view flag) {
  return arguments.has(flag) ? "yes" : "";
}

const char* why_not_key(const Arguments& arguments) {
  return arguments.has("--key") && arguments.has("--unverified")
             ? "--unverified does without a key: give one of --key and --unverified"
             : "";
}

Outcome back_up(const Arguments& arguments, Context& context) {
  const std::string& file = arguments.operand(0);
  if (!arguments.has("--verify") && (arguments.has("--key") || arguments.has("--unverified")))
    return wrong_call(context, "--key and --unverified need --verify");
  if (!arguments.has("--verify"))
    return become_script({"backup", file, arguments.value("--keep"), given(arguments, "--media")});
  if (arguments.has("--keep") || arguments.has("--media"))
    return wrong_call(context,
                      "--verify only reads a backup, so it takes neither --keep nor --media");
  if (const char* why = why_not_key(arguments); *why != 0) return wrong_call(context, why);
  return become_script(
      {"verify", file, arguments.value("--key"), given(arguments, "--unverified")});
}

Outcome restore(const Arguments& arguments, Context& context) {
  if (const char* why = why_not_key(arguments); *why != 0) return wrong_call(context, why);
  return become_script({"restore", arguments.operand(0), given(arguments, "--yes"),
                        arguments.value("--key"), given(arguments, "--unverified")});
}

const Syntax& setup_syntax() {
  static const Syntax kSyntax{
      .flags = {
          {.name = "--domain",
           .takes = Takes::text("DOMAIN"),
           .help = "domain of media URLs; the hosts app, api, oembed and embed are below it"},
          {.name = "--app-url", .takes = Takes::text("URL"), .help = "another address of app"},
          {.name = "--base-url", .takes = Takes::text("URL"), .help = "another address of api"},
          {.name = "--oembed-url", .takes = Takes::text("URL"), .help = "another one of oembed"},
          {.name = "--embed-host", .takes = Takes::text("URL"), .help = "another one of embed"},
          {.name = "--tls",
           .takes = Takes::choice("WHERE", {"nginx", "proxy", "none"}),
           .help = "where TLS ends; choose none for a trial"},
          {.name = "--certificate", .takes = Takes::file(), .help = "for --tls nginx"},
          {.name = "--key", .takes = Takes::file(), .help = "the certificate's key"},
          {.name = "--account", .takes = Takes::text("NAME"), .help = "the first account's name"},
          {.name = "--owner", .takes = Takes::text("EMAIL"), .help = "the owner's email address"},
          {.name = "--owner-name", .takes = Takes::text("NAME"), .help = "the owner's name"},
          {.name = "--password-stdin", .help = "read the owner's password from standard input"}}};
  return kSyntax;
}

// Reads the password, and leaves it to the script as its standard input. Returns the reason to
// reject it; "" if it is valid.
std::string pass_password(int input, std::string_view owner) {
  const auto password = read_line(input);
  if (!password) return password.error();
  if (const std::string why = login::why_not_password(*password, owner); !why.empty())
    return "the password " + why;
  // A pipe has room for the longest.
  std::array<int, 2> ends{};
  const std::string line = *password + "\n";
  if (pipe2(ends.data(), O_CLOEXEC) != 0 || write(ends[1], line.data(), line.size()) < 0 ||
      dup2(ends[0], STDIN_FILENO) < 0)
    return std::string("a pipe: ") + std::strerror(errno);
  close(ends[0]);
  close(ends[1]);
  return "";
}

Outcome set_up(const Arguments& arguments, Context& context) {
  std::vector<std::string> words{"setup"};
  for (const Flag& flag : setup_syntax().flags) {
    if (arguments.has(flag.name))
      words.push_back(std::string(flag.name) + "=" + arguments.value(flag.name));
  }
  if (arguments.has("--password-stdin")) {
    const std::string why = pass_password(context.input, arguments.value("--owner"));
    if (!why.empty()) return Refusal{why};
  }
  return become_script(std::move(words));
}

Outcome import_demo(const Arguments&, Context&) { return become_script({"demo"}); }

}  // namespace

const Group& backup_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "backup",
      .commands =
          {{.name = "backup",
            .summary = "Write state, keys, settings, nginx's site to one file",
            .syntax = {.operands = {{.takes = Takes::file(), .help = "the file to write"}},
                       .flags = {{.name = "--media",
                                  .help = "with the folders of media and uploads"},
                                 {.name = "--keep",
                                  .takes = Takes::integer("N", 1, 10'000),
                                  .help = "FILE is a folder: write there, keep the newest N"},
                                 {.name = "--verify",
                                  .help = "compare an existing FILE with its seal and checksums"},
                                 {.name = "--key",
                                  .takes = Takes::file(),
                                  .help = "its key, if not /etc/svc/backup.key"},
                                 {.name = "--unverified",
                                  .help = "with --verify: checksums alone, without a key"}}},
            .details =
                {"While it runs, requests are answered. Run it on the machine of the state's "
                 "Redis. The file has the server's keys: keep it as safe as those. It is a "
                 "tar, compressed by zstd, with MANIFEST and SHA256SUMS. A seal by "
                 "/etc/svc/backup.key, which is not in it, shows each change: keep a copy of that "
                 "key apart from the backups.",
                 "Without --media the film's files are not in it: copy their folders after "
                 "the backup (README.systemd.md). svc-backup.timer makes a backup every night."},
            .needs = Needs::Installation,
            .run = back_up}}};
  return kGroup;
}

const Group& restore_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "restore",
      .commands = {{.name = "restore",
                    .summary = "Restore a backup, and start the service",
                    .syntax = {.operands = {{.takes = Takes::file(), .help = "the backup"}},
                               .flags = {{.name = "--yes",
                                          .help = "move the present state and settings aside"},
                                         {.name = "--key",
                                          .takes = Takes::file(),
                                          .help = "of a backup of another machine: a copy of "
                                                  "its /etc/svc/backup.key, which this one gets"},
                                         {.name = "--unverified",
                                          .help = "also a backup whose seal nobody can check"}}},
                    .details = {"Checks the file first: that key sealed it, and it has only what "
                                "a backup has. With --unverified anyone may have written it: "
                                "restores state, media, keys and settings, and leaves out what "
                                "root would run, such as drop-ins, nginx's site and hooks. On a "
                                "machine with a state it needs --yes. "
                                "Enables svc.target, restarts nginx with the restored site, and "
                                "waits until /readyz answers, unless Sentinels name the state."},
                    .needs = Needs::Installation,
                    .run = restore}}};
  return kGroup;
}

const Group& setup_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "setup",
      .commands = {
          {.name = "setup",
           .summary = "Set up the service: names, TLS, first account and owner",
           .syntax = setup_syntax(),
           .details =
               {"Asks for the values that the flags lack. Writes the names to svc.conf.d, starts "
                "svc.target and enables it, writes and enables nginx's site, creates account "
                "and owner, and waits until /readyz answers. Disables nginx's default site. It may "
                "be repeated; --account, --owner and --domain are then as before, and a site that "
                "differs is kept as svc.former."},
           .needs = Needs::Installation,
           .run = set_up}}};
  return kGroup;
}

const Group& demo_commands() {
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "demo",
      .subjects = "Demonstration",
      .commands = {{.name = "demo import",
                    .summary = "Import films to try, with their files",
                    .syntax = {},
                    .details = {"Accounts, media and playlists of the demonstration, below "
                                "service-domain. Its users and applications, whose passwords are "
                                "public, are not imported."},
                    .needs = Needs::Installation,
                    .run = import_demo}}};
  return kGroup;
}

}  // namespace svc::ctl
