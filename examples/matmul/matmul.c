/* Matmul: out-of-core matrix multiplication C = A B, as in the SESAME report (AFRL-IF-RS-TR-2000-120, section 8.2.5).
 *
 * usage: matmul [N] [staggered|same|collective] [PREFIX]      in any order; defaults: N = 32, staggered, files matmul-a.dat,
 *                                                             -b.dat, -c.dat
 *
 * The matrices are N x N doubles in three files, row by row. Every rank has some rows of A and C. For each of its rows it
 * reads the row of A at once and then every column of B, element by element: N operations for a column, N^3 in all, against N
 * on A. Patterns of reading B: `staggered`: ranks begin at different columns, so that some find in caches what others have
 * read; `same`: all begin at column 0; `collective`: the same by collective reads, so that a column can be read once for all
 * ranks (and is read again for their next rows).
 *
 * The program makes A and B first, of small integers, so that C is exact. Verified: C is read back, and C x = A (B x) for
 * some x.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS 3

enum pattern { STAGGERED, SAME, COLLECTIVE, PATTERNS };

static const char* pattern_names[PATTERNS] = {"staggered", "same", "collective"};

static int rank, ranks;
static int n = 32;
static enum pattern pattern = STAGGERED;
static const char* prefix = "matmul";
static int row0, rows; /* of A and C on this rank */
static MPI_File a, b, c;
static long columns_read;
static double reading, multiplying;

