# Sourced by ./lava, ./verify and suites: finds a JDK 25 and Maven, or says in one line how to get them.
# Defines: LAVA_ROOT, JAVA_HOME, say, die, need_build_tools.

LAVA_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { say "lava: $*"; exit 1; }

is_jdk25() { # is_jdk25 DIR [compiler]
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
  [ "${2:-}" != compiler ] || [ -x "$1/bin/javac" ] || return 1
  local major
  major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release")
  [ "${major:-0}" -ge 25 ]
}

find_jdk() { # find_jdk [compiler]: sets JAVA_HOME
  local candidate
  if [ -n "${JAVA_HOME:-}" ] && is_jdk25 "$JAVA_HOME" "${1:-}"; then return 0; fi
  candidate=$(command -v java || true)
  if [ -n "$candidate" ]; then
    candidate=$(dirname "$(dirname "$(readlink -f "$candidate")")")
    if is_jdk25 "$candidate" "${1:-}"; then JAVA_HOME=$candidate; return 0; fi
  fi
  for candidate in /usr/lib/jvm/* /opt/java/* /opt/jdk* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
    if is_jdk25 "$candidate" "${1:-}"; then JAVA_HOME=$candidate; return 0; fi
  done
  return 1
}

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() {
  local told
  say "Installing with apt-get: $*"
  told=$({ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } 2>&1) || { say "$told"; return 1; }
}

need_jdk() { # need_jdk [compiler]
  find_jdk "${1:-}" && { export JAVA_HOME; return 0; }
  if may_install && apt-cache show openjdk-25-jdk-headless >/dev/null 2>&1; then
    apt_install openjdk-25-jdk-headless && find_jdk "${1:-}" && { export JAVA_HOME; return 0; }
  fi
  say "lava: a JDK 25 is needed and none was found in JAVA_HOME, the path or /usr/lib/jvm."
  say "  Debian 13, Ubuntu 25.10 and newer:  sudo apt-get install openjdk-25-jdk-headless"
  say "  elsewhere: install any JDK 25 (Temurin, Zulu, ...) and set JAVA_HOME"
  exit 1
}

need_command() { # need_command COMMAND PACKAGE
  command -v "$1" >/dev/null && return 0
  if may_install; then apt_install "$2" && command -v "$1" >/dev/null && return 0; fi
  die "$1 is missing; install it with: sudo apt-get install $2"
}

want_command() { # want_command COMMAND PACKAGE: for tests that are skipped without it
  command -v "$1" >/dev/null || { may_install && apt_install "$2"; } || say "$1 is missing, some tests will be skipped; it comes with: sudo apt-get install $2"
}

need_build_tools() {
  need_jdk compiler
  need_command mvn maven
}

# What pods run in, and what the image busybox is made of. Without it they run as plain processes, which the node says loudly.
# An ordinary user makes no rules of networks, but needs somebody to hand out further users (uidmap).
want_node_tools() {
  local command missing= wanted="runc conmon nft busybox" packages="runc conmon nftables busybox-static"
  [ "$(id -u)" = 0 ] || { wanted="runc conmon busybox newuidmap nft slirp4netns"; packages="runc conmon busybox-static uidmap nftables slirp4netns"; }
  for command in $wanted; do PATH=$PATH:/usr/sbin:/sbin command -v "$command" >/dev/null || missing=$command; done
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  if may_install && apt_install $packages; then return 0; fi
  say "lava: to run pods as containers: sudo apt-get install $packages"
}
