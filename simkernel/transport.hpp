#pragma once
// How host processes of one simulation talk. Implementations: Open MPI (a plug-in that is loaded only with
// several hosts) and, for tests, several kernels inside one process with a seeded adversarial delivery order.
#include <cstddef>
#include <span>
#include <vector>

namespace mpisim::kernel {

struct Packet {
  int source = 0;
  std::vector<std::byte> data;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual int host() const = 0;
  virtual int hosts() const = 0;
  /// Reliable; packets between one pair of hosts keep their order. Never blocks for long.
  virtual void send(int host, std::vector<std::byte> data) = 0;
  /// Takes one packet if there is one; false otherwise.
  virtual bool receive(Packet& packet) = 0;
  /// Waits until a packet may be there; may return early. Lets other host processes of this machine run
  /// meanwhile.
  virtual void wait() = 0;
  /// Whether the next wait() may last much longer than a packet needs: nothing came for a while, and the
  /// processor is given to others.
  virtual bool rests_next() const = 0;
  /// Whether that host process is known to wait and to have taken all that was sent to it: what it gets now,
  /// it works on at once. Costs next to nothing.
  virtual bool starves(int host) const = 0;
  /// Ends all host processes at once, without a word of its own. Does not return.
  [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace mpisim::kernel
