/* BT: block-tridiagonal systems along the three axes by a multi-partition, as in the BT application of the NAS parallel
 * benchmarks, on an own model problem.
 *
 * usage: bt [S|W|A [STEPS [simple|full [FILE [unread]]]]]
 *                                  default: class S, or what -DCLASS='"W"' says when it is compiled; 40 steps; no file
 *                                  the number of ranks is a square
 *
 * With q x q ranks the cube is cut into q x q x q cells, of which every rank holds q on a diagonal: one in each slab of each
 * axis, so that all work at any time of a sweep. Each step exchanges the faces of all cells (six MPI_Irecv, six
 * MPI_Isend, MPI_Waitall, every source named) and solves block-tridiagonal systems along x, y and z, passing eliminated
 * rows on from cell to cell and the solution back.
 *
 * The equation is u_t = L u + f with L the sum of L_x, L_y and L_z, each a diffusion with drift that couples five unknowns.
 * f is -L applied to a known field, which is therefore the steady state. Verified: the last step's systems are solved
 * exactly (the factors applied to the solution give the right-hand side back) and the error falls.
 *
 * With `simple` or `full` it writes the solution every 5 steps to FILE (default: solution.bt), as NAS BTIO does, and in the
 * end reads it back and verifies every point; with `unread` it does not, so that the run's I/O is that of the outputs alone.
 */
#include "bt.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLASS
#define CLASS "S"
#endif

#define DEFAULT_STEPS 40

enum side { LOW, HIGH };

/* Tags: 10 for faces and their axis and side, 20 for elimination along an axis, 30 for substitution. */
#define TAG_FACE(axis, side) (10 + 2 * (axis) + (side))
#define TAG_FORWARD(axis) (20 + (axis))
#define TAG_BACKWARD(axis) (30 + (axis))

static const struct problem {
    char name;
    int n;
    double dt;
} problems[] = {{'S', 12, 0.008}, {'W', 24, 0.004}, {'A', 64, 0.004}};

int rank, ranks, q, n;
struct cell cells[MAX_Q];

static int steps = DEFAULT_STEPS;
static double dt, h;
static int my_i, my_j;
static int successor[3], predecessor[3]; /* along each axis, the same for all cells of a rank */

static block drift[3]; /* constant part of the coupling */
static double *faces_out[3][2], *faces_in[3][2];
static int face_doubles[3][2]; /* what lies beyond a side is as large as what is sent there */
static double *line_out, *line_in, *back_out, *back_in;

