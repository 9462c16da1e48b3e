#include "ctl/import.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "base/result.h"
#include "base/unavailable.h"
#include "base/unique_fd.h"
#include "ctl/arguments.h"
#include "ctl/import_check.h"
#include "ctl/import_write.h"
#include "ctl/printable.h"
#include "ctl/progress_bar.h"

namespace svc::ctl {
namespace {

constexpr int kRefused = 1;
constexpr int kWrongCall = 2;
constexpr int kStoreAway = 3;
constexpr int kInterrupted = 130;

volatile sig_atomic_t g_interrupted = 0;

void interrupt(int) { g_interrupted = 1; }

// A second Ctrl-C ends at once: the handler is gone by then.
void listen_for_interrupts() {
  g_interrupted = 0;
  struct sigaction action {};
  action.sa_handler = interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// While it lives, interrupts come only in wait_for(): one that comes a moment before it is not
// lost.
class HeldInterrupts {
 public:
  HeldInterrupts() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
  }
  ~HeldInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;

  // Returns when there is something to read, or an interrupt came: then false.
  bool wait_for(int fd) const {
    pollfd waited{fd, POLLIN, 0};
    while (g_interrupted == 0) {
      if (ppoll(&waited, 1, nullptr, &before_) >= 0 || errno != EINTR) return g_interrupted == 0;
    }
    return false;
  }

 private:
  sigset_t before_{};
};

// Read several times over, so what comes through a pipe is put into a file that nobody else sees.
base::Result<base::UniqueFd, std::string> spool_standard_input() {
  const char* directory = std::getenv("TMPDIR");
  base::UniqueFd file(
      open(directory == nullptr ? "/tmp" : directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file)
    return base::Refusal{std::string("cannot make a temporary file: ") + std::strerror(errno)};
  std::array<char, 64 * 1024> piece{};
  ssize_t got = 0;
  const HeldInterrupts held;
  while (true) {
    if (!held.wait_for(STDIN_FILENO)) return base::Refusal{std::string("interrupted")};
    got = read(STDIN_FILENO, piece.data(), piece.size());
    if (got <= 0) break;
    for (ssize_t done = 0; done < got;) {
      const ssize_t wrote =
          write(file.get(), piece.data() + done, static_cast<std::size_t>(got - done));
      if (wrote < 0)
        return base::Refusal{std::string("cannot keep standard input: ") + std::strerror(errno)};
      done += wrote;
    }
  }
  if (got < 0)
    return base::Refusal{std::string("cannot read standard input: ") + std::strerror(errno)};
  return file;
}

base::Result<base::UniqueFd, std::string> open_file(const std::string& path) {
  if (path == "-") return spool_standard_input();
  // Of a FIFO nobody waits for the other end: it is refused.
  base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return base::Refusal{"cannot open " + path + ": " + std::strerror(errno)};
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return base::Refusal{
        path + " is not a regular file; for a pipe write - and feed it to standard input"};
  }
  return file;
}

void print_problems(const ImportCheck& check, const std::string& path) {
  for (const Problem& problem : check.problems()) {
    std::cerr << printable(path) << ":" << problem.line << ": " << printable(problem.reason)
              << "\n";
  }
  if (check.refused() > check.problems().size()) {
    std::cerr << "… and " << check.refused() - check.problems().size() << " more\n";
  }
}

std::string count(std::uint64_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

// Answers whether anything was printed.
bool print_written(const ImportWrite& write) {
  bool any = false;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const Written& written = write.written(kind);
    if (written.total() == 0) continue;
    any = true;
    std::cout << to_text(kind) << ": " << written.added << " added, " << written.changed
              << " changed, " << written.unchanged << " unchanged\n";
  }
  return any;
}

int run(int file, const std::string& path, bool keep_going, redis::Connection& store,
        const std::optional<base::KeyRing>& keys, redis::Connection* cache,
        bool& may_have_written) {
  struct stat status {};
  fstat(file, &status);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto show = [](ProgressBar& bar) {
    return [&bar](std::uint64_t bytes, std::uint64_t lines) {
      bar.update(bytes, lines);
      return g_interrupted == 0;
    };
  };
  std::optional<ProgressBar> bar;
  bar.emplace("checking", size);
  ImportCheck check(file, store, keys.has_value(), show(*bar));
  const bool checked = check.run();
  bar.reset();
  if (!checked) {
    std::cerr << "interrupted before anything was written\n";
    return kInterrupted;
  }
  print_problems(check, path);
  if (check.refused() > 0 && !keep_going) {
    std::cerr << "nothing was written: " << count(check.refused(), "line", "lines")
              << " refused; mend them, or leave them out with --keep-going\n";
    return kRefused;
  }
  bar.emplace("writing", size);
  base::SystemEntropy entropy;
  ImportWrite write(file, store, keys ? &*keys : nullptr, entropy, show(*bar), cache);
  bool written = false;
  // A check need not have asked the store. One that is away here has got nothing.
  store.read({"PING"});
  may_have_written = true;
  try {
    written = write.run(check);
  } catch (...) {
    bar.reset();
    print_written(write);
    throw;
  }
  bar.reset();
  const bool any = print_written(write);
  if (!written) {
    std::cerr << "interrupted: what was written is whole, run it again for the rest\n";
    return kInterrupted;
  }
  if (!any) std::cout << "0 records\n";
  if (check.refused() > 0) {
    std::cerr << count(check.refused(), "line", "lines") << " refused and left out\n";
    return kRefused;
  }
  return 0;
}

}  // namespace

int import(const std::vector<std::string>& arguments, redis::Connection& store,
           const std::optional<base::KeyRing>& keys, redis::Connection* cache) {
  std::string path;
  bool keep_going = false;
  for (const std::string& argument : arguments) {
    if (argument == "--keep-going") {
      keep_going = true;
    } else if (path.empty() && (argument == "-" || !argument.starts_with("-"))) {
      path = argument;
    } else {
      std::cerr << "svcctl import: " << why_not_understood(argument) << "\n" << kImportUsage;
      return kWrongCall;
    }
  }
  if (path.empty()) {
    std::cerr << "svcctl import: the file is missing\n" << kImportUsage;
    return kWrongCall;
  }
  listen_for_interrupts();
  const auto file = open_file(path);
  if (g_interrupted != 0) {
    std::cerr << "interrupted before anything was written\n";
    return kInterrupted;
  }
  if (!file) {
    std::cerr << "svcctl import: " << printable(file.error()) << "\n";
    return kWrongCall;
  }
  bool may_have_written = false;
  try {
    return run(file->get(), path, keep_going, store, keys, cache, may_have_written);
  } catch (const base::Unavailable& outage) {
    std::cerr << "svcctl import: the store is away: " << outage.what() << "\n"
              << (may_have_written ? "what was written is whole" : "nothing was written")
              << "; run it again when the store is back\n";
    return kStoreAway;
  } catch (const std::exception& error) {
    std::cerr << "svcctl import: " << printable(error.what()) << "\n";
    return kRefused;
  }
}

}  // namespace svc::ctl
