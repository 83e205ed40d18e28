/* EP, the "embarrassingly parallel" kernel of the NAS parallel benchmarks, from its specification (NAS-94-007, 2.1).
 *
 * usage: ep [S|W|A|B]        default: class S, or what -DCLASS='"W"' says when it is compiled
 *
 * Makes 2^M pairs of pseudo-random numbers, turns those inside the unit circle into Gaussian deviates, sums them and
 * counts them by square annuli. Runs on any number of ranks. Verifies the official sums, and that the counts are complete.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef CLASS
#define CLASS "S"
#endif

#define BATCH_LOG 16
#define BATCH (1 << BATCH_LOG) /* pairs whose random numbers are made at once */
#define ANNULI 10
#define MODULUS_MASK ((UINT64_C(1) << 46) - 1)
#define MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define SEED UINT64_C(271828183)

static const struct problem {
    char name;
    int m;
    double sum_x, sum_y;
} problems[] = {
    {'S', 24, -3.247834652034740e+3, -6.958407078382297e+3},
    {'W', 25, -2.863319731645753e+3, -6.320053679109499e+3},
    {'A', 28, -4.295875165629892e+3, -1.580732573678431e+4},
    {'B', 30, 4.033815542441498e+4, -2.660669192809235e+4},
};

static int rank, ranks;
static double numbers[2 * BATCH];
static double counts[ANNULI];
static double sum_x, sum_y;

/* x(k+1) = a x(k) mod 2^46; the low 64 bits of the product are enough. */
static double next_random(uint64_t* x)
{
    *x = (*x * MULTIPLIER) & MODULUS_MASK;
    return (double)*x * 0x1p-46;
}

/* a^n mod 2^46 */
static uint64_t power(uint64_t a, uint64_t n)
{
    uint64_t result = 1;

    for (; n != 0; n >>= 1, a = (a * a) & MODULUS_MASK)
        if (n & 1)
            result = (result * a) & MODULUS_MASK;
    return result;
}

static void do_batch(long batch)
{
    uint64_t x = (SEED * power(MULTIPLIER, (uint64_t)batch * 2 * BATCH)) & MODULUS_MASK;

    for (int i = 0; i < 2 * BATCH; i++)
        numbers[i] = 2 * next_random(&x) - 1;
    for (int i = 0; i < BATCH; i++) {
        double u = numbers[2 * i], v = numbers[2 * i + 1], square = u * u + v * v;
        if (square > 1)
            continue;
        double scale = sqrt(-2 * log(square) / square);
        double gx = u * scale, gy = v * scale;
        counts[(int)fmax(fabs(gx), fabs(gy))] += 1;
        sum_x += gx;
        sum_y += gy;
    }
}

static int close_to(double value, double reference)
{
    return fabs((value - reference) / reference) <= 1e-8;
}

int main(int argc, char** argv)
{
    const struct problem* problem = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char* class_name = argc > 1 ? argv[1] : CLASS;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (problems[i].name == class_name[0] && class_name[1] == '\0')
            problem = &problems[i];
    if (problem == NULL) {
        if (rank == 0)
            fprintf(stderr, "ep: unknown class '%s'; S, W, A and B are known\n", class_name);
        MPI_Finalize();
        return 2;
    }

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    long batches = 1L << (problem->m - BATCH_LOG);
    for (long batch = rank; batch < batches; batch += ranks)
        do_batch(batch);

    double sums[2] = {sum_x, sum_y};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, counts, ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double elapsed = MPI_Wtime() - start, slowest;
    MPI_Reduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

    double pairs = 0;
    for (int i = 0; i < ANNULI; i++)
        pairs += counts[i];
    double total = ldexp(1, problem->m), circle = total * acos(-1.0) / 4; /* expected in the circle: within 6 sigma */
    int good = close_to(sums[0], problem->sum_x) && close_to(sums[1], problem->sum_y) &&
               fabs(pairs - circle) < 6 * sqrt(circle * (1 - circle / total));
    if (rank == 0) {
        printf("ep: class %c, 2^%d pairs on %d ranks\n", problem->name, problem->m, ranks);
        printf("ep: sums %.9e %.9e, Gaussian pairs %.0f\n", sums[0], sums[1], pairs);
        for (int i = 0; i < ANNULI; i++)
            printf("ep: annulus %d: %.0f\n", i, counts[i]);
        printf("time in seconds: %.6f\n", slowest);
        printf("ep: %s\n", good ? "VERIFICATION SUCCESSFUL" : "VERIFICATION FAILED");
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
