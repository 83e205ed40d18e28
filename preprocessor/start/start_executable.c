/* Linked into every executable: its real `main`, the variables by which generated code finds a rank's data, and the
 * registration of its image. */
#include "preprocessor/start/module.h"

/* The program's own main, which mpisimcc has renamed. Weak, so that programs without one get the linker's usual message
 * about `main` from mpisimcc rather than a puzzling name. */
extern int mpisim_user_main(int, char**, char**) __asm__("__mpisim_user_main");

/* Both lie in the image, so each rank has its own. target_abi.h declares them as code sees them, through GS; here they
 * are defined under the same symbols. */
uintptr_t mpisim_delta_slot __asm__("__mpisim_delta") __attribute__((section(MPISIM_BSS_SECTION)));
uint64_t mpisim_counted_slot __asm__("__mpisim_counted") __attribute__((section(MPISIM_BSS_SECTION)));

static const struct mpisim_module module = {
    MPISIM_COMMON_DESCRIPTION,
    .is_executable = 1,
    .delta_slot = &mpisim_delta_slot,
    .counted_slot = &mpisim_counted_slot,
    .build_info = "mpisimcc executable",
};

__attribute__((constructor(101))) static void register_module(void) { mpisim_register_module(&module); }

int main(int argc, char** argv, char** envp) { return mpisim_start(argc, argv, envp, mpisim_user_main); }
