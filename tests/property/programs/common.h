/* What the property programs share: a generator that is the same everywhere, work that takes simulated time, a digest
 * of what a rank saw, and its printing with the rank's clock. */
#ifndef PROPERTY_COMMON_H
#define PROPERTY_COMMON_H

#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long long random_state;
static unsigned long long digest = 14695981039346656037ULL;
static volatile double work_result;

static unsigned long long next_random(void)
{
    unsigned long long z = (random_state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static int below(int bound)
{
    return (int)(next_random() % (unsigned)bound);
}

/* Order matters: a digest tells in which order a rank saw things. */
static void note(long long value)
{
    digest = (digest ^ (unsigned long long)value) * 1099511628211ULL;
}

__attribute__((unused)) static void note_bytes(const void* data, int size)
{
    for (int i = 0; i < size; i++)
        note(((const unsigned char*)data)[i]);
}

/* Computes, and sleeps, so that time passes with --compute off too. */
static void work(int amount)
{
    double x = 1;
    for (int i = 0; i < amount; i++)
        x = x * 0.999 + i;
    work_result = x;
    const struct timespec pause = {0, amount};
    nanosleep(&pause, NULL);
}

/* Clocks agree to the digit: they are simulated. */
static void report(const char* name, int rank)
{
    printf("%s: rank %d digest %016llx at %.12f\n", name, rank, digest, MPI_Wtime());
}

#endif
