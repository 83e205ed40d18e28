#include "script.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Order matters: a digest tells in which order a rank saw things. */
static void note(struct run* run, long long value)
{
    run->digest = (run->digest ^ (unsigned long long)value) * 1099511628211ULL;
}

static void fail(struct run* run, const char* what)
{
    char line[120];
    if (run->failed) return;
    snprintf(line, sizeof line, "rank %d: line %d of the script: %s", run->rank, run->line, what);
    run->around->print(line);
    run->failed = 1;
}

static int is(const struct run* run, int word, const char* text)
{
    return strcmp(run->words[word], text) == 0;
}

static int number(const struct run* run, int word)
{
    return word < run->count ? atoi(run->words[word]) : 0;
}

static int any_source(int rank, const struct part* part)
{
    return rank < 0 ? MPI_ANY_SOURCE : part->rank_of[rank];
}

static int any_tag(int tag)
{
    return tag < 0 ? MPI_ANY_TAG : tag;
}

/* ---- messages ---- */

static void note_data(struct run* run, const char* data, int size)
{
    for (int i = 0; i < size; i += i < 8 ? 1 : 1 + size / 16)
        note(run, data[i]);
}

static void note_message(struct run* run, const char* data, const MPI_Status* status)
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

static char* message_of(const struct run* run, int tag, int size)
{
    char* data = malloc((size_t)size + 1);
    for (int i = 0; i < size; i++)
        data[i] = (char)(run->rank * 31 + run->line * 7 + i);
    if (size > 0) data[0] = (char)tag;
    return data;
}

static void do_send(struct run* run)
{
    const int from = number(run, 2), to = number(run, 3), comm = number(run, 4), tag = number(run, 5), size = number(run, 6);
    if (comm == peek_comm && to == run->rank) run->to_peek++;
    if (from != run->rank) return;
    const struct part* part = &run->comms[comm];
    const int target = part->rank_of[to];
    char* data = message_of(run, tag, size);
    if (is(run, 1, "send") || is(run, 1, "ssend")) {
        (is(run, 1, "send") ? MPI_Send : MPI_Ssend)(data, size, MPI_CHAR, target, tag, part->comm);
        free(data);
        return;
    }
    if (run->sent == run->room) {
        run->room = run->room * 2 + 16;
        run->sends = realloc(run->sends, (size_t)run->room * sizeof *run->sends);
    }
    struct sending* sending = &run->sends[run->sent++];
    sending->data = data;
    if (is(run, 1, "persistent")) {
        MPI_Send_init(data, size, MPI_CHAR, target, tag, part->comm, &sending->request);
        MPI_Start(&sending->request);
    } else {
        (is(run, 1, "issend") ? MPI_Issend
         : is(run, 1, "ibsend") ? MPI_Ibsend
                                : MPI_Isend)(data, size, MPI_CHAR, target, tag, part->comm, &sending->request);
    }
}

static void do_recv(struct run* run)
{
    if (number(run, 2) != run->rank) return;
    const struct part* part = &run->comms[number(run, 4)];
    const int from = any_source(number(run, 3), part), tag = any_tag(number(run, 5));
    char* data = run->buffer;
    MPI_Status status;
    MPI_Message message;
    int there = 0, polls = 0;
    if (is(run, 1, "recv")) {
        MPI_Recv(data, most_bytes, MPI_CHAR, from, tag, part->comm, &status);
    } else if (is(run, 1, "probe") || is(run, 1, "iprobe")) {
        if (is(run, 1, "probe")) MPI_Probe(from, tag, part->comm, &status);
        else
            for (; !there; polls++)
                MPI_Iprobe(from, tag, part->comm, &there, &status);
        MPI_Recv(data, most_bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, part->comm, &status);
    } else {
        if (is(run, 1, "mprobe")) MPI_Mprobe(from, tag, part->comm, &message, &status);
        else
            for (; !there; polls++)
                MPI_Improbe(from, tag, part->comm, &there, &message, &status);
        MPI_Mrecv(data, most_bytes, MPI_CHAR, &message, &status);
    }
    note(run, polls);
    note_message(run, data, &status);
}

static void post(struct run* run, struct receive* receive)
{
    const struct part* part = &run->comms[receive->comm];
    const int from = any_source(receive->from, part), tag = any_tag(receive->tag);
    if (receive->data == NULL) receive->data = malloc(most_bytes);
    receive->active = 1;
    if (receive->persistent) {
        MPI_Recv_init(receive->data, most_bytes, MPI_CHAR, from, tag, part->comm, &receive->request);
        MPI_Start(&receive->request);
    } else {
        MPI_Irecv(receive->data, most_bytes, MPI_CHAR, from, tag, part->comm, &receive->request);
    }
}

static void do_post(struct run* run)
{
    if (number(run, 2) != run->rank) return;
    struct receive* receive = &run->receives[number(run, 3)];
    receive->persistent = is(run, 1, "persistent");
    receive->from = number(run, 4);
    receive->comm = number(run, 5);
    receive->tag = number(run, 6);
    post(run, receive);
}

