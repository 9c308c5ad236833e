#!/usr/bin/env python3
"""Turns what `merels solve --json` prints into the form of data/nine_solve.csv.

Usage: merels solve --json | scripts/log_to_csv.py > nine_solve.csv
"""
import csv
import json
import sys

FIELDS = ["subspace", "to_move", "slots", "classes", "wins", "draws", "losses", "max_win_plies",
          "max_loss_plies", "edges", "waves", "seconds", "cpu_seconds", "file_bytes"]

print("# A table per line; edges, waves, seconds, CPU seconds and bytes are those of its unit.")
out = csv.DictWriter(sys.stdout, FIELDS, extrasaction="ignore", lineterminator="\n")
out.writeheader()
for line in sys.stdin:
    table = json.loads(line)
    for name in ["seconds", "cpu_seconds"]:
        table[name] = f"{table[name]:.3f}"
    out.writerow(table)
