#include "ingest/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/unique_fd.h"
#include "fakes/temporary_directory.h"
#include "fakes/waiting.h"
#include "ingest/landlock.h"

namespace svc::ingest {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Waits until a process that is not our child is dead. Its zombie belongs to
// init, which reaps it soon.
void wait_for_end(pid_t pid) {
  fakes::wait_until([&] {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string word;
    status >> word >> word >> word;
    return word.empty() || word == "Z";
  });
}

class ChildProcess : public testing::Test {
 protected:
  ChildProcess() {
    fs::create_directories(folder_ + "/out");
    std::ofstream(folder_ + "/secret") << "secret\n";
  }

  Outcome shell(const std::string& script) {
    output_.clear();
    return run({{"/usr/bin/dash", "-c", script}, folder_ + "/out", reads_}, confinement_,
               [this](std::string_view text) {
                 output_ += text;
                 return go_on_;
               });
  }

  const fakes::TemporaryDirectory directory_;
  const std::string folder_ = directory_.path("child");
  std::string output_;
  std::vector<std::string> reads_;
  bool go_on_ = true;
  Confinement confinement_{20s, 1ull << 30, 1 << 20, 64, Forks::Any};
};

TEST_F(ChildProcess, ReportsOutputErrorsAndStatus) {
  const Outcome outcome = shell("echo out; echo err >&2; pwd; exit 3");
  EXPECT_EQ(outcome.end, End::Exited);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_EQ(output_, "out\n" + folder_ + "/out\n");
  EXPECT_EQ(shell("kill -SEGV $$").end, End::Signalled);
  EXPECT_EQ(shell("kill -SEGV $$").status, SIGSEGV);
}

TEST_F(ChildProcess, KeepsTheEndOfLongErrorsAndAllOutput) {
  const Outcome outcome = shell(
      "i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo 0123456789 >&2; i=$((i+1)); done; "
      "echo last >&2");
  EXPECT_EQ(outcome.errors.size(), kKeptErrors);
  EXPECT_TRUE(outcome.errors.ends_with("\nlast\n"));
  EXPECT_EQ(output_.size(), 220000U);
}

TEST_F(ChildProcess, OperationsU2HasLimitsNoInputAndNoOtherDescriptors) {
  const base::UniqueFd open_here(dup2(STDOUT_FILENO, 20));
  const Outcome outcome = shell(
      "ulimit -v; ulimit -c; ulimit -n; read line || echo none; (echo x >&20) || echo "
      "closed; "
      "(echo x >&3) || echo closed; env | sort");
  EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
  EXPECT_EQ(output_,
            "1048576\n0\n64\nnone\nclosed\nclosed\nAV_LOG_FORCE_NOCOLOR=1\nLC_ALL=C\n"
            "MALLOC_ARENA_MAX=2\nPATH=/usr/bin\nPWD=" +
                folder_ + "/out\n");
  EXPECT_EQ(shell("yes > big").status, 128 + SIGXFSZ);
}

TEST_F(ChildProcess, OperationsU2ReadsAndWritesOnlyPermittedPaths) {
  ASSERT_GT(landlock_version(), 0) << "the kernel lacks Landlock";
  EXPECT_FALSE(shell("cat ../secret").succeeded());
  EXPECT_FALSE(shell("cat /etc/passwd").succeeded());
  EXPECT_FALSE(shell("ls /proc").succeeded());
  EXPECT_FALSE(shell("echo x > ../other").succeeded());
  EXPECT_FALSE(shell("ln -s /etc/passwd link").succeeded());
  EXPECT_FALSE(fs::exists(folder_ + "/other"));
  EXPECT_TRUE(shell("mkdir a && echo x > a/b && mv a/b c && cat c && rm -r a c").succeeded());
  EXPECT_FALSE(shell("echo x > /usr/other").succeeded());
  reads_ = {folder_ + "/secret"};
  EXPECT_TRUE(shell("cat ../secret").succeeded());
  EXPECT_EQ(output_, "secret\n");
  EXPECT_FALSE(shell("echo x > ../secret").succeeded());
  EXPECT_TRUE(shell("echo x > /dev/null").succeeded());
}

// Makes each call on its own, with arguments that the kernel refuses otherwise. Prints the calls
// with an unexpected outcome.
constexpr const char* kCalls = R"(
import ctypes, errno, os, threading
library = ctypes.CDLL(None, use_errno=True)
def attempt(name, number, *arguments, expected="EPERM"):
    ctypes.set_errno(0)
    result = library.syscall(number, *arguments)
    outcome = "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]
    if outcome != expected:
        print(name, outcome)
UNIX, INET, STREAM, DATAGRAM = 1, 2, 1, 2
attempt("unix", 41, UNIX, STREAM, 0)
attempt("tcp", 41, INET, STREAM, 0)
attempt("udp", 41, INET, DATAGRAM, 0)
attempt("netlink", 41, 16, 3, 0)
attempt("socketpair", 53, UNIX, STREAM, 0, (ctypes.c_int * 2)())
attempt("connect", 42, 0, 0, 0)
attempt("ptrace", 101, 0, 0, 0, 0)
attempt("process_vm_readv", 310, os.getppid(), 0, 0, 0, 0, 0)
attempt("pidfd_open", 434, os.getppid(), 0)
attempt("io_uring_setup", 425, 1, (ctypes.c_char * 120)())
attempt("bpf", 321, 0, 0, 0)
attempt("perf_event_open", 298, 0, 0, 0, 0, 0)
attempt("userfaultfd", 323, 1)
attempt("keyctl", 250, 0, 0, 0)
attempt("memfd_create", 319, b"x", 0)
attempt("shmget", 29, 0, 4096, 0o600)
attempt("unshare", 272, 0x10000000)
attempt("mount", 165, 0, 0, 0, 0, 0)
attempt("fork", 57)
attempt("vfork", 58)
attempt("clone", 56, 17, 0, 0, 0, 0)
attempt("clone of a user namespace", 56, 0x10000000 | 17, 0, 0, 0, 0)
attempt("clone3", 435, 0, 0, expected="ENOSYS")
attempt("a newer one", 462, 0, 0, 0, expected="ENOSYS")
attempt("x32", 0x40000000 + 39, expected="ENOSYS")
attempt("getpid", 39, expected="done")
threads = [threading.Thread(target=print, args=("thread",)) for _ in range(2)]
for thread in threads:
    thread.start()
    thread.join()
)";

