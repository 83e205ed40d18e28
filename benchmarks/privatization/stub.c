/* Stands in for libmpisim: runs the program on its own image (GS base 0), so that valgrind can count instructions. */
#include <stdlib.h>

#include "runtime/target_abi.h"

void mpisim_register_module(const struct mpisim_module* module) { (void)module; }
int mpisim_start(int argc, char** argv, char** envp, mpisim_user_main_function user_main) {
  exit(user_main(argc, argv, envp));
}
