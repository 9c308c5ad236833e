#!/usr/bin/env bash
# Measures every figure of the README's tables on this machine: small games, bench, and with
# `--nine DIR` also nine men's morris whole (15 GB of disk in DIR), its verification, Gasser's numbers,
# depth to conversion up to 8-7 and the outcomes alone; DIR/nine_solve.csv then has the form of
# data/nine_solve.csv. Some 50 minutes on two cores. With `--family DIR` the other whole games instead,
# one after the other (47 GB of disk in DIR, each database deleted when its figures are taken): two to
# three hours as foretold; with `--lasker DIR` lasker, which takes as long alone and 55 GB. Have nothing
# else running.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked
merels=$PWD/target/release/merels
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

lscpu | grep -E '^(Model name|CPU\(s\))' || true
date -u +%F

for rules in three three-orthogonal three-flying six six+flying=at-three; do
    echo "== $rules"
    "$merels" solve --rules "$rules" --db "$scratch" 2>&1 | tail -n 1
    "$merels" verify --rules "$rules" --db "$scratch" | tail -n 1
    "$merels" query start --rules "$rules" --db "$scratch" | grep ' to move: '
done

echo "== bench, one thread and two"
"$merels" bench --rounds 5 --threads 1
"$merels" bench --rounds 5 --threads 2

if [ "${1:-}" = --nine ]; then
    database=$2
    echo "== nine"
    mkdir -p "$database"
    time "$merels" solve --phase moving --memory 8GiB --json --db "$database" > "$database/moving.json"
    time "$merels" solve --memory 8GiB --json --db "$database" > "$database/placing.json"
    cat "$database/moving.json" "$database/placing.json" | scripts/log_to_csv.py \
        > "$database/nine_solve.csv"
    time "$merels" verify --db "$database" | tail -n 1
    time "$merels" reproduce --db "$database" | tail -n 1
    time "$merels" reproduce --opening-search --db "$database" | tail -n 12
    "$merels" solve --metric dtc 8-7 --db "$database" | tail -n 1
    "$merels" reproduce --db "$database" | grep 'mill in'
    "$merels" export --wdl "$database/outcomes" --db "$database" | tail -n 1
    "$merels" export --wdl "$database/thin" --thin --db "$database" | tail -n 1
    du -sb "$database"/*/
fi

# A whole game from nothing: its record as data/NAME_solve.csv, the value of the empty board with its
# turns, a sample of its values against their successors, its size.
whole_game() {
    local rules=$1 record=$3/$2 database=$3/measured
    echo "== $rules"
    mkdir -p "$3"
    "$merels" plan --rules "$rules" --db "$database" | tail -n 4
    time "$merels" solve --rules "$rules" --memory 12GiB --json --db "$database" \
        | scripts/log_to_csv.py > "$record"
    "$merels" query start --rules "$rules" --db "$database"
    "$merels" reproduce --rules "$rules" --db "$database" || [ $? = 2 ] # 2: nothing is published
    "$merels" verify --sample 100000 --rules "$rules" --db "$database" | tail -n 1
    du -sb "$database"
    rm -r "$database"
}

if [ "${1:-}" = --family ]; then
    whole_game twelve twelve_solve.csv "$2"
    whole_game nine-noflying noflying_solve.csv "$2"
    whole_game nine+men=10 ten_solve.csv "$2"
    whole_game nine+men=11 eleven_solve.csv "$2"
    whole_game nine+men=12 nine12_solve.csv "$2"
fi

if [ "${1:-}" = --lasker ]; then
    whole_game lasker lasker_solve.csv "$2"
fi
