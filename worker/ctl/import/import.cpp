#include "ctl/import/import.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>

#include "base/held_signals.h"
#include "base/result.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "ctl/import/check.h"
#include "ctl/import/write.h"
#include "ctl/printable.h"
#include "ctl/progress_bar.h"
#include "oauth/applications.h"
#include "stores/access/client_registry.h"
#include "stores/access/grants.h"
#include "stores/audit.h"
#include "text/word_list.h"

namespace svc::ctl {
namespace {

constexpr std::array kInterrupts{SIGINT, SIGTERM};
volatile sig_atomic_t g_interrupted = 0;

void interrupt(int) { g_interrupted = 1; }

// A second Ctrl-C ends the program immediately, because SA_RESETHAND has removed the handler.
void listen_for_interrupts() {
  g_interrupted = 0;
  struct sigaction action {};
  action.sa_handler = interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : kInterrupts) sigaction(signal, &action, nullptr);
}

base::Refusal<std::string> failure(const std::string& what) {
  return {what + ": " + std::strerror(errno)};
}

// The import reads its input several times, so it copies a pipe to an unnamed temporary file.
base::Result<base::UniqueFd, std::string> spool_standard_input() {
  const char* directory = std::getenv("TMPDIR");
  base::UniqueFd file(
      open(directory == nullptr ? "/tmp" : directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file) return failure("cannot create a temporary file");
  std::array<char, 64 * 1024> piece{};
  const base::HeldSignals held(kInterrupts, g_interrupted);
  while (held.wait_for(STDIN_FILENO)) {
    const ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
    if (got == 0) return file;
    if (got < 0) return failure("cannot read standard input");
    for (ssize_t done = 0; done < got;) {
      const ssize_t wrote =
          write(file.get(), piece.data() + done, static_cast<std::size_t>(got - done));
      if (wrote < 0) return failure("cannot copy standard input to a temporary file");
      done += wrote;
    }
  }
  return base::Refusal{std::string("interrupted")};
}

base::Result<base::UniqueFd, std::string> open_file(const std::string& path) {
  if (path == "-") return spool_standard_input();
  // O_NONBLOCK: open() does not wait for the other end of a FIFO. A FIFO is refused below.
  base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return failure("cannot open " + path);
  struct stat status {};
  if (fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) return file;
  return base::Refusal{path + " is not a regular file; for a pipe use -, which is standard input"};
}

std::string count(std::uint64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

// Prints one line per problem, and how many have no line.
void print_problems(const Problems& problems, const std::string& path, const char* prefix = "") {
  for (const auto& [line, reason] : problems.first) {
    std::cerr << printable(path) << ":" << line << ": " << prefix << printable(reason) << "\n";
  }
  if (const std::uint64_t more = problems.count - problems.first.size(); more > 0)
    std::cerr << "… and " << more << " more\n";
}

void print_kept(const KeptCredentials& kept, const std::string& path) {
  print_problems(kept.lines, path, "kept: ");
  std::string sum;
  const auto add = [&](std::uint64_t number, const char* one, const char* many) {
    if (number > 0) text::add_word(sum, count(number, one, many));
  };
  add(kept.passwords, "password", "passwords");
  add(kept.passwords_not_compared, "password not compared", "passwords not compared");
  add(kept.secrets, "application with other secrets", "applications with other secrets");
  add(kept.deleted, "deleted application", "deleted applications");
  if (!sum.empty()) std::cerr << "kept: " << sum << "; --reset-credentials overwrites them\n";
}

// Prints the counts of records. Returns those of written records for the audit trail, or nullopt
// without written records.
std::optional<std::string> print_written(const ImportWrite& write) {
  std::optional<std::string> written;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const Written& of_kind = write.written(kind);
    if (of_kind.total() == 0) continue;
    if (!written) written = "";
    const std::string changes = std::string(to_text(kind)) + ": " + std::to_string(of_kind.added) +
                                " added, " + std::to_string(of_kind.changed) + " changed";
    std::cout << changes << ", " << of_kind.unchanged << " unchanged";
    if (of_kind.deleted > 0) std::cout << ", " << of_kind.deleted << " kept deleted";
    std::cout << "\n";
    if (of_kind.added + of_kind.changed > 0) *written += ", " + changes;
  }
  return written;
}

// Finishes interrupted deletions: an application that this file restores must not inherit grants.
void finish_removals(const Context& context) {
  const Store& store = context.store;
  const base::SystemClock time;
  stores::ClientRegistry registry(store.redis);
  stores::Grants grants(context.state.redis, store.redis, *context.keys, {}, time, context.entropy);
  while (true) {
    const auto ending = store.run(registry.ending());
    if (ending.empty()) return;
    for (const auto& one : ending) store.run(oauth::finish_removal(one.id, registry, grants));
  }
}

int interrupted(std::string_view when) {
  std::cerr << "interrupted" << when << "\n";
  return kInterrupted;
}

// Runs a step with a progress bar, which is erased before the function returns or throws.
bool run_step(const char* name, const LineFile& file,
              const std::function<bool(const Progress&)>& step) {
  ProgressBar bar(name, file.bytes());
  return step([&](std::uint64_t bytes, std::uint64_t lines) {
    bar.update(bytes, lines);
    return g_interrupted == 0;
  });
}

int run_import(int fd, const Arguments& arguments, const Context& context, oauth::Audit& audit,
               bool& may_have_written) {
  const std::string& path = arguments.operand(0);
  const Store& store = context.store;
  LineFile file(fd);
  ImportCheck check(file, store, context.keys.has_value(), context.max_playlist_medias);
  if (!run_step("checking", file, [&](const Progress& progress) { return check.run(progress); }))
    return interrupted(" before anything was written");
  const std::uint64_t refused = check.refused().count;
  print_problems(check.refused(), path);
  if (refused > 0 && !arguments.has("--keep-going")) {
    std::cerr << "nothing was written: " << count(refused, "line", "lines")
              << " refused; correct them, or skip them with --keep-going\n";
    return kRefused;
  }
  const CredentialReset reset{audit, who_is_this() + ", import of " + path};
  ImportWrite write(file, store, context.keys ? &*context.keys : nullptr, context.entropy,
                    context.cache, arguments.has("--reset-credentials") ? &reset : nullptr,
                    context.password_cost);
  const auto report = [&] {
    const std::optional<std::string> written = print_written(write);
    print_kept(write.kept(), path);
    if (written && !written->empty())
      store.run(audit.record(
          {.what = oauth::event_named<"import">(), .detail = reset.detail + *written}));
    return written.has_value();
  };
  // The check may not have needed the store. If it is unavailable now, nothing was written.
  store.run(store.redis.read({"PING"}));
  may_have_written = true;
  if (context.keys) finish_removals(context);
  bool whole = false;
  try {
    whole = run_step("writing", file,
                     [&](const Progress& progress) { return write.run(check, progress); });
  } catch (...) {
    try {
      report();
    } catch (const base::Unavailable&) {
      // The first error is reported below.
    }
    throw;
  }
  const bool any = report();
  if (!whole) return interrupted("; " + std::string(kRunAgain));
  if (!any) std::cout << "0 records\n";
  if (refused > 0) std::cerr << count(refused, "line", "lines") << " refused and skipped\n";
  return refused > 0 ? kRefused : kDone;
}

Outcome import_file(const Arguments& arguments, Context& context) {
  stores::Audit audit(context.store.redis);
  return import(arguments, context, audit);
}

}  // namespace

int import(const Arguments& arguments, const Context& context, oauth::Audit& audit) {
  listen_for_interrupts();
  const auto file = open_file(arguments.operand(0));
  if (g_interrupted != 0) return interrupted(" before anything was written");
  if (!file) {
    std::cerr << "svcctl import: " << printable(file.error()) << "\n";
    return kWrongCall;
  }
  bool may_have_written = false;
  try {
    return run_import(file->get(), arguments, context, audit, may_have_written);
  } catch (const base::Unavailable& outage) {
    std::cerr << "svcctl import: the store is unavailable: " << printable(outage.what()) << "\n"
              << (may_have_written ? "all written records are complete" : "nothing was written")
              << "; run the import again when the store is available\n";
    return kStoreAway;
  } catch (const std::exception& error) {
    std::cerr << "svcctl import: " << printable(error.what()) << "\n";
    return kRefused;
  }
}

const Group& import_commands() {
  static const Group kGroup{
      .section = Section::Catalog,
      .name = "import",
      .commands = {
          {.name = "import",
           .summary = "Write accounts, users, media and applications from a file",
           .syntax = {.operands = {{.takes = Takes::file(), .help = "the file"}},
                      .flags = {{.name = "--keep-going",
                                 .help = "skip lines that are refused, and write the others"},
                                {.name = "--reset-credentials",
                                 .help = "overwrite passwords and secrets, restore applications"}}},
           .details =
               {"Reads accounts, users, projects, media, playlists and applications from FILE, "
                "JSON Lines; - is standard input. Refused lines are listed with their numbers and "
                "reasons, and then nothing is written without --keep-going. Running it again "
                "changes nothing.",
                "Existing users and applications keep their passwords and secrets, deleted "
                "applications stay deleted, and disabled users stay disabled; lines that differ "
                "are listed. With --reset-credentials the import overwrites them, even if the "
                "file has no password, and records it in the audit trail.",
                "man svcctl, under CATALOG, describes the keys of a line."},
           .run = import_file}}};
  return kGroup;
}

}  // namespace svc::ctl
