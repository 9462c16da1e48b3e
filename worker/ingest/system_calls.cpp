#include "ingest/system_calls.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace svc::ingest {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "The numbers of system calls are not known for this architecture."
#endif

// Also above it: the second set of numbers on x86-64 (x32).
constexpr std::uint32_t kLastKnown = SYS_set_mempolicy_home_node;  // the last call of Linux 6.1

// Calls that need a capability are not listed: the child has none.
constexpr std::array kDenied{
    // Sockets: all other calls need one of these.
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    // Other processes.
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_kcmp,
    // Memory and messages that processes share.
    SYS_shmget,
    SYS_semget,
    SYS_msgget,
    SYS_mq_open,
    SYS_memfd_create,
    // Namespaces and mounts, which a user namespace opens to all users.
    SYS_unshare,
    SYS_setns,
    SYS_chroot,
    SYS_pivot_root,
    SYS_mount,
    SYS_umount2,
    SYS_fsopen,
    SYS_fspick,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_open_tree,
    SYS_move_mount,
    SYS_mount_setattr,
    // Large interfaces of the kernel.
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_io_setup,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_fanotify_init,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_personality,
#ifdef SYS_modify_ldt
    SYS_modify_ldt,
#endif
};

constexpr std::array kForks{
#ifdef SYS_fork
    SYS_fork, SYS_vfork
#else
    SYS_clone3  // denied in any case
#endif
};

constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// In the kernel's language for filters.
class Program {
 public:
  void load(std::size_t offset) {
    lines_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void end(std::uint32_t action) { lines_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  // The next line is only for calls of which the comparison of the loaded word with `value` is
  // true, or is not.
  void only_if(int comparison, std::uint32_t value, bool holds = true) {
    const auto code = static_cast<unsigned short>(BPF_JMP | comparison | BPF_K);
    lines_.push_back(BPF_JUMP(code, value, static_cast<unsigned char>(holds ? 0 : 1),
                              static_cast<unsigned char>(holds ? 1 : 0)));
  }
  std::vector<sock_filter> lines() && { return std::move(lines_); }

 private:
  std::vector<sock_filter> lines_;
};

}  // namespace

std::vector<sock_filter> make_filter(Forks forks) {
  constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
  constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.only_if(BPF_JEQ, kArchitecture, false);
  program.end(SECCOMP_RET_KILL_PROCESS);
  program.load(offsetof(seccomp_data, nr));
  program.only_if(BPF_JGT, kLastKnown);
  program.end(kUnknown);
  // Its flags are in memory, which a filter cannot read.
  program.only_if(BPF_JEQ, SYS_clone3);
  program.end(kUnknown);
  for (const auto call : kDenied) {
    program.only_if(BPF_JEQ, static_cast<std::uint32_t>(call));
    program.end(kRefuse);
  }
  for (const auto call : kForks) {
    if (forks == Forks::Any) break;
    program.only_if(BPF_JEQ, static_cast<std::uint32_t>(call));
    program.end(kRefuse);
  }
  program.only_if(BPF_JEQ, SYS_clone, false);
  program.end(SECCOMP_RET_ALLOW);
  program.load(offsetof(seccomp_data, args[0]));  // the flags; the lower half comes first
  program.only_if(BPF_JSET, kNamespaces);
  program.end(kRefuse);
  if (forks == Forks::None) {
    program.only_if(BPF_JSET, CLONE_THREAD, false);
    program.end(kRefuse);
  }
  program.end(SECCOMP_RET_ALLOW);
  return std::move(program).lines();
}

bool apply_filter(const std::vector<sock_filter>& filter) {
  sock_fprog program{static_cast<unsigned short>(filter.size()),
                     const_cast<sock_filter*>(filter.data())};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace svc::ingest
