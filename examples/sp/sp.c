/* SP: scalar penta-diagonal systems along the three axes by a multi-partition, as in the SP application of the NAS parallel
 * benchmarks, on an own model problem.
 *
 * usage: sp [S|W|A [STEPS]]        default: class S, 40 steps; the number of ranks is a square
 *
 * The cube is cut as for BT: with q x q ranks into q x q x q cells, of which every rank holds q on a diagonal. Each step
 * exchanges the faces of all cells, two points deep (every source named, MPI_Waitall), and solves penta-diagonal systems
 * along x, y and z. Unknowns 1 to 3 share a matrix, 4 and 5 have one each, so that 22 doubles a line go on from cell to cell
 * in the elimination and 10 in the substitution: messages of BT's size, with far less work between them.
 *
 * The equation is u_t = L u + f with L the sum of L_x, L_y and L_z, each a diffusion with drift and a damping by fourth
 * differences, apart for each unknown. f is -L applied to a known field, which is therefore the steady state. Verified: the
 * last step's systems are solved exactly (the factors applied to the solution give the right-hand side back) and the error
 * falls.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWNS 5
#define MATRICES 3 /* of unknowns 1 to 3, of 4, of 5 */
#define DEPTH 2    /* of borders */
#define MAX_Q 16
#define FORWARD (DEPTH * (2 * MATRICES + UNKNOWNS)) /* doubles of a line that go on */
#define BACKWARD (DEPTH * UNKNOWNS)

#define FACE_TAG(axis, up) (100 + 2 * (axis) + (up))
#define ELIMINATION_TAG 200
#define SUBSTITUTION_TAG 300

#define PI 3.14159265358979323846

/* Runs over the inner points of a cell, the first axis fastest. */
#define FOR_INNER(cell, at)                                               \
    for (int k_ = 0; k_ < (cell)->extent[2]; k_++)                        \
        for (int j_ = 0; j_ < (cell)->extent[1]; j_++)                    \
            for (int i_ = 0, at = inner((cell), i_, j_, k_); i_ < (cell)->extent[0]; i_++, at++)

typedef struct cell {
    int at[3];     /* which cell of the cube */
    int origin[3]; /* its first point; points of the cube are counted from 0 */
    int extent[3], step[3];
    int points; /* with borders */
    double *u[UNKNOWNS], *f[UNKNOWNS], *rhs[UNKNOWNS], *change[UNKNOWNS];
    double *upper[MATRICES][2]; /* what elimination leaves: x + upper0 x' + upper1 x'' = change */
} cell_t;

static cell_t mine[MAX_Q];
static int me, everyone, q, points = 12;
static double dt = 0.01, spacing;
static int next_rank[3], previous_rank[3];
static double* buffer[2][3][2]; /* by direction (out, in), axis, side */
static double *send_line, *receive_line;
static double scratch_norm[UNKNOWNS];

static const double drift[3][UNKNOWNS] = {{0.4, 0.4, 0.4, 1.1, -0.7}, {-0.3, -0.3, -0.3, 0.6, -1}, {0.2, 0.2, 0.2, 0.9, -0.5}};
static const double damping = 0.02;

static int inner(const cell_t* c, int i, int j, int k)
{
    return (i + DEPTH) * c->step[0] + (j + DEPTH) * c->step[1] + (k + DEPTH) * c->step[2];
}

static int matrix_of(int unknown)
{
    return unknown < 3 ? 0 : unknown - 2;
}

static double known(int unknown, int i, int j, int k)
{
    double x = (i + 1) * spacing, y = (j + 1) * spacing, z = (k + 1) * spacing;

    switch (unknown) {
    case 0:
        return 1 + x * y * z;
    case 1:
        return sin(PI * x) * y + z;
    case 2:
        return exp(-x) * cos(y + 2 * z);
    case 3:
        return 2 - x * x + y * z * z;
    default:
        return 3 + sin(x + y + z);
    }
}

/* Coefficients of L_axis for the points at distance -2 to 2. The drift of the shared matrix is the same for its unknowns. */
static void row_of(int axis, int unknown, double row[5])
{
    double diffusion = 1 / (spacing * spacing), half = 0.5 * drift[axis][unknown] / spacing, fourth = damping * diffusion;

    row[0] = -fourth;
    row[1] = diffusion - half + 4 * fourth;
    row[2] = -2 * diffusion - 6 * fourth;
    row[3] = diffusion + half + 4 * fourth;
    row[4] = -fourth;
}

