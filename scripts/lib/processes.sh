# processes: starts programs that end together with the script, and ends only those. Sourced by
# bash.
#
# A process is identified by its pid and its start time, in ticks since boot: a pid alone may
# belong to another process by the time it is used, and a pid file even more so. A record file
# lists the started processes, so that the next start can end those that a script killed with -9
# left:
#
#   NAME PROGRAM SIGNAL PID BIRTH BOOT        nginx nginx QUIT 4711 180532 1f0c…
#
# Each process leads its own process group, which the terminal's Ctrl-C does not reach, so that the
# script decides the order of their ends.
# shellcheck shell=bash disable=SC2034

declare -A process_pid process_birth process_signal process_program process_log
process_record=
process_hurry=0  # set to 1 to stop waiting
process_boot=$(</proc/sys/kernel/random/boot_id)

# Sets REPLY to the start time of a pid. Fails if the process does not exist.
process_born() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  # shellcheck disable=SC2086  # after "pid (name) ": state ppid pgrp … and 20th the birth
  set -- ${stat##*) }
  REPLY=${20}
  [[ $1 != [ZX] ]]
}

# process_start NAME SIGNAL LOG PROGRAM ARGUMENT…: SIGNAL ends the program in good order; the
# kernel sends it if this script dies. Descriptor 9 (a lock) is not passed on.
process_start() {
  local name=$1 signal=$2 log=$3
  shift 3
  process_signal[$name]=$signal
  process_program[$name]=${1##*/}
  process_log[$name]=$log
  set -m
  setpriv --pdeathsig "$signal" -- "$@" </dev/null >>"$log" 2>&1 9>&- &
  process_pid[$name]=$!
  set +m
  process_born "$!" || REPLY=0
  process_birth[$name]=$REPLY
  printf '%s %s %s %s %s %s\n' "$name" "${1##*/}" "$signal" "$!" "$REPLY" "$process_boot" \
    >>"$process_record"
}

process_lives() {
  process_born "${process_pid[$1]}" && [[ $REPLY == "${process_birth[$1]}" ]]
}

# Whether a process is left in the group that a process led. The group's number is not used again
# while one member lives. The check that members are younger and run the same program rules out a
# later group.
process_left_others() {
  kill -0 -- "-${process_pid[$1]}" 2>/dev/null || return 1
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="${process_pid[$1]}" \
    -v birth="${process_birth[$1]}" -v program="(${process_program[$1]:0:15})" '
      { name = $0; sub(/^[0-9]+ /, "", name); sub(/ [^)]*$/, "", name); sub(/^.*\) /, "") }
      $3 == group && $20 >= birth && $1 !~ /[ZX]/ && name == program { found = 1 }
      END { exit !found }'
}

# processes_stop SECONDS NAME…: signals all of them, waits for them together, and kills those that
# remain after SECONDS.
processes_stop() {
  local seconds=$1 name names=()
  shift
  for name in "$@"; do
    [[ -n ${process_pid[$name]:-} ]] || continue
    names+=("$name")
    if process_lives "$name"; then kill -s "${process_signal[$name]}" "${process_pid[$name]}"; fi
  done
  local end=$((SECONDS + seconds))
  for name in "${names[@]}"; do
    while process_lives "$name" && ((SECONDS < end && !process_hurry)); do sleep 0.02; done
    if process_lives "$name" || process_left_others "$name"; then
      kill -s KILL -- "-${process_pid[$name]}" 2>/dev/null
      wait "${process_pid[$name]}" 2>/dev/null  # also keeps bash from reporting it
    fi
    unset "process_pid[$name]"
  done
}

# Ends the processes that an earlier script recorded and could not end itself, and begins a new
# record.
processes_begin() {
  process_record=$1
  local name program signal pid birth boot found=()
  if [[ -e $process_record ]]; then
    while read -r name program signal pid birth boot; do
      [[ $boot == "$process_boot" && $pid =~ ^[1-9][0-9]*$ ]] || continue
      process_pid[$name]=$pid process_birth[$name]=$birth
      process_signal[$name]=$signal process_program[$name]=$program
      if process_lives "$name"; then found+=("$name"); elif process_left_others "$name"; then
        found+=("$name")
      else
        unset "process_pid[$name]"
      fi
    done <"$process_record"
    ((${#found[@]})) && printf 'ending processes of an earlier start: %s\n' "${found[*]}"
    processes_stop 10 "${found[@]}"
  fi
  : >"$process_record"
}