void* need(size_t count, size_t size)
{
    void* memory = calloc(count != 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "bt: rank %d: no memory for %zu elements\n", rank, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static void exact(const int p[3], vec value)
{
    double x = p[0] * h, y = p[1] * h, z = p[2] * h;

    value[0] = 2 + x * y + 0.5 * z * z;
    value[1] = sin(2 * x + y) + z;
    value[2] = 1 + x * x * y - 0.3 * z * x;
    value[3] = cos(x + 2 * z) - y * y;
    value[4] = 5 + 0.5 * (value[0] * value[0] + value[1] * value[1]) + x * y * z;
}

static int slab_begin(int slab)
{
    return n * slab / q + 1;
}

size_t place(const struct cell* c, int i, int j, int k)
{
    return (size_t)i * c->stride[0] + (size_t)j * c->stride[1] + (size_t)k * c->stride[2];
}

static int rank_of(int i, int j)
{
    return (i + q) % q + (j + q) % q * q;
}

/* Cell c of rank (i, j) is the one at (i + c, j + c, c): its neighbour along x belongs to (i + 1, j), along y to
 * (i, j + 1), and along z to (i - 1, j - 1). */
static void make_cells(void)
{
    size_t line_room = 0;

    my_i = rank % q;
    my_j = rank / q;
    successor[0] = rank_of(my_i + 1, my_j);
    successor[1] = rank_of(my_i, my_j + 1);
    successor[2] = rank_of(my_i - 1, my_j - 1);
    predecessor[0] = rank_of(my_i - 1, my_j);
    predecessor[1] = rank_of(my_i, my_j - 1);
    predecessor[2] = rank_of(my_i + 1, my_j + 1);
    for (int s = 0; s < q; s++) {
        struct cell* c = &cells[s];
        c->slab[0] = (my_i + s) % q;
        c->slab[1] = (my_j + s) % q;
        c->slab[2] = s;
        c->points = 1;
        for (int axis = 0; axis < 3; axis++) {
            c->first[axis] = slab_begin(c->slab[axis]);
            c->size[axis] = slab_begin(c->slab[axis] + 1) - c->first[axis];
            c->stride[axis] = c->points;
            c->points *= (size_t)c->size[axis] + 2;
        }
        c->u = need(c->points, sizeof(vec));
        c->f = need(c->points, sizeof(vec));
        c->rhs = need(c->points, sizeof(vec));
        c->work = need(c->points, sizeof(vec));
        c->rows = need(c->points, sizeof(row_state));
        for (int axis = 0; axis < 3; axis++) {
            size_t lines = (size_t)c->size[(axis + 1) % 3] * (size_t)c->size[(axis + 2) % 3];
            if (lines > line_room)
                line_room = lines;
        }
    }
    for (int axis = 0; axis < 3; axis++)
        for (int side = LOW; side <= HIGH; side++) {
            int count = 0;
            for (int s = 0; s < q; s++) {
                const struct cell* c = &cells[s];
                if (c->slab[axis] != (side == LOW ? 0 : q - 1))
                    count += NV * c->size[(axis + 1) % 3] * c->size[(axis + 2) % 3];
            }
            face_doubles[axis][side] = count;
            faces_in[axis][side] = need((size_t)count, sizeof(double));
            faces_out[axis][side] = need((size_t)count, sizeof(double));
        }
    line_out = need(line_room, sizeof(row_state));
    line_in = need(line_room, sizeof(row_state));
    back_out = need(line_room, sizeof(vec));
    back_in = need(line_room, sizeof(vec));
}

static void make_drift(void)
{
    for (int axis = 0; axis < 3; axis++)
        for (int a = 0; a < NV; a++)
            for (int b = 0; b < NV; b++)
                drift[axis][a][b] = a == b ? 0.5 + 0.1 * axis : 0.2 * ((2 * a + b + axis) % 3 - 1);
}

/* L_axis at a point: blocks for the point before, the point itself and the point after. */
static void stencil(int axis, const int p[3], block before, block here, block after)
{
    double diffusion = 1 / (h * h), half = 0.5 / h, factor = 1 + 0.1 * ((p[0] + p[1] + p[2]) % 3);

    for (int a = 0; a < NV; a++)
        for (int b = 0; b < NV; b++) {
            double slope = half * factor * drift[axis][a][b];
            before[a][b] = (a == b ? diffusion : 0) - slope;
            here[a][b] = a == b ? -2 * diffusion : 0;
            after[a][b] = (a == b ? diffusion : 0) + slope;
        }
}

static void add_product(vec out, double factor, block m, const vec x)
{
    for (int a = 0; a < NV; a++) {
        double sum = 0;
        for (int b = 0; b < NV; b++)
            sum += m[a][b] * x[b];
        out[a] += factor * sum;
    }
}

/* out := out + factor * L_axis in, at a point; in: the values before, at and after it */
static void add_stencil(int axis, const int p[3], double factor, const vec before, const vec here, const vec after, vec out)
{
    block b, m, a;

    stencil(axis, p, b, m, a);
    add_product(out, factor, b, before);
    add_product(out, factor, m, here);
    add_product(out, factor, a, after);
}

/* Calls `visit` for every point of every cell. */
static void for_points(void (*visit)(struct cell*, size_t at, const int p[3]))
{
    for (int s = 0; s < q; s++) {
        struct cell* c = &cells[s];
        for (int k = 1; k <= c->size[2]; k++)
            for (int j = 1; j <= c->size[1]; j++)
                for (int i = 1; i <= c->size[0]; i++) {
                    int p[3] = {c->first[0] + i - 1, c->first[1] + j - 1, c->first[2] + k - 1};
                    visit(c, place(c, i, j, k), p);
                }
    }
}

static void start_point(struct cell* c, size_t at, const int p[3])
{
    vec here, before, after;

    exact(p, here);
    memset(c->f[at], 0, sizeof(vec));
    for (int axis = 0; axis < 3; axis++) {
        int low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]};
        low[axis]--;
        high[axis]++;
        exact(low, before);
        exact(high, after);
        add_stencil(axis, p, -1, before, here, after, c->f[at]);
        if (low[axis] == 0)
            memcpy(c->u[at - c->stride[axis]], before, sizeof(vec));
        if (high[axis] == n + 1)
            memcpy(c->u[at + c->stride[axis]], after, sizeof(vec));
    }
    for (int m = 0; m < NV; m++)
        c->u[at][m] = here[m] + sin(p[0] * h * 3.14159265358979) * p[1] * h * (1 - p[1] * h) * p[2] * h * (1 - p[2] * h) * (m + 1);
}

