#!/usr/bin/env python3
"""The generator, the shrinker and the covering arrays themselves."""
import itertools
import pathlib
import unittest

import covering
import hosts
import programs
import shrink


def program(ranks, *lines):
    return programs.parse("\n".join(["! program test", "! machine ideal", f"! ranks {ranks}", *lines]))


class Generator(unittest.TestCase):
    def test_programs_are_valid_repeatable_and_readable(self):
        words = set()
        for seed in range(1, 101):
            made = programs.generate(seed)  # checks it
            words |= {step[0] for step in made.steps}
            self.assertEqual(made, programs.generate(seed))
            self.assertEqual(made, programs.parse(made.text()))
        self.assertEqual(words, {name.removeprefix("do_") for name in dir(programs.State) if name.startswith("do_")})

    def test_programs_that_may_deadlock_are_refused(self):
        for lines in (
                ["recv recv 1 0 0 5", "send isend 0 1 0 5 8"],                      # not in an order in which it could run
                ["send isend 0 1 0 5 8", "recv recv 1 2 0 5"],                      # from another
                ["send isend 0 1 0 5 8"],                                           # never received
                ["send ssend 0 1 0 5 8", "recv recv 1 0 0 5"],                      # blocks before its receive is posted
                ["post irecv 1 0 -1 0 5", "send ssend 0 1 0 5 8", "complete wait 1 0"],  # somebody else's may take it
                ["post irecv 1 0 0 0 5", "send isend 0 1 0 5 8"],                   # nobody waits for it
                ["send isend 0 1 0 5 8", "send isend 2 1 0 5 8", "recv recv 1 -1 0 5", "recv recv 1 2 0 5"],
                ["comm 3 split 0 1 0 1 0", "send isend 0 1 3 5 8", "recv recv 1 0 3 5"],
                ["send isend 0 1 0 5 8", "recv recv 1 0 0 5", "swap send 0 8"],     # takes messages from anyone
        ):
            with self.assertRaises(programs.Invalid, msg=lines):
                programs.check(program(3, *lines))


class Shrinker(unittest.TestCase):
    def test_finds_the_steps_that_matter(self):
        def fails(candidate):
            programs.check(candidate)
            return candidate.has("spin") and any(step[0] == "recv" and step[3] == programs.ANY for step in candidate.steps)

        large = next(made for made in (programs.generate(seed, ranks=6, length=120) for seed in itertools.count(1))
                     if fails(made))
        small = shrink.shrink(large, fails)
        self.assertEqual(sorted(step[0] for step in small.steps if step[0] != "comm"), ["recv", "send", "spin"])
        self.assertLessEqual(small.ranks, 3)

    def test_a_message_goes_with_its_receive(self):
        pair = program(2, "post irecv 1 0 0 0 5", "post irecv 1 1 0 0 5", "send ssend 0 1 0 5 8", "send isend 0 1 0 5 9",
                       "cancel 1 0", "complete waitall 1 0 1")
        units = shrink.units(pair)
        self.assertEqual(units, [{0, 2}, {1, 3}, {4}])
        self.assertEqual(shrink.without(pair, {0, 2}).text().splitlines()[3:],
                         ["post irecv 1 1 0 0 5", "send isend 0 1 0 5 9", "complete waitall 1 1"])


class CoveringArray(unittest.TestCase):
    def test_every_pair_that_is_allowed_stands_in_a_row(self):
        def allowed(row):
            return not (row.get("protocol") == "sequential" and row.get("hosts", 1) > 1)

        rows = covering.covering_array(hosts.FACTORS, allowed, 1)
        self.assertTrue(all(allowed(row) for row in rows))
        for first, second in itertools.combinations(hosts.FACTORS, 2):
            wanted = {(a, b) for a in hosts.FACTORS[first] for b in hosts.FACTORS[second] if allowed({first: a, second: b})}
            self.assertEqual({(row[first], row[second]) for row in rows}, wanted)
        self.assertLessEqual(len(rows), 150)

    def test_the_product_by_turns_has_every_other_combination_once(self):
        array = hosts.Array(pathlib.Path(), pathlib.Path())
        array.creeps = lambda program, machine: machine == "sp2"  # without running anything
        rows = list(array.product_by_turns(1))
        self.assertTrue(all(array.allowed(row) for row in rows))
        others = [name for name in hosts.FACTORS if name != "program"]
        seen = [tuple(row[name] for name in others) for row in rows]
        self.assertEqual(len(set(seen)), len(seen))
        wanted = {values for values in itertools.product(*(hosts.FACTORS[name] for name in others))
                  if any(array.allowed({**dict(zip(others, values)), "program": name}) for name in hosts.FACTORS["program"])}
        self.assertEqual(set(seen), wanted)
        turns = [sum(row["program"] == name for row in rows) for name in hosts.FACTORS["program"]]
        self.assertGreater(min(turns), 0.8 * len(rows) / len(turns))


if __name__ == "__main__":
    unittest.main()
