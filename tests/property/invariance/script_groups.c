/* What many ranks do together: communicators, collectives, and words of their own messages. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "script_run.h"

void do_comm(struct run* run)
{
    struct part* part = &run->comms[number(run, 1)];
    const struct part* parent = &run->comms[number(run, 3)];
    MPI_Group all, group;
    part->rank_of = malloc(sizeof(int) * (size_t)run->ranks);
    for (int i = 0; i < run->ranks; i++)
        part->rank_of[i] = i;
    part->comm = MPI_COMM_NULL;
    if (parent->comm != MPI_COMM_NULL) {
        if (is(run, 2, "dup")) {
            MPI_Comm_dup(parent->comm, &part->comm);
        } else {
            const int colour = number(run, 5 + run->rank);
            MPI_Comm_split(parent->comm, colour < 0 ? MPI_UNDEFINED : colour, run->rank * number(run, 4), &part->comm);
        }
    }
    if (part->comm == MPI_COMM_NULL) return;
    MPI_Comm_rank(part->comm, &part->rank);
    MPI_Comm_size(part->comm, &part->size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(part->comm, &group);
    int* world = malloc(sizeof(int) * (size_t)run->ranks);
    memcpy(world, part->rank_of, sizeof(int) * (size_t)run->ranks);
    MPI_Group_translate_ranks(all, run->ranks, world, group, part->rank_of);
    free(world);
    MPI_Group_free(&all);
    MPI_Group_free(&group);
}

/* The ranks on a ring, each with both neighbours; alternately as a Cartesian topology and as a graph whose ranks also have
 * themselves as a neighbour. */
static void meet_neighbours(struct run* run, MPI_Comm comm, int count, const int* a, int* b)
{
    MPI_Comm topology;
    int size, rank;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    const int graph = run->line / 2 % 2, degree = graph ? 3 : 2;
    const int others[3] = {(rank + size - 1) % size, (rank + 1) % size, rank};
    if (graph) {
        MPI_Dist_graph_create_adjacent(comm, degree, others, MPI_UNWEIGHTED, degree, others, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &topology);
    } else {
        const int periodic = 1;
        MPI_Cart_create(comm, 1, &size, &periodic, 0, &topology);
    }
    int* found = calloc((size_t)(count * degree) + 1, sizeof *found);
    int* given = malloc(((size_t)(count * degree) + 1) * sizeof *given);
    for (int i = 0; i < count * degree; i++)
        given[i] = a[0] * 100 + i;
    if (run->line % 2) MPI_Neighbor_alltoall(given, count, MPI_INT, found, count, MPI_INT, topology);
    else MPI_Neighbor_allgather(given, count, MPI_INT, found, count, MPI_INT, topology);
    for (int i = 0; i < count * degree; i += 1 + count / 8)
        note(run, found[i]);
    b[0] = found[0];
    free(found);
    free(given);
    MPI_Comm_free(&topology);
}

/* Not commutative: shows the order in which operands are combined. */
static void combine(void* in, void* inout, int* length, MPI_Datatype* type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        const unsigned a = ((unsigned*)in)[i], b = ((unsigned*)inout)[i];
        ((unsigned*)inout)[i] = a * 3 + b * 7 + 1;
    }
}

