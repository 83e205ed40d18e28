#include "mpisim/handles.hpp"

#include "mpisim/attributes.hpp"
#include "mpisim/communicator_extras.hpp"
#include "mpisim/error_handlers.hpp"
#include "mpisim/info.hpp"
#include "mpisim/op.hpp"
#include "mpisim/predefined_types.hpp"
#include "mpisim/rank_state.hpp"
#include "mpisim/type_description.hpp"

namespace mpisim::mpi {
namespace {

constexpr int max_names_in_leaks = 3;

void add_leak(std::vector<std::string>& leaks, std::size_t count, const char* what,
              const std::string& names = "") {
  if (count > 0) leaks.push_back(std::to_string(count) + " " + what + (count == 1 ? "" : "s") + names);
}

/// "2 communicators (rows, columns)": what a table still holds, with the names that the program gave, but for
/// `kept` objects that are not for the program to free.
template <class Table, class NameOf>
void append_leaks(std::vector<std::string>& leaks, const Table& table, const char* what, NameOf&& name_of,
                  std::size_t kept = 0) {
  if (table.live() == kept) return;
  std::string names;
  int shown = 0;
  table.for_each([&](int, const auto* object) {
    const std::string name = name_of(*object);
    if (name.empty() || shown == max_names_in_leaks) return;
    names += (shown++ ? ", " : " (") + name;
  });
  add_leak(leaks, table.live() - kept, what, names + (shown ? ")" : ""));
}

constexpr auto nameless = [](const auto&) { return std::string(); };

}  // namespace

RankHandles::RankHandles(int world_rank, std::shared_ptr<const CommunicatorShared> world)
    : world_shared_(std::move(world)), world_rank_(world_rank) {}

RankHandles::~RankHandles() {
  // Delete callbacks of attributes belong to MPI_Finalize: here the program no longer runs.
  communicators.for_each([](int, Communicator* communicator) { communicator->release(); });
  datatypes.for_each([](int, Datatype* type) { type->release(); });
  groups.for_each([](int, GroupPointer* group) { delete group; });
  ops.for_each([](int, Op* op) { op->release(); });
  infos.for_each([](int, Info* info) { delete info; });
  if (world_) world_->release();
  if (self_) self_->release();
  error_handlers.for_each([](int, ErrorHandler* handler) { delete handler; });
  keyvals.for_each([](int, Keyval* keyval) {
    keyval->table = nullptr;  // what outlives the tables may have attributes still
    keyval->free();
  });
}

Communicator* RankHandles::find_communicator(MPI_Comm handle) {
  if (handle == MPI_COMM_WORLD) {
    if (!world_) {
      world_ = new Communicator(world_shared_, world_rank_);
      world_->handle = handle;
    }
    return world_;
  }
  if (handle == MPI_COMM_SELF) {
    if (!self_) {
      auto shared = std::make_shared<CommunicatorShared>();
      // One for each rank: what ranks make of it at the same time must not be taken for one communicator. No
      // child of MPI_COMM_WORLD has a number like that.
      const ContextId all_selves = derive_context(world_shared_->context, ~std::uint64_t{0});
      shared->context = derive_context(all_selves, static_cast<std::uint64_t>(world_rank_));
      shared->local = make_strided_group(world_rank_, 1, 1);
      self_ = new Communicator(std::move(shared), 0);
      self_->handle = handle;
    }
    return self_;
  }
  return communicators.find(handle);
}

GroupPointer RankHandles::group(MPI_Group handle) const {
  if (handle == MPI_GROUP_EMPTY) return make_strided_group(0, 1, 0);
  const GroupPointer* found = groups.find(handle);
  return found ? *found : nullptr;
}

const Op* RankHandles::op(MPI_Op handle) const {
  return handle_bits::is_dynamic(handle) ? ops.find(handle) : predefined_op(handle);
}

Info* RankHandles::info(MPI_Info handle) {
  if (handle != MPI_INFO_ENV) return infos.find(handle);
  std::unique_ptr<Info>& environment = state().environment;
  if (!environment) environment = std::make_unique<Info>(environment_info());
  return environment.get();
}

ErrorHandler* RankHandles::error_handler(MPI_Errhandler handle) const {
  static ErrorHandler fatal{ErrorHandler::Kind::fatal, nullptr, MPI_ERRORS_ARE_FATAL, 1};
  static ErrorHandler return_code{ErrorHandler::Kind::return_code, nullptr, MPI_ERRORS_RETURN, 1};
  if (handle == MPI_ERRORS_ARE_FATAL) return &fatal;
  if (handle == MPI_ERRORS_RETURN) return &return_code;
  return error_handlers.find(handle);
}

void RankHandles::release_error_handler(MPI_Errhandler handle) {
  ErrorHandler* handler = error_handlers.find(handle);
  if (!handler || --handler->references > 0) return;
  error_handlers.remove(handle);
  delete handler;
}

void RankHandles::set_error_handler(Communicator& communicator, MPI_Errhandler handle) {
  if (ErrorHandler* handler = error_handlers.find(handle)) ++handler->references;
  release_error_handler(communicator.error_handler);
  communicator.error_handler = handle;
}

RankState& RankHandles::state() {
  if (!state_) state_ = std::make_unique<RankState>();
  return *state_;
}

AttributeSet& RankHandles::attributes_of(Datatype& datatype) {
  return datatype.predefined() ? state().type_attributes[datatype.handle()]
                               : datatype.description().attributes;
}

MPI_Comm RankHandles::add_communicator(Communicator* communicator) {
  if (ErrorHandler* handler = error_handlers.find(communicator->error_handler)) ++handler->references;
  return communicator->handle = communicators.add(communicator);
}

MPI_Datatype RankHandles::add_datatype(Datatype* datatype) {
  const MPI_Datatype handle = datatypes.add(datatype);
  datatype->set_handle(handle);
  datatype->handles = 1;
  return handle;
}

MPI_Datatype RankHandles::add_alias(const Datatype& datatype) {
  datatype.retain();
  auto* type = const_cast<Datatype*>(&datatype);
  const MPI_Datatype handle = datatypes.add(type);
  if (++type->handles == 1) type->set_handle(handle);  // the program had freed all it had
  return handle;
}

MPI_Group RankHandles::add_group(GroupPointer group) {
  if (group->size() == 0) return MPI_GROUP_EMPTY;
  return groups.add(new GroupPointer(std::move(group)));
}

MPI_Op RankHandles::add_op(Op* op) {
  return ops.add(op);
}
MPI_Info RankHandles::add_info(std::unique_ptr<Info> info) {
  return infos.add(info.release());
}
MPI_Request RankHandles::add_request(Request* request) {
  return requests.add(request);
}
MPI_Message RankHandles::add_message(Message* message) {
  return messages.add(message);
}

void RankHandles::remove_communicator(MPI_Comm handle) {
  if (Communicator* communicator = communicators.remove(handle)) {
    communicator->freed = true;
    // Errors of operations that are still under way have no handler of their own any more.
    release_error_handler(communicator->error_handler);
    communicator->error_handler = MPI_ERRORS_ARE_FATAL;
    communicator->release();
  }
}

void RankHandles::remove_datatype(MPI_Datatype handle) {
  if (Datatype* type = datatypes.remove(handle)) {
    --type->handles;
    if (type->handle() == handle) {
      // Reduction functions of the program get a handle as long as there is one.
      MPI_Datatype other = 0;
      if (type->handles > 0)
        datatypes.for_each([&](MPI_Datatype candidate, const Datatype* same) {
          if (same == type && other == 0) other = candidate;
        });
      type->set_handle(other);
    }
    type->release();
  }
}

void RankHandles::remove_group(MPI_Group handle) {
  delete groups.remove(handle);
}

void RankHandles::remove_op(MPI_Op handle) {
  if (Op* op = ops.remove(handle)) op->release();
}

void RankHandles::remove_info(MPI_Info handle) {
  delete infos.remove(handle);
}

void RankHandles::delete_self_attributes() {
  if (self_ && self_->extras_if_any()) self_->extras().attributes.erase_all(MPI_COMM_SELF);
}

std::vector<std::string> RankHandles::leaks() const {
  std::vector<std::string> leaks;
  append_leaks(leaks, communicators, "communicator", [](const Communicator& c) { return c.name(); });
  const auto name_of_type = [](const Datatype& type) {
    return type.description_if_any() ? type.description_if_any()->name : std::string();
  };
  append_leaks(leaks, datatypes, "datatype", name_of_type, state_ ? state_->fortran_kinds.size() : 0);
  append_leaks(leaks, groups, "group", nameless);
  append_leaks(leaks, ops, "reduction operation", nameless);
  append_leaks(leaks, infos, "info object", nameless);
  append_leaks(leaks, requests, "request", nameless);
  append_leaks(leaks, messages, "matched message", nameless);
  std::size_t keys = 0;
  keyvals.for_each([&keys](int, const Keyval* keyval) { keys += keyval->freed ? 0 : 1; });
  add_leak(leaks, keys, "attribute key");
  return leaks;
}

}  // namespace mpisim::mpi
