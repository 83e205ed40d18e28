/* The target program: interprets the script that its argument names. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "script.h"

static volatile double work_result;

static void sleep_for(long nanoseconds)
{
    const struct timespec pause = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    nanosleep(&pause, NULL);
}

static void work_for(long nanoseconds)
{
    double x = 1;
    for (long i = 0; i < nanoseconds / 4; i++)
        x = x * 0.999 + (double)i;
    work_result = x;
    sleep_for(nanoseconds);
}

static void print(const char* line)
{
    puts(line);
}

int main(int argc, char** argv)
{
    FILE* file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: program SCRIPT\n");
        return 2;
    }
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(size + 1);
    text[fread(text, 1, size, file)] = '\0';
    fclose(file);
    const struct script_surroundings surroundings = {work_for, sleep_for, print, ""};
    MPI_Init(&argc, &argv);
    const int status = script_run(text, &surroundings);
    MPI_Finalize();
    free(text);
    return status;
}
