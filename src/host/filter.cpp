#include "host/filter.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "host/answers.h"

namespace dissensus::host {

namespace {

/// What these do is the same in every run, given that one thread runs at a time: their effects are
/// on the caller's own memory, identity, descriptors or files, and they never wait.
constexpr int kPass[] = {
    SYS_munmap,
    SYS_mprotect,
    SYS_brk,
    SYS_madvise,
    SYS_mremap,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_mlockall,
    SYS_munlockall,
    SYS_membarrier,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_pkey_mprotect,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_sigaltstack,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_getpgrp,
    SYS_getpgid,
    SYS_setpgid,
    SYS_getsid,
    SYS_setsid,
    SYS_capget,
    SYS_capset,
    SYS_umask,
    SYS_uname,
    SYS_getrlimit,
    SYS_arch_prctl,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_close,
    SYS_close_range,
    SYS_dup,
    SYS_dup2,
    SYS_dup3,
    SYS_pipe,
    SYS_pipe2,
    SYS_eventfd,
    SYS_eventfd2,
    SYS_epoll_create,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_socketpair,
    SYS_inotify_init,
    SYS_inotify_init1,
    SYS_inotify_add_watch,
    SYS_inotify_rm_watch,
    SYS_memfd_create,
    SYS_lseek,
    SYS_getcwd,
    SYS_chdir,
    SYS_fchdir,
    SYS_access,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_mkdir,
    SYS_mkdirat,
    SYS_rmdir,
    SYS_rename,
    SYS_renameat,
    SYS_renameat2,
    SYS_unlink,
    SYS_unlinkat,
    SYS_link,
    SYS_linkat,
    SYS_symlink,
    SYS_symlinkat,
    SYS_chmod,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_chown,
    SYS_fchown,
    SYS_lchown,
    SYS_fchownat,
    SYS_truncate,
    SYS_pread64,
    SYS_preadv,
    SYS_preadv2,
    SYS_readahead,
    SYS_fadvise64,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_fgetxattr,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_listxattr,
    SYS_llistxattr,
    SYS_flistxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_shmget,
    SYS_shmat,
    SYS_shmdt,
    SYS_shmctl,
    SYS_semget,
    SYS_semctl,
};

/// What the code of answers.h calls.
constexpr int kInside[] = {
    SYS_read,       SYS_write,           SYS_fstat,           SYS_poll,     SYS_pwrite64,
    SYS_accept,     SYS_sendto,          SYS_recvfrom,        SYS_sendmsg,  SYS_recvmsg,
    SYS_accept4,    SYS_getsockopt,      SYS_fcntl,           SYS_open,     SYS_openat,
    SYS_newfstatat, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_utimensat};

struct Refusal {
  int call;
  int error;
};

/// What every C library tries and does without.
constexpr Refusal kRefusedSilently[] = {
    {SYS_clone3, ENOSYS},
    {SYS_rseq, ENOSYS},
    {SYS_restart_syscall, EINTR},
};

/// Programs have other ways (ENOSYS), or no business there (EPERM); it is noted.
constexpr Refusal kRefused[] = {
    {SYS_io_uring_setup, ENOSYS},
    {SYS_io_uring_enter, ENOSYS},
    {SYS_io_uring_register, ENOSYS},
    {SYS_io_setup, ENOSYS},
    {SYS_vmsplice, EINVAL},
    {SYS_openat2, ENOSYS},
    {SYS_userfaultfd, ENOSYS},
    {SYS_perf_event_open, EACCES},
    {SYS_bpf, EPERM},
    {SYS_ptrace, EPERM},
    {SYS_process_vm_readv, EPERM},
    {SYS_process_vm_writev, EPERM},
    {SYS_pidfd_getfd, EPERM},
    {SYS_mount, EPERM},
    {SYS_umount2, EPERM},
    {SYS_pivot_root, EPERM},
    {SYS_chroot, EPERM},
    {SYS_unshare, EPERM},
    {SYS_setns, EPERM},
    {SYS_open_tree, EPERM},
    {SYS_move_mount, EPERM},
    {SYS_fsopen, EPERM},
    {SYS_fspick, EPERM},
    {SYS_mount_setattr, EPERM},
    {SYS_seccomp, EINVAL},
    {SYS_reboot, EPERM},
    {SYS_swapon, EPERM},
    {SYS_init_module, EPERM},
    {SYS_finit_module, EPERM},
    {SYS_kexec_load, EPERM},
    {SYS_settimeofday, EPERM},
    {SYS_clock_settime, EPERM},
    {SYS_clock_adjtime, EPERM},
    {SYS_adjtimex, EPERM},
    {SYS_sethostname, EPERM},
    {SYS_setdomainname, EPERM},
    {SYS_syslog, EPERM},
    {SYS_acct, EPERM},
    {SYS_quotactl, EPERM},
    {SYS_keyctl, ENOSYS},
    {SYS_add_key, ENOSYS},
    {SYS_request_key, ENOSYS},
    {SYS_fanotify_init, EPERM},
    {SYS_name_to_handle_at, EOPNOTSUPP},
    {SYS_open_by_handle_at, EPERM},
    {SYS_iopl, EPERM},
    {SYS_ioperm, EPERM},
    {SYS_modify_ldt, ENOSYS},
    {SYS_get_mempolicy, ENOSYS},
    {SYS_set_mempolicy, ENOSYS},
    {SYS_mbind, ENOSYS},
    {SYS_migrate_pages, ENOSYS},
    {SYS_futex_waitv, ENOSYS},
    {SYS_memfd_secret, ENOSYS},
    {SYS_landlock_create_ruleset, ENOSYS},
};

constexpr std::uint32_t kTrap = SECCOMP_RET_TRACE;

class FilterBuilder {
 public:
  void load(std::uint32_t offset) { statement(BPF_LD | BPF_W | BPF_ABS, offset); }
  void load_argument(std::uint32_t index) {
    load(static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + index * 8);
  }
  void give(std::uint32_t action) { statement(BPF_RET | BPF_K, action); }
  /// The next `skip` statements are for this value only.
  void unless_equal(std::uint32_t value, std::uint8_t skip) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value});
  }
  void if_equal_skip(std::uint32_t value, std::uint8_t skip) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, skip, 0, value});
  }
  void unless_any_bit(std::uint32_t bits, std::uint8_t skip) {
    code_.push_back({BPF_JMP | BPF_JSET | BPF_K, 0, skip, bits});
  }
  void unless_at_least(std::uint32_t value, std::uint8_t skip) {
    code_.push_back({BPF_JMP | BPF_JGE | BPF_K, 0, skip, value});
  }
  void skip_if_at_least(std::uint32_t value, std::uint8_t skip) {
    code_.push_back({BPF_JMP | BPF_JGE | BPF_K, skip, 0, value});
  }
  void rule(int call, std::uint32_t action) {
    unless_equal(static_cast<std::uint32_t>(call), 1);
    give(action);
  }
  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  void statement(int code, std::uint32_t value) {
    code_.push_back({static_cast<std::uint16_t>(code), 0, 0, value});
  }
  std::vector<sock_filter> code_;
};

}  // namespace

