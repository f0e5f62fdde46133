# What every scenario can use: kubectl in a namespace of its own, expectations, patience. Run as: bash common.sh SCENARIO.sh
# PATIENCE=5 waits five times longer, for slow machines.
set -euo pipefail
export NAMESPACE=$SCENARIO-$((RANDOM % 10000))
SCRATCH=$(mktemp -d)
background=()

k() { "$KUBECTL" -n "$NAMESPACE" "$@"; }

clean_up() {
  local status=$?
  if [ $status != 0 ] && [ $status != 77 ]; then
    { echo "--- pods and events when it failed:"; k get pods -o wide; k get events; } 2>&1 | head -n 60
    echo "failed after: ${STEP:-nothing}"
  fi
  [ ${#background[@]} = 0 ] || kill "${background[@]}" 2>/dev/null || true
  # Most programs here ignore that they are to end; nobody learns from waiting for that.
  k delete pods --all --grace-period=1 --wait=false >/dev/null 2>&1 || true
  "$KUBECTL" delete namespace "$NAMESPACE" --timeout="$((60 * ${PATIENCE:-1}))s" >/dev/null 2>&1 || echo "the namespace did not go"
  rm -rf --one-file-system "$SCRATCH"
  exit $status
}
trap clean_up EXIT

step() { STEP=$*; echo "== $* (after $SECONDS s)"; }

fail() {
  echo "$*"
  exit 1
}

needs() { # needs PROGRAM PACKAGE
  command -v "$1" >/dev/null || [ -x "$1" ] || { echo "$1 (Debian: $2) is not installed"; STEP=; exit 77; }
}

same() { # same WANTED GOT
  [ "$1" = "$2" ] || fail "wanted '$1', got '$2'"
}

has() { # has TEXT PART
  [[ "$1" == *"$2"* ]] || fail "'$2' is not in: $1"
}

says() { # says PATTERN COMMAND...: whether what a command says has a line like that; the command is heard out, unlike with a pipe to grep -q
  local pattern=$1 told
  shift
  told=$("$@" 2>&1) || true
  grep -qE -- "$pattern" <<<"$told" || { echo "$told"; return 1; }
}

eventually() { # eventually SECONDS COMMAND...: until it succeeds
  local end=$((SECONDS + $1 * ${PATIENCE:-1}))
  shift
  until "$@" >"$SCRATCH/eventually" 2>&1; do
    [ $SECONDS -lt $end ] || fail "never: $* ($(tail -n 1 "$SCRATCH/eventually"))"
    sleep 0.2
  done
}

field() { k get "$1" -o "jsonpath=$2"; }
field_is() { [ "$(field "$1" "$2")" = "$3" ]; }
becomes() { # becomes OBJECT PATH VALUE [SECONDS]
  eventually "${4:-30}" field_is "$1" "$2" "$3"
}
ended() { # ended POD PHASE [SECONDS]
  k wait --for=jsonpath='{.status.phase}'="$2" "pod/$1" --timeout="$((${3:-30} * ${PATIENCE:-1}))s" >/dev/null
}
ready() { k wait --for=condition=Ready "$@" --timeout="$((60 * ${PATIENCE:-1}))s" >/dev/null; }

"$KUBECTL" create namespace "$NAMESPACE" >/dev/null
eventually 10 k get serviceaccount/default configmap/kube-root-ca.crt
. "$1"
