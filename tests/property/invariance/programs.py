"""Random MPI programs that cannot deadlock, as scripts (script.h says what each line means).

A script is all ranks' program in one order. It is valid if it could run in that order, one line at a time, whatever a
message is matched with: then no order can deadlock, because the first line that has not ended has all that it needs.
That holds if messages are received in classes (State): all receives of a rank on a communicator between two lines `end`
name a source or none does, and a tag or none does. Then a receive may be waited for once as many messages of its class
have been sent as receives of the class were begun, and nobody who runs ahead can take the last one away. A send may
block only if its receive has been posted, which can be told where receives name the source; all other sends are waited
for at `end`, when all is received."""
import collections
import dataclasses
import random

KINDS = ("isend", "issend", "ibsend", "persistent")
RECEIVES = ("recv", "recv", "probe", "iprobe", "mprobe", "improbe")
POSTS = ("irecv", "irecv", "irecv", "persistent")
COMPLETIONS = ("wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome")
COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "scan", "exscan",
               "reduce_scatter", "allgatherv", "gatherv", "neighbours", "neighbours")
SLOTS, FILES, PEEKED = 24, 4, 1
ANY = -1


class Invalid(Exception):
    """What makes a script deadlock, or mean nothing."""


@dataclasses.dataclass
class Program:
    name: str
    machine: list  # its file, then settings PATH=VALUE
    ranks: int
    steps: list  # tuples: a word and its arguments

    def text(self):
        head = [f"! program {self.name}", "! machine " + " ".join(self.machine), f"! ranks {self.ranks}"]
        return "\n".join(head + [" ".join(map(str, step)) for step in self.steps]) + "\n"

    def has(self, *words):
        return any(step[0] in words for step in self.steps)


def parse(text):
    """The program of a file that text() made."""
    head, steps = {}, []
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "!":
            head[words[1]] = words[2:]
        elif words and words[0] != "#":
            steps.append(tuple(int(word) if word.lstrip("-").isdigit() else word for word in words))
    return Program(head["program"][0], head["machine"], int(head["ranks"][0]), steps)


