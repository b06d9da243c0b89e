#!/usr/bin/env python3
"""Draws a results file as bars, one group for each work: plot.py RESULTS.json writes RESULTS.svg."""

import json
import pathlib
import sys
from html import escape

COLOURS = ["#1f6fb2", "#e08a1e", "#7a9a3a", "#a65a8d", "#8c8c8c", "#c4473a"]
BAR, GAP, LEFT, WIDTH, TOP = 11, 9, 230, 620, 46


def bars(rows):
    """The SVG of rows of {"work", "peer", "figure", "unit"}; rows without a figure are left out."""
    works = {}
    for row in rows:
        if "figure" in row:
            works.setdefault(row["work"], []).append(row)
    peers = list(dict.fromkeys(row["peer"] for of_work in works.values() for row in of_work))
    largest = max((row["figure"] for of_work in works.values() for row in of_work), default=1)
    parts, y = [], TOP
    for number, peer in enumerate(peers):
        x = LEFT + number * 105
        parts += [rectangle(x, 14, 10, 10, peer, peers), text(x + 15, 23, peer)]
    for work, of_work in works.items():
        parts.append(text(LEFT - 8, y + BAR * len(of_work) / 2 + 4, work, "end"))
        for row in of_work:
            length = WIDTH * row["figure"] / largest
            parts += [rectangle(LEFT, y, length, BAR - 1, row["peer"], peers),
                      text(LEFT + length + 4, y + BAR - 2, f"{row['figure']:.0f}", size=9)]
            y += BAR
        y += GAP
    unit = next((row["unit"] for of_work in works.values() for row in of_work), "")
    parts.append(text(LEFT, y + 8, unit))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{y + 20:.0f}" '
            f'font-family="sans-serif">\n' + "\n".join(parts) + "\n</svg>\n")


def rectangle(x, y, width, height, peer, peers):
    colour = COLOURS[peers.index(peer) % len(COLOURS)]
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" fill="{colour}"/>'


def text(x, y, words, anchor="start", size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>'


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1])
    file.with_suffix(".svg").write_text(bars(json.loads(file.read_text())["rows"]))
