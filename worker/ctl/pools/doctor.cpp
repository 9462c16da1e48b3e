#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/certificate.h"
#include "base/public_paths.h"
#include "ctl/pools/execution.h"
#include "ctl/pools/groups.h"
#include "ctl/pools/pool_client.h"
#include "ctl/pools/unit_file.h"
#include "ctl/printable.h"
#include "text/json.h"

namespace svc::ctl {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience(15);  // as long as the slowest request to a pool
constexpr std::int64_t kDay = 86'400;          // seconds
constexpr std::int64_t kDaysBeforeExpiry = 14;
constexpr unsigned kFreePercent = 10;
// A process logs a key once per hour, so these are of the last hours.
constexpr std::size_t kLinesRead = 1000;
constexpr std::size_t kKeysChecked = 100;

// Prints a line per check, and knows whether one failed.
class Findings {
 public:
  // `wrong` is the problem and its remedy; "" if the check passed.
  void add(const std::string& subject, const std::string& check, const std::string& wrong) {
    std::cout << (wrong.empty() ? "ok     " : "WRONG  ") << printable(subject) << ": " << check;
    if (!wrong.empty()) std::cout << ": " << printable(one_line(wrong), 2000);
    std::cout << std::endl;
    any_wrong_ |= !wrong.empty();
  }
  bool any_wrong() const { return any_wrong_; }

 private:
  static std::string one_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    for (char& c : text) {
      if (c == '\n') c = ' ';
    }
    return text;
  }
  bool any_wrong_ = false;
};

std::string property(const std::string& unit, const std::string& name) {
  std::string value = execute({"systemctl", "show", "--value", "-p", name, unit}).output;
  while (value.ends_with('\n')) value.pop_back();
  return value;
}

UnitFile read_unit(const std::string& name, const std::string& credentials = "") {
  return {execute({"systemctl", "cat", name}).output, name, credentials};
}

// A unit's credentials, as systemd passes them: copies that only its user can read, in memory that
// only this process and those that it starts can see. They go with it, however it ends.
class Credentials {
 public:
  Credentials() {
    if (mkdtemp(folder_.data()) == nullptr) {
      folder_.clear();
    } else if (unshare(CLONE_NEWNS) != 0 ||
               mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
               mount("tmpfs", folder_.c_str(), "tmpfs", MS_NODEV | MS_NOSUID | MS_NOEXEC,
                     "mode=0700") != 0) {
      rmdir(folder_.c_str());
      folder_.clear();
    }
  }
  ~Credentials() {
    if (folder_.empty()) return;
    umount2(folder_.c_str(), MNT_DETACH);
    rmdir(folder_.c_str());
  }
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  const std::string& folder() const { return folder_; }

  // Returns the problem; "" if all can be passed.
  std::string pass(const UnitFile& unit, const Identity& to) const {
    if (folder_.empty()) return "no private folder can be made in /run";
    for (const std::string& word : unit.words("LoadCredential")) {
      const std::size_t colon = word.find(':');
      const std::string source = word.substr(colon + 1);
      const std::string copy = folder_ + "/" + word.substr(0, colon);
      std::ifstream from(source, std::ios::binary);
      std::ofstream file(copy, std::ios::binary);
      if (!from) {
        return source + ": " + std::strerror(errno) +
               "; take it from the newest backup. make-secrets makes missing passwords; a new key "
               "would end all tokens and client secrets";
      }
      if (from.peek() != std::ifstream::traits_type::eof()) file << from.rdbuf();
      file.close();
      if (!file || chmod(copy.c_str(), 0400) != 0 || chown(copy.c_str(), to.user, to.group) != 0)
        return copy + ": " + std::strerror(errno);
    }
    if (chown(folder_.c_str(), to.user, to.group) != 0) return std::strerror(errno);
    return "";
  }

 private:
  std::string folder_ = "/run/svc-doctor.XXXXXX";
};

std::optional<Identity> identity_of(const UnitFile& unit) {
  const passwd* const user = getpwnam(unit.last("User").c_str());
  if (user == nullptr) return std::nullopt;
  Identity identity{.user = user->pw_uid, .group = user->pw_gid};
  for (const std::string& name : unit.words("SupplementaryGroups")) {
    if (const group* const one = getgrnam(name.c_str())) identity.groups.push_back(one->gr_gid);
  }
  return identity;
}

