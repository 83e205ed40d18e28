/* Linked into every shared library of the program: the registration of its image. */
#include "preprocessor/start/module.h"

static const struct mpisim_module module = {
    MPISIM_COMMON_DESCRIPTION,
    .is_executable = 0,
    .build_info = "mpisimcc shared library",
};

__attribute__((constructor(101))) static void register_module(void) { mpisim_register_module(&module); }
