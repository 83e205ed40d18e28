"""What a simulation costs on many host processes, from the costs of its parts (docs/scaling.md has the equations)."""
import bisect
import dataclasses
import math

FAN_OUT = 8  # HostTree::fan_out, simkernel/host_tree.hpp


@dataclasses.dataclass
class Costs:
    """Measured; seconds of one processor, bytes."""
    local: dict               # ranks of a host process: a message between two of them, named receive
    decided: dict             # the same, received by a decision that takes synchronisation
    payload: float            # a byte of either
    remote: float             # a message to another host process, above a local one, both ends together
    remote_byte: float        # a byte of it
    handover: float           # from one host process that waits to another, and back: half of it
    word: float               # a packet of the protocol, both ends
    null: float               # a null message and what leads to it
    start: float              # of a rank
    rank_bytes: float         # a rank on its own host process
    anywhere_bytes: float     # any rank, on every host process
    result_bytes: float       # any rank, on host process 0
    base_bytes: float         # a host process without ranks

    @staticmethod
    def at(table, ranks):
        """Costs grow with the logarithm of the stacks: between two measured numbers of ranks by interpolation; beyond
        the last as from the last but one to the last."""
        sizes = sorted(table)
        if ranks <= sizes[0]:
            return table[sizes[0]]
        right = min(bisect.bisect_left(sizes, ranks), len(sizes) - 1)
        left = right - 1
        slope = (table[sizes[right]] - table[sizes[left]]) / math.log(sizes[right] / sizes[left])
        return table[sizes[left]] + max(slope, 0) * math.log(ranks / sizes[left])


@dataclasses.dataclass
class Network:
    """Between host processes, beyond the shared memory in which costs were measured."""
    latency: float = 0.0      # more than through shared memory, seconds
    bandwidth: float = 0.0    # of one host process, bytes per second; 0: as measured


@dataclasses.dataclass
class Step:
    """What one step of a program asks of each host process."""
    messages: float           # sent by its ranks
    size: float               # bytes of payload
    remote: float             # of them to other host processes
    decisions: float = 0.0    # of the messages, those received by a decision
    rounds: float = 0.0       # of conditional events
    nulls: float = 0.0        # null messages
    handovers: float = 0.0    # times that all wait for another


def levels(hosts):
    """Steps from the lowest host process to host 0."""
    height, reached = 0, 1
    while reached < hosts:
        height += 1
        reached += FAN_OUT**height
    return height


def round_time(costs, network, hosts):
    """Reports go up the tree, the decision goes down; each level takes a hand-over and a packet for each neighbour."""
    if hosts == 1:
        return 0.0
    neighbours = min(FAN_OUT, hosts - 1)
    return 2 * levels(hosts) * (costs.handover + network.latency + (neighbours - 1) * costs.word)


def parts(costs, step, hosts, ranks, network=Network()):
    """Seconds of a step by cause; `ranks` on a host process."""
    per_byte = costs.remote_byte + (1 / network.bandwidth if network.bandwidth else 0)
    named = step.messages - step.decisions
    return {
        "messages": named * Costs.at(costs.local, ranks) + step.decisions * Costs.at(costs.decided, ranks)
        + step.messages * step.size * costs.payload,
        "remote": step.remote * (costs.remote + step.size * per_byte),
        "rounds": step.rounds * round_time(costs, network, hosts),
        "null messages": step.nulls * (costs.null + network.latency),
        "hand-overs": step.handovers * (costs.handover + network.latency) if hosts > 1 else 0.0,
    }


def memory(costs, hosts, ranks):
    """Bytes of host process 0, which has the results of all, and of any other; `ranks` in all."""
    other = costs.base_bytes + ranks / hosts * costs.rank_bytes + ranks * costs.anywhere_bytes
    return other + ranks * costs.result_bytes, other
