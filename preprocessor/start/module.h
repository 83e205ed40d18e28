/* What both start objects share: the description of the module that they are linked into. */
#ifndef MPISIM_PREPROCESSOR_START_MODULE_H
#define MPISIM_PREPROCESSOR_START_MODULE_H

#include "runtime/target_abi.h"

#define MPISIM_HIDDEN __attribute__((visibility("hidden")))

/* Defined by the linker script image.ld. */
extern char __mpisim_image_begin[] MPISIM_HIDDEN;
extern char __mpisim_image_data_end[] MPISIM_HIDDEN;
extern char __mpisim_image_used_end[] MPISIM_HIDDEN;
extern char __mpisim_image_end[] MPISIM_HIDDEN;

/* Defined by the linker where any object has such a section. */
extern const struct mpisim_cost_vector __start_mpisim_cost[] __attribute__((weak)) MPISIM_HIDDEN;
extern const struct mpisim_cost_vector __stop_mpisim_cost[] __attribute__((weak)) MPISIM_HIDDEN;
extern uint64_t __start_mpisim_price[] __attribute__((weak)) MPISIM_HIDDEN;
extern const struct mpisim_twin __start_mpisim_twin[] __attribute__((weak)) MPISIM_HIDDEN;
extern const struct mpisim_twin __stop_mpisim_twin[] __attribute__((weak)) MPISIM_HIDDEN;
extern const char __start_mpisim_text[] __attribute__((weak)) MPISIM_HIDDEN;
extern const char __stop_mpisim_text[] __attribute__((weak)) MPISIM_HIDDEN;

/* What both kinds of module tell of themselves in the same way. */
#define MPISIM_COMMON_DESCRIPTION                                                                     \
  .abi_version = MPISIM_ABI_VERSION, .image_begin = __mpisim_image_begin,                              \
  .image_data_end = __mpisim_image_data_end, .image_end = __mpisim_image_end,                          \
  .image_used_end = __mpisim_image_used_end, .costs_begin = __start_mpisim_cost,                       \
  .costs_end = __stop_mpisim_cost, .prices_begin = __start_mpisim_price,                               \
  .twins_begin = __start_mpisim_twin, .twins_end = __stop_mpisim_twin,                                 \
  .counted_begin = __start_mpisim_text, .counted_end = __stop_mpisim_text,                             \
  .offset = &__mpisim_module_offset, .dynamic = _DYNAMIC

extern const char _DYNAMIC[] MPISIM_HIDDEN;

/* What image addresses of this module are displaced by; code compiled with -fPIC adds it to the addresses of static and
 * hidden variables. Stays 0 in an executable. */
intptr_t __mpisim_module_offset MPISIM_HIDDEN = 0;

#endif