/* Right-hand side of a step: dt (L u + f) */
static void right_hand_side(struct cell* c, size_t at, const int p[3])
{
    double* out = c->rhs[at];

    memcpy(out, c->f[at], sizeof(vec));
    for (int axis = 0; axis < 3; axis++)
        add_stencil(axis, p, 1, c->u[at - c->stride[axis]], c->u[at], c->u[at + c->stride[axis]], out);
    for (int m = 0; m < NV; m++) {
        out[m] *= dt;
        c->work[at][m] = out[m];
    }
}

/* Copies the faces of all cells on one side between the border (or the edge, when they go out) and a message. */
static void copy_faces(vec* (*field)(struct cell*), int axis, enum side side, double* message, int out)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;

    for (int s = 0; s < q; s++) {
        struct cell* c = &cells[s]; /* the neighbour's cells follow one another in the same order */
        if (c->slab[axis] == (side == LOW ? 0 : q - 1))
            continue;
        int edge = side == LOW ? out : c->size[axis] + !out;
        for (int j = 1; j <= c->size[b]; j++)
            for (int i = 1; i <= c->size[a]; i++) {
                double* at = field(c)[(size_t)edge * c->stride[axis] + (size_t)i * c->stride[a] + (size_t)j * c->stride[b]];
                if (out)
                    memcpy(message, at, sizeof(vec));
                else
                    memcpy(at, message, sizeof(vec));
                message += NV;
            }
    }
}

static vec* field_u(struct cell* c)
{
    return c->u;
}

static vec* field_work(struct cell* c)
{
    return c->work;
}

/* Fills the borders of all cells of this rank along the axes from `first` to `last`. */
static void exchange_faces(vec* (*field)(struct cell*), int first, int last)
{
    MPI_Request requests[12];
    int pending = 0;

    if (q == 1)
        return;
    for (int axis = first; axis <= last; axis++) {
        MPI_Irecv(faces_in[axis][LOW], face_doubles[axis][LOW], MPI_DOUBLE, predecessor[axis], TAG_FACE(axis, HIGH),
                  MPI_COMM_WORLD, &requests[pending++]);
        MPI_Irecv(faces_in[axis][HIGH], face_doubles[axis][HIGH], MPI_DOUBLE, successor[axis], TAG_FACE(axis, LOW),
                  MPI_COMM_WORLD, &requests[pending++]);
    }
    for (int axis = first; axis <= last; axis++)
        for (int side = LOW; side <= HIGH; side++) {
            copy_faces(field, axis, side, faces_out[axis][side], 1);
            MPI_Isend(faces_out[axis][side], face_doubles[axis][side], MPI_DOUBLE,
                      side == LOW ? predecessor[axis] : successor[axis], TAG_FACE(axis, side), MPI_COMM_WORLD,
                      &requests[pending++]);
        }
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    for (int axis = first; axis <= last; axis++)
        for (int side = LOW; side <= HIGH; side++)
            copy_faces(field, axis, side, faces_in[axis][side], 0);
}

/* state := what is left of a point after the point before it has been eliminated; `previous` is NULL at the border. */
static void eliminate(int axis, const int p[3], const row_state* previous, const vec right, row_state* state)
{
    block lower, here, upper;

    stencil(axis, p, lower, here, upper);
    memcpy(state->right, right, sizeof(vec));
    for (int a = 0; a < NV; a++)
        for (int b = 0; b < NV; b++) {
            lower[a][b] *= -dt;
            here[a][b] = (a == b) - dt * here[a][b];
            state->upper[a][b] = -dt * upper[a][b];
        }
    if (previous != NULL)
        for (int a = 0; a < NV; a++)
            for (int b = 0; b < NV; b++) {
                for (int c = 0; c < NV; c++)
                    here[a][c] -= lower[a][b] * previous->upper[b][c];
                state->right[a] -= lower[a][b] * previous->right[b];
            }
    /* Gauss-Jordan; the blocks are diagonally dominant */
    for (int a = 0; a < NV; a++) {
        double pivot = 1 / here[a][a];
        for (int b = 0; b < NV; b++) {
            here[a][b] *= pivot;
            state->upper[a][b] *= pivot;
        }
        state->right[a] *= pivot;
        for (int r = 0; r < NV; r++) {
            double factor = here[r][a];
            if (r == a)
                continue;
            for (int b = 0; b < NV; b++) {
                here[r][b] -= factor * here[a][b];
                state->upper[r][b] -= factor * state->upper[a][b];
            }
            state->right[r] -= factor * state->right[a];
        }
    }
}

