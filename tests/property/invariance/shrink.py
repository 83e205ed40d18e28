"""Makes a program that shows a fault smaller, as long as it shows it."""
import programs


def units(program):
    """Sets of steps that can be left out on their own. A message is one with its receive: the k-th of a class that is sent
    and the k-th receive of the class, so that what is left stays valid. What completes receives goes with the last."""
    found, epoch = [], []
    for index, step in [*enumerate(program.steps), (len(program.steps), ("end",))]:
        if step[0] == "end":
            found += epoch_units(program, epoch)
            epoch = []
            if index < len(program.steps):
                found.append({index})
        else:
            epoch.append(index)
    return found


def epoch_units(program, indices):
    named, sends, receives, found = {}, {}, {}, []
    for index in indices:
        step = program.steps[index]
        if step[0] in ("recv", "post"):
            rank, (source, comm, tag) = step[2], step[-3:]
            named[rank, comm] = (source != programs.ANY, tag != programs.ANY)
            receives.setdefault((rank, comm, source, tag), []).append(index)
    for index in indices:
        step = program.steps[index]
        if step[0] == "send" and step[4] != programs.PEEKED:
            source, to, comm, tag = step[2:6]
            by_source, by_tag = named[to, comm]
            of = (to, comm, source if by_source else programs.ANY, tag if by_tag else programs.ANY)
            sends.setdefault(of, []).append(index)
        elif step[0] not in ("recv", "post", "complete"):
            found.append({index})
    for of, mine in receives.items():
        found += [{send, receive} for send, receive in zip(sends.get(of, []), mine)]
    return sorted(found, key=min)


def without(program, left_out):
    """The program without these steps; receives that are left out are not completed or cancelled either. None if what
    is left is not valid."""
    steps, gone = [], set()  # (rank, slot) whose receive is left out
    for index, step in enumerate(program.steps):
        if step[0] == "post":
            (gone.add if index in left_out else gone.discard)(step[2:4])
        if index in left_out:
            continue
        if step[0] == "complete":
            slots = [slot for slot in step[3:] if (step[2], slot) not in gone]
            if not slots:
                continue
            step = (*step[:3], *slots)
        if step[0] == "cancel" and step[1:3] in gone:
            continue
        steps.append(step)
    return valid(programs.Program(program.name, program.machine, program.ranks, steps))


def valid(program):
    try:
        programs.check(program)
    except (programs.Invalid, IndexError):
        return None
    return program


def leave_out(program, fails):
    """Delta debugging (Zeller and Hildebrandt, 2002): ever smaller runs of units are tried."""
    size = max(1, len(units(program)) // 2)
    while True:
        at, smaller = 0, False
        while True:
            parts = units(program)
            if at >= len(parts):
                break
            candidate = without(program, set().union(*parts[at:at + size]))
            if candidate is not None and fails(candidate):
                program, smaller = candidate, True
            else:
                at += size
        if size > 1:
            size //= 2
        elif not smaller:
            return program


# Where ranks stand in each word's arguments.
RANKS = {"send": (2, 3), "recv": (2, 3), "post": (2, 4), "complete": (2,), "peek": (2,),
         **{word: (1,) for word in ("cancel", "rest", "sends", "work", "sleep", "spin", "clock", "print")}, "access": (3,)}


def without_rank(program, rank):
    """The program of one rank less: all that it takes part in is left out."""
    if program.ranks == 1:
        return None
    left_out = set()
    for part in units(program):
        if any(program.steps[index][place] == rank for index in part for place in RANKS.get(program.steps[index][0], ())):
            left_out |= part
    smaller = without(program, left_out)
    if smaller is None:
        return None
    steps = []
    for step in smaller.steps:
        step = list(step)
        for place in RANKS.get(step[0], ()):
            step[place] -= step[place] > rank
        if step[0] == "comm" and step[2] == "split":
            del step[5 + rank]
        steps.append(tuple(step))
    return valid(programs.Program(program.name, program.machine, program.ranks - 1, steps))


def simpler_steps(step):
    """The same step in plainer forms, the plainest first."""
    if step[0] == "send":
        yield ("send", "isend", *step[2:6], 0)
        yield ("send", "isend", *step[2:])
        yield (*step[:6], 0)
    elif step[0] == "recv":
        yield ("recv", "recv", *step[2:])
    elif step[0] == "post":
        yield ("post", "irecv", *step[2:])
    elif step[0] == "complete":
        yield ("complete", "wait", *step[2:])
    elif step[0] == "coll":
        yield ("coll", "barrier", step[2], 0, 0)
    elif step[0] in ("work", "spin"):
        yield ("sleep", *step[1:])


def simplify(program, fails):
    for index in range(len(program.steps)):
        for step in simpler_steps(program.steps[index]):
            if step == program.steps[index]:
                break
            steps = [*program.steps[:index], step, *program.steps[index + 1:]]
            candidate = valid(programs.Program(program.name, program.machine, program.ranks, steps))
            if candidate is not None and fails(candidate):
                program = candidate
                break
    return program


def shrink(program, fails):
    """The smallest program found for which fails(program) still holds, as it does for this one."""
    while True:
        before = program
        program = leave_out(program, fails)
        for rank in reversed(range(program.ranks)):
            candidate = without_rank(program, rank)
            if candidate is not None and fails(candidate):
                program = candidate
        program = simplify(program, fails)
        if program == before:
            return program
