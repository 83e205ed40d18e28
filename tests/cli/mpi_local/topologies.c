/* Grids, graphs and distributed graphs. */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void dims(int nodes, int n, int a, int b, int c) {
  int d[3] = {a, b, c};
  MPI_Dims_create(nodes, n, d);
  if (rank == 0) printf("dims %d: %d %d %d\n", nodes, d[0], d[1], d[2]);
}

int main(int argc, char** argv) {
  MPI_Comm grid, part, graph;
  int d[2] = {2, 3}, periods[2] = {1, 0}, at[2], got[2], wrap[2], from, to, kind, n, i, keep;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  dims(6, 2, 0, 0, 9);
  dims(24, 3, 0, 0, 0);
  dims(24, 3, 0, 2, 0);
  dims(13, 2, 0, 0, 9);
  dims(64, 3, 0, 0, 0);
  dims(36, 2, 0, 0, 0);
  dims(8, 3, 0, 0, 0);

  MPI_Cart_create(MPI_COMM_WORLD, 2, d, periods, 0, &grid);
  MPI_Cart_get(grid, 2, got, wrap, at);
  printf("%d at %d %d of %d %d, periods %d %d\n", rank, at[0], at[1], got[0], got[1], wrap[0], wrap[1]);
  for (i = 0; i < 2; ++i)
    for (n = -2; n <= 2; ++n) {
      MPI_Cart_shift(grid, i, n, &from, &to);
      printf("%d shift %d %d: %d %d\n", rank, i, n, from == MPI_PROC_NULL ? -9 : from, to == MPI_PROC_NULL ? -9 : to);
    }
  at[0] = -3;
  at[1] = 2;
  MPI_Cart_rank(grid, at, &n);
  MPI_Topo_test(grid, &kind);
  printf("%d wrapped %d, topology %d\n", rank, n, kind == MPI_CART);
  for (keep = 0; keep < 4; ++keep) {
    int remain[2];
    remain[0] = keep & 1;
    remain[1] = keep >> 1;
    MPI_Cart_sub(grid, remain, &part);
    MPI_Comm_rank(part, &from);
    MPI_Comm_size(part, &to);
    MPI_Cartdim_get(part, &n);
    MPI_Allreduce(&rank, &i, 1, MPI_INT, MPI_SUM, part);
    printf("%d sub %d: %d of %d, %d dimensions, sum %d\n", rank, keep, from, to, n, i);
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&grid);
  d[1] = 2;
  MPI_Cart_create(MPI_COMM_WORLD, 2, d, periods, 0, &grid);
  printf("%d smaller grid %d\n", rank, grid != MPI_COMM_NULL);
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);

  {
    int index[4] = {2, 3, 4, 6}, edges[6] = {1, 3, 0, 3, 0, 2}, near[4];
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
    if (graph != MPI_COMM_NULL) {
      MPI_Graph_neighbors_count(graph, rank, &n);
      MPI_Graph_neighbors(graph, rank, 4, near);
      printf("%d graph:", rank);
      for (i = 0; i < n; ++i) printf(" %d", near[i]);
      MPI_Graphdims_get(graph, &from, &to);
      printf(", %d nodes %d edges\n", from, to);
      MPI_Comm_free(&graph);
    }
  }
  {
    int source = (rank + 4) % 6, destination = (rank + 2) % 6, weight = rank + 1, in, out, weighted, s, sw, t, tw;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, &weight, 1, &destination, &weight, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(graph, 1, &s, &sw, 1, &t, &tw);
    printf("%d adjacent: %d %d %d, %d (%d) %d (%d)\n", rank, in, out, weighted, s, sw, t, tw);
    MPI_Comm_free(&graph);
  }
  {
    /* every rank tells of the edge from its left neighbour to its right one */
    int source = (rank + 5) % 6, degree = 1, destination = (rank + 1) % 6, in, out, weighted, s, t;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(graph, 1, &s, MPI_UNWEIGHTED, 1, &t, MPI_UNWEIGHTED);
    printf("%d distributed: %d %d %d, %d %d\n", rank, in, out, weighted, s, t);
    MPI_Comm_free(&graph);
  }
  MPI_Finalize();
  return 0;
}
