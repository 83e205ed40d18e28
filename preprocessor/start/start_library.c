/* Linked into every shared library of the program: the registration of its image. */
#include "preprocessor/start/module.h"

static const struct mpisim_module module = {
    .abi_version = MPISIM_ABI_VERSION,
    .is_executable = 0,
    .image_begin = __mpisim_image_begin,
    .image_data_end = __mpisim_image_data_end,
    .image_end = __mpisim_image_end,
    .image_used_end = __mpisim_image_used_end,
    .costs_begin = __start_mpisim_cost,
    .costs_end = __stop_mpisim_cost,
    .prices_begin = __start_mpisim_price,
    .offset = &__mpisim_module_offset,
    .dynamic = _DYNAMIC,
    .build_info = "mpisimcc shared library",
};

__attribute__((constructor(101))) static void register_module(void) { mpisim_register_module(&module); }
