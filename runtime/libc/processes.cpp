// Calls that start processes, threads or programs: a simulated rank is no process of its own.
#include <dlfcn.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <vector>

#include "runtime/export.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/libc/directories.hpp"

using namespace mpisim::runtime;

namespace {
constexpr const char* no_processes =
    "starting other processes is not supported in a simulated rank; do that work outside of the program, or "
    "guard it";
constexpr const char* no_programs = "a simulated rank cannot be replaced by another program";
constexpr const char* no_threads =
    "threads are not supported in a simulated rank; build the program without threads or OpenMP";
}  // namespace

#define REFUSE(type, name, parameters, arguments, reason)        \
  MPISIM_EXPORT type __wrap_##name parameters {                  \
    if (current_environment() == nullptr) return name arguments; \
    refuse(#name, reason, __builtin_return_address(0));          \
  }

// Returns on the caller's stack, so it cannot be passed on from here.
MPISIM_EXPORT pid_t __wrap_vfork(void) {
  if (current_environment() == nullptr) return fork();
  refuse("vfork", no_processes, __builtin_return_address(0));
}

MPISIM_EXPORT int __wrap_system(const char* command) {
  if (current_environment() == nullptr) return system(command);
  if (command == nullptr) return 0;  // "no shell is there", as the standard allows
  refuse("system", no_processes, __builtin_return_address(0));
}

REFUSE(pid_t, fork, (void), (), no_processes)
REFUSE(pid_t, _Fork, (void), (), no_processes)
REFUSE(pid_t, forkpty,
       (int* terminal, char* name, const struct termios* attributes, const struct winsize* size),
       (terminal, name, attributes, size), no_processes)
REFUSE(FILE*, popen, (const char* command, const char* mode), (command, mode), no_processes)
REFUSE(int, pclose, (FILE * stream), (stream), no_processes)
REFUSE(int, daemon, (int keep_directory, int keep_streams), (keep_directory, keep_streams), no_processes)
REFUSE(pid_t, wait, (int* status), (status), no_processes)
REFUSE(pid_t, waitpid, (pid_t process, int* status, int options), (process, status, options), no_processes)
REFUSE(int, posix_spawn,
       (pid_t * process, const char* path, const posix_spawn_file_actions_t* actions,
        const posix_spawnattr_t* attributes, char* const arguments[], char* const variables[]),
       (process, path, actions, attributes, arguments, variables), no_processes)
REFUSE(int, posix_spawnp,
       (pid_t * process, const char* file, const posix_spawn_file_actions_t* actions,
        const posix_spawnattr_t* attributes, char* const arguments[], char* const variables[]),
       (process, file, actions, attributes, arguments, variables), no_processes)
REFUSE(int, execv, (const char* path, char* const arguments[]), (path, arguments), no_programs)
REFUSE(int, execvp, (const char* file, char* const arguments[]), (file, arguments), no_programs)
REFUSE(int, execve, (const char* path, char* const arguments[], char* const variables[]),
       (path, arguments, variables), no_programs)
REFUSE(int, execvpe, (const char* file, char* const arguments[], char* const variables[]),
       (file, arguments, variables), no_programs)
REFUSE(int, fexecve, (int file, char* const arguments[], char* const variables[]),
       (file, arguments, variables), no_programs)
REFUSE(int, pthread_create,
       (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument),
       (thread, attributes, start, argument), no_threads)
REFUSE(int, thrd_create, (thrd_t * thread, thrd_start_t start, void* argument), (thread, start, argument),
       no_threads)

MPISIM_EXPORT int __wrap_clone(int (*start)(void*), void* stack, int flags, void* argument, ...) {
  if (current_environment() != nullptr) refuse("clone", no_threads, __builtin_return_address(0));
  va_list list;
  va_start(list, argument);
  pid_t* const parent = va_arg(list, pid_t*);
  void* const storage = va_arg(list, void*);
  pid_t* const child = va_arg(list, pid_t*);
  va_end(list);
  return clone(start, stack, flags, argument, parent, storage, child);
}

// The forms with a list of arguments, which only a program that is started directly may use.
#define REFUSE_LIST(name, vector_form)                                                             \
  MPISIM_EXPORT int __wrap_##name(const char* path, const char* first, ...) {                      \
    if (current_environment() != nullptr) refuse(#name, no_programs, __builtin_return_address(0)); \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    std::vector<char*> arguments{const_cast<char*>(first)};                                        \
    while (arguments.back() != nullptr) arguments.push_back(va_arg(list, char*));                  \
    char** const variables = #name[4] == 'e' ? va_arg(list, char**) : environ;                     \
    va_end(list);                                                                                  \
    return vector_form(path, arguments.data(), variables);                                         \
  }
REFUSE_LIST(execl, execve)
REFUSE_LIST(execlp, execvpe)
REFUSE_LIST(execle, execve)

MPISIM_EXPORT void* __wrap_dlopen(const char* file, int mode) {
  if (current_environment() == nullptr || file == nullptr) return dlopen(file, mode);
  warn_once("dlopen", "global variables of libraries that are loaded at run time are shared by all ranks",
            __builtin_return_address(0));
  return dlopen(RankPath(file), mode);
}
