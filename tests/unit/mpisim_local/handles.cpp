#include "mpisim/handles.hpp"

#include <catch2/catch.hpp>

#include "mpisim/communicator_extras.hpp"
#include "mpisim/op.hpp"
#include "mpisim/type_layouts.hpp"

using namespace mpisim::mpi;

TEST_CASE("a rank that uses only MPI_COMM_WORLD is small") {
  CHECK(sizeof(RankHandles) + sizeof(Communicator) <= 200);
}

TEST_CASE("freed and foreign handles are recognised") {
  RankHandles handles(2, make_world(4));
  TypePointer type = make_contiguous(3, byte_type());
  const MPI_Datatype first = handles.add_datatype(make_contiguous(3, byte_type()).detach());
  CHECK(handles.datatype(first)->size() == 3);
  CHECK(handles.datatype(first)->handle() == first);
  handles.remove_datatype(first);
  CHECK(handles.datatype(first) == nullptr);
  const MPI_Datatype second = handles.add_datatype(make_contiguous(5, byte_type()).detach());
  CHECK(second != first);
  CHECK(handles.datatype(first) == nullptr);
  CHECK(handles.datatype(second)->size() == 5);
  CHECK(handles.communicator(second) == nullptr);
  CHECK(handles.datatype(MPI_DATATYPE_NULL) == nullptr);
  CHECK(handles.datatype(0) == nullptr);
  CHECK(handles.datatype(-1) == nullptr);
  CHECK(handles.datatype(MPI_COMM_WORLD) == nullptr);
  CHECK(handles.op(MPI_OP_NULL) == nullptr);
  CHECK(handles.op(MPI_SUM)->predefined_handle() == MPI_SUM);
  CHECK(handles.request(MPI_REQUEST_NULL) == nullptr);
}

TEST_CASE("the predefined communicators") {
  RankHandles handles(2, make_world(4));
  CHECK(handles.communicator(MPI_COMM_WORLD)->size() == 4);
  CHECK(handles.communicator(MPI_COMM_WORLD)->rank() == 2);
  CHECK(handles.communicator(MPI_COMM_SELF)->size() == 1);
  CHECK(handles.communicator(MPI_COMM_SELF)->peers().world_rank(0) == 2);
  CHECK(handles.communicator(MPI_COMM_SELF)->context() != handles.communicator(MPI_COMM_WORLD)->context());
  CHECK(handles.communicator(MPI_COMM_NULL) == nullptr);
  CHECK(handles.communicator(MPI_COMM_WORLD)->name() == "MPI_COMM_WORLD");
}

TEST_CASE("what is left at the end is listed with names") {
  RankHandles handles(0, make_world(2));
  CHECK(handles.leaks().empty());
  auto* communicator = new Communicator(make_world(2), 0);
  communicator->extras().name = "rows";
  communicator->extras().named = true;
  handles.add_communicator(communicator);
  handles.add_group(make_group({0}));
  handles.add_group(make_group({1}));
  CHECK(handles.leaks() == std::vector<std::string>{"1 communicator (rows)", "2 groups"});
}

TEST_CASE("many handles, freed in any order") {
  HandleTable<int, HandleKind::request> table;
  std::vector<int> objects(1000), handles(1000);
  for (std::size_t i = 0; i < 1000; ++i) handles[i] = table.add(&objects[i]);
  for (std::size_t i = 0; i < 1000; i += 3) CHECK(table.remove(handles[i]) == &objects[i]);
  for (std::size_t i = 0; i < 1000; ++i) CHECK(table.find(handles[i]) == (i % 3 ? &objects[i] : nullptr));
  CHECK(table.live() == 666);
  for (std::size_t i = 0; i < 1000; i += 3) {
    const int stale = handles[i];
    handles[i] = table.add(&objects[i]);
    CHECK(handles[i] != stale);
  }
  for (std::size_t i = 0; i < 1000; ++i) CHECK(table.find(handles[i]) == &objects[i]);
  CHECK(table.remove(MPI_REQUEST_NULL) == nullptr);
}
