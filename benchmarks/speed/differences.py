"""Costs that are the difference of two runs, in which noise can be larger than the cost."""
TRIES = 5


class NotMeasurable(Exception):
    """The shorter run took longer each time."""


def positive(measure, what):
    """What `measure` gives, which is a difference of costs; measured again where it comes out negative or zero."""
    for _ in range(TRIES):
        value = measure()
        if value > 0:
            return value
    raise NotMeasurable(f"{what}: not measurable, {TRIES} differences of two runs were not positive")
