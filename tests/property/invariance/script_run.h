/* What the files of the interpreter share. */
#ifndef PROPERTY_SCRIPT_RUN_H
#define PROPERTY_SCRIPT_RUN_H

#include <mpi.h>

#include "script.h"

enum { most_comms = 8, most_slots = 24, most_files = 4, most_bytes = 120000, most_words = 80, peek_comm = 1 };
enum { own_part = 65536, tile = 48, buffered = 1 << 22 };

struct receive {
    MPI_Request request;
    int active, persistent;
    int from, comm, tag;
    char* data;
};

struct sending {
    MPI_Request request;
    char* data;
};

struct part {
    MPI_Comm comm; /* MPI_COMM_NULL: not of this rank */
    int* rank_of;  /* by rank of the world; MPI_UNDEFINED if not a member */
    int rank, size;
};

struct run {
    const struct script_surroundings* around;
    int rank, ranks, line, failed;
    unsigned long long digest;
    char words[most_words][24];
    int count; /* of words */
    struct part comms[most_comms];
    struct receive receives[most_slots];
    struct sending* sends;
    int sent, room;
    long long peeked, to_peek;
    MPI_File files[most_files];
    int file_comm[most_files];
    char* buffer;   /* of blocking receives and files */
    char* attached; /* of buffered sends */
};

/* Into the digest of what the rank saw; order matters. */
void note(struct run* run, long long value);
void note_data(struct run* run, const char* data, int size);
void note_message(struct run* run, const char* data, const MPI_Status* status);
void fail(struct run* run, const char* what);

/* The words of a line. */
int is(const struct run* run, int word, const char* text);
int number(const struct run* run, int word);

/* A new message that begins with its tag and tells its sender and line. */
char* message_of(const struct run* run, int tag, int size);

/* script_messages.c */
void do_send(struct run* run);
void do_recv(struct run* run);
void do_post(struct run* run);
void do_complete(struct run* run);
void do_cancel(struct run* run);
void do_peek(struct run* run);
void do_end(struct run* run);
void receive_rest(struct run* run);
void test_sends(struct run* run, int times);

/* script_groups.c */
void do_comm(struct run* run);
void do_coll(struct run* run);
void do_serve(struct run* run);
void do_ring(struct run* run);
void do_swap(struct run* run);

/* script_files.c */
void do_open(struct run* run);
void do_access(struct run* run);
void do_together(struct run* run);
void do_sync(struct run* run);
void close_file(struct run* run, int file);

#endif
