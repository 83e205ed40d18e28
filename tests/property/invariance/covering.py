"""Pairwise covering arrays: few rows in which every two values of two factors that may stand together do."""
import itertools
import random


def covering_array(factors, allowed, seed, tries=20):
    """Rows (dictionaries from factor to value) that cover every pair of values that some row can have. `factors`: name to
    list of values. allowed(row) is asked of partial rows too: whether nothing in it is forbidden; what it allows must be
    possible to complete. Greedy: each row begins with a pair that is not covered and takes in as many others as it can;
    the best of some random tries is kept."""
    draw = random.Random(seed)
    names = list(factors)
    open_pairs = {pair for first, second in itertools.combinations(names, 2)
                  for pair in (((first, a), (second, b)) for a in factors[first] for b in factors[second])
                  if allowed(dict(pair))}
    rows = []
    while open_pairs:
        ordered = sorted(open_pairs, key=repr)
        candidates = [complete(dict(draw.choice(ordered)), factors, allowed, open_pairs, draw) for _ in range(tries)]
        best = max((row for row in candidates if row is not None), key=lambda row: len(covered(row, names, open_pairs)),
                   default=None)
        if best is None:  # pairs that cannot be completed
            impossible = [pair for pair in ordered
                          if all(complete(dict(pair), factors, allowed, open_pairs, draw) is None for _ in range(tries))]
            open_pairs -= set(impossible)
            continue
        open_pairs -= covered(best, names, open_pairs)
        rows.append({name: best[name] for name in names})
    return rows


def covered(row, names, open_pairs):
    pairs = {((first, row[first]), (second, row[second])) for first, second in itertools.combinations(names, 2)}
    return pairs & open_pairs


def complete(row, factors, allowed, open_pairs, draw):
    """The row with all factors, or None."""
    names = list(factors)
    missing = [name for name in names if name not in row]
    draw.shuffle(missing)
    for name in missing:
        def gain(value):
            return sum(pair in open_pairs for other in row for pair in (((name, value), (other, row[other])),
                                                                        ((other, row[other]), (name, value))))
        values = [value for value in factors[name] if allowed({**row, name: value})]
        if not values:
            return None
        row[name] = max(values, key=lambda value: (gain(value), draw.random()))
    return row
