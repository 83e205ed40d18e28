/* The contract between code that mpisimcc generates and the runtime that it is linked with.
 *
 * C, not C++: the start object that mpisimcc links into every program and shared library includes it too.
 *
 * Private data. Every privatized variable stays an ordinary symbol in one of two sections of its module (the
 * executable, or a shared library that mpisimcc linked): MPISIM_DATA_SECTION where it has an initializer,
 * MPISIM_BSS_SECTION where it is zero. The linker script that mpisimcc passes puts the first into one output section and
 * the second right behind it, so that the image of a module is one range of addresses: data first, then zeros.
 * Each rank owns a copy of that range. Generated code reaches a variable x through the segment register GS:
 *     *(T __seg_gs *)&x            the value
 *     (T *)((uintptr_t)&x + delta) its address
 * GS base = delta = (address of this rank's copy of the executable's image) - (address of that image). In a program that
 * is started directly GS base is zero and the image itself is the data of its only rank.
 * In a shared library, image addresses are displaced by `offset` of its module first, see mpisim_module.
 */
#ifndef MPISIM_RUNTIME_TARGET_ABI_H
#define MPISIM_RUNTIME_TARGET_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPISIM_ABI_VERSION 5

#define MPISIM_DATA_SECTION ".data.mpisim"
#define MPISIM_BSS_SECTION ".bss.mpisim" /* the prefix makes compilers emit it without contents */

/* Static cost of one straight-line piece of code ("block"), counted before optimization. The classes are priced by the machine file's `processor.cost` table. */
enum mpisim_cost_class {
  MPISIM_COST_INT,     /* integer add, subtract, logic, compare, shift, address arithmetic */
  MPISIM_COST_INT_MUL, /* integer multiplication */
  MPISIM_COST_INT_DIV, /* integer division and remainder */
  MPISIM_COST_FP_ADD,  /* floating add, subtract, compare, conversion */
  MPISIM_COST_FP_MUL,
  MPISIM_COST_FP_DIV,
  MPISIM_COST_MEMORY, /* loads and stores of arrays, through pointers, and of variables that are not local */
  MPISIM_COST_BRANCH, /* loop iterations, conditions, switches */
  MPISIM_COST_CALL,   /* calls of functions of the program */
  MPISIM_COST_MATH,   /* sqrt, sin, exp, pow ... */
  MPISIM_COST_LIBRARY, /* other C library calls that do not enter the simulator */
  MPISIM_COST_BYTE,   /* bytes touched by memcpy, memset and the like, where the length is a constant */
  MPISIM_COST_CLASSES
};

/* One entry per block in the section "mpisim_cost" (read-only); the runtime fills the entry of the same index in the
 * section "mpisim_price" (uint64_t, picoseconds) when the program starts. Entry 0 of every translation unit's table
 * prices one byte for MPISIM_COST_BYTE of lengths known only at run time. */
struct mpisim_cost_vector {
  uint32_t count[MPISIM_COST_CLASSES];
};

/* One entry per function with two bodies in the section "mpisim_twin": where they begin, as distances from the fields.
 * The plain body is the native program's. The twin counts its cost; for a run that counts, the runtime writes a jump to
 * it over the first bytes of the plain body when the module is registered, which is before anything of the program
 * runs. So addresses of functions are the same in both kinds of run. */
struct mpisim_twin {
  int32_t plain;
  int32_t twin;
};
/* Set by `mpisim run` for a run that counts. */
#define MPISIM_COUNTED_VARIABLE "MPISIM_COUNTED"

/* Describes a module to the runtime; one object of it lies in the start object of each. */
struct mpisim_module {
  uint32_t abi_version;
  uint32_t is_executable;
  char* image_begin;    /* first byte of the image, page aligned. 64 bytes that no variable uses are there, so that
                         * `array - 1` of the first variable still lies in the image; the first 16 hold two uint64_t, the
                         * strictest alignment of initialised variables and of zeros (0: unknown, at most a page) */
  char* image_data_end; /* end of initialised data */
  char* image_end;      /* end of the zeros; a guard of at least 64 unused bytes lies before it; page aligned */
  const struct mpisim_cost_vector* costs_begin;
  const struct mpisim_cost_vector* costs_end;
  uint64_t* prices_begin;
  const struct mpisim_twin* twins_begin;
  const struct mpisim_twin* twins_end;
  const char* counted_begin; /* code of the twins */
  const char* counted_end;
  /* What image addresses of this module are displaced by before GS or delta is applied: 0 in the executable; in a
   * library set by the runtime at start (the copies of all modules of a rank lie behind one another). */
  intptr_t* offset;
  uintptr_t* delta_slot;  /* &__mpisim_delta (image address) in the executable; null in a library */
  uint64_t* counted_slot; /* &__mpisim_counted (image address) in the executable; null in a library */
  const void* dynamic; /* _DYNAMIC of the module: its relocations tell which slots of the image hold addresses */
  const char* build_info; /* compiler, flags that matter for reports */
  char* image_used_end;   /* nothing lies from here to image_end; null: image_end */
};

/* Called by a constructor in each module's start object. Exported by libmpisim. */
void mpisim_register_module(const struct mpisim_module* module);

/* How other modules' private data is found. Code reaches an extern variable through its global offset table entry
 * (compile with -fPIC, clang also with -fno-direct-access-external-data; no copy relocations: -z nocopyreloc), and the
 * runtime displaces the R_X86_64_GLOB_DAT entries that point into a *library's* image by that library's offset when the
 * simulation starts. So &x of an extern, not hidden variable is already displaced everywhere; a library's static (and
 * hidden) variables are displaced by the generated code, with its own `offset`.
 *
 * The C library's hidden state. mpisimcc links with -Wl,--wrap=NAME for every name in runtime/libc_wrapped_symbols.def
 * that none of the program's own objects and archives defines; uses of the variables in runtime/libc_variables.def
 * become (*mpisim_libc_NAME()). libmpisim exports __wrap_NAME and mpisim_libc_NAME. */

/* Called by `main` of the executable's start object, with the program's own main (renamed by mpisimcc). Runs one native
 * rank when the program is started directly, the simulation when `mpisim run` started it; returns the exit status. */
typedef int (*mpisim_user_main_function)(int, char**, char**);
int mpisim_start(int argc, char** argv, char** envp, mpisim_user_main_function user_main);

/* Called in place of an MPI function that mpisim lacks by what mpisimcc -fmpi-missing=run-time has put there, with where
 * that was called. Does not return. */
void mpisim_missing_call(const char* name, const void* return_address);

/* Called in front of a poll (MPI_Test, MPI_Iprobe, ...) in a loop that nothing but the success of a poll can end. */
void mpisim_waits_by_polling(void);

/* The cycle counter as a rank sees it: its clock, in cycles of the simulated processor. */
uint64_t mpisim_read_cycles(void);
/* In place of the instructions rdtsc and rdtscp in inline assembly: no C functions, they change no registers but those
 * that the instructions change. */
void mpisim_rdtsc(void);
void mpisim_rdtscp(void);

/* In the executable's image, so private to each rank (defined in the executable's start object). */
#ifndef __cplusplus
#ifdef __x86_64__
extern const uintptr_t __seg_gs __mpisim_delta; /* this rank's delta; constant during a rank's life */
extern uint64_t __seg_gs __mpisim_counted;      /* picoseconds of `counted` compute not yet taken by the runtime */
#endif
#endif

#ifdef __cplusplus
}
#endif
#endif
