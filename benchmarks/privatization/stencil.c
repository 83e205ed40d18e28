/* Five-point stencil on global grids, bounds in globals. */
enum { N = 200 };
double old[N][N], new[N][N];
int rows = N, columns = N;
__attribute__((noinline)) void kernel(void) {
  for (int step = 0; step < 30; ++step) {
    for (int i = 1; i < rows - 1; ++i)
      for (int j = 1; j < columns - 1; ++j)
        new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
    for (int i = 1; i < rows - 1; ++i)
      for (int j = 1; j < columns - 1; ++j) old[i][j] = new[i][j];
  }
}
int main(void) {
  for (int i = 0; i < N; ++i) old[0][i] = 1;
  kernel();
  return !(old[1][N / 2] > 0.5);
}
