# packages: the Debian packages that the scripts need, and their installation. Sourced by bash.
#
# packages_install NAME… installs missing packages and nothing else. Without root it prints the one
# command that does it and returns 1. An installation starts no service.
# shellcheck shell=bash disable=SC2034

# For: building the programs; running them behind nginx; building the tests and running those of single
# parts (tests/packages.py lists the needs of the others); checking changes; the sanitizers and fuzzing;
# making a Debian package; measuring the service against its peers.
kBuild=(g++ cmake ninja-build pkg-config libfcgi-dev rapidjson-dev libhiredis-dev libssl-dev
  libboost-program-options-dev libxxhash-dev libjemalloc-dev libidn2-dev libunistring-dev
  libargon2-dev libqrencode-dev libzstd-dev libicu-dev gettext python3 python3-markdown-it)
kRun=(nginx-light libnginx-mod-http-image-filter redis-server redis-tools curl ffmpeg)
kTest=(libgtest-dev libgmock-dev python3-pytest)
kCheck=(git clang-format clang-tidy lua-check)
# llvm-14 has the symbolizer, which adds the source to a finding.
kSanitize=(clang-14 libclang-rt-14-dev llvm-14)
kPackage=(debhelper lintian)
kBench=(libbenchmark-dev python3-redis wrk nghttp2-client strace time valgrind php8.2-fpm php-redis)
# Node.js builds the player. If it comes from another source, it has npm with it and conflicts with Debian's
# packages.
command -v npm >/dev/null || kBuild+=(nodejs npm)

kPolicy=/usr/sbin/policy-rc.d
kPolicyMark='# made by scripts/lib/packages.sh, which removes it again'

# Prints those of the given names that are not installed, one per line.
packages_missing() {
  local name status
  local -A installed=()
  while read -r name status; do
    [[ $status == ii || $status == hi ]] && installed[$name]=1
  done < <(dpkg-query --show --showformat='${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null)
  for name in "$@"; do
    [[ -n ${installed[$name]:-} ]] || printf '%s\n' "$name"
  done
}

packages_install() {
  local missing
  (($#)) || return 0
  mapfile -t missing < <(packages_missing "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    printf 'These packages are missing. Install them (as root), then start again:\n' >&2
    printf '  apt-get install -y --no-install-recommends %s\n' "${missing[*]}" >&2
    return 1
  fi
  printf 'installing %s\n' "${missing[*]}"
  (
    # One installation at a time, so that no other process removes the policy below too early.
    exec {lock}<>/run/svc-packages.lock && flock "$lock" || exit 1
    trap 'exit 130' INT TERM HUP
    trap packages_allow_services EXIT
    packages_forbid_services
    # A fresh image lacks lists, and old lists name files that the mirror no longer has.
    if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
      packages_apt update || exit 1
    fi
    packages_apt install "${missing[@]}" && exit 0
    packages_apt update && packages_apt install "${missing[@]}"
  )
}

# Quiet unless it fails.
packages_apt() {
  local verb=$1 out
  shift
  out=$(DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -y \
    --no-install-recommends "$verb" "$@" </dev/null 2>&1) && return
  printf '%s\n' "$out" | tail -n 20 >&2
  printf 'apt-get %s failed\n' "$verb" >&2
  return 1
}

# Debian starts a service when its package is installed, unless this file forbids it. Here that would be
# an unwanted nginx on port 80 and Redis on 6379. An existing file is left alone.
packages_forbid_services() {
  [[ -e $kPolicy ]] && return
  printf '#!/bin/sh\n%s\nexit 101\n' "$kPolicyMark" >"$kPolicy" && chmod 755 "$kPolicy"
}
packages_allow_services() {
  if grep -qsxF "$kPolicyMark" "$kPolicy"; then rm -f "$kPolicy"; fi
}
