"""harness: what scripts/bench runs.

    service     the whole service, and further pools and fronts on its Redis
    peers       what people would write instead, behind an nginx of its own
    requests    files of requests: hot, uniform, mixed, random ids, grants
    loads       wrk and h2load, and rounds that are interleaved
    store_groups  those about a store that is far, away or overloaded
    groups      what is measured: each group adds figures and rows of the table
    results     figures, rows and the table for the terminal
    plots       SVG that fits any width
    report      one HTML file

Of the end-to-end tests it uses processes, redis_client and those that do what users and applications do.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "e2e"))
