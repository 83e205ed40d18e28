/* CG, the conjugate gradient kernel of the NAS parallel benchmarks, from its specification (NAS-94-007, 2.3; sizes as in
 * NPB 3).
 *
 * usage: cg [S|W|A|B]        default: class S, or what -DCLASS='"W"' says when it is compiled
 *
 * Estimates the smallest eigenvalue of a random sparse matrix by inverse iteration; each step solves a system with 25
 * steps of the conjugate gradient method. The matrix lies in blocks on a grid of process rows and columns of any shape;
 * rank (i, j) owns the part of each vector where row block i meets column block j. A product gathers the vector down the
 * column, multiplies, and adds the results up along the row. Verifies the official zeta.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLASS
#define CLASS "S"
#endif

#define MAX_NONZER 15
#define CG_STEPS 25
#define RCOND 0.1
#define MODULUS_MASK ((UINT64_C(1) << 46) - 1)
#define MULTIPLIER UINT64_C(1220703125) /* 5^13 */

static const struct problem {
    char name;
    int na, nonzer, niter;
    double shift, zeta;
} problems[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648},
    {'W', 7000, 8, 15, 12, 10.362595087124},
    {'A', 14000, 11, 15, 20, 17.130235054029},
    {'B', 75000, 13, 75, 60, 22.712745482631},
};

static int rank, ranks;
static const struct problem* problem;
static int na, nonzer;

static int dims[2], row_index, column_index;
static MPI_Comm along_row, down_column;
static int row_begin, row_end;       /* the block of the matrix that this rank holds */
static int column_begin, column_end;
static int own_begin, own_end;       /* the part of each vector that this rank owns: rows and columns meet */
static int *row_counts;              /* of owned elements, of each rank along the row */
static int *column_counts, *column_places;

/* The matrix block, rows compressed. */
static struct {
    int *start, *column;
    double* value;
} block;

static double *x, *z, *p, *q, *r;     /* owned parts */
static double *gathered, *partial;    /* a column block and a row block of a vector */

static uint64_t seed;

static double next_random(void)
{
    seed = (seed * MULTIPLIER) & MODULUS_MASK;
    return (double)seed * 0x1p-46;
}

