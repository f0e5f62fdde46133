# What people do with a pod: run, logs, exec, cp, attach, port-forward, top, delete.
step "a program runs to its end"
k run once --image=host --restart=Never --command -- sh -c 'echo out; echo err >&2; exit 3' >/dev/null
ended once Failed
same 3 "$(field pod/once '{.status.containerStatuses[0].state.terminated.exitCode}')"
same Error "$(field pod/once '{.status.containerStatuses[0].state.terminated.reason}')"
same "$(printf 'err\nout')" "$(k logs once | sort)"

step "kubectl run with a terminal and input"
same 42 "$(echo 'echo $((6 * 7))' | k run -i --rm --quiet --restart=Never --image=host asked --command -- sh)"

k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: long}, spec: {terminationGracePeriodSeconds: 2, containers: [
  {name: main, image: host, command: [sh, -c, 'i=0; while :; do i=$((i+1)); echo line $i; sleep 0.1; done']},
  {name: side, image: host, command: [sh, -c, 'cat; sleep 1000000'], stdin: true}]}}
Y
ready pod/long

step "exec"
same long "$(k exec long -c main -- hostname)"
same 7 "$(k exec long -c main -- sh -c 'exit 7' >/dev/null 2>&1 || echo $?)"
same from-input "$(echo from-input | k exec -i long -c main -- cat)"
has "$(k exec long -c main -- nope 2>&1 || true)" 'executable file not found'
script -qec "$KUBECTL -n $NAMESPACE exec -it long -c main -- sh -c 'tty; stty size'" "$SCRATCH/terminal" >/dev/null </dev/null
has "$(cat "$SCRATCH/terminal")" /dev/pts/
head -c 3000000 /dev/urandom >"$SCRATCH/big"
same "$(md5sum <"$SCRATCH/big")" "$(k exec -i long -c main -- md5sum <"$SCRATCH/big")"

step "logs"
eventually 10 says 'line 5' k logs long -c main
same 3 "$(k logs long -c main --tail=3 | wc -l)"
has "$(k logs long -c main --tail=1 --timestamps)" "$(date -u +%Y-%m-%d)T"
timeout 3 "$KUBECTL" -n "$NAMESPACE" logs -f long -c main --tail=1 >"$SCRATCH/follow" || true
[ "$(wc -l <"$SCRATCH/follow")" -gt 10 ] || fail "following showed $(wc -l <"$SCRATCH/follow") lines"
has "$(k logs long -c nope 2>&1 || true)" 'container nope is not valid for pod long'

step "cp, both ways"
k cp "$SCRATCH/big" long:/tmp/big -c main
k cp long:/tmp/big "$SCRATCH/back" -c main >/dev/null
cmp "$SCRATCH/big" "$SCRATCH/back"

step "attach"
(echo hello; sleep 30) | "$KUBECTL" -n "$NAMESPACE" attach -i long -c side >"$SCRATCH/attached" 2>&1 &
background+=($!)
eventually 20 grep -q hello "$SCRATCH/attached"

step "port-forward, also to a port that only the pod can reach"
k run server --image=host --command -- python3 -m http.server --bind 127.0.0.1 8123 >/dev/null
ready pod/server
"$KUBECTL" -n "$NAMESPACE" port-forward pod/server :8123 >"$SCRATCH/forward" 2>&1 &
background+=($!)
eventually 10 grep -q 'Forwarding from 127' "$SCRATCH/forward"
port=$(sed -n 's/.*127.0.0.1:\([0-9]*\) .*/\1/p' "$SCRATCH/forward")
eventually 10 curl -sf --noproxy '*' -o "$SCRATCH/page" "http://127.0.0.1:$port/"
has "$(cat "$SCRATCH/page")" 'Directory listing'

step "top"
eventually 60 k top pod long # metrics-server looks twice, ten seconds apart
has "$(k get podmetrics long)" WINDOW
has "$(k explain podmetrics.containers)" 'usage'

step "debug"
k debug long --image=host --target=main --profile=general --quiet -c look -- sh -c 'ps ax | grep -c "[w]hile"' >/dev/null
becomes pod/long '{.status.ephemeralContainerStatuses[0].state.terminated.exitCode}' 0

step "deletion gives grace and leaves nothing"
begin=$SECONDS
k delete pod long >/dev/null
[ $((SECONDS - begin)) -lt 10 ] || fail "deletion took $((SECONDS - begin)) s"
has "$(k get pod long 2>&1 || true)" 'not found'