// The configuration, its files and its stores, with the rights of the service.
void check_program(const std::string& name, Findings& findings) {
  const Credentials credentials;
  const UnitFile unit = read_unit(name, credentials.folder());
  const auto identity = identity_of(unit);
  if (!identity) {
    findings.add(name, "its user", "there is no user " + unit.last("User") + "; systemd-sysusers");
    return;
  }
  const std::string passed = credentials.pass(unit, *identity);
  findings.add(name, "its secrets", passed);
  if (!passed.empty()) return;
  std::vector<std::string> words = unit.command();
  for (const auto& [flag, check] : {std::pair("--check-config", "its configuration and files"),
                                    std::pair("--check-stores", "its stores")}) {
    words.emplace_back(flag);
    const Ended ended = execute(words, identity);
    words.pop_back();
    findings.add(name, check,
                 ended.status == 0 ? "" : "as user " + unit.last("User") + ": " + ended.output);
    if (ended.status != 0) return;
  }
}

void check_socket(const std::string& name, Findings& findings) {
  const std::string path = read_unit(name).last("ListenStream");
  struct stat status {};
  const bool is_there = stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
  findings.add(name, path, is_there ? "" : "there is no socket; systemctl restart " + name);
  if (!is_there || name.find('@') == std::string::npos) return;
  const auto ready = ask_pool(path, base::paths::kReadyz.pattern, kPatience);
  findings.add(name, "the pool is ready", ready ? "" : ready.error() + "; journalctl -u the pool");
}

// Returns the folders whose data grows.
std::vector<std::string> folders_of(const UnitFile& unit) {
  std::vector<std::string> folders = unit.words("ReadWritePaths");
  for (const std::string& folder : unit.words("StateDirectory"))
    folders.push_back("/var/lib/" + folder);
  return folders;
}

void check_disk(const std::string& folder, Findings& findings) {
  struct statvfs disk {};
  std::string wrong;
  if (statvfs(folder.c_str(), &disk) != 0) {
    wrong = std::string(std::strerror(errno)) + "; systemd-tmpfiles --create svc.conf";
  } else if (disk.f_bavail * 100 < disk.f_blocks * kFreePercent) {
    wrong = "less than a tenth is free; make room";
  } else if (disk.f_favail * 100 < disk.f_files * kFreePercent) {
    wrong = "less than a tenth of the inodes is free; make room";
  }
  findings.add(folder, "free disk", wrong);
}

void check_unit(const std::string& name, Findings& findings) {
  if (property(name, "LoadState") == "masked") return;
  if (property(name, "ActiveState") != "active") {
    const bool is_skipped = property(name, "ConditionResult") == "no";
    findings.add(name, "runs",
                 is_skipped ? "skipped: an optional package is missing; systemctl status " + name
                            : "it does not; systemctl status " + name);
  } else {
    findings.add(name, "runs", "");
  }
  if (name.ends_with(".socket")) check_socket(name, findings);
  const auto command = read_unit(name).command();
  if (!command.empty() && fs::path(command[0]).filename().string().starts_with("svc-"))
    check_program(name, findings);
}

void check_certificate(const std::string& path, Findings& findings) {
  const auto expiry = base::expiry_of(path);
  std::string wrong;
  if (!expiry) {
    wrong = expiry.error();
  } else if (const std::int64_t days = (*expiry - std::time(nullptr)) / kDay;
             *expiry < std::time(nullptr) + kDaysBeforeExpiry * kDay) {
    wrong = *expiry <= std::time(nullptr)
                ? "it has expired; renew it"
                : "it expires in " + std::to_string(days) + " days; renew it";
  }
  findings.add(path, "the certificate is valid for two weeks", wrong);
}

