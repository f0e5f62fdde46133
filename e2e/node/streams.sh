# What passes between people and their pods: logs, commands, attachments, ports, files, figures.
step "logs: all, the last, since, with times, limited, followed to the end"
k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: talker}, spec: {restartPolicy: Never, containers: [{name: main, image: host,
  command: [sh, -c, 'echo one; echo two >&2; while [ ! -e /go ]; do sleep 0.1; done; for i in 1 2 3; do echo more $i; done']}]}}
Y
becomes pod/talker '{.status.phase}' Running
eventually 10 says two k logs talker
same "one two" "$(k logs talker | sort | xargs)"
same 2 "$(k logs talker --since=1h | wc -l)"
same 0 "$(k logs talker --since-time="$(date -u -d '+1 hour' +%FT%TZ)" | wc -l)"
says '^[0-9-]{10}T[0-9:]{8}\.[0-9]{9}Z (one|two)$' k logs talker --timestamps
same 3 "$(k logs talker --limit-bytes=3 | wc -c)"
has "$(k logs talker --previous 2>&1)" 'previous terminated container "main" in pod "talker" not found'
k logs talker -f --tail=1 >"$SCRATCH/followed" &
follower=$!
k exec talker -- touch /go || true # the container may end before the command has
wait "$follower"
same "more 1 more 2 more 3" "$(tail -n 3 "$SCRATCH/followed" | xargs)"
ended talker Succeeded
same 'more 3' "$(k logs talker --tail=1)"

step "commands: output, input, errors, exit codes, a terminal"
k run shell --image=host --command -- sleep 1000000 >/dev/null
ready pod/shell
for websockets in true false; do
  export KUBECTL_REMOTE_COMMAND_WEBSOCKETS=$websockets
  same hello "$(k exec shell -- echo hello)"
  same "some input" "$(echo some input | k exec -i shell -- cat)"
  same "" "$(k exec shell -- sh -c 'echo wrong >&2' 2>/dev/null)"
  status=0
  k exec shell -- sh -c 'exit 42' 2>/dev/null || status=$?
  same 42 "$status"
  status=0
  head -c 20000000 /dev/urandom >"$SCRATCH/big"
  k exec -i shell -- cat <"$SCRATCH/big" | cmp - "$SCRATCH/big" || fail "20 MB came back different"
  says /dev/pts script -qefc "$KUBECTL -n $NAMESPACE exec -it shell -- tty" /dev/null </dev/null
done
unset KUBECTL_REMOTE_COMMAND_WEBSOCKETS
has "$(k exec shell -- no-such-program 2>&1)" 'no-such-program'
has "$(k exec shell -c other -- true 2>&1)" 'container other is not valid for pod shell'

step "files both ways"
k cp "$SCRATCH/big" shell:/tmp/big
k cp shell:/tmp/big "$SCRATCH/back" >/dev/null
cmp "$SCRATCH/big" "$SCRATCH/back"

step "a program that is spoken to"
k run listener --image=host --restart=Never -i --stdin --command -- sh -c 'read word; echo "heard $word"' >"$SCRATCH/heard" 2>&1 <<<'hello' || true
has "$(cat "$SCRATCH/heard"; k logs listener)" 'heard hello'

step "ports, also of programs that listen at localhost only"
k exec shell -- sh -c 'mkdir -p /w && cp /tmp/big /w/ && cd /w && (python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &)
  until curl -sf --noproxy "*" -o /dev/null http://127.0.0.1:8123/; do sleep 0.1; done'
for websockets in true false; do
  KUBECTL_PORT_FORWARD_WEBSOCKETS=$websockets k port-forward pod/shell :8123 >"$SCRATCH/forward" 2>&1 &
  forward=$!
  eventually 10 grep -q 'Forwarding from 127' "$SCRATCH/forward"
  port=$(sed -n 's/^Forwarding from 127.0.0.1:\([0-9]*\).*/\1/p' "$SCRATCH/forward")
  for _ in 1 2 3; do curl -sf --noproxy '*' "http://127.0.0.1:$port/big" | cmp - "$SCRATCH/big"; done
  kill "$forward"
done

step "a program reached through the API"
k run web --image=host --port=8000 --command -- sh -c 'mkdir /w; cd /w; echo proxied > page; exec python3 -m http.server 8000' >/dev/null
k expose pod web --name=web --port=80 --target-port=8000 >/dev/null
ready pod/web
eventually 20 "$KUBECTL" get --raw "/api/v1/namespaces/$NAMESPACE/pods/web/proxy/page"
same proxied "$("$KUBECTL" get --raw "/api/v1/namespaces/$NAMESPACE/pods/web/proxy/page")"
eventually 20 "$KUBECTL" get --raw "/api/v1/namespaces/$NAMESPACE/services/web:80/proxy/page"
node=$(field pod/web '{.spec.nodeName}')
same ok "$("$KUBECTL" get --raw "/api/v1/nodes/$node/proxy/healthz")"

step "figures"
eventually 60 k top pod web
says '^web +web +[0-9]+m +[0-9]+Mi' k top pod web --containers --no-headers
says "^$node +[0-9]+m +[0-9]+%" "$KUBECTL" top node "$node" --no-headers
says 'container_memory_working_set_bytes\{container="web"' "$KUBECTL" get --raw "/api/v1/nodes/$node/proxy/metrics/resource"

step "a container to look at another"
k debug shell --image=host --target=shell -c looker -- sh -c 'echo looking; ls /proc/1/root >/dev/null && echo seen' >/dev/null 2>&1
eventually 20 says looking k logs shell -c looker

step "clients of other languages"
for client in clientgo-node python-node; do
  status=0
  "$HERE/../clients" "$client" "$KUBECONFIG" || status=$?
  [ "$status" = 0 ] || [ "$status" = 77 ] || fail "$client failed"
done
