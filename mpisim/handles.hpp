#pragma once
// What one rank's handles stand for.
#include <memory>
#include <string>
#include <vector>

#include "mpisim/communicator.hpp"
#include "mpisim/datatype.hpp"
#include "mpisim/group.hpp"
#include "mpisim/handle_table.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/predefined_types.hpp"

namespace mpisim::mpi {

class Op;             // mpisim/op.hpp
class Request;        // owned by the point-to-point core
struct Message;       // a matched probe's message, owned by the point-to-point core
struct Info;          // mpisim/info.hpp
struct ErrorHandler;  // mpisim/error_handlers.hpp
struct Keyval;        // mpisim/attributes.hpp
class AttributeSet;   // mpisim/attributes.hpp
struct RankState;     // mpisim/rank_state.hpp

/// The handle tables of one rank. A rank that uses nothing but MPI_COMM_WORLD and predefined types pays for
/// this struct and one Communicator.
struct RankHandles {
  /// `world`: see make_world(); shared by all ranks of the simulation on this host.
  RankHandles(int world_rank, std::shared_ptr<const CommunicatorShared> world);
  ~RankHandles();
  RankHandles(const RankHandles&) = delete;
  RankHandles& operator=(const RankHandles&) = delete;

  // From handle to object; null for invalid, freed and null handles.
  Communicator* communicator(MPI_Comm handle) {
    return handle == MPI_COMM_WORLD && world_ != nullptr ? world_ : find_communicator(handle);
  }
  Datatype* datatype(MPI_Datatype handle) const {
    return handle_bits::is_dynamic(handle) ? datatypes.find(handle) : predefined_datatype(handle);
  }
  /// Null pointer only for invalid handles: MPI_GROUP_EMPTY is a group of size 0.
  GroupPointer group(MPI_Group handle) const;
  const Op* op(MPI_Op handle) const;
  Request* request(MPI_Request handle) const { return requests.find(handle); }
  Message* message(MPI_Message handle) const { return messages.find(handle); }
  Info* info(MPI_Info handle);
  ErrorHandler* error_handler(MPI_Errhandler handle) const;
  Keyval* keyval(int handle) const { return keyvals.find(handle); }

  /// Gives the object a handle; it then belongs to the table (communicators, datatypes, ops, infos, error
  /// handlers, keyvals: one reference) until remove_*, which drops that reference.
  MPI_Comm add_communicator(Communicator* communicator);
  MPI_Datatype add_datatype(Datatype* datatype);
  /// One more handle of a datatype that may have one already (MPI_Type_get_contents).
  MPI_Datatype add_alias(const Datatype& datatype);
  MPI_Group add_group(GroupPointer group);
  MPI_Op add_op(Op* op);
  MPI_Info add_info(std::unique_ptr<Info> info);
  void remove_communicator(MPI_Comm handle);
  void remove_datatype(MPI_Datatype handle);
  void remove_group(MPI_Group handle);
  void remove_op(MPI_Op handle);
  void remove_info(MPI_Info handle);

  /// An error handler lives until the program has freed it and nothing uses it any more.
  void set_error_handler(Communicator& communicator, MPI_Errhandler handle);
  void release_error_handler(MPI_Errhandler handle);

  /// Requests and messages stay the property of the caller.
  MPI_Request add_request(Request* request);
  Request* remove_request(MPI_Request handle) { return requests.remove(handle); }
  MPI_Message add_message(Message* message);
  Message* remove_message(MPI_Message handle) { return messages.remove(handle); }

  /// First step of MPI_Finalize: deletes the attributes of MPI_COMM_SELF, the last one set first (MPI-3.1
  /// section 8.7.1).
  void delete_self_attributes();

  /// What the program has not freed, one phrase per kind ("3 communicators (rows, ...)"), for a warning at
  /// MPI_Finalize.
  std::vector<std::string> leaks() const;

  /// Made when first asked for.
  RankState& state();
  AttributeSet& attributes_of(Datatype& datatype);

  HandleTable<Communicator, HandleKind::communicator> communicators;
  HandleTable<Datatype, HandleKind::datatype> datatypes;
  HandleTable<GroupPointer, HandleKind::group> groups;
  HandleTable<Op, HandleKind::operation> ops;
  HandleTable<Request, HandleKind::request> requests;
  HandleTable<Info, HandleKind::info> infos;
  HandleTable<ErrorHandler, HandleKind::error_handler> error_handlers;
  HandleTable<Keyval, HandleKind::keyval> keyvals;
  HandleTable<Message, HandleKind::message> messages;

 private:
  Communicator* find_communicator(MPI_Comm handle);

  std::shared_ptr<const CommunicatorShared> world_shared_;
  std::unique_ptr<RankState> state_;
  Communicator* world_ = nullptr;  // made when first asked for
  Communicator* self_ = nullptr;
  int world_rank_;
};

/// The tables of the current rank (rank.cpp).
RankHandles& handles();

}  // namespace mpisim::mpi
