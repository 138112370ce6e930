#!/bin/sh
# physics.sh PHYSICS_DEMO: small runs of its scenes end as they should, and with the same bits however
# many threads find the contacts.
set -u
demo=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
  echo "FAILED: $*"
  cat "$work/out"
  failures=$((failures + 1))
}

# ends_well SCENE [ARGUMENT...]
ends_well() {
  "$demo" --json "$work/$1.json" --scene "$@" >"$work/out" 2>&1 || complain "$*: status $?"
  grep -q '"as_it_should": true' "$work/$1.json" || complain "$*: no good end in its JSON"
}

# fails SCENE [ARGUMENT...]: with ODE's collision the marbles are lost, which the program says.
fails() {
  "$demo" --scene "$@" >"$work/out" 2>&1
  status=$?
  [ "$status" -eq 1 ] || complain "$*: status $status"
}

# repeats SCENE [ARGUMENT...]: as the run before, with two threads.
repeats() {
  mv "$work/$1.json" "$work/before"
  ends_well "$@" --workers 2 --time-pairs
  hash=$(grep -o '"hash": .*' "$work/before")
  [ -n "$hash" ] && grep -qF "$hash" "$work/$1.json" || complain "$*: not the same bits"
}

ends_well tower --bodies 10 --seconds 6
ends_well tower --bodies 10 --seconds 2 --collision ode
ends_well cylinders --bodies 5 --seconds 3
ends_well wall --bodies 80 --seconds 2
ends_well map --bodies 10 --seconds 2
ends_well map --bodies 6 --seconds 1 --collision ode
ends_well ragdolls --bodies 3 --seconds 3
ends_well vehicle --seconds 3
ends_well gears --seconds 2
ends_well dig --seconds 2 --bodies 20
ends_well chain --bodies 4 --seconds 1
ends_well chain --bodies 4 --seconds 1 --collision ode
ends_well knots --bodies 3 --seconds 10
ends_well maze --bodies 144 --seconds 2
fails maze --bodies 144 --seconds 2 --collision ode
grep -q '"passed": 0' "$work/maze.json" || complain "maze: marbles have passed through walls"
ends_well pile --bodies 12 --seconds 7
repeats pile --bodies 12 --seconds 7

"$demo" --scene tower --bodies 2 --seconds 4 --size 16x16 --samples 1 --output "$work/made/here" \
  >"$work/out" 2>&1 || complain "pictures: status $?"
for file in physics-tower.gif physics-tower.png; do
  [ -s "$work/made/here/$file" ] || complain "no $file"
done

[ "$failures" -eq 0 ]
