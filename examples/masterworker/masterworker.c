/* Master and workers: rank 0 hands out rows of the Mandelbrot set to whoever is free.
 *
 * usage: masterworker [SIZE [ITERATIONS]]        defaults: 64 x 64 points, 500 iterations
 *
 * Results arrive by MPI_Recv from MPI_ANY_SOURCE with MPI_ANY_TAG (the tag is the row), so which worker does which row is
 * decided by time; the image is not. Verified: symmetric about the real axis, every row came once, and rows that the
 * master computes again itself are the same. Alone, the master does the work.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG_STOP 0 /* tag r + 1 is row r */

static int rank, ranks;
static int size = 64, iterations = 500;
static int* image;        /* size x size, on the master */
static int *row_buffer;
static int *rows_came;
static long steps_done;   /* work of this rank */

static int escape_time(double cx, double cy)
{
    double x = 0, y = 0;
    int k;

    for (k = 0; k < iterations && x * x + y * y <= 4; k++) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    return k;
}

/* Row r and row size - 1 - r mirror each other: cy is computed as an odd multiple of half a point. */
static void compute_row(int row, int* out)
{
    double point = 3.0 / size;

    for (int i = 0; i < size; i++) {
        out[i] = escape_time(-2.25 + (i + 0.5) * point, (2 * row - (size - 1)) * point / 2);
        steps_done += out[i];
    }
}

static void work(void)
{
    MPI_Status status;

    for (;;) {
        int row;
        MPI_Recv(&row, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        compute_row(row, row_buffer);
        MPI_Send(row_buffer, size, MPI_INT, 0, row + 1, MPI_COMM_WORLD);
    }
}

static int rows_handed_out;

static void hand_out(int worker)
{
    if (rows_handed_out < size) {
        int row = rows_handed_out++;
        MPI_Send(&row, 1, MPI_INT, worker, row + 1, MPI_COMM_WORLD);
    } else {
        MPI_Send(NULL, 0, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
    }
}

static void lead(void)
{
    int busy = 0;

    for (int worker = 1; worker < ranks; worker++) {
        busy += rows_handed_out < size;
        hand_out(worker);
    }
    while (busy > 0) {
        MPI_Status status;
        int count, row;

        MPI_Recv(row_buffer, size, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        row = status.MPI_TAG - 1;
        if (count == size && row >= 0 && row < size) {
            memcpy(image + (size_t)row * (size_t)size, row_buffer, (size_t)size * sizeof *image);
            rows_came[row]++;
        }
        busy -= rows_handed_out == size;
        hand_out(status.MPI_SOURCE);
    }
    for (int row = 0; ranks == 1 && row < size; row++) {
        compute_row(row, image + (size_t)row * (size_t)size);
        rows_came[row]++;
    }
}

static int verify(void)
{
    int faults = 0;

    for (int row = 0; row < size; row++) {
        const int *a = image + (size_t)row * (size_t)size, *b = image + (size_t)(size - 1 - row) * (size_t)size;
        faults += rows_came[row] != 1;
        faults += memcmp(a, b, (size_t)size * sizeof *a) != 0;
        if (row % 16 == 3) {
            compute_row(row, row_buffer);
            faults += memcmp(a, row_buffer, (size_t)size * sizeof *a) != 0;
        }
    }
    return faults;
}

int main(int argc, char** argv)
{
    int faults = 0;
    long total = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        size = atoi(argv[1]);
    if (argc > 2)
        iterations = atoi(argv[2]);
    if (size < 1 || iterations < 1 || size > 32000) {
        if (rank == 0)
            fprintf(stderr, "usage: masterworker [SIZE [ITERATIONS]]   SIZE from 1 to 32000, ITERATIONS at least 1\n");
        MPI_Finalize();
        return 2;
    }
    row_buffer = malloc((size_t)size * sizeof *row_buffer);
    if (rank == 0) {
        image = calloc((size_t)size * (size_t)size, sizeof *image);
        rows_came = calloc((size_t)size, sizeof *rows_came);
    }

    double start = MPI_Wtime();
    if (rank == 0)
        lead();
    else
        work();
    double elapsed = MPI_Wtime() - start;

    MPI_Reduce(&steps_done, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        unsigned long long checksum = 0;
        faults = verify();
        for (long i = 0; i < (long)size * size; i++)
            checksum = checksum * 1000003u + (unsigned)image[i];
        printf("masterworker: %d x %d points, %ld iterations in all, checksum %016llx\n", size, size, total, checksum);
        printf("time in seconds: %.6f\n", elapsed);
        printf("masterworker: %s\n", faults == 0 ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Bcast(&faults, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(image);
    free(rows_came);
    free(row_buffer);
    MPI_Finalize();
    return faults == 0 ? 0 : 1;
}
