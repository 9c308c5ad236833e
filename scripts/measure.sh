#!/usr/bin/env bash
# Measures every figure of the README's tables on this machine: small games, bench, and with
# `--nine DIR` also nine men's morris whole (10 GB of disk in DIR), its verification and Gasser's
# numbers. Have nothing else running.
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
    "$merels" solve --phase moving --db "$database" | tail -n 1
    "$merels" solve --db "$database" | tail -n 1
    "$merels" verify --db "$database" | tail -n 1
    "$merels" reproduce --db "$database" | tail -n 1
    "$merels" reproduce --opening-search --db "$database" | tail -n 12
    du -sh "$database"
fi
