# The life of a pod: init containers, sidecars, hooks, probes, restarts, deadlines.
step "init containers run in order, a sidecar beside the rest"
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: staged}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  volumes: [{name: shared, emptyDir: {}}]
  initContainers:
  - {name: first, image: host, command: [sh, -c, 'echo first >> /shared/order'], volumeMounts: [{name: shared, mountPath: /shared}]}
  - {name: side, image: host, restartPolicy: Always, command: [sh, -c, 'echo side >> /shared/order; exec sleep 1000000'], volumeMounts: [{name: shared, mountPath: /shared}],
     startupProbe: {exec: {command: [test, -e, /shared/order]}, periodSeconds: 1}}
  - {name: second, image: host, command: [sh, -c, 'echo second >> /shared/order'], volumeMounts: [{name: shared, mountPath: /shared}]}
  containers:
  - {name: main, image: host, command: [sh, -c, 'cat /shared/order; sleep 1'], volumeMounts: [{name: shared, mountPath: /shared}]}
Y
ended staged Succeeded
same "first side second" "$(k logs staged -c main | xargs)"

step "a crash loop backs off"
k run crash --image=host --command -- sh -c 'exit 1' >/dev/null
becomes pod/crash '{.status.containerStatuses[0].state.waiting.reason}' CrashLoopBackOff
has "$(field pod/crash '{.status.containerStatuses[0].state.waiting.message}')" 'back-off 10s restarting failed container=crash pod=crash_'
eventually 30 says '[1-9]' field pod/crash '{.status.containerStatuses[0].restartCount}'
same 1 "$(field pod/crash '{.status.containerStatuses[0].lastState.terminated.exitCode}')"
k logs crash --previous >/dev/null
k delete pod crash --now >/dev/null

step "hooks, and a grace that is used"
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: hooked}
spec:
  terminationGracePeriodSeconds: 20
  volumes: [{name: notes, hostPath: {path: /tmp, type: Directory}}]
  containers:
  - name: main
    image: host
    command: [sh, -c, 'trap "echo term >> /notes/$NOTES; exit 0" TERM; while :; do sleep 0.1; done']
    env: [{name: NOTES, valueFrom: {fieldRef: {fieldPath: metadata.uid}}}]
    volumeMounts: [{name: notes, mountPath: /notes}]
    lifecycle:
      postStart: {exec: {command: [sh, -c, 'echo start >> /notes/$NOTES']}}
      preStop: {exec: {command: [sh, -c, 'echo stop >> /notes/$NOTES']}}
Y
ready pod/hooked
notes=/tmp/$(field pod/hooked '{.metadata.uid}')
k delete pod hooked >/dev/null
same "start stop term" "$(xargs <"$notes")"
rm "$notes"

step "probes"
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: probed}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: web
    image: host
    command: [sh, -c, 'mkdir -p /w; cd /w; touch alive; exec python3 -m http.server 8000']
    readinessProbe: {httpGet: {path: /ready, port: 8000}, periodSeconds: 1}
    livenessProbe: {exec: {command: [test, -e, /w/alive]}, periodSeconds: 1, failureThreshold: 2, initialDelaySeconds: 2}
    startupProbe: {tcpSocket: {port: 8000}, periodSeconds: 1}
Y
becomes pod/probed '{.status.containerStatuses[0].started}' true
same false "$(field pod/probed '{.status.containerStatuses[0].ready}')"
k exec probed -- touch /w/ready
ready pod/probed
k exec probed -- rm /w/ready
becomes pod/probed '{.status.containerStatuses[0].ready}' false
k exec probed -- rm /w/alive
becomes pod/probed '{.status.containerStatuses[0].restartCount}' 1
eventually 10 says 'Liveness probe failed' k get events -o 'jsonpath={.items[*].message}'
k delete pod probed --now >/dev/null

step "a deadline"
k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: late}, spec: {activeDeadlineSeconds: 1, terminationGracePeriodSeconds: 0, containers: [{name: a, image: host, command: [sleep, '1000']}]}}
Y
ended late Failed
same DeadlineExceeded "$(field pod/late '{.status.reason}')"

step "a termination message"
k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: told}, spec: {restartPolicy: Never, containers: [
  {name: a, image: host, command: [sh, -c, 'echo -n done > /dev/termination-log']},
  {name: b, image: host, terminationMessagePolicy: FallbackToLogsOnError, command: [sh, -c, 'echo it broke; exit 1']}]}}
Y
ended told Failed
same done "$(field pod/told '{.status.containerStatuses[0].state.terminated.message}')"
same 'it broke' "$(field pod/told '{.status.containerStatuses[1].state.terminated.message}' | xargs)"
