/* The file of solutions, in the two forms of NAS BTIO. */
#include "bt.h"

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_File file;
static const char* file_name;
static enum form form;
static MPI_Datatype point, in_memory, in_file; /* a point; all cells of this rank, here and in one output */
static long own_points;
static int outputs;
static uint64_t *own_sums, *sums; /* of each output: this rank's share of it, everything */
static int sums_room;

static void check(int error, const char* what)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "bt: rank %d: cannot %s %s: %s\n", rank, what, file_name, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void check_moved(const MPI_Status* status, MPI_Datatype type, int expected, const char* what)
{
    int count;

    MPI_Get_count(status, type, &count);
    if (count != expected) {
        fprintf(stderr, "bt: rank %d: cannot %s %s: %d of %d elements moved\n", rank, what, file_name, count, expected);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static void make_types(void)
{
    MPI_Datatype memory_cells[MAX_Q], file_cells[MAX_Q];
    MPI_Aint addresses[MAX_Q], zeros[MAX_Q] = {0};
    int ones[MAX_Q], whole[3] = {n, n, n}, inside[3] = {1, 1, 1};

    MPI_Type_contiguous(NV, MPI_DOUBLE, &point);
    MPI_Type_commit(&point);
    own_points = 0;
    for (int s = 0; s < q; s++) {
        const struct cell* c = &cells[s];
        int with_border[3], begin[3];
        for (int axis = 0; axis < 3; axis++) {
            with_border[axis] = c->size[axis] + 2;
            begin[axis] = c->first[axis] - 1;
        }
        MPI_Type_create_subarray(3, with_border, c->size, inside, MPI_ORDER_FORTRAN, point, &memory_cells[s]);
        MPI_Type_create_subarray(3, whole, c->size, begin, MPI_ORDER_FORTRAN, point, &file_cells[s]);
        MPI_Get_address(c->u, &addresses[s]);
        ones[s] = 1;
        own_points += (long)c->size[0] * c->size[1] * c->size[2];
    }
    MPI_Type_create_struct(q, ones, addresses, memory_cells, &in_memory);
    MPI_Type_create_struct(q, ones, zeros, file_cells, &in_file); /* cells follow one another in the last axis */
    MPI_Type_commit(&in_memory);
    MPI_Type_commit(&in_file);
    for (int s = 0; s < q; s++) {
        MPI_Type_free(&memory_cells[s]);
        MPI_Type_free(&file_cells[s]);
    }
}

static void open_file(int mode)
{
    check(MPI_File_open(MPI_COMM_WORLD, (char*)file_name, mode, MPI_INFO_NULL, &file), "open");
}

static void set_form_view(void)
{
    if (form == FORM_FULL)
        check(MPI_File_set_view(file, 0, point, in_file, "native", MPI_INFO_NULL), "set the view of");
    else
        check(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL), "set the view of");
}

void output_open(const char* name, enum form wanted)
{
    file_name = name;
    form = wanted;
    make_types();
    open_file(MPI_MODE_CREATE | MPI_MODE_WRONLY);
    check(MPI_File_set_size(file, 0), "empty");
    set_form_view();
}

/* Number of a point (counted from 1 along each axis) in an output. */
static long point_index(int x, int y, int z)
{
    return ((long)(z - 1) * n + (y - 1)) * n + (x - 1);
}

static long output_points(void)
{
    return (long)n * n * n;
}

/* The rows of all cells one by one, as simple BTIO accesses them. */
static void access_rows(int output, int writing)
{
    MPI_Status status;

    for (int s = 0; s < q; s++) {
        const struct cell* c = &cells[s];
        for (int k = 0; k < c->size[2]; k++)
            for (int j = 0; j < c->size[1]; j++) {
                MPI_Offset at = NV * (output * output_points() + point_index(c->first[0], c->first[1] + j, c->first[2] + k));
                double* row = c->u[place(c, 1, j + 1, k + 1)];
                int count = NV * c->size[0];
                if (writing)
                    check(MPI_File_write_at(file, at, row, count, MPI_DOUBLE, &status), "write");
                else
                    check(MPI_File_read_at(file, at, row, count, MPI_DOUBLE, &status), "read");
                check_moved(&status, MPI_DOUBLE, count, writing ? "write" : "read");
            }
    }
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Sums of these over any parts of an output tell whether each value is the same bit for bit, and in its place. */
static uint64_t fingerprint(long index, const double* value)
{
    uint64_t sum = mix((uint64_t)index + 1), bits;

    for (int m = 0; m < NV; m++) {
        memcpy(&bits, &value[m], sizeof bits);
        sum = mix(sum ^ bits);
    }
    return sum;
}

/* Fingerprints of this rank's cells. */
static uint64_t own_sum(void)
{
    uint64_t sum = 0;

    for (int s = 0; s < q; s++) {
        const struct cell* c = &cells[s];
        for (int k = 1; k <= c->size[2]; k++)
            for (int j = 1; j <= c->size[1]; j++)
                for (int i = 1; i <= c->size[0]; i++)
                    sum += fingerprint(point_index(c->first[0] + i - 1, c->first[1] + j - 1, c->first[2] + k - 1),
                                       c->u[place(c, i, j, k)]);
    }
    return sum;
}

void output_write(void)
{
    if (outputs == sums_room) {
        sums_room = 2 * sums_room + 16;
        own_sums = realloc(own_sums, (size_t)sums_room * sizeof *own_sums);
        if (own_sums == NULL) {
            fprintf(stderr, "bt: rank %d: no memory for %d outputs\n", rank, sums_room);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    own_sums[outputs] = own_sum();
    if (form == FORM_FULL) {
        MPI_Status status;
        check(MPI_File_write_at_all(file, (MPI_Offset)outputs * own_points, MPI_BOTTOM, 1, in_memory, &status), "write");
        check_moved(&status, in_memory, 1, "write");
    } else
        access_rows(outputs, 1);
    outputs++;
}

void output_close(void)
{
    check(MPI_File_close(&file), "close");
}

/* Reads each output into u as it was written. */
static int same_cells(void)
{
    int good = 1;

    set_form_view();
    for (int output = 0; output < outputs; output++) {
        for (int s = 0; s < q; s++)
            for (size_t i = 0; i < cells[s].points; i++)
                for (int m = 0; m < NV; m++)
                    cells[s].u[i][m] = -HUGE_VAL; /* so that what is not read shows */
        if (form == FORM_FULL) {
            MPI_Status status;
            check(MPI_File_read_at_all(file, (MPI_Offset)output * own_points, MPI_BOTTOM, 1, in_memory, &status), "read");
            check_moved(&status, in_memory, 1, "read");
        } else
            access_rows(output, 0);
        good = good && own_sum() == own_sums[output];
    }
    return good;
}

/* Reads an equal share of each output, in the order of the file. */
static int same_array(void)
{
    long first = output_points() * rank / ranks, end = output_points() * (rank + 1) / ranks;
    vec* share = need((size_t)(end - first), sizeof(vec));
    uint64_t* found = need((size_t)outputs, sizeof *found);
    int good = 1;

    check(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "set the view of");
    for (int output = 0; output < outputs; output++) {
        MPI_Status status;
        check(MPI_File_read_at(file, (MPI_Offset)sizeof(vec) * (output * output_points() + first), share,
                               (int)(end - first), point, &status),
              "read");
        check_moved(&status, point, (int)(end - first), "read");
        for (long i = first; i < end; i++)
            found[output] += fingerprint(i, share[i - first]);
    }
    MPI_Allreduce(own_sums, sums, outputs, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, found, outputs, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int output = 0; output < outputs; output++)
        good = good && found[output] == sums[output];
    free(found);
    free(share);
    return good;
}

int output_verify(void)
{
    MPI_Offset size;
    int good;

    sums = need((size_t)outputs, sizeof *sums);
    open_file(MPI_MODE_RDONLY);
    check(MPI_File_get_size(file, &size), "ask for the size of");
    good = size == output_bytes();
    if (good) {
        good = same_cells();
        good = same_array() && good;
    }
    output_close();
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return good;
}

long long output_bytes(void)
{
    return (long long)outputs * output_points() * (long long)sizeof(vec);
}

int output_count(void)
{
    return outputs;
}

unsigned long long output_checksum(void)
{
    uint64_t sum = 0;

    for (int output = 0; output < outputs; output++)
        sum = mix(sum ^ sums[output]);
    return sum;
}
