#!/bin/sh
# options.sh MOTTE_DEMO DEFORM_DEMO GALAXY_DEMO: bad options are refused with their name and what they
# take, folders are made with those they lie in, and folders that cannot be made are named.
set -u
motte=$1
deform=$2
galaxy=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

complain() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# refuses STATUS MESSAGE PROGRAM [ARGUMENT...]: the program ends with the status, and says so.
refuses() {
  wanted=$1
  message=$2
  shift 2
  "$@" >"$work/stdout" 2>"$work/stderr"
  status=$?
  [ "$status" -eq "$wanted" ] || complain "$*: status $status in place of $wanted"
  grep -qF -- "$message" "$work/stderr" || {
    complain "$*: no '$message' in what it said:"
    cat "$work/stderr"
  }
}

for value in 0 -1 x '' ' 5' 5x 1e3 99999999999999999999; do
  refuses 64 "--frames takes a whole number from 1 to 1000000, not '$value'" \
    "$motte" --frames "$value"
  refuses 64 "--frames takes a whole number from 1 to 100000, not '$value'" \
    "$deform" --frames "$value"
  refuses 64 "--frames takes a whole number from 1 to 100000, not '$value'" \
    "$galaxy" --frames "$value"
done
for demo in "$motte" "$deform" "$galaxy"; do
  for value in 64 64x 64x15 15x64 8193x64 -64x64 64x64x 64,64 ''; do
    refuses 64 "--size takes a size such as 1280x720, each side from 16 to 8192, not '$value'" \
      "$demo" --size "$value"
  done
  for option in samples threads; do
    refuses 64 "--$option takes a whole number from 1 to 1024, not '1025'" "$demo" --$option=1025
  done
  refuses 64 "--output takes the name of a folder, not ''" "$demo" --output ''
  refuses 64 "unrecognized option" "$demo" --no-such-option
done
for demo in "$motte" "$galaxy"; do
  refuses 64 "--shapes takes a whole number from 1 to 10000000, not '10000001'" \
    "$demo" --shapes 10000001
  refuses 64 "--tree takes one of irregular, loose, midpoint, not 'oak'" "$demo" --tree oak
done
for demo in "$motte" "$deform"; do
  for value in z 0,0,0 1,2 1,2,3,4 1,2,x nan,0,0 inf,0,0; do
    refuses 64 "--up takes a direction such as 0,0,1, which is not zero, not '$value'" \
      "$demo" --up "$value"
  done
done
for value in -0.1 1.1 nan half ''; do
  refuses 64 "--moving takes a number from 0 to 1, not '$value'" "$motte" --moving "$value"
done
refuses 64 "--rays takes a whole number from 1 to 10000000, not '0'" "$motte" --rays 0
refuses 64 "--seed takes a whole number from 0 to 18446744073709551615, not '-1'" \
  "$motte" --seed -1
refuses 64 "--cells takes a whole number from 3 to 4000, not '2'" "$deform" --cells 2
refuses 64 "--cells takes a whole number from 3 to 4000, not '4001'" "$deform" -c 4001

small="--size 16x16 --samples 1 --frames 2"
# writes FILE PROGRAM [ARGUMENT...]: into a folder in a folder, both of which are not there.
writes() {
  file=$1
  shift
  # shellcheck disable=SC2086 # a list
  "$@" $small --output "$work/made/$file.folder" >/dev/null || complain "$*: status $?"
  [ -s "$work/made/$file.folder/$file" ] || complain "$*: no $file"
  rm -rf "$work/made"
}
writes mesh.png "$motte" --shapes 5
writes deform.gif "$deform" --cells 6
writes galaxy.gif "$galaxy" --shapes 5

: >"$work/file"
for demo in "$motte" "$deform" "$galaxy"; do
  # shellcheck disable=SC2086 # a list
  refuses 1 "cannot make the folder $work/file: Not a directory" "$demo" $small \
    --output "$work/file/below"
  # shellcheck disable=SC2086 # a list
  refuses 1 "cannot make the folder $work/file" "$demo" $small --output "$work/file"
done

[ "$failures" -eq 0 ]
