# suites: runs suites of ctest, and failed ones again. Sourced by bash.
# shellcheck shell=bash

# More suites than these do not fail by chance at the same time.
kMostRepeated=5

# run_suites FOLDER NAME REPEAT CTEST_OPTION…: runs the chosen tests; NAME distinguishes the reports of several runs.
# Returns the status of ctest. If REPEAT is not empty and a few fail, these run again, one at a time. If they pass
# then, returns 0 and adds a line "flaky: TEST" per test to reports/flaky.txt; reports/ctest.NAME.first.log has the output
# of the first run.
run_suites() {
  local folder=$1 name=$2 repeat=$3 log=$1/Testing/Temporary failed status=0
  shift 3
  # Most tests wait most of the time. A test that keeps a processor busy counts for two (tests/CMakeLists.txt).
  ctest --test-dir "$folder" --no-tests=error --output-on-failure -j "$((4 * $(nproc)))" \
    --output-junit "reports/ctest.$name.xml" "$@" || status=$?
  if ((status == 0)) || [[ -z $repeat || ! -s $log/LastTestsFailed.log ]]; then return "$status"; fi
  mapfile -t failed < <(cut -d : -f 2- "$log/LastTestsFailed.log")
  if ((${#failed[@]} > kMostRepeated)); then return "$status"; fi
  mkdir -p "$folder/reports"
  cp "$log/LastTest.log" "$folder/reports/ctest.$name.first.log"
  printf '\n== once more, alone: %s\n' "${failed[*]}"
  ctest --test-dir "$folder" --rerun-failed --output-on-failure -j 1 --output-junit "reports/ctest.$name.again.xml" || return
  printf 'flaky: %s\n' "${failed[@]}" >>"$folder/reports/flaky.txt"
}