static void eliminate_cell(struct cell* c, int axis, const row_state* from_before, row_state* to_next)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3, i[3];
    size_t line = 0;

    for (i[b] = 1; i[b] <= c->size[b]; i[b]++)
        for (i[a] = 1; i[a] <= c->size[a]; i[a]++, line++) {
            const row_state* previous = from_before == NULL ? NULL : &from_before[line];
            for (i[axis] = 1; i[axis] <= c->size[axis]; i[axis]++) {
                size_t at = place(c, i[0], i[1], i[2]);
                int p[3] = {c->first[0] + i[0] - 1, c->first[1] + i[1] - 1, c->first[2] + i[2] - 1};
                eliminate(axis, p, previous, c->work[at], &c->rows[at]);
                previous = &c->rows[at];
            }
            to_next[line] = *previous;
        }
}

static void substitute_cell(struct cell* c, int axis, const vec* from_next, vec* to_before)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3, i[3];
    size_t line = 0;

    for (i[b] = 1; i[b] <= c->size[b]; i[b]++)
        for (i[a] = 1; i[a] <= c->size[a]; i[a]++, line++) {
            const double* next = from_next == NULL ? NULL : from_next[line];
            for (i[axis] = c->size[axis]; i[axis] >= 1; i[axis]--) {
                size_t at = place(c, i[0], i[1], i[2]);
                memcpy(c->work[at], c->rows[at].right, sizeof(vec));
                if (next != NULL)
                    add_product(c->work[at], -1, c->rows[at].upper, next);
                next = c->work[at];
            }
            memcpy(to_before[line], next, sizeof(vec));
        }
}

static struct cell* cell_in_slab(int axis, int slab)
{
    for (int s = 0; s < q; s++)
        if (cells[s].slab[axis] == slab)
            return &cells[s];
    return NULL;
}

