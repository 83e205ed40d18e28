/* Messages between two ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "script_run.h"

static int any_source(int rank, const struct part* part)
{
    return rank < 0 ? MPI_ANY_SOURCE : part->rank_of[rank];
}

static int any_tag(int tag)
{
    return tag < 0 ? MPI_ANY_TAG : tag;
}

void do_send(struct run* run)
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

void do_recv(struct run* run)
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

void do_post(struct run* run)
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

void do_complete(struct run* run)
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
void do_cancel(struct run* run)
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

void do_peek(struct run* run)
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

void receive_rest(struct run* run)
{
    for (; run->peeked < run->to_peek; run->peeked++) {
        MPI_Status status;
        MPI_Recv(run->buffer, most_bytes, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, run->comms[peek_comm].comm, &status);
        note_message(run, run->buffer, &status);
    }
}

void test_sends(struct run* run, int times)
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

void do_end(struct run* run)
{
    receive_rest(run);
    finish_sends(run);
    MPI_Barrier(MPI_COMM_WORLD);
}

