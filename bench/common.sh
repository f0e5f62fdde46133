# Sourced by the benchmarks: builds the load generator, starts and stops the two servers, prints tables.
# BENCH_PEER=no leaves the real kube-apiserver out (so does a machine without Go for its first build).

BENCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$BENCH/../scripts/env.sh"
RUN=$(mktemp -d "${TMPDIR:-/tmp}/lava-bench.XXXXXX")
export LAVA_PEER_RUN=$RUN/peer
GENERATOR=${LAVA_CACHE:-$HOME/.cache/lavaflow}/bench/generator
LAVA_PID=
PEER_PIDS=
LAVA_DIRECTORY=$RUN/lava

clean_up() {
  # pods go on without their server: this ends them, and unmounts what they had
  if [ -d "$LAVA_DIRECTORY/node" ]; then "$LAVA_ROOT/lava" down --data-dir "$LAVA_DIRECTORY" >/dev/null; fi
  stop_lava
  stop_peer
  rm -rf --one-file-system "$RUN"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

build_generator() {
  command -v go >/dev/null || { say "bench: the load generator needs Go, which is not installed; skipped"; exit 77; }
  mkdir -p "$(dirname "$GENERATOR")"
  (cd "$BENCH/generator" && CGO_ENABLED=0 go build -trimpath -o "$GENERATOR" .)
}

with_peer() { [ "${BENCH_PEER:-yes}" = yes ]; }

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

field() { # field NAME LINE: the value of name=value
  local word
  for word in $2; do [ "${word%%=*}" = "$1" ] && { echo "${word#*=}"; return; }; done
  echo -
}

ratio() { # ratio A B: A/B with two digits, or - where one is missing
  awk -v a="$1" -v b="$2" 'BEGIN { if (a == "-" || b == "-" || b + 0 == 0) print "-"; else printf "%.2f\n", a / b }'
}

test_classpath() { # test_classpath MODULE: compiles its tests; they, and the program's own libraries
  "$LAVA_ROOT/lava" version >/dev/null
  (cd "$LAVA_ROOT" && mvn -q -pl "$1" -am test-compile -Dspotless.check.skip=true) >&2 || die "the tests of $1 do not compile"
  echo "$LAVA_ROOT/$1/target/test-classes:$LAVA_ROOT/lavaflow/target/dist/lib/*"
}

# ---- Lavaflow -------------------------------------------------------------------------------------------------------------

start_lava() { # prints the figures of the start; LAVA_DIRECTORY is kept; LAVA_UP may have other options
  local port since
  port=$(free_port)
  since=$EPOCHREALTIME
  "$LAVA_ROOT/lava" up --data-dir "$LAVA_DIRECTORY" --listen "127.0.0.1:$port" ${LAVA_UP:---no-node} >"$RUN/lava.log" 2>&1 &
  LAVA_PID=$!
  LAVA_START=$("$GENERATOR" await -url "https://127.0.0.1:$port/readyz" -since "$since" -pids "$LAVA_PID") || { cat "$RUN/lava.log" >&2; exit 1; }
}

stop_lava() {
  [ -n "$LAVA_PID" ] || return 0
  kill "$LAVA_PID" 2>/dev/null || true
  wait "$LAVA_PID" 2>/dev/null || true
  LAVA_PID=
}

# ---- etcd + kube-apiserver ------------------------------------------------------------------------------------------------

# The peer's own script makes keys and a first start; its command lines are kept so that later starts can be timed alone.
prepare_peer() {
  local name
  "$BENCH/../e2e/peer" up >/dev/null
  for name in etcd kube-apiserver; do cp "/proc/$(cat "$LAVA_PEER_RUN/$name.pid")/cmdline" "$LAVA_PEER_RUN/$name.command"; done
  PEER_PIDS="$(cat "$LAVA_PEER_RUN/etcd.pid"),$(cat "$LAVA_PEER_RUN/kube-apiserver.pid")"
}

start_peer() { # sets PEER_START
  local name command since pids=
  since=$EPOCHREALTIME
  for name in etcd kube-apiserver; do
    mapfile -d '' -t command <"$LAVA_PEER_RUN/$name.command"
    (cd "$LAVA_PEER_RUN" && exec "${command[@]}") >"$LAVA_PEER_RUN/$name.log" 2>&1 &
    echo $! >"$LAVA_PEER_RUN/$name.pid"
    pids+=$!,
  done
  PEER_PIDS=${pids%,}
  PEER_START=$("$GENERATOR" await -url "$(sed -n 's/^ *server: //p' "$LAVA_PEER_RUN/kubeconfig")/readyz" -since "$since" -pids "$PEER_PIDS")
}

stop_peer() {
  [ -n "$PEER_PIDS" ] || return 0
  "$BENCH/../e2e/peer" down
  wait ${PEER_PIDS//,/ } 2>/dev/null || true
  PEER_PIDS=
}

# ---- results --------------------------------------------------------------------------------------------------------------

# Load before the run decides how far absolute figures can be trusted; ratios come from the same minutes.
describe_machine() {
  printf '%s, %s cores, %s, load before the run %s, commit %s\n' "$(date -u +%Y-%m-%dT%H:%MZ)" "$(nproc)" \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(cut -d' ' -f1 /proc/loadavg)" \
    "$(git -C "$BENCH" rev-parse --short HEAD)"
}