/* work := (1 - dt L_axis)^-1 work */
static void solve_axis(int axis)
{
    MPI_Request sending = MPI_REQUEST_NULL, receiving;
    const int state_doubles = sizeof(row_state) / sizeof(double);

    for (int slab = 0; slab < q; slab++) {
        struct cell* c = cell_in_slab(axis, slab);
        int lines = c->size[(axis + 1) % 3] * c->size[(axis + 2) % 3];
        if (slab > 0) {
            MPI_Irecv(line_in, lines * state_doubles, MPI_DOUBLE, predecessor[axis], TAG_FORWARD(axis), MPI_COMM_WORLD,
                      &receiving);
            MPI_Wait(&receiving, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        eliminate_cell(c, axis, slab > 0 ? (const row_state*)line_in : NULL, (row_state*)line_out);
        if (slab < q - 1)
            MPI_Isend(line_out, lines * state_doubles, MPI_DOUBLE, successor[axis], TAG_FORWARD(axis), MPI_COMM_WORLD,
                      &sending);
    }
    for (int slab = q - 1; slab >= 0; slab--) {
        struct cell* c = cell_in_slab(axis, slab);
        int lines = c->size[(axis + 1) % 3] * c->size[(axis + 2) % 3];
        if (slab < q - 1) {
            MPI_Irecv(back_in, lines * NV, MPI_DOUBLE, successor[axis], TAG_BACKWARD(axis), MPI_COMM_WORLD, &receiving);
            MPI_Wait(&receiving, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        substitute_cell(c, axis, slab < q - 1 ? (const vec*)back_in : NULL, (vec*)back_out);
        if (slab > 0)
            MPI_Isend(back_out, lines * NV, MPI_DOUBLE, predecessor[axis], TAG_BACKWARD(axis), MPI_COMM_WORLD, &sending);
    }
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
}

static void add_change(struct cell* c, size_t at, const int p[3])
{
    (void)p;
    for (int m = 0; m < NV; m++)
        c->u[at][m] += c->work[at][m];
}

static int applied_axis;

static void apply_factor(struct cell* c, size_t at, const int p[3])
{
    /* into the place of an eliminated row, which is not needed any more: neighbours still read `work` */
    double* out = c->rows[at].right;

    memcpy(out, c->work[at], sizeof(vec));
    add_stencil(applied_axis, p, -dt, c->work[at - c->stride[applied_axis]], c->work[at],
                c->work[at + c->stride[applied_axis]], out);
}

static void take_applied(struct cell* c, size_t at, const int p[3])
{
    (void)p;
    memcpy(c->work[at], c->rows[at].right, sizeof(vec));
}

static double largest_difference, largest_value;

static void compare_with_rhs(struct cell* c, size_t at, const int p[3])
{
    (void)p;
    for (int m = 0; m < NV; m++) {
        largest_difference = fmax(largest_difference, fabs(c->work[at][m] - c->rhs[at][m]));
        largest_value = fmax(largest_value, fabs(c->rhs[at][m]));
    }
}

/* Applies the factors to the change of the last step; returns by how much the result misses the right-hand side. */
static double check_last_solution(void)
{
    double both[2];

    for (applied_axis = 2; applied_axis >= 0; applied_axis--) {
        exchange_faces(field_work, applied_axis, applied_axis);
        for_points(apply_factor);
        for_points(take_applied);
    }
    for_points(compare_with_rhs);
    both[0] = largest_difference;
    both[1] = largest_value;
    MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return both[0] / both[1];
}

static vec error_sum;

static void add_error(struct cell* c, size_t at, const int p[3])
{
    vec right;

    exact(p, right);
    for (int m = 0; m < NV; m++)
        error_sum[m] += (c->u[at][m] - right[m]) * (c->u[at][m] - right[m]);
}

static void error_norms(vec norms)
{
    memset(error_sum, 0, sizeof error_sum);
    for_points(add_error);
    MPI_Allreduce(error_sum, norms, NV, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int m = 0; m < NV; m++)
        norms[m] = sqrt(norms[m] / n / n / n);
}

int main(int argc, char** argv)
{
    vec before, after;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* class_name = argc > 1 ? argv[1] : CLASS;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].name == class_name[0] && class_name[1] == '\0') {
            n = problems[i].n;
            dt = problems[i].dt;
        }
    if (argc > 2)
        steps = atoi(argv[2]);
    enum form form = argc > 3 && strcmp(argv[3], "simple") == 0 ? FORM_SIMPLE
                     : argc > 3 && strcmp(argv[3], "full") == 0 ? FORM_FULL
                                                                : FORM_NONE;
    const char* file = argc > 4 ? argv[4] : "solution.bt";
    int unread = argc > 5 && strcmp(argv[5], "unread") == 0;
    while (q * q < ranks)
        q++;
    if (n == 0 || steps < 1 || q * q != ranks || q > MAX_Q || q > n || (argc > 3 && form == FORM_NONE) ||
        (argc > 5 && !unread)) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: bt [S|W|A [STEPS [simple|full [FILE [unread]]]]]   on a square number of ranks, up to %d for "
                    "this class\n",
                    n < MAX_Q ? n * n : MAX_Q * MAX_Q);
        MPI_Finalize();
        return 2;
    }
    h = 1.0 / (n + 1);
    make_cells();
    make_drift();
    for_points(start_point);
    error_norms(before);
    if (form != FORM_NONE)
        output_open(file, form);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), output = 0, of_output;
    for (int step = 0; step < steps; step++) {
        exchange_faces(field_u, 0, 2);
        for_points(right_hand_side);
        for (int axis = 0; axis < 3; axis++)
            solve_axis(axis);
        for_points(add_change);
        if (form != FORM_NONE && (step + 1) % OUTPUT_INTERVAL == 0) {
            double before_output = MPI_Wtime();
            output_write();
            output += MPI_Wtime() - before_output;
        }
    }
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&output, &of_output, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (form != FORM_NONE)
        output_close();

    error_norms(after);
    double missed = check_last_solution();
    int good = missed <= 1e-10;
    for (int m = 0; m < NV; m++)
        good = good && after[m] <= before[m] * fmax(pow(0.95, steps), 1e-10);
    int same = form == FORM_NONE || unread || output_verify();
    good = good && same;
    if (rank == 0) {
        printf("bt: %d^3 points of %d unknowns on %d x %d ranks, %d steps\n", n, NV, q, q, steps);
        for (int m = 0; m < NV; m++)
            printf("bt: unknown %d: error %.8e at first, %.6e at the end\n", m + 1, before[m], after[m]);
        printf("bt: the last systems are solved to %s\n", missed <= 1e-10 ? "better than 1e-10" : "worse than 1e-10");
        if (form != FORM_NONE)
            printf("bt: %d outputs in %s form, %lld bytes in %s\n", output_count(), form == FORM_FULL ? "full" : "simple",
                   output_bytes(), file);
        if (form != FORM_NONE && !unread)
            printf("bt: read back %s, checksum %016llx\n", same ? "unchanged" : "WRONG", output_checksum());
        printf("time in seconds: %.6f, of output %.6f\n", slowest, of_output);
        printf("bt: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
