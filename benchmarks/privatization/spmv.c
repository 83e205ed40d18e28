/* Sparse matrix times vector, compressed rows in global arrays. */
enum { N = 4000, PER_ROW = 9 };
int row_start[N + 1], column[N * PER_ROW];
double value[N * PER_ROW], in[N], out[N];
__attribute__((noinline)) void kernel(void) {
  for (int repeat = 0; repeat < 20; ++repeat)
    for (int i = 0; i < N; ++i) {
      double s = 0;
      for (int k = row_start[i]; k < row_start[i + 1]; ++k) s += value[k] * in[column[k]];
      out[i] = s;
    }
}
int main(void) {
  for (int i = 0; i < N; ++i) {
    row_start[i + 1] = (i + 1) * PER_ROW;
    in[i] = 1;
    for (int k = 0; k < PER_ROW; ++k) column[i * PER_ROW + k] = (i * 7 + k * 131) % N, value[i * PER_ROW + k] = k;
  }
  kernel();
  return out[5] != 36;
}
