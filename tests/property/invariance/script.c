#include "script.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script_run.h"

/* Order matters: a digest tells in which order a rank saw things. */
void note(struct run* run, long long value)
{
    run->digest = (run->digest ^ (unsigned long long)value) * 1099511628211ULL;
}

void fail(struct run* run, const char* what)
{
    char line[120];
    if (run->failed) return;
    snprintf(line, sizeof line, "rank %d: line %d of the script: %s", run->rank, run->line, what);
    run->around->print(line);
    run->failed = 1;
}

int is(const struct run* run, int word, const char* text)
{
    return strcmp(run->words[word], text) == 0;
}

int number(const struct run* run, int word)
{
    return word < run->count ? atoi(run->words[word]) : 0;
}

void note_data(struct run* run, const char* data, int size)
{
    for (int i = 0; i < size; i += i < 8 ? 1 : 1 + size / 16)
        note(run, data[i]);
}

void note_message(struct run* run, const char* data, const MPI_Status* status)
{
    int size;
    MPI_Get_count(status, MPI_CHAR, &size);
    note(run, status->MPI_SOURCE);
    note(run, status->MPI_TAG);
    note(run, size);
    note_data(run, data, size);
    /* Every message begins with the tag it was sent with. */
    if (size > 0 && data[0] != (char)status->MPI_TAG) fail(run, "a message of another tag");
}

char* message_of(const struct run* run, int tag, int size)
{
    char* data = malloc((size_t)size + 1);
    for (int i = 0; i < size; i++)
        data[i] = (char)(run->rank * 31 + run->line * 7 + i);
    if (size > 0) data[0] = (char)tag;
    return data;
}

static void print(struct run* run)
{
    char line[120];
    snprintf(line, sizeof line, "rank %d digest %016llx at %.12f", run->rank, run->digest, MPI_Wtime());
    run->around->print(line);
}

static void do_alone(struct run* run)
{
    if (number(run, 1) != run->rank) return;
    const int amount = number(run, 2);
    if (is(run, 0, "work")) run->around->work(amount);
    else if (is(run, 0, "sleep")) run->around->sleep(amount);
    else if (is(run, 0, "clock")) note(run, (long long)(MPI_Wtime() * 1e12 + 0.5));
    else if (is(run, 0, "print")) print(run);
    else if (is(run, 0, "sends")) test_sends(run, amount);
    else if (is(run, 0, "rest")) receive_rest(run);
    else {
        const double until = MPI_Wtime() + amount * 1e-9;
        while (MPI_Wtime() < until)
            continue;
    }
}

static void do_line(struct run* run)
{
    const char* verb = run->words[0];
    if (strcmp(verb, "send") == 0) do_send(run);
    else if (strcmp(verb, "recv") == 0) do_recv(run);
    else if (strcmp(verb, "post") == 0) do_post(run);
    else if (strcmp(verb, "complete") == 0) do_complete(run);
    else if (strcmp(verb, "peek") == 0) do_peek(run);
#ifndef WITHOUT_CANCEL
    else if (strcmp(verb, "cancel") == 0) do_cancel(run);
#endif
    else if (strcmp(verb, "comm") == 0) do_comm(run);
    else if (strcmp(verb, "coll") == 0) do_coll(run);
    else if (strcmp(verb, "serve") == 0) do_serve(run);
    else if (strcmp(verb, "ring") == 0) do_ring(run);
    else if (strcmp(verb, "swap") == 0) do_swap(run);
    else if (strcmp(verb, "open") == 0) do_open(run);
    else if (strcmp(verb, "access") == 0) do_access(run);
    else if (strcmp(verb, "together") == 0) do_together(run);
    else if (strcmp(verb, "sync") == 0) do_sync(run);
    else if (strcmp(verb, "close") == 0) close_file(run, number(run, 1));
    else if (strcmp(verb, "end") == 0) do_end(run);
    else if (strstr("work sleep spin clock print sends rest", verb) != NULL) do_alone(run);
    else fail(run, "no such word");
}

/* Splits the line into words and returns the next line. Lines that begin with # or ! are for others. */
static const char* read_line(struct run* run, const char* text)
{
    run->line++;
    run->count = 0;
    const char* end = text;
    while (*end != '\0' && *end != '\n')
        end++;
    if (*text != '#' && *text != '!') {
        while (text < end && run->count < most_words) {
            size_t size = 0;
            while (text + size < end && text[size] != ' ')
                size++;
            if (size > 0 && size < sizeof run->words[0]) {
                memcpy(run->words[run->count], text, size);
                run->words[run->count++][size] = '\0';
            }
            text += size < (size_t)(end - text) ? size + 1 : size;
        }
    }
    return *end == '\n' ? end + 1 : end;
}

static void begin(struct run* run)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    run->digest = 14695981039346656037ULL;
    run->buffer = malloc(most_bytes);
    run->attached = malloc(buffered);
    MPI_Buffer_attach(run->attached, buffered);
    for (int i = 0; i < most_comms; i++)
        run->comms[i].comm = MPI_COMM_NULL;
    for (int i = 0; i < most_files; i++)
        run->files[i] = MPI_FILE_NULL;
    struct part* world = &run->comms[0];
    world->comm = MPI_COMM_WORLD;
    world->rank = run->rank;
    world->size = run->ranks;
    world->rank_of = malloc(sizeof(int) * (size_t)run->ranks);
    for (int i = 0; i < run->ranks; i++)
        world->rank_of[i] = i;
}

static void finish(struct run* run)
{
    do_end(run);
    for (int i = 0; i < most_files; i++)
        close_file(run, i);
    int size;
    MPI_Buffer_detach(&run->attached, &size);
    print(run);
    for (int i = 0; i < most_comms; i++) {
        if (i > 0 && run->comms[i].comm != MPI_COMM_NULL) MPI_Comm_free(&run->comms[i].comm);
        free(run->comms[i].rank_of);
    }
    for (int i = 0; i < most_slots; i++)
        free(run->receives[i].data);
    free(run->sends);
    free(run->attached);
    free(run->buffer);
}

int script_run(const char* text, const struct script_surroundings* surroundings)
{
    struct run* run = calloc(1, sizeof *run);
    run->around = surroundings;
    begin(run);
    while (*text != '\0') {
        text = read_line(run, text);
        if (run->count > 0) do_line(run);
    }
    finish(run);
    const int failed = run->failed;
    free(run);
    return failed;
}
