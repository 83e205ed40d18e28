#pragma once
// Marks the few symbols that libmpisim.so shows to target programs.
#define MPISIM_EXPORT extern "C" __attribute__((visibility("default")))