TEST_F(ChildProcess, OperationsU27HasNoSocketsNoOtherProcessesAndNoLargeInterfaces) {
  confinement_.forks = Forks::None;
  std::string output;
  const Outcome outcome =
      run({{"/usr/bin/python3", "-I", "-S", "-c", kCalls}, folder_ + "/out", {}}, confinement_,
          [&](std::string_view text) {
            output += text;
            return true;
          });
  EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
  EXPECT_EQ(output, "thread\nthread\n");
}

TEST_F(ChildProcess, OperationsU27CannotForkOnAnyPath) {
  confinement_.forks = Forks::None;
  const Outcome outcome = shell("f() { f | f & }; f; echo end");
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_NE(outcome.errors.find("Cannot fork"), std::string::npos) << outcome.errors;
}

TEST_F(ChildProcess, EndsTheWholeGroup) {
  // The grandchild holds the pipes, too.
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(shell("sleep 100 & echo $!").succeeded());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 15s);
  const int left = std::stoi(output_);
  EXPECT_NO_THROW(wait_for_end(left));
}

TEST_F(ChildProcess, IsKilledAfterItsTimeAndOnCancel) {
  confinement_.time = 1s;
  EXPECT_EQ(shell("trap '' TERM INT; while :; do :; done").end, End::TimedOut);
  const End of_writer = shell("exec yes").end;  // it mostly waits until its output is read
  EXPECT_TRUE(of_writer == End::TimedOut || of_writer == End::Starved);
  confinement_.time = 15s;  // a fork of a program with sanitizers takes some of its fiftieth
  EXPECT_EQ(shell("sleep 100").end, End::Starved);
  confinement_.time = 20s;
  go_on_ = false;
  EXPECT_EQ(shell("sleep 100").end, End::Cancelled);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(ChildProcess, DiesWithItsParent) {
  std::array<int, 2> ends_of_pipe{};
  ASSERT_EQ(pipe(ends_of_pipe.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    run({{"/usr/bin/dash", "-c", "echo $$; exec sleep 100"}, folder_, {}}, confinement_,
        [&](std::string_view text) {
          return write(ends_of_pipe[1], text.data(), text.size()) >= 0;
        });
    _exit(0);
  }
  std::array<char, 32> text{};
  ASSERT_GT(read(ends_of_pipe[0], text.data(), text.size() - 1), 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_NO_THROW(wait_for_end(std::atoi(text.data())));
  close(ends_of_pipe[0]);
  close(ends_of_pipe[1]);
}

TEST_F(ChildProcess, NamesTheStepThatFailed) {
  const auto ignored = [](std::string_view) { return true; };
  const Outcome missing = run({{"/nowhere"}, folder_, {}}, confinement_, ignored);
  EXPECT_EQ(missing.end, End::NotStarted);
  EXPECT_EQ(missing.status, ENOENT);
  EXPECT_EQ(missing.errors, "cannot start: exec");
}

}  // namespace
}  // namespace svc::ingest
