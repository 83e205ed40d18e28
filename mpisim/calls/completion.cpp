// C entry points: waits, tests, cancellation, generalized requests.
#include <fmt/format.h>

#include <boost/container/small_vector.hpp>
#include <vector>

#include "mpisim/checks.hpp"
#include "mpisim/entry.hpp"
#include "mpisim/rank.hpp"
#include "mpisim/statuses.hpp"

namespace mpisim::mpi {

namespace {

struct Generalized {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* state;
};

int free_generalized(Request& request) {
  const auto* callbacks = static_cast<Generalized*>(request.generalized);
  const int error = callbacks->free(callbacks->state);
  delete callbacks;
  return error;
}

/// The active requests among an array of handles, and where each stands in it.
struct ActiveRequests {
  boost::container::small_vector<Request*, 8> requests;
  boost::container::small_vector<int, 8> positions;
  int error = MPI_SUCCESS;

  std::span<Request* const> all() const { return {requests.data(), requests.size()}; }

  ActiveRequests(Rank& rank, int count, const MPI_Request* handles) {
    if (count < 0) {
      error = raise(nullptr, MPI_ERR_COUNT, fmt::format("count {} is negative", count));
      return;
    }
    requests.reserve(static_cast<std::size_t>(count));
    positions.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      if (handles[i] == MPI_REQUEST_NULL) continue;
      Request* request = rank.handles().request(handles[i]);
      if (request == nullptr) {
        error =
            raise(nullptr, MPI_ERR_REQUEST,
                  fmt::format("request {} of the call ({:#x}) was freed or completed before", i, handles[i]));
        break;
      }
      if (!request->active) continue;
      if (request->listed) {
        error = raise(nullptr, MPI_ERR_REQUEST,
                      fmt::format("request {} of the call ({:#x}) stands there twice", i, handles[i]));
        break;
      }
      request->listed = true;
      requests.push_back(request);
      positions.push_back(i);
    }
    for (Request* request : requests) request->listed = false;
  }
};

/// Takes a completed request's status and, unless it is persistent, frees it and nulls the program's handle.
int retire(Rank& rank, Request* request, MPI_Request* handle, MPI_Status* status) {
  set_status(status, request->status);
  int error = request->status.error;
  if (request->kind == Request::Kind::generalized) {
    const auto* callbacks = static_cast<Generalized*>(request->generalized);
    MPI_Status own{};
    MPI_Status* filled = status == MPI_STATUS_IGNORE ? &own : status;
    error = callbacks->query(callbacks->state, filled);
    const int freed = free_generalized(*request);
    if (error == MPI_SUCCESS) error = freed;
  }
  if (request->work != nullptr) {
    error = request->work->finish(request->status);
    set_status(status, request->status);
  }
  if (!request->persistent) {
    rank.handles().remove_request(request->handle);
    rank.free_request(request);
    *handle = MPI_REQUEST_NULL;
  }
  return error;
}

/// Errors of single operations in calls on several requests: MPI_ERR_IN_STATUS and MPI_ERROR in each status.
int retire_several(Rank& rank, const ActiveRequests& active, const std::vector<std::size_t>& which,
                   MPI_Request* handles, MPI_Status* statuses, bool dense) {
  Communicator* failed_on = nullptr;
  std::string text;
  int failure = MPI_SUCCESS;
  bool raised_before = false;
  for (std::size_t n = 0; n < which.size(); ++n) {
    Request* request = active.requests[which[n]];
    const int position = active.positions[which[n]];
    MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE
                                                         : &statuses[dense ? static_cast<int>(n) : position];
    Communicator* comm = request->communicator;
    const bool work = request->work != nullptr;
    if (!work && request->status.error != MPI_SUCCESS && text.empty()) text = describe_error(*request);
    comm->retain();  // the request may hold the last reference to a communicator that the program has freed
    const int error = retire(rank, request, &handles[position], status);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    raised_before = raised_before || (work && error != MPI_SUCCESS);
    if (!work && error != MPI_SUCCESS && failure == MPI_SUCCESS) {
      failure = error;
      failed_on = comm;
    } else {
      comm->release();
    }
  }
  if (failure == MPI_SUCCESS) return raised_before ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
  // The program sees MPI_ERR_IN_STATUS; a fatal report names the cause.
  const int raised = raise(failed_on, failure, text.empty() ? "an operation of the call failed" : text);
  failed_on->release();
  return raised == MPI_SUCCESS || statuses == MPI_STATUSES_IGNORE ? raised : MPI_ERR_IN_STATUS;
}

int retire_one(Rank& rank, Request* request, MPI_Request* handle, MPI_Status* status) {
  Communicator* comm = request->communicator;
  const bool work = request->work != nullptr;
  const bool receive_error = !work && request->status.error != MPI_SUCCESS;
  const std::string text = receive_error ? describe_error(*request) : std::string();
  comm->retain();  // the request may hold the last reference to a communicator that the program has freed
  int error = retire(rank, request, handle, status);
  // What works in the background has raised its error itself.
  if (error != MPI_SUCCESS && !work) error = raise(comm, error, text.empty() ? "the operation failed" : text);
  comm->release();
  return error;
}

std::vector<std::size_t> all_of(const ActiveRequests& active) {
  std::vector<std::size_t> all(active.requests.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

/// The status of a call that had nothing to wait for (MPI-3.1 section 3.7.3).
void set_empty(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  set_status(status, empty_status());
  status->MPI_ERROR = MPI_SUCCESS;
}

void empty_statuses(int count, MPI_Status* statuses) {
  if (statuses == MPI_STATUSES_IGNORE) return;
  for (int i = 0; i < count; ++i) set_empty(&statuses[i]);
}

}  // namespace
}  // namespace mpisim::mpi

using namespace mpisim::mpi;

MPISIM_ENTRY(int, Wait, (MPI_Request * handle, MPI_Status* status)) {
  MPISIM_CALL(MPI_Wait, completion);
  ActiveRequests active(call.rank(), 1, handle);
  if (active.error != MPI_SUCCESS) return active.error;
  if (active.requests.empty()) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  call.rank().complete_all(active.all());
  return retire_one(call.rank(), active.requests.front(), handle, status);
}

MPISIM_ENTRY(int, Waitall, (int count, MPI_Request* handles, MPI_Status* statuses)) {
  MPISIM_CALL(MPI_Waitall, completion);
  ActiveRequests active(call.rank(), count, handles);
  if (active.error != MPI_SUCCESS) return active.error;
  empty_statuses(count, statuses);
  call.rank().complete_all(active.all());
  return retire_several(call.rank(), active, all_of(active), handles, statuses, false);
}

MPISIM_ENTRY(int, Waitany, (int count, MPI_Request* handles, int* index, MPI_Status* status)) {
  MPISIM_CALL(MPI_Waitany, completion);
  ActiveRequests active(call.rank(), count, handles);
  if (active.error != MPI_SUCCESS) return active.error;
  if (active.requests.empty()) {
    *index = MPI_UNDEFINED;
    set_empty(status);
    return MPI_SUCCESS;
  }
  const std::size_t first = call.rank().complete_any(active.all());
  *index = active.positions[first];
  return retire_one(call.rank(), active.requests[first], &handles[*index], status);
}

MPISIM_ENTRY(int, Waitsome,
             (int count, MPI_Request* handles, int* done_count, int* indices, MPI_Status* statuses)) {
  MPISIM_CALL(MPI_Waitsome, completion);
  ActiveRequests active(call.rank(), count, handles);
  if (active.error != MPI_SUCCESS) return active.error;
  if (active.requests.empty()) {
    *done_count = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  const auto done = call.rank().complete_some(active.all());
  *done_count = static_cast<int>(done.size());
  for (std::size_t n = 0; n < done.size(); ++n) indices[n] = active.positions[done[n]];
  return retire_several(call.rank(), active, done, handles, statuses, true);
}

MPISIM_ENTRY(int, Test, (MPI_Request * handle, int* flag, MPI_Status* status)) {
  MPISIM_CALL(MPI_Test, completion);
  ActiveRequests active(call.rank(), 1, handle);
  if (active.error != MPI_SUCCESS) return active.error;
  *flag = 1;
  if (active.requests.empty()) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  *flag = call.rank().test(active.all(), Rank::TestWhat::all).empty() ? 0 : 1;
  return *flag == 0 ? MPI_SUCCESS : retire_one(call.rank(), active.requests.front(), handle, status);
}

MPISIM_ENTRY(int, Testall, (int count, MPI_Request* handles, int* flag, MPI_Status* statuses)) {
  MPISIM_CALL(MPI_Testall, completion);
  ActiveRequests active(call.rank(), count, handles);
  if (active.error != MPI_SUCCESS) return active.error;
  *flag = 1;
  if (!active.requests.empty()) {
    *flag = call.rank().test(active.all(), Rank::TestWhat::all).empty() ? 0 : 1;
  }
  if (*flag == 0) return MPI_SUCCESS;
  empty_statuses(count, statuses);
  return retire_several(call.rank(), active, all_of(active), handles, statuses, false);
}

MPISIM_ENTRY(int, Testany, (int count, MPI_Request* handles, int* index, int* flag, MPI_Status* status)) {
  MPISIM_CALL(MPI_Testany, completion);
  ActiveRequests active(call.rank(), count, handles);
  if (active.error != MPI_SUCCESS) return active.error;
  *index = MPI_UNDEFINED;
  *flag = 1;
  if (active.requests.empty()) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  const auto done = call.rank().test(active.all(), Rank::TestWhat::any);
  *flag = done.empty() ? 0 : 1;
  if (done.empty()) return MPI_SUCCESS;
  *index = active.positions[done.front()];
  return retire_one(call.rank(), active.requests[done.front()], &handles[*index], status);
}

MPISIM_ENTRY(int, Testsome,
             (int count, MPI_Request* handles, int* done_count, int* indices, MPI_Status* statuses)) {
  MPISIM_CALL(MPI_Testsome, completion);
  ActiveRequests active(call.rank(), count, handles);
  if (active.error != MPI_SUCCESS) return active.error;
  if (active.requests.empty()) {
    *done_count = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  const auto done = call.rank().test(active.all(), Rank::TestWhat::some);
  *done_count = static_cast<int>(done.size());
  for (std::size_t n = 0; n < done.size(); ++n) indices[n] = active.positions[done[n]];
  return retire_several(call.rank(), active, done, handles, statuses, true);
}

MPISIM_ENTRY(int, Request_get_status, (MPI_Request handle, int* flag, MPI_Status* status)) {
  MPISIM_CALL(MPI_Request_get_status, completion);
  ActiveRequests active(call.rank(), 1, &handle);
  if (active.error != MPI_SUCCESS) return active.error;
  *flag = 1;
  if (active.requests.empty()) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  *flag = call.rank().is_complete(*active.requests.front()) ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  const Request& request = *active.requests.front();
  set_status(status, request.status);
  if (request.kind == Request::Kind::generalized) {
    const auto* callbacks = static_cast<Generalized*>(request.generalized);
    MPI_Status own{};
    return callbacks->query(callbacks->state, status == MPI_STATUS_IGNORE ? &own : status);
  }
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Request_free, (MPI_Request * handle)) {
  MPISIM_CALL(MPI_Request_free, local);
  Request* request = call.rank().handles().request(*handle);
  if (request == nullptr)
    return raise(nullptr, MPI_ERR_REQUEST, "the request is null, or was freed or completed before");
  if (request->kind == Request::Kind::generalized && !request->known) {
    request->released = true;  // MPI_Grequest_complete, which names it by its handle, does the rest
    *handle = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
  call.rank().handles().remove_request(*handle);
  if (request->kind == Request::Kind::generalized) free_generalized(*request);
  call.rank().release_request(request);
  *handle = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Cancel, (MPI_Request * handle)) {
  MPISIM_CALL(MPI_Cancel, completion);
  Request* request = call.rank().handles().request(*handle);
  if (request == nullptr)
    return raise(nullptr, MPI_ERR_REQUEST, "the request is null, or was freed or completed before");
  if (request->kind == Request::Kind::generalized) {
    const auto* callbacks = static_cast<Generalized*>(request->generalized);
    return callbacks->cancel(callbacks->state, request->known ? 1 : 0);
  }
  call.rank().cancel(*request);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Test_cancelled, (const MPI_Status* status, int* flag)) {
  MPISIM_CALL(MPI_Test_cancelled, local);
  *flag = status->mpisim_cancelled;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Grequest_start,
             (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free_function,
              MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* handle)) {
  MPISIM_CALL(MPI_Grequest_start, local);
  Rank& rank = call.rank();
  Request* request = rank.make_request(Request::Kind::generalized,
                                       *rank.handles().communicator(MPI_COMM_WORLD), core::Plane::user);
  request->generalized = new Generalized{query, free_function, cancel, state};
  rank.start(*request);
  request->handle = *handle = rank.handles().add_request(request);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Grequest_complete, (MPI_Request handle)) {
  MPISIM_CALL(MPI_Grequest_complete, local);
  Request* request = call.rank().handles().request(handle);
  if (request == nullptr || request->kind != Request::Kind::generalized) {
    return raise(nullptr, MPI_ERR_REQUEST, "not a generalized request");
  }
  if (request->released) {
    call.rank().handles().remove_request(handle);
    free_generalized(*request);
  }
  call.rank().complete_generalized(*request);
  return MPI_SUCCESS;
}
