// Names and numbers of hosts, processes and processors: constants of the simulated machine.
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/libc/identity.hpp"

using namespace mpisim::runtime;

namespace {

constexpr pid_t launcher_process_id = 9999;
constexpr long host_id = 0x7f0101;

// As the C library does it: cut without a warning by uname, an error in gethostname.
int copy_name(const std::string& name, char* result, size_t size) {
  const size_t length = std::min(name.size(), size);
  std::memcpy(result, name.data(), length);
  if (length < size) {
    result[length] = '\0';
    return 0;
  }
  errno = ENAMETOOLONG;
  return -1;
}

}  // namespace

MPISIM_EXPORT int __wrap_gethostname(char* name, size_t size) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? gethostname(name, size) : copy_name(rank->services().node_name(), name, size);
}
MPISIM_EXPORT int __wrap___gethostname_chk(char* name, size_t size, size_t) {
  return __wrap_gethostname(name, size);
}

MPISIM_EXPORT int __wrap_getdomainname(char* name, size_t size) {
  return current_environment() == nullptr ? getdomainname(name, size) : copy_name("(none)", name, size);
}

MPISIM_EXPORT int __wrap_uname(utsname* names) {
  const int result = uname(names);
  RankEnvironment* const rank = current_environment();
  if (result == 0 && rank != nullptr) {
    const std::string node = rank->services().node_name();
    const size_t length = std::min(node.size(), sizeof names->nodename - 1);
    std::memcpy(names->nodename, node.data(), length);
    names->nodename[length] = '\0';
  }
  return result;
}

MPISIM_EXPORT pid_t __wrap_getpid(void) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? getpid() : simulated_process_id(*rank);
}
MPISIM_EXPORT pid_t __wrap_gettid(void) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? gettid() : simulated_process_id(*rank);
}
MPISIM_EXPORT pid_t __wrap_getpgrp(void) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? getpgrp() : simulated_process_id(*rank);
}
MPISIM_EXPORT pid_t __wrap_getppid(void) {
  return current_environment() == nullptr ? getppid() : launcher_process_id;
}

MPISIM_EXPORT long __wrap_gethostid(void) {
  return current_environment() == nullptr ? gethostid() : host_id;
}

MPISIM_EXPORT char* __wrap_getlogin(void) {
  static char name[] = "user";
  return current_environment() == nullptr ? getlogin() : name;
}
MPISIM_EXPORT int __wrap_getlogin_r(char* name, size_t size) {
  if (current_environment() == nullptr) return getlogin_r(name, size);
  return copy_name("user", name, size) == 0 ? 0 : ERANGE;
}

MPISIM_EXPORT long __wrap_sysconf(int name) {
  if (current_environment() != nullptr && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF))
    return 1;
  return sysconf(name);
}
MPISIM_EXPORT int __wrap_get_nprocs(void) {
  return current_environment() == nullptr ? get_nprocs() : 1;
}
MPISIM_EXPORT int __wrap_get_nprocs_conf(void) {
  return current_environment() == nullptr ? get_nprocs_conf() : 1;
}
MPISIM_EXPORT int __wrap_sched_getcpu(void) {
  return current_environment() == nullptr ? sched_getcpu() : 0;
}

MPISIM_EXPORT int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t* set) {
  if (current_environment() == nullptr) return sched_getaffinity(process, size, set);
  std::memset(set, 0, size);
  CPU_SET_S(0, size, set);
  return 0;
}

// What would change the simulator itself has no effect.
MPISIM_EXPORT int __wrap_sched_setaffinity(pid_t process, size_t size, const cpu_set_t* set) {
  return current_environment() == nullptr ? sched_setaffinity(process, size, set) : 0;
}
MPISIM_EXPORT int __wrap_nice(int increment) {
  return current_environment() == nullptr ? nice(increment) : 0;
}
MPISIM_EXPORT int __wrap_setpriority(int which, id_t who, int priority) {
  return current_environment() == nullptr ? setpriority(static_cast<__priority_which_t>(which), who, priority)
                                          : 0;
}
MPISIM_EXPORT int __wrap_setrlimit(int resource, const rlimit* limit) {
  if (current_environment() == nullptr) return setrlimit(static_cast<__rlimit_resource_t>(resource), limit);
  warn_once("setrlimit", "has no effect in a simulated rank; the stack of ranks is set with --stack-size",
            __builtin_return_address(0));
  return 0;
}
MPISIM_EXPORT int __wrap_setrlimit64(int resource, const rlimit* limit) {
  return __wrap_setrlimit(resource, limit);
}