void do_coll(struct run* run)
{
    const struct part* part = &run->comms[number(run, 2)];
    if (part->comm == MPI_COMM_NULL) return;
    const int count = number(run, 3), root = number(run, 4) % part->size;
    const size_t n = (size_t)count * (size_t)part->size;
    int* a = malloc((n + 1) * sizeof *a);
    int* b = calloc(n + 1, sizeof *b);
    int* counts = malloc((size_t)part->size * sizeof *counts);
    int* offsets = malloc((size_t)part->size * sizeof *offsets);
    for (size_t i = 0; i < n; i++)
        a[i] = (int)i % 1000 + run->rank;
    for (int i = 0, at = 0; i < part->size; at += counts[i++]) {
        counts[i] = (i * 7 + count) % (count + 1);
        offsets[i] = at;
    }
    MPI_Op op = MPI_SUM;
    if (run->line % 2) MPI_Op_create(combine, 0, &op);
    if (is(run, 1, "barrier")) MPI_Barrier(part->comm);
    else if (is(run, 1, "bcast")) MPI_Bcast(part->rank == root ? a : b, count, MPI_INT, root, part->comm);
    else if (is(run, 1, "reduce")) MPI_Reduce(a, b, count, MPI_INT, op, root, part->comm);
    else if (is(run, 1, "allreduce")) MPI_Allreduce(a, b, count, MPI_INT, op, part->comm);
    else if (is(run, 1, "gather")) MPI_Gather(a, count, MPI_INT, b, count, MPI_INT, root, part->comm);
    else if (is(run, 1, "scatter")) MPI_Scatter(a, count, MPI_INT, b, count, MPI_INT, root, part->comm);
    else if (is(run, 1, "allgather")) MPI_Allgather(a, count, MPI_INT, b, count, MPI_INT, part->comm);
    else if (is(run, 1, "alltoall")) MPI_Alltoall(a, count, MPI_INT, b, count, MPI_INT, part->comm);
    else if (is(run, 1, "scan")) MPI_Scan(a, b, count, MPI_INT, op, part->comm);
    else if (is(run, 1, "exscan")) MPI_Exscan(a, b, count, MPI_INT, op, part->comm);
    else if (is(run, 1, "reduce_scatter")) MPI_Reduce_scatter(a, b, counts, MPI_INT, op, part->comm);
    else if (is(run, 1, "allgatherv"))
        MPI_Allgatherv(a, counts[part->rank], MPI_INT, b, counts, offsets, MPI_INT, part->comm);
    else if (is(run, 1, "gatherv"))
        MPI_Gatherv(a, counts[part->rank], MPI_INT, b, counts, offsets, MPI_INT, root, part->comm);
    else if (is(run, 1, "neighbours")) meet_neighbours(run, part->comm, count, a, b);
    else fail(run, "no such collective operation");
    for (size_t i = 0; i < n; i += 1 + n / 32)
        note(run, b[i]);
    if (run->line % 2) MPI_Op_free(&op);
    free(a);
    free(b);
    free(counts);
    free(offsets);
}

void do_serve(struct run* run)
{
    const struct part* part = &run->comms[number(run, 1)];
    if (part->comm == MPI_COMM_NULL) return;
    const int master = number(run, 2) % part->size, tasks = number(run, 3), tag = 2 * run->line;
    int task = 0;
    MPI_Status status;
    if (part->rank != master) {
        do {
            MPI_Send(&run->rank, 1, MPI_INT, master, tag, part->comm);
            MPI_Recv(&task, 1, MPI_INT, master, tag + 1, part->comm, MPI_STATUS_IGNORE);
            note(run, task);
            if (task >= 0) run->around->work((task + 1) * 997L % (number(run, 4) + 1));
        } while (task >= 0);
        return;
    }
    for (int next = 0, left = part->size - 1, asked; left > 0;) {
        MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, tag, part->comm, &status);
        note(run, asked);
        task = next < tasks ? next++ : -1;
        left -= task < 0;
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, tag + 1, part->comm);
    }
}

void do_ring(struct run* run)
{
    const struct part* part = &run->comms[number(run, 1)];
    if (part->comm == MPI_COMM_NULL) return;
    const int size = number(run, 2), right = (part->rank + 1) % part->size, left = (part->rank + part->size - 1) % part->size;
    char* data = message_of(run, run->line, size);
    MPI_Status status;
    MPI_Sendrecv(data, size, MPI_CHAR, right, run->line, run->buffer, most_bytes, MPI_CHAR, left, run->line, part->comm,
                 &status);
    note_message(run, run->buffer, &status);
    free(data);
}

/* Everything begins at one instant, so that after a barrier messages and answers of several ranks meet. */
void do_swap(struct run* run)
{
    const struct part* part = &run->comms[number(run, 2)];
    if (part->comm == MPI_COMM_NULL) return;
    const int size = number(run, 3), tag = run->line;
    const int sides[2] = {(part->rank + part->size - 1) % part->size, (part->rank + 1) % part->size};
    char* data = message_of(run, tag, size);
    char* room[2] = {malloc((size_t)size + 1), malloc((size_t)size + 1)};
    MPI_Request requests[4];
    for (int i = 0; i < 2; i++) {
        (is(run, 1, "ssend") ? MPI_Ssend_init : MPI_Send_init)(data, size, MPI_CHAR, sides[i], tag, part->comm, &requests[i]);
        MPI_Recv_init(room[i], size, MPI_CHAR, MPI_ANY_SOURCE, tag, part->comm, &requests[2 + i]);
    }
    MPI_Startall(4, requests);
    for (int i = 0; i < 4; i++) {
        int index;
        MPI_Status status;
        MPI_Waitany(4, requests, &index, &status);
        note(run, index);
        if (index >= 2) note_message(run, room[index - 2], &status);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    free(room[0]);
    free(room[1]);
    free(data);
}