class State:
    """What has been sent and received so far; raises Invalid for a step that must not come next."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.comms = {0: [0] * ranks}  # the group of each rank, -1: none
        self.slots = {}                # (rank, slot): (source, comm, tag)
        self.files = {}                # comm of each; None: closed
        self.talked, self.met = set(), set()  # communicators of messages, and of words that receive from anyone
        self.begin_epoch()

    def begin_epoch(self):
        self.named = {}                          # (receiver, comm): whether receives name the source, and the tag
        self.sent = collections.Counter()        # (receiver, comm, source, tag)
        self.begun = collections.Counter()       # the same, of receives

    def require(self, holds, what):
        if not holds:
            raise Invalid(what)

    def together(self, comm, *ranks):
        groups = [self.comms[comm][rank] for rank in ranks]
        return groups[0] >= 0 and all(group == groups[0] for group in groups)

    def members(self, comm, rank):
        return [other for other in range(self.ranks) if self.together(comm, rank, other)]

    def class_of(self, receiver, comm, source, tag):
        by_source, by_tag = self.named[receiver, comm]
        return (receiver, comm, source if by_source else ANY, tag if by_tag else ANY)

    def sent_in(self, of):
        return sum(count for (receiver, comm, source, tag), count in self.sent.items()
                   if (receiver, comm) == of[:2] and of[2] in (ANY, source) and of[3] in (ANY, tag))

    def begin(self, rank, source, comm, tag):
        self.require(comm in self.comms and comm != PEEKED, "no such communicator")
        self.require(self.comms[comm][rank] >= 0 and (source == ANY or self.together(comm, rank, source)), "not a member")
        named = (source != ANY, tag != ANY)
        self.require(self.named.setdefault((rank, comm), named) == named, "receives of different classes")
        self.begun[rank, comm, source, tag] += 1

    def require_sent(self, of):
        self.require(self.sent_in(of) >= self.begun[of], "a wait for a message that is not yet sent")

    def apply(self, step):
        getattr(self, "do_" + step[0])(*step[1:])

    def do_comm(self, new, how, parent, *colours):
        self.require(parent in self.comms and new not in self.comms, "communicator")
        old = self.comms[parent]
        if how == "dup":
            self.comms[new] = list(old)
        else:  # the first is the sign of the keys
            self.comms[new] = [-1 if group < 0 or colour < 0 else group * 100 + colour
                               for group, colour in zip(old, colours[1:])]

    def do_send(self, kind, source, to, comm, tag, _size):
        self.require(comm in self.comms and comm not in self.met and self.together(comm, source, to), "not members")
        self.talked.add(comm)
        if kind in ("send", "ssend"):
            self.require(comm != PEEKED and self.named.get((to, comm), (False,))[0] and source != to,
                         "a blocking send to whom none knows")
            of = self.class_of(to, comm, source, tag)
            self.require(self.begun[of] > self.sent_in(of), "a blocking send without a receive")
        self.sent[to, comm, source, tag] += 1

    def do_recv(self, _how, rank, source, comm, tag):
        self.begin(rank, source, comm, tag)
        self.require_sent((rank, comm, source, tag))

    def do_post(self, _how, rank, slot, source, comm, tag):
        self.require((rank, slot) not in self.slots, "the slot is taken")
        self.begin(rank, source, comm, tag)
        self.slots[rank, slot] = (source, comm, tag)

    def do_complete(self, _how, rank, *slots):
        for slot in slots:
            self.require((rank, slot) in self.slots, "an empty slot")
            source, comm, tag = self.slots.pop((rank, slot))
            self.require_sent((rank, comm, source, tag))

    def do_cancel(self, rank, slot):
        self.require((rank, slot) in self.slots, "an empty slot")

    def do_coll(self, _operation, comm, _count, _root):
        self.require(comm in self.comms, "no such communicator")

    def meet(self, comm):
        """For words that receive from anyone: no other messages on that communicator."""
        self.require(comm in self.comms and comm not in self.talked, "no such communicator, or one with other messages")
        self.met.add(comm)

    def do_serve(self, comm, *_rest):
        self.meet(comm)

    def do_ring(self, comm, _size):
        self.meet(comm)

    def do_swap(self, _kind, comm, _size):
        self.meet(comm)

    def do_open(self, file, comm):
        self.require(comm in self.comms and file not in self.files, "file")
        self.files[file] = comm

    def do_close(self, file):
        self.require(self.files.get(file) is not None, "file")
        self.files[file] = None

    def do_sync(self, file):
        self.require(self.files.get(file) is not None, "file")

    def do_access(self, _how, file, rank, _offset, _size):
        self.require(self.files.get(file) is not None and self.comms[self.files[file]][rank] >= 0, "file")

    def do_together(self, _how, file, _size):
        self.require(self.files.get(file) is not None, "file")

    def do_end(self):
        self.require(not self.slots, "receives that nobody waits for")
        for (receiver, comm, source, tag) in self.sent:
            if comm == PEEKED:
                continue
            self.require((receiver, comm) in self.named, "messages that nobody receives")
            of = self.class_of(receiver, comm, source, tag)
            self.require(self.sent_in(of) == self.begun[of], "messages that nobody receives")
        self.begin_epoch()

    def do_peek(self, _how, _rank, _times):
        self.require(PEEKED in self.comms, "no such communicator")

    def do_rest(self, _rank):
        pass

    do_sends = do_work = do_sleep = do_spin = do_clock = do_print = lambda self, *_: None


def check(program):
    """Raises Invalid if the program may deadlock."""
    state = State(program.ranks)
    for step in [*program.steps, ("end",)]:
        state.apply(step)


class Generator:
    def __init__(self, seed, ranks, length, files):
        self.random = random.Random(seed)
        self.ranks = ranks
        self.length = length
        self.state = State(ranks)
        self.steps = []
        draw = self.random
        # Equal times make messages meet, which is where orders could be confused.
        self.tick = draw.choice((1000, 1000, 500, 137))
        self.idle = draw.choice((1, 2, 5, 40))
        self.large = draw.choice((0, 0.1, 0.4))
        self.any_source = draw.choice((0.1, 0.5, 0.9))
        self.intends = {}  # how receives of a rank on a communicator will be, in this epoch
        self.emit("comm", 1, "dup", 0)
        self.emit("comm", 2, "dup", 0)
        # Communicators of messages, of collectives, and of words that receive from anyone.
        self.talks, self.meets, self.alone_in = [0], [2], [2]
        if draw.random() < 0.6 and ranks > 2:
            colours = [draw.choice((0, 1, 0, 1, -1)) for _ in range(ranks)]
            self.emit("comm", 3, "split", 0, draw.choice((1, -1)), *colours)
            self.emit("comm", 4, "dup", 3)
            self.talks.append(3)
            self.meets += [3, 4]
            self.alone_in.append(4)
        weights = {"message": 10, "post": 6, "complete": 5, "burst": 4, "alone": 8, "lazy": 4, "coll": 3, "serve": 1, "ring": 1, "swap": 3,
                   "sends": 2, "epoch": 1, "files": 6 if files else 0}
        self.weights = {name: weight * draw.choice((0, 1, 1, 2)) for name, weight in weights.items()}
        self.weights["message"] += 1
        if files:
            self.weights["files"] += 2

    def emit(self, *step):
        self.state.apply(step)
        self.steps.append(step)

    def rank(self):
        return self.random.randrange(self.ranks)

    def time(self):
        return self.tick * self.random.randint(0, self.idle)

    def size(self):
        draw = self.random
        if draw.random() < self.large:
            return draw.choice((4096, 4097, 9000, 65536, 65537, 100000))
        return draw.choice((0, 1, 8, 8, draw.randint(0, 64), draw.randint(0, 3000)))

    def intent(self, receiver, comm):
        draw = self.random
        if (receiver, comm) not in self.intends:
            self.intends[receiver, comm] = (draw.random() > self.any_source, draw.random() < 0.5)
        return self.intends[receiver, comm]

    def pair(self):
        """A sender, a receiver and a communicator that both are in."""
        comm, receiver = self.random.choice(self.talks), self.rank()
        members = self.state.members(comm, receiver)
        if not members:
            return None
        return self.random.choice(members), receiver, comm

    def send(self, source, to, comm, tag):
        draw = self.random
        if draw.random() < 0.3:
            kind = draw.choice(("send", "ssend"))
            try:
                self.emit("send", kind, source, to, comm, tag, self.size())
                return
            except Invalid:
                pass
        self.emit("send", draw.choice(KINDS), source, to, comm, tag, self.size())

    def receive(self, receiver, comm, source, tag):
        by_source, by_tag = self.intent(receiver, comm)
        of = (receiver, comm, source if by_source else ANY, tag if by_tag else ANY)
        self.send_what_lacks(of, 1)
        self.emit("recv", self.random.choice(RECEIVES), receiver, of[2], comm, of[3])

    def post_for(self, receiver, comm, source, tag):
        by_source, by_tag = self.intent(receiver, comm)
        free = [slot for slot in range(SLOTS) if (receiver, slot) not in self.state.slots]
        if not free:
            return
        self.emit("post", self.random.choice(POSTS), receiver, free[0], source if by_source else ANY, comm,
                  tag if by_tag else ANY)

    def message(self):
        if not (pair := self.pair()):
            return
        source, to, comm = pair
        tag = self.random.randrange(3)
        self.send(source, to, comm, tag)
        if self.random.random() < 0.6:
            self.receive(to, comm, source, tag)

    def post(self):
        if pair := self.pair():
            self.post_for(pair[1], pair[2], pair[0], self.random.randrange(3))

    def send_what_lacks(self, of, more=0):
        """Sends as many messages of the class as receives of it were begun, and more."""
        receiver, comm, source, tag = of
        while self.state.sent_in(of) < self.state.begun[of] + more:
            sender = source if source != ANY else self.random.choice(self.state.members(comm, receiver))
            self.send(sender, receiver, comm, tag if tag != ANY else self.random.randrange(3))

    def complete(self, rank=None):
        draw = self.random
        if not self.state.slots:
            return
        if rank is None:
            rank = draw.choice(sorted(self.state.slots))[0]
            slots = [slot for owner, slot in sorted(self.state.slots) if owner == rank]
            slots = draw.sample(slots, draw.randint(1, len(slots)))
            if draw.random() < 0.2:
                slot = draw.choice(slots)
                if self.can_be_cancelled(rank, slot):
                    self.emit("cancel", rank, slot)
        else:
            slots = [slot for owner, slot in sorted(self.state.slots) if owner == rank]
        for slot in slots:
            source, comm, tag = self.state.slots[rank, slot]
            self.send_what_lacks((rank, comm, source, tag))
        self.emit("complete", draw.choice(COMPLETIONS), rank, *slots)

    def can_be_cancelled(self, rank, slot):
        for step in reversed(self.steps):
            if step[0] == "post" and step[2:4] == (rank, slot):
                return step[1] == "irecv"
        return False

    def burst(self):
        """Many send to one at about the same time."""
        draw = self.random
        comm, receiver, tag = draw.choice(self.talks), self.rank(), draw.randrange(3)
        members = self.state.members(comm, receiver)
        senders = draw.sample(members, draw.randint(0, len(members)))
        ahead = draw.random() < 0.5
        pause = self.time()
        if ahead:
            for source in senders:
                self.post_for(receiver, comm, source, tag)
        for source in senders:
            if pause:
                self.emit("sleep", source, pause)
            self.send(source, receiver, comm, tag)
        if not ahead:
            for source in draw.sample(senders, len(senders)):
                self.receive(receiver, comm, source, tag)
        elif draw.random() < 0.7:
            self.complete(receiver)

    def alone(self):
        verb = self.random.choice(("work", "sleep", "sleep", "spin", "clock", "print"))
        rank = self.rank()
        self.emit(verb, rank, *([] if verb in ("clock", "print") else [self.time()]))

    def lazy(self):
        draw = self.random
        for _ in range(draw.randint(0, 3)):
            self.emit("send", draw.choice(KINDS), self.rank(), self.rank(), PEEKED, draw.randrange(3), self.size())
        if draw.random() < 0.6:
            self.emit("peek", draw.choice(("iprobe", "improbe")), self.rank(), draw.randint(1, 12))
        elif draw.random() < 0.2:
            self.emit("rest", self.rank())

    def coll(self):
        draw = self.random
        self.emit("coll", draw.choice(COLLECTIVES), draw.choice(self.meets), draw.choice((0, 1, 2, 10, 300, 1500)), self.rank())

    def serve(self):
        self.emit("serve", self.random.choice(self.alone_in), self.rank(), self.random.randint(0, 2 * self.ranks),
                  self.time())

    def ring(self):
        self.emit("ring", self.random.choice(self.alone_in), self.size())

    def swap(self):
        comm = self.random.choice(self.alone_in)
        if self.random.random() < 0.6:
            self.emit("coll", "barrier", comm, 0, 0)
        self.emit("swap", self.random.choice(("send", "ssend", "ssend")), comm, self.size())

    def sends(self):
        self.emit("sends", self.rank(), self.random.randint(1, 6))

    def files(self):
        draw, opened = self.random, [file for file, comm in self.state.files.items() if comm is not None]
        if not opened or (draw.random() < 0.1 and len(self.state.files) < FILES):
            if len(self.state.files) < FILES:
                self.emit("open", len(self.state.files), draw.choice(self.meets))
            return
        file, what = draw.choice(opened), draw.random()
        members = [rank for rank in range(self.ranks) if self.state.comms[self.state.files[file]][rank] >= 0]
        size = draw.choice((0, 1, 100, draw.randint(1, 9000)))
        if what < 0.6 and members:
            self.emit("access", draw.choice(("write", "write", "read", "seekwrite", "seekread", "iwrite", "iread", "shared",
                                               "shared")), file, draw.choice(members),
                      draw.randint(0, 30000), size)
        elif what < 0.85:
            self.emit("together", draw.choice(("write", "write", "read", "writeat", "readat", "splitwrite", "ordered", "ordered")), file, size)
        elif what < 0.95:
            self.emit("sync", file)
        else:
            self.emit("close", file)

    def epoch(self):
        """Everything that is under way is received."""
        for of in sorted(self.state.begun):
            self.send_what_lacks(of)
        for rank in sorted({rank for rank, _ in self.state.slots}):
            self.complete(rank)
        for (receiver, comm, source, tag) in sorted(self.state.sent.elements()):
            if comm != PEEKED:
                by_source, by_tag = self.intent(receiver, comm)
                of = (receiver, comm, source if by_source else ANY, tag if by_tag else ANY)
                if self.state.sent_in(of) > self.state.begun[of]:
                    self.receive(receiver, comm, source, tag)
        self.emit("end")
        self.intends.clear()

    def generate(self):
        names = list(self.weights)
        while len(self.steps) < self.length:
            getattr(self, self.random.choices(names, [self.weights[name] for name in names])[0])()
        self.epoch()
        return self.steps


# Least latencies from 300 ns to 40 us, order-free networks and such that are not, several ranks per node, both models of
# files, both kinds of progress, rendezvous of everything.
MACHINES = (
    ["ideal"],
    ["ideal", "mpi.eager_limit=16B", "mpi.progress=in-calls"],
    ["cluster"],
    ["cluster", "placement.ranks_per_node=3", "mpi.progress=in-calls"],
    ["paragon"],
    ["paragon", "mpi.eager_limit=100B", "io.collective=barrier"],
    ["sp2"],
    ["sp2", "mpi.progress=in-calls"],
    ["transputer"],
)


def generate(seed, ranks=None, machine=None, files=None, length=None):
    """The program of a seed; what is given is not drawn."""
    draw = random.Random(f"program {seed}")
    drawn_ranks, drawn_machine = draw.choice((2, 3, 3, 4, 4, 5, 6, 7, 9, 12)), draw.choice(MACHINES)
    drawn_files, drawn_length = draw.random() < 0.25, draw.choice((20, 40, 80, 120))
    generator = Generator(seed, ranks or drawn_ranks, length or drawn_length, drawn_files if files is None else files)
    program = Program(f"seed-{seed}", list(machine or drawn_machine), generator.ranks, generator.generate())
    check(program)
    return program
