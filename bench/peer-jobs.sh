# Sourced by the benchmarks of controllers on the real kube-apiserver: a server of its own for each, and what is there by now. CONTROLLER_PID is the one that is measured.

CONTROLLER_PID=

# a server with the definitions of Volcano, and nobody but the controller of service accounts
server() {
  PEER_CONTROLLER_FLAGS=--controllers=serviceaccount-controller "$BENCH/../e2e/peer" up --controllers >"$RUN/server.log"
  export KUBECONFIG=$LAVA_PEER_RUN/kubeconfig
  "$BENCH/../e2e/volcano" install >>"$RUN/server.log" 2>&1
}

namespace() { # NAME: pods may be made in it
  kubectl create namespace "$1" >/dev/null
  until kubectl -n "$1" get serviceaccount default >/dev/null 2>&1; do sleep 0.2; done
}

get() { # PATH
  curl -sf --noproxy '*' --cacert "$LAVA_PEER_RUN/keys/cluster.crt" --cert "$LAVA_PEER_RUN/keys/admin.crt" --key "$LAVA_PEER_RUN/keys/admin.key" \
    "$(sed -n 's/^ *server: //p' "$KUBECONFIG")$1"
}

count() { # RESOURCE NAMESPACE: without reading them all
  get "/api/v1/namespaces/$2/$1?limit=1" | tr -d ' \n' | awk '{ n = /"uid"/ ? 1 : 0; if (match($0, /"remainingItemCount":[0-9]+/)) n += substr($0, RSTART + 21, RLENGTH - 21); print n }'
}

used() { # PID: hundredths of a second of processor time
  awk '{ print $14 + $15 }' "/proc/$1/stat"
}

heads() { # WHAT OF
  printf '%-50s %8s %10s %16s %16s\n' "$1" "$2" "wall s" "controller cpu s" "apiserver cpu s"
}

begin_row() {
  API_PID=$(cat "$LAVA_PEER_RUN/kube-apiserver.pid")
  BEFORE=$(used "$CONTROLLER_PID") SERVER_BEFORE=$(used "$API_PID")
  SINCE=$EPOCHREALTIME
}

end_row() { # WHO SIZE
  local done_at=$EPOCHREALTIME
  awk -v a="$SINCE" -v b="$done_at" -v who="$1" -v n="$2" -v o=$(($(used "$CONTROLLER_PID") - BEFORE)) -v s=$(($(used "$API_PID") - SERVER_BEFORE)) \
    'BEGIN { printf "%-50s %8d %10.1f %16.2f %16.2f\n", who, n, b - a, o / 100, s / 100 }'
}