static void received(struct run* run, int slot, const MPI_Status* status)
{
    struct receive* receive = &run->receives[slot];
    note(run, slot);
    note_message(run, receive->data, status);
    receive->active = 0;
}

static void do_complete(struct run* run)
{
    if (number(run, 2) != run->rank) return;
    MPI_Request requests[most_slots];
    MPI_Status statuses[most_slots];
    int slots[most_slots], indices[most_slots], n = 0;
    for (int word = 3; word < run->count; word++) {
        const int slot = number(run, word);
        if (!run->receives[slot].active) continue; /* it ended before it was cancelled */
        requests[n] = run->receives[slot].request;
        slots[n++] = slot;
    }
    for (int left = n, polls = 0; left > 0; polls++) {
        int done = 0, some = 0, index = 0;
        if (is(run, 1, "wait")) {
            index = n - left;
            MPI_Wait(&requests[index], &statuses[0]);
            done = 1;
        } else if (is(run, 1, "test")) {
            index = polls % n;
            if (!run->receives[slots[index]].active) continue;
            MPI_Test(&requests[index], &done, &statuses[0]);
        } else if (is(run, 1, "waitany")) {
            MPI_Waitany(n, requests, &index, &statuses[0]);
            done = 1;
        } else if (is(run, 1, "testany")) {
            MPI_Testany(n, requests, &index, &done, &statuses[0]);
        } else if (is(run, 1, "waitsome")) {
            MPI_Waitsome(n, requests, &some, indices, statuses);
        } else if (is(run, 1, "testsome")) {
            MPI_Testsome(n, requests, &some, indices, statuses);
        } else {
            int all = 1;
            if (is(run, 1, "waitall")) MPI_Waitall(n, requests, statuses);
            else MPI_Testall(n, requests, &all, statuses);
            if (!all) continue;
            some = n;
            for (int i = 0; i < n; i++)
                indices[i] = i;
        }
        if (done) {
            indices[0] = index;
            some = 1;
        }
        if (some > 0) note(run, polls);
        for (int i = 0; i < some; i++)
            received(run, slots[indices[i]], &statuses[i]);
        left -= some;
    }
    for (int i = 0; i < n; i++)
        if (run->receives[slots[i]].persistent) MPI_Request_free(&run->receives[slots[i]].request);
}

#ifndef WITHOUT_CANCEL /* a program that never cancels may be simulated with fewer questions */
static void do_cancel(struct run* run)
{
    if (number(run, 1) != run->rank) return;
    const int slot = number(run, 2);
    struct receive* receive = &run->receives[slot];
    MPI_Status status;
    int cancelled;
    MPI_Cancel(&receive->request);
    MPI_Wait(&receive->request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    note(run, cancelled);
    if (cancelled) post(run, receive);
    else received(run, slot, &status);
}
#endif

static void do_peek(struct run* run)
{
    if (number(run, 2) != run->rank) return;
    const MPI_Comm comm = run->comms[peek_comm].comm;
    for (int left = number(run, 3); left > 0; left--) {
        MPI_Status status;
        MPI_Message message;
        int there;
        if (is(run, 1, "iprobe")) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, &status);
            if (there) MPI_Recv(run->buffer, most_bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
        } else {
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, &message, &status);
            if (there) MPI_Mrecv(run->buffer, most_bytes, MPI_CHAR, &message, &status);
        }
        note(run, there);
        if (!there) continue;
        run->peeked++;
        note_message(run, run->buffer, &status);
    }
}

static void receive_rest(struct run* run)
{
    for (; run->peeked < run->to_peek; run->peeked++) {
        MPI_Status status;
        MPI_Recv(run->buffer, most_bytes, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, run->comms[peek_comm].comm, &status);
        note_message(run, run->buffer, &status);
    }
}

static void test_sends(struct run* run, int times)
{
    for (; times > 0 && run->sent > 0; times--) {
        struct sending* last = &run->sends[run->sent - 1];
        int done;
        MPI_Test(&last->request, &done, MPI_STATUS_IGNORE);
        note(run, done);
        if (!done) continue;
        if (last->request != MPI_REQUEST_NULL) MPI_Request_free(&last->request);
        free(last->data);
        run->sent--;
    }
}

static void finish_sends(struct run* run)
{
    MPI_Request* requests = malloc(sizeof *requests * (size_t)(run->sent + 1));
    for (int i = 0; i < run->sent; i++)
        requests[i] = run->sends[i].request;
    if (run->line % 2) {
        MPI_Waitall(run->sent, requests, MPI_STATUSES_IGNORE);
    } else {
        for (int i = 0; i < run->sent; i++) {
            int index;
            MPI_Waitany(run->sent, requests, &index, MPI_STATUS_IGNORE);
            note(run, index);
        }
    }
    for (int i = 0; i < run->sent; i++) {
        if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
        free(run->sends[i].data);
    }
    free(requests);
    run->sent = 0;
}

