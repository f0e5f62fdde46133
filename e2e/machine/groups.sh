# Control groups of version 2, as those see them that are in them. Run by e2e/machine/judge, with what e2e/node/common.sh has.
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: grown}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: a
    image: host
    resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 500m, memory: 128Mi}}
    command: [python3, -c, "import time\nx = bytearray(40 << 20)\nprint('has it', flush=True)\nwhile True:\n  sum(range(100000)); time.sleep(0.05)"]
---
apiVersion: v1
kind: Pod
metadata: {name: again}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: a, image: host, resources: {limits: {memory: 64Mi}}, command: [python3, -c, 'x = bytearray(512 * 1024 * 1024); print(len(x))']}
---
apiVersion: v1
kind: Pod
metadata: {name: shared}
spec:
  terminationGracePeriodSeconds: 0
  shareProcessNamespace: true
  containers:
  - {name: a, image: host, command: [sleep, '1000000']}
  - {name: b, image: host, resources: {limits: {memory: 64Mi}}, command: [sleep, '1000000']}
Y
inside() { k exec "$1" -c a -- cat "/sys/fs/cgroup/$2"; }
step "limits are those of the control group"
ready pod/grown
same "50000 100000" "$(inside grown cpu.max)"
same $((128 << 20)) "$(inside grown memory.max)"
has "$(inside grown cgroup.controllers)" memory
same 17 "$(inside grown cpu.weight)"
same "0 1" "$(k exec grown -- sh -c 'cat /sys/fs/cgroup/memory.swap.max 2>/dev/null || echo 0') $(inside grown memory.oom.group)"
step "a container that runs out of memory is started again, and that is told"
becomes pod/again '{.status.containerStatuses[0].lastState.terminated.reason}' OOMKilled 60
same 137 "$(field pod/again '{.status.containerStatuses[0].lastState.terminated.exitCode}')"
step "figures"
used() { # at least 40 MiB, and some processor time
  local told
  told=$(k top pod grown --no-headers) || return 1
  awk '{ exit !($2 + 0 > 0 && $3 + 0 >= 40 && $3 + 0 < 128) }' <<<"$told" || { echo "$told"; return 1; }
}
eventually 90 used
k top pod grown --no-headers
step "resized where it runs"
k patch pod grown --subresource resize -p '{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"250m","memory":"192Mi"}}}]}}' >/dev/null
grown() { [ "$(inside grown cpu.max) $(inside grown memory.max)" = "25000 100000 $((192 << 20))" ]; }
eventually 60 grown
same 0 "$(field pod/grown '{.status.containerStatuses[0].restartCount}')"
step "not with less memory than it uses"
k patch pod grown --subresource resize -p '{"spec":{"containers":[{"name":"a","resources":{"requests":{"memory":"16Mi"},"limits":{"memory":"16Mi"}}}]}}' >/dev/null
becomes pod/grown '{.status.conditions[?(@.type=="PodResizeInProgress")].reason}' Error 60
has "$(field pod/grown '{.status.conditions[?(@.type=="PodResizeInProgress")].message}')" "below current usage"
same $((192 << 20)) "$(inside grown memory.max)"
same 0 "$(field pod/grown '{.status.containerStatuses[0].restartCount}')"
step "processes that are shared"
ready pod/shared
says pause k exec shared -c a -- sh -c 'cat /proc/1/comm'
