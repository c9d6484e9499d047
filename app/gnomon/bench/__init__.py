"""Benchmarks: ours and its peers doing the same work, side by side on one machine.

    benchmarks/NAME.py   one a file: what is measured, against whom, and the bars; a new file is a new benchmark
    peers/               what runs inside a peer's own environment, by its own interpreter
    benchmark.py         what a benchmark says and what comes back
    stage.py             the database it works on
    rounds.py            rounds in which the order of the sides alternates
    installed.py         peers from the ordinary registry in a folder of their own, never dependencies of ours
    report.py picture.py machine.py   table, JSON, SVG

Numbers of one machine say little; ratios of one run say more. So bars are ratios or generous sizes, of the median round.
"""
