// Constructors and destructors of communicators (MPI-3.1 sections 6.4.2, 6.4.3, 6.6.2).
#include "mpisim/arguments.hpp"
#include "mpisim/communicator_extras.hpp"
#include "mpisim/construction.hpp"

using namespace mpisim::mpi;

namespace {

int give_handle(Communicator* made, MPI_Comm* newcomm) {
  *newcomm = made ? handles().add_communicator(made) : MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/// Copies attributes to a duplicate; a failing copy function undoes the duplication (section 6.7.2).
int finish_duplicate(Communicator& parent, MPI_Comm* newcomm) {
  Communicator* made = duplicate(parent);
  give_handle(made, newcomm);
  const CommunicatorExtras* extras = parent.extras_if_any();
  if (!extras) return MPI_SUCCESS;
  if (const int error = made->extras().attributes.copy_from(extras->attributes, parent.handle)) {
    handles().remove_communicator(std::exchange(*newcomm, MPI_COMM_NULL));
    return raise(&parent, error, fmt::format("an attribute's copy function returned {}", error));
  }
  return MPI_SUCCESS;
}

/// Empty if all members of `group` belong to the communicator.
std::string check_subset(const Communicator& communicator, const Group& group) {
  for (int i = 0; i < group.size(); ++i)
    if (communicator.shared().local->rank_of(group.world_rank(i)) < 0)
      return fmt::format("member {} of group (rank {} of MPI_COMM_WORLD) is not in comm", i,
                         group.world_rank(i));
  return {};
}

}  // namespace

MPISIM_ENTRY(int, Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm)) {
  MPISIM_CALL(MPI_Comm_dup, collective);
  MPISIM_COMMUNICATOR(parent, comm);
  MPISIM_NEW_COMMUNICATOR(newcomm, parent);
  return finish_duplicate(*parent, newcomm);
}

MPISIM_ENTRY(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm)) {
  MPISIM_CALL(MPI_Comm_dup_with_info, collective);
  MPISIM_COMMUNICATOR(parent, comm);
  MPISIM_NEW_COMMUNICATOR(newcomm, parent);
  MPISIM_REQUIRE(handles().info(info) || info == MPI_INFO_NULL, parent, MPI_ERR_INFO, "{}",
                 bad_handle("info", HandleKind::info, info));
  return finish_duplicate(*parent, newcomm);
}

MPISIM_ENTRY(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm)) {
  MPISIM_CALL(MPI_Comm_split, collective);
  MPISIM_COMMUNICATOR(parent, comm);
  MPISIM_NEW_COMMUNICATOR(newcomm, parent);
  MPISIM_REQUIRE(color >= 0 || color == MPI_UNDEFINED, parent, MPI_ERR_ARG,
                 "color is {}: neither MPI_UNDEFINED nor at least 0", color);
  return give_handle(parent->is_inter() ? split_inter(*parent, color, key) : split(*parent, color, key),
                     newcomm);
}

MPISIM_ENTRY(int, Comm_split_type,
             (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm)) {
  MPISIM_CALL(MPI_Comm_split_type, collective);
  MPISIM_COMMUNICATOR(parent, comm);
  MPISIM_NEW_COMMUNICATOR(newcomm, parent);
  MPISIM_REQUIRE(!parent->is_inter(), parent, MPI_ERR_COMM, "comm is an inter-communicator");
  MPISIM_REQUIRE(split_type == MPI_COMM_TYPE_SHARED || split_type == MPI_UNDEFINED, parent, MPI_ERR_ARG,
                 "split_type is {}, neither MPI_COMM_TYPE_SHARED nor MPI_UNDEFINED", split_type);
  MPISIM_REQUIRE(info == MPI_INFO_NULL || handles().info(info), parent, MPI_ERR_INFO, "{}",
                 bad_handle("info", HandleKind::info, info));
  const int world_rank = parent->shared().local->world_rank(parent->rank());
  const int color = split_type == MPI_UNDEFINED ? MPI_UNDEFINED : static_cast<int>(core::node_of(world_rank));
  return give_handle(split(*parent, color, key), newcomm);
}

