"""harness: the program that scripts/bench runs.

    service     the whole service, and further pools and fronts on its Redis
    peers       alternatives to the service, behind an nginx of their own
    requests    files of requests: hot, uniform, mixed, random ids, grants
    loads       wrk and h2load, and interleaved rounds
    store_groups  groups with a store that is distant, unavailable or overloaded
    list_groups  the group of lists of media
    share_groups the group of one account that floods and another account
    topology_groups  the group of a state of several servers
    overload    the group of requests beyond the capacity
    groups      the measurements: each group adds figures and rows of the table
    upload_groups  the groups of responses while a film is converted, and of closed films
    grants      OAuth grants for the measurements
    instructions  instructions per request, of this checkout and another
    machine     a description of the machine
    results     figures, rows and the table for the terminal
    plots       SVG that fits any width
    report      one HTML file

From the end-to-end tests it uses processes, redis_client, and the modules that act as users and applications.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "e2e"))