static void* need(size_t count, size_t size)
{
    void* memory = calloc(count != 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "cg: rank %d: no memory for %zu elements\n", rank, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static int cut(int parts, int part)
{
    return (int)((long)na * part / parts);
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

static int overlap(int begin1, int end1, int begin2, int end2)
{
    return max_of(0, min_of(end1, end2) - max_of(begin1, begin2));
}

static void make_grid(void)
{
    MPI_Dims_create(ranks, 2, dims);
    row_index = rank / dims[1];
    column_index = rank % dims[1];
    MPI_Comm_split(MPI_COMM_WORLD, row_index, column_index, &along_row);
    MPI_Comm_split(MPI_COMM_WORLD, column_index, row_index, &down_column);

    row_begin = cut(dims[0], row_index);
    row_end = cut(dims[0], row_index + 1);
    column_begin = cut(dims[1], column_index);
    column_end = cut(dims[1], column_index + 1);
    own_begin = max_of(row_begin, column_begin);
    own_end = max_of(own_begin, min_of(row_end, column_end));

    row_counts = need((size_t)dims[1], sizeof *row_counts);
    for (int j = 0; j < dims[1]; j++)
        row_counts[j] = overlap(row_begin, row_end, cut(dims[1], j), cut(dims[1], j + 1));
    column_counts = need((size_t)dims[0], sizeof *column_counts);
    column_places = need((size_t)dims[0], sizeof *column_places);
    for (int i = 0; i < dims[0]; i++) {
        column_counts[i] = overlap(cut(dims[0], i), cut(dims[0], i + 1), column_begin, column_end);
        column_places[i] = i == 0 ? 0 : column_places[i - 1] + column_counts[i - 1];
    }
}

/* A random sparse vector of `nonzer` elements at different places, and 0.5 at place `outer`. Returns its length. */
static int make_sparse_vector(int outer, int* place, double* value)
{
    int length = 0, power_of_two = 1;

    while (power_of_two < na)
        power_of_two *= 2;
    while (length < nonzer) {
        double element = next_random();
        int at = (int)(power_of_two * next_random()), known = at >= na;
        for (int k = 0; k < length && !known; k++)
            known = place[k] == at;
        if (known)
            continue;
        value[length] = element;
        place[length++] = at;
    }
    for (int k = 0; k < length; k++)
        if (place[k] == outer) {
            value[k] = 0.5;
            return length;
        }
    value[length] = 0.5;
    place[length++] = outer;
    return length;
}

/* An element while the matrix is made; `order` counts those of a row. */
struct entry {
    int column, order;
    double value;
};

static int compare_columns(const void* a, const void* b)
{
    const struct entry *left = a, *right = b;

    return left->column != right->column ? (left->column < right->column ? -1 : 1) : left->order - right->order;
}

/* The matrix is the sum of the outer products of na sparse vectors with weights that fall from 1 to RCOND, plus
 * RCOND - shift on the diagonal. Every rank makes all vectors and keeps what falls into its block. */
static void make_matrix(void)
{
    static int lengths_known; /* 0: count the elements of each row; 1: store them */
    struct entry* entries = NULL;
    int rows = row_end - row_begin;
    int* fill = need((size_t)rows + 1, sizeof *fill);
    uint64_t first_seed = seed;

    block.start = need((size_t)rows + 1, sizeof *block.start);
    for (lengths_known = 0; lengths_known < 2; lengths_known++) {
        double weight = 1, ratio = pow(RCOND, 1.0 / na);
        int place[MAX_NONZER + 1];
        double value[MAX_NONZER + 1];

        seed = first_seed;
        for (int outer = 0; outer < na; outer++, weight *= ratio) {
            int length = make_sparse_vector(outer, place, value);
            for (int a = 0; a < length; a++) {
                int row = place[a] - row_begin;
                if (row < 0 || row >= rows)
                    continue;
                for (int b = 0; b < length; b++) {
                    if (place[b] < column_begin || place[b] >= column_end)
                        continue;
                    if (!lengths_known) {
                        block.start[row + 1]++;
                        continue;
                    }
                    struct entry* e = &entries[block.start[row] + fill[row]];
                    e->column = place[b] - column_begin;
                    e->order = fill[row]++;
                    e->value = weight * value[a] * value[b];
                    if (place[a] == place[b] && place[a] == outer)
                        e->value += RCOND - problem->shift;
                }
            }
        }
        if (!lengths_known) {
            for (int i = 0; i < rows; i++)
                block.start[i + 1] += block.start[i];
            entries = need((size_t)block.start[rows], sizeof *entries);
        }
    }

    /* elements of the same column are added up in the order in which they were made */
    block.column = need((size_t)block.start[rows], sizeof *block.column);
    block.value = need((size_t)block.start[rows], sizeof *block.value);
    int kept = 0;
    for (int i = 0; i < rows; i++) {
        int begin = block.start[i], end = begin + fill[i], first = kept;
        qsort(entries + begin, (size_t)fill[i], sizeof *entries, compare_columns);
        for (int k = begin; k < end; k++) {
            if (kept > first && block.column[kept - 1] == entries[k].column) {
                block.value[kept - 1] += entries[k].value;
            } else {
                block.column[kept] = entries[k].column;
                block.value[kept++] = entries[k].value;
            }
        }
        block.start[i] = first;
    }
    block.start[rows] = kept;
    free(entries);
    free(fill);
}

static double dot(const double* a, const double* b)
{
    double sum = 0;

    for (int i = 0; i < own_end - own_begin; i++)
        sum += a[i] * b[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void multiply(const double* in, double* out)
{
    MPI_Allgatherv((void*)in, own_end - own_begin, MPI_DOUBLE, gathered, column_counts, column_places, MPI_DOUBLE,
                   down_column);
    for (int i = 0; i < row_end - row_begin; i++) {
        double sum = 0;
        for (int k = block.start[i]; k < block.start[i + 1]; k++)
            sum += block.value[k] * gathered[block.column[k]];
        partial[i] = sum;
    }
    MPI_Reduce_scatter(partial, out, row_counts, MPI_DOUBLE, MPI_SUM, along_row);
}

/* z := approximate solution of A z = x; returns |x - A z|. */
static double solve(void)
{
    int own = own_end - own_begin;
    double rho, d, sum = 0;

    for (int i = 0; i < own; i++) {
        z[i] = q[i] = 0;
        p[i] = r[i] = x[i];
    }
    rho = dot(r, r);
    for (int step = 0; step < CG_STEPS; step++) {
        multiply(p, q);
        d = dot(p, q);
        double alpha = rho / d, rho_before = rho;
        for (int i = 0; i < own; i++) {
            z[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        double beta = rho / rho_before;
        for (int i = 0; i < own; i++)
            p[i] = r[i] + beta * p[i];
    }
    multiply(z, r);
    for (int i = 0; i < own; i++)
        sum += (x[i] - r[i]) * (x[i] - r[i]);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sum);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* class_name = argc > 1 ? argv[1] : CLASS;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].name == class_name[0] && class_name[1] == '\0')
            problem = &problems[i];
    if (problem == NULL) {
        if (rank == 0)
            fprintf(stderr, "cg: unknown class '%s'; S, W, A and B are known\n", class_name);
        MPI_Finalize();
        return 2;
    }
    na = problem->na;
    nonzer = problem->nonzer;
    seed = 314159265;
    next_random(); /* the specification throws the first one away */
    make_grid();
    make_matrix();

    int own = own_end - own_begin;
    size_t room = (size_t)own;
    x = need(room, sizeof *x);
    z = need(room, sizeof *z);
    p = need(room, sizeof *p);
    q = need(room, sizeof *q);
    r = need(room, sizeof *r);
    gathered = need((size_t)(column_end - column_begin), sizeof *gathered);
    partial = need((size_t)(row_end - row_begin), sizeof *partial);

    double zeta = 0, residual = 0, start = 0;
    for (int iteration = 0; iteration <= problem->niter; iteration++) {
        if (iteration <= 1) { /* iteration 0 touches all memory, untimed */
            for (int i = 0; i < own; i++)
                x[i] = 1;
            MPI_Barrier(MPI_COMM_WORLD);
            start = MPI_Wtime();
        }
        residual = solve();
        double xz = dot(x, z), scale = 1 / sqrt(dot(z, z));
        zeta = problem->shift + 1 / xz;
        for (int i = 0; i < own; i++)
            x[i] = scale * z[i];
    }
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    int good = fabs(zeta - problem->zeta) / problem->zeta <= 1e-10 && residual < 1e-8;
    if (rank == 0) {
        printf("cg: class %c, %d unknowns on %d x %d ranks\n", problem->name, na, dims[0], dims[1]);
        printf("cg: zeta %.9f, residual below 1e-8: %s\n", zeta, residual < 1e-8 ? "yes" : "no");
        printf("time in seconds: %.6f\n", slowest);
        printf("cg: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Comm_free(&along_row);
    MPI_Comm_free(&down_column);
    MPI_Finalize();
    return good ? 0 : 1;
}
