"""Line plots with logarithmic axes and bar charts as SVG, with nothing but the standard library."""
import math
from xml.sax.saxutils import escape

# Told apart by people who see colours differently, too (Okabe and Ito), and by their markers.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
MARKERS = ["circle", "square", "diamond", "triangle"]
WIDTH, HEIGHT = 460, 360  # of one panel
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 30, 50
LEGEND = 34


class Panel:
    """series: [(label, [(x, y), ...])]; guide: one more line, drawn grey and dashed."""

    def __init__(self, title, x_label, y_label, series, guide=None):
        self.title, self.x_label, self.y_label, self.series, self.guide = title, x_label, y_label, series, guide
        points = [p for _, line in series for p in line]
        self.xs = sorted({x for x, _ in points})
        self.x_ticks = self.xs
        low, high = (f(y for _, y in points) for f in (min, max))
        # Whole decades, or halves of them where the values span less.
        self.y_low, self.y_high = self.bound(low, math.floor), self.bound(high, math.ceil)
        if self.y_low == self.y_high:
            self.y_high *= 10

    @staticmethod
    def bound(value, rounded):
        """The nearest 1, 2 or 5 times a power of ten, below or above."""
        decade = 10.0 ** math.floor(math.log10(value) + 1e-9)
        steps = [decade * m for m in (1, 2, 5, 10)]
        if rounded is math.floor:
            return max(s for s in steps if s <= value * (1 + 1e-9))
        return min(s for s in steps if s >= value * (1 - 1e-9))

    def x(self, value):
        low, high = math.log(self.xs[0]), math.log(self.xs[-1])
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log(value) - low) / ((high - low) or 1)

    def y(self, value):
        low, high = math.log(self.y_low), math.log(self.y_high)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log(value) - low) / (high - low)

    def y_ticks(self):
        decade = 10.0 ** math.floor(math.log10(self.y_low) + 1e-9)
        many = self.y_high / self.y_low > 2000
        ticks = []
        while decade <= self.y_high * (1 + 1e-9):
            ticks += [decade * m for m in ((1,) if many else (1, 2, 5))]
            decade *= 10
        return [t for t in ticks if self.y_low * (1 - 1e-9) <= t <= self.y_high * (1 + 1e-9)]

    def draw(self):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        out = [text((LEFT + right) / 2, TOP - 12, self.title, anchor="middle", size=14, weight="bold")]
        for tick in self.y_ticks():
            y = self.y(tick)
            out.append(line([(LEFT, y), (right, y)], "#dddddd", 1))
            out.append(text(LEFT - 8, y + 4, f"{tick:g}", anchor="end"))
        for tick in self.x_ticks:
            x = self.x(tick)
            out.append(line([(x, TOP), (x, bottom)], "#eeeeee", 1))
            out.append(text(x, bottom + 18, f"{tick:g}", anchor="middle"))
        out.append(line([(LEFT, TOP), (LEFT, bottom), (right, bottom)], "#333333", 1))
        out.append(text((LEFT + right) / 2, HEIGHT - 12, self.x_label, anchor="middle"))
        middle = (TOP + bottom) / 2
        out.append(f'<g transform="rotate(-90 16 {middle:.1f})">{text(16, middle, self.y_label, anchor="middle")}</g>')
        if self.guide:
            inside = [(x, y) for x, y in self.guide[1] if self.y_low <= y <= self.y_high and x in self.xs]
            out.append(line([(self.x(x), self.y(y)) for x, y in inside], "#888888", 1.5, dashed=True))
            x, y = inside[-1]
            out.append(text(self.x(x) - 8, self.y(y) + 2, self.guide[0], anchor="end", colour="#666666"))
        for number, (_, points) in enumerate(self.series):
            places = [(self.x(x), self.y(y)) for x, y in points]
            out.append(line(places, COLOURS[number % len(COLOURS)], 2))
            out += [marker(x, y, number) for x, y in places]
        return "\n".join(out)


class Bars:
    """Groups of bars from zero. groups: labels below the axis; series: [(label, [height of each group]), ...]."""

    def __init__(self, title, x_label, y_label, groups, series, top=1.0):
        self.title, self.x_label, self.y_label, self.groups, self.series = title, x_label, y_label, groups, series
        self.top = top

    def draw(self):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        out = [text((LEFT + right) / 2, TOP - 12, self.title, anchor="middle", size=14, weight="bold")]
        for tick in range(6):
            value = self.top * tick / 5
            y = bottom - (bottom - TOP) * tick / 5
            out.append(line([(LEFT, y), (right, y)], "#dddddd", 1))
            out.append(text(LEFT - 8, y + 4, f"{value:g}", anchor="end"))
        space = (right - LEFT) / len(self.groups)
        width = 0.8 * space / len(self.series)
        for place, group in enumerate(self.groups):
            begin = LEFT + space * (place + 0.1)
            out.append(text(begin + 0.4 * space, bottom + 18, group, anchor="middle"))
            for number, (_, heights) in enumerate(self.series):
                x, height = begin + number * width, (bottom - TOP) * min(heights[place] / self.top, 1.0)
                out.append(f'<rect x="{x:.1f}" y="{bottom - height:.1f}" width="{0.9 * width:.1f}" height="{height:.1f}" '
                           f'fill="{COLOURS[number % len(COLOURS)]}"/>')
                if height < 1:  # nothing to be seen: say that it is zero
                    out.append(text(x + 0.45 * width, bottom - 3, "0", anchor="middle", size=9, colour="#666666"))
        out.append(line([(LEFT, TOP), (LEFT, bottom), (right, bottom)], "#333333", 1))
        out.append(text((LEFT + right) / 2, HEIGHT - 12, self.x_label, anchor="middle"))
        middle = (TOP + bottom) / 2
        out.append(f'<g transform="rotate(-90 16 {middle:.1f})">{text(16, middle, self.y_label, anchor="middle")}</g>')
        return "\n".join(out)


def text(x, y, words, anchor="start", size=12, weight="normal", colour="#222222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{colour}">{escape(words)}</text>')


def line(points, colour, width, dashed=False):
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dash = ' stroke-dasharray="6 4"' if dashed else ""
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'


def marker(x, y, number):
    colour, kind = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    shape = {"square": [(-4, -4), (4, -4), (4, 4), (-4, 4)], "diamond": [(0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)],
             "triangle": [(0, -5), (5, 4), (-5, 4)]}[kind]
    return f'<polygon points="{" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in shape)}" fill="{colour}"/>'


def figure(title, panels):
    """Panels side by side under one title and above one legend (that of the first panel)."""
    width, height = WIDTH * len(panels), HEIGHT + 36 + LEGEND
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="DejaVu Sans, Helvetica, Arial, sans-serif">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           text(width / 2, 24, title, anchor="middle", size=16, weight="bold")]
    for number, panel in enumerate(panels):
        out.append(f'<g transform="translate({number * WIDTH} 36)">\n{panel.draw()}\n</g>')
    labels = [label for label, _ in panels[0].series]
    space = width / len(labels)
    for number, label in enumerate(labels):
        x, y = space * (number + 0.5) - 4 * len(label) - 10, height - LEGEND / 2
        out.append(line([(x - 14, y - 4), (x + 14, y - 4)], COLOURS[number % len(COLOURS)], 2))
        out.append(marker(x, y - 4, number))
        out.append(text(x + 22, y, label))
    return "\n".join(out) + "\n</svg>\n"