static void check(int error, const char* what, const char* matrix)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "matmul: rank %d cannot %s matrix %s: %s\n", rank, what, matrix, text);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void check_moved(const MPI_Status* status, int expected, const char* matrix)
{
    int count;

    MPI_Get_count(status, MPI_DOUBLE, &count);
    if (count != expected) {
        fprintf(stderr, "matmul: rank %d: only %d of %d elements of matrix %s moved\n", rank, count, expected, matrix);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static double* need(int count)
{
    double* memory = calloc(count > 0 ? (size_t)count : 1, sizeof *memory);

    if (memory == NULL) {
        fprintf(stderr, "matmul: rank %d: no memory for %d elements\n", rank, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static double element_of_a(int i, int j)
{
    return (7 * i + 3 * j + i * j) % 11 - 5;
}

static double element_of_b(int i, int j)
{
    return (5 * i + 2 * j + i * j) % 13 - 6;
}

static MPI_File open_matrix(const char* matrix)
{
    char name[1024];
    MPI_File file;

    snprintf(name, sizeof name, "%s-%s.dat", prefix, matrix);
    check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "open", matrix);
    check(MPI_File_set_size(file, 0), "empty", matrix);
    check(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL), "set the view of", matrix);
    return file;
}

/* Each rank writes its rows. */
static void make_matrix(MPI_File file, const char* matrix, double (*element)(int, int))
{
    double* block = need(rows * n);
    MPI_Status status;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            block[i * n + j] = element(row0 + i, j);
    check(MPI_File_write_at_all(file, (MPI_Offset)row0 * n, block, rows * n, MPI_DOUBLE, &status), "write", matrix);
    check_moved(&status, rows * n, matrix);
    check(MPI_File_sync(file), "write", matrix);
    free(block);
}

/* Shows B by columns: element N j + i of the view is that of row i and column j. */
static void view_columns(void)
{
    MPI_Datatype elements, column;

    MPI_Type_vector(n, 1, n, MPI_DOUBLE, &elements);
    MPI_Type_create_resized(elements, 0, sizeof(double), &column); /* the next column begins one element further */
    MPI_Type_commit(&column);
    check(MPI_File_set_view(b, 0, MPI_DOUBLE, column, "native", MPI_INFO_NULL), "set the view of", "b");
    MPI_Type_free(&column);
    MPI_Type_free(&elements);
}

/* `count` is N, or 0 for a rank that has no row left and only takes part. */
static void read_column(int j, double* column, int count)
{
    MPI_Status status;
    double start = MPI_Wtime();

    if (pattern == COLLECTIVE)
        check(MPI_File_read_at_all(b, (MPI_Offset)j * n, column, count, MPI_DOUBLE, &status), "read", "b");
    else
        check(MPI_File_read_at(b, (MPI_Offset)j * n, column, count, MPI_DOUBLE, &status), "read", "b");
    check_moved(&status, count, "b");
    columns_read += count > 0;
    reading += MPI_Wtime() - start;
}

static void multiply(void)
{
    double *row = need(n), *column = need(n), *result = need(n);
    int turns = (n + ranks - 1) / ranks, first = pattern == STAGGERED ? (int)((long)n * rank / ranks) : 0;
    MPI_Status status;

    for (int turn = 0; turn < turns; turn++) { /* ranks have `turns` rows, or one less */
        int has_row = turn < rows;
        if (!has_row && pattern != COLLECTIVE)
            break;
        if (has_row) {
            check(MPI_File_read_at(a, (MPI_Offset)(row0 + turn) * n, row, n, MPI_DOUBLE, &status), "read", "a");
            check_moved(&status, n, "a");
        }
        for (int k = 0; k < n; k++) {
            int j = (first + k) % n;
            double sum = 0;
            read_column(j, column, has_row ? n : 0);
            if (!has_row)
                continue;
            for (int i = 0; i < n; i++)
                sum += row[i] * column[i];
            result[j] = sum;
        }
        if (has_row) {
            check(MPI_File_write_at(c, (MPI_Offset)(row0 + turn) * n, result, n, MPI_DOUBLE, &status), "write", "c");
            check_moved(&status, n, "c");
        }
    }
    free(row);
    free(column);
    free(result);
}

/* The number of rows of C on this rank that are wrong. */
static int wrong_rows(void)
{
    double *block = need(rows * n), *x = need(n), *bx = need(n);
    MPI_Status status;
    int wrong = 0;

    check(MPI_File_read_at_all(c, (MPI_Offset)row0 * n, block, rows * n, MPI_DOUBLE, &status), "read", "c");
    check_moved(&status, rows * n, "c");
    for (int v = 0; v < VECTORS; v++) {
        for (int j = 0; j < n; j++)
            x[j] = (j * (17 + v) + j * j) % 31 - 15; /* all sums stay exact integers */
        for (int i = 0; i < n; i++) {
            bx[i] = 0;
            for (int j = 0; j < n; j++)
                bx[i] += element_of_b(i, j) * x[j];
        }
        for (int i = 0; i < rows; i++) {
            double expected = 0, found = 0;
            for (int j = 0; j < n; j++) {
                expected += element_of_a(row0 + i, j) * bx[j];
                found += block[i * n + j] * x[j];
            }
            wrong += found != expected;
        }
    }
    free(block);
    free(x);
    free(bx);
    return wrong;
}

static void understand(char* argument)
{
    char* end;
    long number = strtol(argument, &end, 10);

    if (end != argument && *end == '\0') {
        n = number > 0 && number <= 4096 ? (int)number : 0;
        return;
    }
    for (int i = 0; i < PATTERNS; i++)
        if (strcmp(argument, pattern_names[i]) == 0) {
            pattern = (enum pattern)i;
            return;
        }
    prefix = argument;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < argc; i++)
        understand(argv[i]);
    if (n < 1 || n > 4096 || argc > 4) {
        if (rank == 0)
            fprintf(stderr, "usage: matmul [N] [staggered|same|collective] [PREFIX]   with N up to 4096\n");
        MPI_Finalize();
        return 2;
    }
    row0 = (int)((long)n * rank / ranks);
    rows = (int)((long)n * (rank + 1) / ranks) - row0;
    a = open_matrix("a");
    b = open_matrix("b");
    c = open_matrix("c");
    make_matrix(a, "a", element_of_a);
    make_matrix(b, "b", element_of_b);
    view_columns();

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    multiply();
    multiplying = MPI_Wtime() - start;
    check(MPI_File_sync(c), "write", "c");

    int wrong = wrong_rows(), all_wrong;
    long all_columns;
    double times[2] = {multiplying, reading}, slowest[2];
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&columns_read, &all_columns, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(times, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    check(MPI_File_close(&a), "close", "a");
    check(MPI_File_close(&b), "close", "b");
    check(MPI_File_close(&c), "close", "c");
    MPI_Bcast(&all_wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("matmul: %d x %d elements, %s, %d rows and %ld columns read\n", n, n, pattern_names[pattern], n, all_columns);
        printf("time in seconds: %.6f, of reading columns %.6f\n", slowest[0], slowest[1]);
        printf("matmul: %s\n", all_wrong == 0 ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