// nginx, its site, and all certificates that it or the stores use.
void check_nginx(Findings& findings) {
  std::set<std::string> certificates;
  const Ended nginx = execute({"nginx", "-T"});
  findings.add("nginx", "nginx -t", nginx.status == 0 ? "" : nginx.output);
  if (nginx.status == 0) {
    findings.add("nginx", "runs",
                 property("nginx", "ActiveState") == "active" ? "" : "systemctl restart nginx");
    bool has_site = false;
    std::istringstream lines(nginx.output);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string directive;
      std::string value;
      words >> directive >> value;
      while (value.ends_with(';')) value.pop_back();
      has_site |= directive == "include" && value.find("svc/svc-") != std::string::npos;
      if (directive == "ssl_certificate") certificates.insert(value);
    }
    findings.add("nginx", "the site is enabled",
                 has_site ? ""
                          : "ln -s ../sites-available/svc /etc/nginx/sites-enabled/svc && "
                            "systemctl reload nginx");
  }
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator("/etc/svc", ignored)) {
    if (file.path().extension() == ".pem") certificates.insert(file.path().string());
  }
  for (const std::string& path : certificates) check_certificate(path, findings);
}

// The keys of Redis that the services could not read in the last day, at most kKeysChecked.
std::set<std::string> keys_in_journal() {
  const Ended journal =
      execute({"journalctl", "--quiet", "--since=-1d", "--output=cat",
               "--lines=" + std::to_string(kLinesRead), "SVC_EVENT=record.corrupt"});
  std::set<std::string> keys;
  text::json::Document document;
  std::istringstream lines(journal.output);
  for (std::string line; keys.size() < kKeysChecked && std::getline(lines, line);) {
    const auto event = document.parse(line);
    const auto key = event ? event->find("key") : std::nullopt;
    if (!key) continue;
    const std::string all(key->string().value_or(""));
    keys.insert(all);
    // A function has several.
    std::istringstream words(all);
    for (std::string word; words >> word;) keys.insert(word);
  }
  keys.erase("");
  return keys;
}

// Only the records that the services met: a check of all takes minutes. If the store is
// unavailable, the services have reported it.
void check_records(Findings& findings) {
  const std::set<std::string> keys = keys_in_journal();
  std::vector<std::string> words{"svcctl", "catalog", "check", "--"};
  words.insert(words.end(), keys.begin(), keys.end());
  const Ended check = keys.empty() ? Ended{} : execute(words);
  if (check.status != kDone && check.status != kRefused) return;
  findings.add("catalog", "what the services could not read since yesterday can be read",
               check.status == kDone
                   ? ""
                   : check.output +
                         "; restore a record from the newest backup, or delete it with "
                         "svcctl. svcctl catalog check reads all records");
}

Outcome doctor(const Arguments&, Context&) {
  if (geteuid() != 0)
    return base::Refusal{std::string("only root can see what each service may read")};
  const Ended target = execute({"systemctl", "show", "--value", "-p", "Wants", "svc.target"});
  if (target.status != 0)
    return base::Refusal{"systemctl cannot tell the state of units here: " +
                         target.output.substr(0, target.output.find('\n'))};
  Findings findings;
  std::set<std::string> folders;
  std::istringstream units(target.output);
  for (std::string name; units >> name;) {
    check_unit(name, findings);
    if (property(name, "LoadState") == "masked") continue;
    for (const std::string& folder : folders_of(read_unit(name))) folders.insert(folder);
  }
  for (const std::string& folder : folders) check_disk(folder, findings);
  if (property("nginx", "LoadState") != "masked") check_nginx(findings);
  check_records(findings);
  return findings.any_wrong() ? kRefused : kDone;
}

}  // namespace

const Group& doctor_commands() {
  static const Group kGroup{
      .section = Section::Pools,
      .name = "doctor",
      .commands = {
          {.name = "doctor",
           .summary = "Look for what keeps this machine's services from working",
           .details =
               {"Prints a line per check, with what to do if something is wrong; "
                "then the exit status is 1. As each service's user, with its "
                "credentials: whether the configuration is valid, each file "
                "readable and each Redis reachable. Then sockets, pools, free disk, "
                "nginx and its site, certificates, and the records that services could not read "
                "since yesterday, by the journal (svcctl catalog check reads all). Masked units "
                "are left out. Changes nothing."},
           .needs = Needs::Installation,
           .run = doctor}}};
  return kGroup;
}

}  // namespace svc::ctl
