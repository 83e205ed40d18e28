// The processor's cycle counter as ranks see it.
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include <cstdint>

#include "runtime/export.hpp"
#include "runtime/rank_environment.hpp"
#include "runtime/target_abi.h"

namespace mpisim::runtime {
namespace {
double cycles_per_picosecond = 1e-3;
}

void set_cycles_per_second(double cycles) {
  cycles_per_picosecond = cycles * 1e-12;
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT uint64_t mpisim_read_cycles() {
  RankEnvironment* const rank = current_environment();
#ifdef __x86_64__
  if (rank == nullptr) return __rdtsc();
#else
  if (rank == nullptr) return 0;
#endif
  return static_cast<uint64_t>(static_cast<double>(rank->services().read_clock().ps()) *
                               cycles_per_picosecond);
}

#ifdef __x86_64__
// Called from the midst of any code: saves all that a C function may change, with the vector registers
// (components 0 to 2 and 5 to 7 of xsave, at most 2,688 bytes; Intel's manual, volume 1, chapter 13). `rest`
// is what rdtscp does more.
#define MPISIM_COUNTER(name, rest)                                               \
  asm(".text\n"                                                                  \
      ".p2align 4\n"                                                             \
      ".globl " #name                                                            \
      "\n"                                                                       \
      ".type " #name ", @function\n" #name                                       \
      ":\n"                                                                      \
      "  pushq %rbp\n"                                                           \
      "  movq %rsp, %rbp\n"                                                      \
      "  pushfq\n  pushq %rcx\n  pushq %rsi\n  pushq %rdi\n"                     \
      "  pushq %r8\n  pushq %r9\n  pushq %r10\n  pushq %r11\n"                   \
      "  andq $-64, %rsp\n"                                                      \
      "  subq $4096, %rsp\n"                                                     \
      "  xorl %eax, %eax\n"                                                      \
      "  movq %rax, 512(%rsp)\n  movq %rax, 520(%rsp)\n  movq %rax, 528(%rsp)\n" \
      "  movq %rax, 536(%rsp)\n  movq %rax, 544(%rsp)\n  movq %rax, 552(%rsp)\n" \
      "  movq %rax, 560(%rsp)\n  movq %rax, 568(%rsp)\n"                         \
      "  movl $0xe7, %eax\n  xorl %edx, %edx\n  xsave64 (%rsp)\n"                \
      "  cld\n"                                                                  \
      "  call mpisim_read_cycles@PLT\n"                                          \
      "  movq %rax, %r11\n"                                                      \
      "  movl $0xe7, %eax\n  xorl %edx, %edx\n  xrstor64 (%rsp)\n"               \
      "  movq %r11, %rdx\n  shrq $32, %rdx\n  movl %r11d, %eax\n"                \
      "  leaq -64(%rbp), %rsp\n"                                                 \
      "  popq %r11\n  popq %r10\n  popq %r9\n  popq %r8\n"                       \
      "  popq %rdi\n  popq %rsi\n  popq %rcx\n  popfq\n" rest                    \
      "  popq %rbp\n"                                                            \
      "  ret\n"                                                                  \
      ".size " #name ", .-" #name "\n")
MPISIM_COUNTER(mpisim_rdtsc, "");
MPISIM_COUNTER(mpisim_rdtscp, "  movl $0, %ecx\n");
#endif