static void do_end(struct run* run)
{
    receive_rest(run);
    finish_sends(run);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- what many ranks do together ---- */

static void do_comm(struct run* run)
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

/* Not commutative: shows the order in which operands are combined. */
static void combine(void* in, void* inout, int* length, MPI_Datatype* type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        const unsigned a = ((unsigned*)in)[i], b = ((unsigned*)inout)[i];
        ((unsigned*)inout)[i] = a * 3 + b * 7 + 1;
    }
}

static void do_coll(struct run* run)
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
    else fail(run, "no such collective operation");
    for (size_t i = 0; i < n; i += 1 + n / 32)
        note(run, b[i]);
    if (run->line % 2) MPI_Op_free(&op);
    free(a);
    free(b);
    free(counts);
    free(offsets);
}

static void do_serve(struct run* run)
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

static void do_ring(struct run* run)
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
static void do_swap(struct run* run)
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

/* ---- files ---- */

static void do_open(struct run* run)
{
    const int file = number(run, 1), comm = number(run, 2);
    const struct part* part = &run->comms[comm];
    run->file_comm[file] = comm;
    if (part->comm == MPI_COMM_NULL) return;
    char name[512];
    int first = 0; /* communicators that were split off together have a file each */
    while (part->rank_of[first] == MPI_UNDEFINED)
        first++;
    snprintf(name, sizeof name, "%sfile-%d-%d.dat", run->around->folder, file, first);
    if (MPI_File_open(part->comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &run->files[file]) != MPI_SUCCESS)
        fail(run, "the file cannot be opened");
    /* At once as long as it will ever be: what a read finds must not depend on what others write behind it. */
    else MPI_File_set_size(run->files[file], (MPI_Offset)2 * own_part * part->size);
}

static void do_access(struct run* run)
{
    const MPI_File file = run->files[number(run, 2)];
    if (number(run, 3) != run->rank || file == MPI_FILE_NULL) return;
    const int size = number(run, 5);
    const MPI_Offset at = (MPI_Offset)run->comms[run->file_comm[number(run, 2)]].rank * own_part + number(run, 4);
    MPI_Status status;
    int count;
    if (is(run, 1, "seekwrite") || is(run, 1, "seekread")) MPI_File_seek(file, at, MPI_SEEK_SET);
    if (is(run, 1, "write") || is(run, 1, "seekwrite")) {
        char* data = message_of(run, run->line, size);
        if (is(run, 1, "write")) MPI_File_write_at(file, at, data, size, MPI_CHAR, &status);
        else MPI_File_write(file, data, size, MPI_CHAR, &status);
        free(data);
    } else {
        memset(run->buffer, 0, (size_t)size);
        if (is(run, 1, "read")) MPI_File_read_at(file, at, run->buffer, size, MPI_CHAR, &status);
        else MPI_File_read(file, run->buffer, size, MPI_CHAR, &status);
        note_data(run, run->buffer, size);
    }
    MPI_Get_count(&status, MPI_CHAR, &count);
    note(run, count);
}

static void do_together(struct run* run)
{
    const int number_of = number(run, 2), size = number(run, 3);
    const MPI_File file = run->files[number_of];
    if (file == MPI_FILE_NULL) return;
    const struct part* part = &run->comms[run->file_comm[number_of]];
    const MPI_Offset base = (MPI_Offset)own_part * part->size + (MPI_Offset)tile * part->rank;
    MPI_Datatype pieces, view;
    MPI_Type_vector(3, tile / 4, tile / 3, MPI_CHAR, &pieces);
    MPI_Type_create_resized(pieces, 0, (MPI_Aint)tile * part->size, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, base, MPI_CHAR, view, "native", MPI_INFO_NULL);
    char* data = message_of(run, run->line, size);
    memset(run->buffer, 0, (size_t)size + 1);
    if (is(run, 1, "write")) MPI_File_write_all(file, data, size, MPI_CHAR, MPI_STATUS_IGNORE);
    else if (is(run, 1, "writeat")) MPI_File_write_at_all(file, 5, data, size, MPI_CHAR, MPI_STATUS_IGNORE);
    else if (is(run, 1, "read")) MPI_File_read_all(file, run->buffer, size, MPI_CHAR, MPI_STATUS_IGNORE);
    else MPI_File_read_at_all(file, 5, run->buffer, size, MPI_CHAR, MPI_STATUS_IGNORE);
    note_data(run, run->buffer, size);
    MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    MPI_Type_free(&pieces);
    MPI_Type_free(&view);
    free(data);
}

static void do_sync(struct run* run)
{
    const MPI_File file = run->files[number(run, 1)];
    if (file == MPI_FILE_NULL) return;
    const struct part* part = &run->comms[run->file_comm[number(run, 1)]];
    MPI_Offset size;
    MPI_File_sync(file);
    MPI_Barrier(part->comm);
    MPI_File_get_size(file, &size);
    note(run, size);
    MPI_Barrier(part->comm); /* before anybody writes more */
}

static void close_file(struct run* run, int file)
{
    if (run->files[file] != MPI_FILE_NULL) MPI_File_close(&run->files[file]);
}

/* ---- the rest ---- */

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