static double apply(const double row[5], const double* v, int step)
{
    return row[0] * v[-2 * step] + row[1] * v[-step] + row[2] * v[0] + row[3] * v[step] + row[4] * v[2 * step];
}

static double* zeros(int count)
{
    double* memory = calloc(count > 0 ? (size_t)count : 1, sizeof(double));

    if (memory == NULL) {
        fprintf(stderr, "sp: rank %d: no memory for %d numbers\n", me, count);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

static int first_of(int slab)
{
    return points * slab / q;
}

/* Cell s of rank (a, b) is (a + s, b + s, s): its neighbours along an axis all belong to one rank. */
static void lay_out(void)
{
    int a = me % q, b = me / q, longest = 0;
    const int shift[3][2] = {{1, 0}, {0, 1}, {-1, -1}};

    for (int axis = 0; axis < 3; axis++) {
        next_rank[axis] = (a + shift[axis][0] + q) % q + (b + shift[axis][1] + q) % q * q;
        previous_rank[axis] = (a - shift[axis][0] + q) % q + (b - shift[axis][1] + q) % q * q;
    }
    for (int s = 0; s < q; s++) {
        cell_t* c = &mine[s];
        const int place[3] = {(a + s) % q, (b + s) % q, s};
        c->points = 1;
        for (int axis = 0; axis < 3; axis++) {
            c->at[axis] = place[axis];
            c->origin[axis] = first_of(place[axis]);
            c->extent[axis] = first_of(place[axis] + 1) - c->origin[axis];
            c->step[axis] = c->points;
            c->points *= c->extent[axis] + 2 * DEPTH;
        }
        for (int m = 0; m < UNKNOWNS; m++) {
            c->u[m] = zeros(c->points);
            c->f[m] = zeros(c->points);
            c->rhs[m] = zeros(c->points);
            c->change[m] = zeros(c->points);
        }
        for (int matrix = 0; matrix < MATRICES; matrix++)
            for (int which = 0; which < 2; which++)
                c->upper[matrix][which] = zeros(c->points);
        for (int axis = 0; axis < 3; axis++) {
            int lines = c->extent[(axis + 1) % 3] * c->extent[(axis + 2) % 3];
            longest = lines > longest ? lines : longest;
        }
    }
    send_line = zeros(longest * FORWARD);
    receive_line = zeros(longest * FORWARD);
}

/* What goes beyond one side of all cells (out) or comes from there (in): its length; if `message`, it is copied. */
static int face(double* (*field)(cell_t*, int), int axis, int up, int out, double* message)
{
    int length = 0, across = (axis + 1) % 3, along = (axis + 2) % 3;

    for (int s = 0; s < q; s++) {
        cell_t* c = &mine[s];
        if (c->at[axis] == (up ? q - 1 : 0))
            continue;
        int begin = up ? c->extent[axis] - (out ? DEPTH : 0) : (out ? 0 : -DEPTH);
        if (message == NULL) {
            length += UNKNOWNS * DEPTH * c->extent[across] * c->extent[along];
            continue;
        }
        for (int m = 0; m < UNKNOWNS; m++) {
            double* values = field(c, m);
            for (int d = begin; d < begin + DEPTH; d++)
                for (int y = 0; y < c->extent[along]; y++)
                    for (int x = 0; x < c->extent[across]; x++) {
                        int at = (d + DEPTH) * c->step[axis] + (x + DEPTH) * c->step[across] + (y + DEPTH) * c->step[along];
                        if (out)
                            message[length++] = values[at];
                        else
                            values[at] = message[length++];
                    }
        }
    }
    return length;
}

static double* of_u(cell_t* c, int m)
{
    return c->u[m];
}

static double* of_change(cell_t* c, int m)
{
    return c->change[m];
}

static void make_buffers(void)
{
    for (int axis = 0; axis < 3; axis++)
        for (int up = 0; up < 2; up++)
            for (int out = 0; out < 2; out++)
                buffer[out][axis][up] = zeros(face(of_u, axis, up, out, NULL));
}

static void fill_borders(double* (*field)(cell_t*, int), unsigned axes)
{
    MPI_Request all[12];
    int count = 0;

    if (q == 1)
        return;
    for (int axis = 0; axis < 3; axis++)
        for (int up = 0; up < 2 && (axes >> axis & 1); up++)
            MPI_Irecv(buffer[0][axis][up], face(field, axis, up, 0, NULL), MPI_DOUBLE,
                      up ? next_rank[axis] : previous_rank[axis], FACE_TAG(axis, !up), MPI_COMM_WORLD, &all[count++]);
    for (int axis = 0; axis < 3; axis++)
        for (int up = 0; up < 2 && (axes >> axis & 1); up++) {
            int length = face(field, axis, up, 1, buffer[1][axis][up]);
            MPI_Isend(buffer[1][axis][up], length, MPI_DOUBLE, up ? next_rank[axis] : previous_rank[axis],
                      FACE_TAG(axis, up), MPI_COMM_WORLD, &all[count++]);
        }
    MPI_Waitall(count, all, MPI_STATUSES_IGNORE);
    for (int axis = 0; axis < 3; axis++)
        for (int up = 0; up < 2 && (axes >> axis & 1); up++)
            face(field, axis, up, 0, buffer[0][axis][up]);
}

static void start(void)
{
    for (int s = 0; s < q; s++) {
        cell_t* c = &mine[s];
        for (int m = 0; m < UNKNOWNS; m++) {
            double row[5];
            /* the known field everywhere, borders of the cube included, whose values never change */
            for (int k = -DEPTH; k < c->extent[2] + DEPTH; k++)
                for (int j = -DEPTH; j < c->extent[1] + DEPTH; j++)
                    for (int i = -DEPTH; i < c->extent[0] + DEPTH; i++)
                        c->u[m][inner(c, i, j, k)] = known(m, c->origin[0] + i, c->origin[1] + j, c->origin[2] + k);
            for (int axis = 0; axis < 3; axis++) {
                row_of(axis, m, row);
                FOR_INNER(c, at) c->f[m][at] -= apply(row, &c->u[m][at], c->step[axis]);
            }
            for (int k = 0; k < c->extent[2]; k++)
                for (int j = 0; j < c->extent[1]; j++)
                    for (int i = 0; i < c->extent[0]; i++)
                        c->u[m][inner(c, i, j, k)] += (m + 1) * sin(PI * (c->origin[0] + i + 1) * spacing) *
                                                      sin(PI * (c->origin[1] + j + 1) * spacing) *
                                                      sin(PI * (c->origin[2] + k + 1) * spacing);
        }
    }
}

/* rhs := change := dt (L u + f) */
static void form_right_hand_side(void)
{
    double row[3][5];

    for (int s = 0; s < q; s++) {
        cell_t* c = &mine[s];
        for (int m = 0; m < UNKNOWNS; m++) {
            for (int axis = 0; axis < 3; axis++)
                row_of(axis, m, row[axis]);
            FOR_INNER(c, at)
            {
                double sum = c->f[m][at];
                for (int axis = 0; axis < 3; axis++)
                    sum += apply(row[axis], &c->u[m][at], c->step[axis]);
                c->rhs[m][at] = c->change[m][at] = dt * sum;
            }
        }
    }
}

/* The last DEPTH rows of a line, or its first ones, between the cell and a message. */
static void eliminated_rows(cell_t* c, int first, int step, double* message, int out)
{
    for (int d = 0; d < DEPTH; d++) {
        int at = first + d * step;
        for (int m = 0; m < UNKNOWNS; m++, message++)
            *(out ? message : &c->change[m][at]) = *(out ? &c->change[m][at] : message);
        for (int matrix = 0; matrix < MATRICES; matrix++)
            for (int which = 0; which < 2; which++, message++)
                *(out ? message : &c->upper[matrix][which][at]) = *(out ? &c->upper[matrix][which][at] : message);
    }
}

static void solved_rows(cell_t* c, int first, int step, double* message, int out)
{
    for (int d = 0; d < DEPTH; d++)
        for (int m = 0; m < UNKNOWNS; m++, message++)
            *(out ? message : &c->change[m][first + d * step]) = *(out ? &c->change[m][first + d * step] : message);
}

/* One line: each row minus multiples of the two before it. Rows before the cube are zero, as the change is there. */
static void eliminate_line(cell_t* c, int axis, int first)
{
    int step = c->step[axis];

    for (int matrix = 0; matrix < MATRICES; matrix++) {
        int from = matrix == 0 ? 0 : matrix + 2, to = matrix == 0 ? 2 : matrix + 2;
        double row[5];
        row_of(axis, from, row);
        for (int i = 0; i < 5; i++)
            row[i] *= -dt;
        row[2] += 1;
        for (int i = 0, at = first; i < c->extent[axis]; i++, at += step) {
            double before = row[1] - row[0] * c->upper[matrix][0][at - 2 * step];
            double pivot = row[2] - row[0] * c->upper[matrix][1][at - 2 * step] - before * c->upper[matrix][0][at - step];
            double inverse = 1 / pivot;
            c->upper[matrix][0][at] = (row[3] - before * c->upper[matrix][1][at - step]) * inverse;
            c->upper[matrix][1][at] = row[4] * inverse;
            for (int m = from; m <= to; m++)
                c->change[m][at] =
                    (c->change[m][at] - row[0] * c->change[m][at - 2 * step] - before * c->change[m][at - step]) * inverse;
        }
    }
}

static void substitute_line(cell_t* c, int axis, int first)
{
    int step = c->step[axis];

    for (int m = 0; m < UNKNOWNS; m++) {
        double** upper = c->upper[matrix_of(m)];
        for (int i = c->extent[axis] - 1; i >= 0; i--) {
            int at = first + i * step;
            c->change[m][at] -= upper[0][at] * c->change[m][at + step] + upper[1][at] * c->change[m][at + 2 * step];
        }
    }
}

/* Sweeps over all lines of a cell: takes what the neighbour sent (or zeros at the cube's border), works, leaves what goes on. */
static void sweep(cell_t* c, int axis, int forward, int from_outside, int goes_on)
{
    int across = (axis + 1) % 3, along = (axis + 2) % 3, size = forward ? FORWARD : BACKWARD, line = 0;
    int step = c->step[axis], length = c->extent[axis];
    void (*rows)(cell_t*, int, int, double*, int) = forward ? eliminated_rows : solved_rows;
    static const double nothing[FORWARD];

    for (int y = 0; y < c->extent[along]; y++)
        for (int x = 0; x < c->extent[across]; x++, line++) {
            int first = DEPTH * step + (x + DEPTH) * c->step[across] + (y + DEPTH) * c->step[along];
            double* message = from_outside ? (double*)nothing : &receive_line[line * size];
            rows(c, forward ? first - DEPTH * step : first + length * step, step, message, 0);
            if (forward)
                eliminate_line(c, axis, first);
            else
                substitute_line(c, axis, first);
            if (goes_on)
                rows(c, forward ? first + (length - DEPTH) * step : first, step, &send_line[line * size], 1);
        }
}

static cell_t* in_slab(int axis, int slab)
{
    int s = 0;

    while (mine[s].at[axis] != slab)
        s++;
    return &mine[s];
}

/* change := (1 - dt L_axis)^-1 change */
static void solve_along(int axis)
{
    for (int forward = 1; forward >= 0; forward--) {
        int source = forward ? previous_rank[axis] : next_rank[axis], target = forward ? next_rank[axis] : previous_rank[axis];
        int tag = (forward ? ELIMINATION_TAG : SUBSTITUTION_TAG) + axis, size = forward ? FORWARD : BACKWARD;
        MPI_Request sent = MPI_REQUEST_NULL;
        for (int turn = 0; turn < q; turn++) {
            cell_t* c = in_slab(axis, forward ? turn : q - 1 - turn);
            int doubles = size * c->extent[(axis + 1) % 3] * c->extent[(axis + 2) % 3];
            if (turn > 0)
                MPI_Recv(receive_line, doubles, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
            sweep(c, axis, forward, turn == 0, turn < q - 1);
            if (turn < q - 1)
                MPI_Isend(send_line, doubles, MPI_DOUBLE, target, tag, MPI_COMM_WORLD, &sent);
        }
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
}

static void add_change(void)
{
    for (int s = 0; s < q; s++)
        for (int m = 0; m < UNKNOWNS; m++) {
            cell_t* c = &mine[s];
            FOR_INNER(c, at) c->u[m][at] += c->change[m][at];
        }
}

static void clear_borders(void)
{
    for (int s = 0; s < q; s++)
        for (int m = 0; m < UNKNOWNS; m++) {
            cell_t* c = &mine[s];
            double* clean = zeros(c->points);
            FOR_INNER(c, at) clean[at] = c->change[m][at];
            memcpy(c->change[m], clean, (size_t)c->points * sizeof(double));
            free(clean);
        }
}

/* Applies the three factors to the last change; returns how far the result is from the right-hand side, relatively. */
static double missed(void)
{
    double worst[2] = {0, 0};

    for (int axis = 2; axis >= 0; axis--) {
        clear_borders();
        fill_borders(of_change, 1u << axis);
        for (int s = 0; s < q; s++)
            for (int m = 0; m < UNKNOWNS; m++) {
                cell_t* c = &mine[s];
                double row[5], *result = zeros(c->points);
                row_of(axis, m, row);
                FOR_INNER(c, at) result[at] = c->change[m][at] - dt * apply(row, &c->change[m][at], c->step[axis]);
                memcpy(c->change[m], result, (size_t)c->points * sizeof(double));
                free(result);
            }
    }
    for (int s = 0; s < q; s++)
        for (int m = 0; m < UNKNOWNS; m++) {
            cell_t* c = &mine[s];
            FOR_INNER(c, at)
            {
                worst[0] = fmax(worst[0], fabs(c->change[m][at] - c->rhs[m][at]));
                worst[1] = fmax(worst[1], fabs(c->rhs[m][at]));
            }
        }
    MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst[0] / worst[1];
}

static void measure_errors(double error[UNKNOWNS])
{
    for (int m = 0; m < UNKNOWNS; m++) {
        scratch_norm[m] = 0;
        for (int s = 0; s < q; s++) {
            cell_t* c = &mine[s];
            for (int k = 0; k < c->extent[2]; k++)
                for (int j = 0; j < c->extent[1]; j++)
                    for (int i = 0; i < c->extent[0]; i++) {
                        double off = c->u[m][inner(c, i, j, k)] -
                                     known(m, c->origin[0] + i, c->origin[1] + j, c->origin[2] + k);
                        scratch_norm[m] += off * off;
                    }
        }
    }
    MPI_Allreduce(scratch_norm, error, UNKNOWNS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int m = 0; m < UNKNOWNS; m++)
        error[m] = sqrt(error[m] / points / points / points);
}

static int understand(int argc, char** argv, int* steps)
{
    const char* letter = argc > 1 ? argv[1] : "S";

    if (strcmp(letter, "W") == 0) {
        points = 36;
        dt = 0.002;
    } else if (strcmp(letter, "A") == 0) {
        points = 64;
        dt = 0.004;
    } else if (strcmp(letter, "S") != 0) {
        return 0;
    }
    *steps = argc > 2 ? atoi(argv[2]) : 40;
    while (q * q < everyone)
        q++;
    return argc <= 3 && *steps >= 1 && q * q == everyone && q <= MAX_Q && DEPTH * q <= points;
}

int main(int argc, char** argv)
{
    double at_first[UNKNOWNS], at_last[UNKNOWNS], seconds, longest;
    int steps = 0, good = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &everyone);
    if (!understand(argc, argv, &steps)) {
        if (me == 0)
            fprintf(stderr, "usage: sp [S|W|A [STEPS]]   on a square number of ranks, at most 36 for S and 256 for W and A\n");
        MPI_Finalize();
        return 2;
    }
    spacing = 1.0 / (points + 1);
    lay_out();
    make_buffers();
    start();
    measure_errors(at_first);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        fill_borders(of_u, 7);
        form_right_hand_side();
        for (int axis = 0; axis < 3; axis++)
            solve_along(axis);
        add_change();
    }
    seconds = MPI_Wtime() - seconds;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    measure_errors(at_last);
    double residual = missed();
    good = residual <= 1e-10;
    for (int m = 0; m < UNKNOWNS; m++)
        good = good && at_last[m] <= at_first[m] * fmax(pow(0.95, steps), 1e-10);
    if (me == 0) {
        printf("sp: %d^3 points of %d unknowns on %d x %d ranks, %d steps\n", points, UNKNOWNS, q, q, steps);
        for (int m = 0; m < UNKNOWNS; m++)
            printf("sp: unknown %d: error %.8e at first, %.6e at the end\n", m + 1, at_first[m], at_last[m]);
        printf("sp: the last systems are solved to %s\n", residual <= 1e-10 ? "better than 1e-10" : "worse than 1e-10");
        printf("time in seconds: %.6f\n", longest);
        printf("sp: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