int refusal_of(long call) {
  const auto refusal = std::find_if(std::begin(kRefused), std::end(kRefused),
                                    [call](const Refusal& row) { return row.call == call; });
  return refusal == std::end(kRefused) ? 0 : refusal->error;
}

std::vector<sock_filter> make_call_filter() {
  FilterBuilder filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.if_equal_skip(AUDIT_ARCH_X86_64, 1);
  filter.give(SECCOMP_RET_KILL_PROCESS);
  // Our own code, inside the program, makes the calls that it has found harmless.
  constexpr std::size_t kInsideCount = std::size(kInside);
  filter.load(offsetof(seccomp_data, instruction_pointer) + 4);
  filter.unless_equal(static_cast<std::uint32_t>(kAnswerCodeAddress >> 32),
                      static_cast<std::uint8_t>(2 * kInsideCount + 4));
  filter.load(offsetof(seccomp_data, instruction_pointer));
  filter.unless_at_least(static_cast<std::uint32_t>(kAnswerCodeAddress),
                         static_cast<std::uint8_t>(2 * kInsideCount + 2));
  filter.skip_if_at_least(static_cast<std::uint32_t>(kAnswerPageAddress),
                          static_cast<std::uint8_t>(2 * kInsideCount + 1));
  filter.load(offsetof(seccomp_data, nr));
  for (const int call : kInside) filter.rule(call, SECCOMP_RET_ALLOW);
  filter.load(offsetof(seccomp_data, nr));
  filter.unless_at_least(0x40000000U, 1);  // the x32 variants
  filter.give(SECCOMP_RET_ERRNO | ENOSYS);
  // Mappings that can be executed are looked at, those that are shared remembered, and those that
  // may be of a socket refused; those of libraries have their places.
  filter.unless_equal(SYS_mmap, 12);
  filter.load_argument(2);
  filter.unless_any_bit(PROT_EXEC, 1);
  filter.give(kTrap);
  filter.load_argument(3);
  filter.unless_any_bit(MAP_SHARED, 1);
  filter.give(kTrap);
  filter.unless_any_bit(MAP_ANONYMOUS | MAP_FIXED, 1);
  filter.give(SECCOMP_RET_ALLOW);
  filter.load_argument(2);
  filter.unless_any_bit(PROT_WRITE, 1);
  filter.give(kTrap);
  filter.give(SECCOMP_RET_ALLOW);
  // Locks that wait stop.
  filter.unless_equal(SYS_fcntl, 6);
  filter.load_argument(1);
  filter.unless_equal(F_SETLKW, 1);
  filter.give(kTrap);
  filter.unless_equal(F_OFD_SETLKW, 1);
  filter.give(kTrap);
  filter.give(SECCOMP_RET_ALLOW);
  // The name of a thread is for people.
  filter.unless_equal(SYS_prctl, 4);
  filter.load_argument(0);
  filter.unless_equal(PR_SET_NAME, 1);
  filter.give(SECCOMP_RET_ALLOW);
  filter.give(kTrap);
  for (const int call : kPass) filter.rule(call, SECCOMP_RET_ALLOW);
  for (const Refusal& refusal : kRefusedSilently) {
    filter.rule(refusal.call, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(refusal.error));
  }
  filter.give(kTrap);
  return filter.take();
}

}  // namespace dissensus::host
