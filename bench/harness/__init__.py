"""harness: what scripts/bench runs.

    processes   what is started, and ended again by its own id
    service     the whole service, and further pools and fronts on its Redis
    peers       what people would write instead, behind an nginx of its own
    requests    files of requests: hot, uniform, mixed, random ids, grants
    loads       wrk and h2load, and rounds that are interleaved
    store_groups  those about a store that is far, away or overloaded
    groups      what is measured: each group adds figures and rows of the table
    results     figures, rows and the table for the terminal
    plots       SVG that fits any width
    report      one HTML file
"""