MPISIM_ENTRY(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)) {
  MPISIM_CALL(MPI_Comm_create, collective);
  MPISIM_COMMUNICATOR(parent, comm);
  MPISIM_NEW_COMMUNICATOR(newcomm, parent);
  MPISIM_GROUP(members, group);
  const std::string fault = check_subset(*parent, *members);
  MPISIM_REQUIRE(fault.empty(), parent, MPI_ERR_GROUP, "{}", fault);
  if (parent->is_inter()) {  // the members of both sides' groups form the new one
    const int rank = members->rank_of(parent->shared().local->world_rank(parent->rank()));
    return give_handle(split_inter(*parent, rank < 0 ? MPI_UNDEFINED : 0, rank), newcomm);
  }
  return give_handle(create(*parent, members), newcomm);
}

MPISIM_ENTRY(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm)) {
  MPISIM_CALL(MPI_Comm_create_group, collective);
  MPISIM_COMMUNICATOR(parent, comm);
  MPISIM_NEW_COMMUNICATOR(newcomm, parent);
  MPISIM_REQUIRE(!parent->is_inter(), parent, MPI_ERR_COMM, "comm is an inter-communicator");
  MPISIM_GROUP(members, group);
  MPISIM_REQUIRE(tag >= 0, parent, MPI_ERR_TAG, "tag is {}", tag);
  const std::string fault = check_subset(*parent, *members);
  MPISIM_REQUIRE(fault.empty(), parent, MPI_ERR_GROUP, "{}", fault);
  return give_handle(create_in_group(*parent, members, tag), newcomm);
}

static int free_communicator(MPI_Comm* comm) {
  MPISIM_REQUIRE_POINTER(comm, nullptr);
  MPISIM_COMMUNICATOR(communicator, *comm);
  MPISIM_REQUIRE(*comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF, communicator, MPI_ERR_COMM,
                 "{} cannot be freed", communicator->name());
  if (communicator->extras_if_any())
    if (const int error = communicator->extras().attributes.erase_all(*comm))
      return raise(communicator, error, fmt::format("an attribute's delete function returned {}", error));
  handles().remove_communicator(*comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_free, (MPI_Comm * comm)) {
  MPISIM_CALL(MPI_Comm_free, collective);
  return free_communicator(comm);
}

MPISIM_ENTRY(int, Comm_disconnect, (MPI_Comm * comm)) {
  MPISIM_CALL(MPI_Comm_disconnect, collective);
  return free_communicator(comm);
}

MPISIM_ENTRY(int, Comm_get_parent, (MPI_Comm * parent)) {
  MPISIM_CALL(MPI_Comm_get_parent, local);
  MPISIM_REQUIRE_POINTER(parent, nullptr);
  *parent = MPI_COMM_NULL;  // no rank was spawned by another
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Intercomm_create,
             (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
              MPI_Comm* newintercomm)) {
  MPISIM_CALL(MPI_Intercomm_create, collective);
  MPISIM_COMMUNICATOR(local, local_comm);
  MPISIM_NEW_COMMUNICATOR(newintercomm, local);
  MPISIM_REQUIRE(!local->is_inter(), local, MPI_ERR_COMM, "local_comm is an inter-communicator");
  MPISIM_REQUIRE(local_leader >= 0 && local_leader < local->size(), local, MPI_ERR_RANK,
                 "local_leader is {}, but local_comm has {} ranks", local_leader, local->size());
  Communicator* peer = nullptr;
  if (local->rank() == local_leader) {  // only the leaders need the other arguments
    MPISIM_COMMUNICATOR(bridge, peer_comm);
    MPISIM_REQUIRE(remote_leader >= 0 && remote_leader < bridge->peers().size(), local, MPI_ERR_RANK,
                   "remote_leader is {}, but peer_comm has {} ranks", remote_leader, bridge->peers().size());
    MPISIM_REQUIRE(tag >= 0, local, MPI_ERR_TAG, "tag is {}", tag);
    peer = bridge;
  }
  Communicator* made = create_inter(*local, local_leader, peer, remote_leader, tag);
  MPISIM_REQUIRE(made, local, MPI_ERR_COMM, "the local and the remote group have members in common");
  return give_handle(made, newintercomm);
}

MPISIM_ENTRY(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm)) {
  MPISIM_CALL(MPI_Intercomm_merge, collective);
  MPISIM_COMMUNICATOR(inter, intercomm);
  MPISIM_NEW_COMMUNICATOR(newintracomm, inter);
  MPISIM_REQUIRE(inter->is_inter(), inter, MPI_ERR_COMM, "intercomm is no inter-communicator");
  return give_handle(merge_inter(*inter, high != 0), newintracomm);
}
