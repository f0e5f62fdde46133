# Bad input: each gets a clear reason, and the node stays well.
step "an image that cannot be had"
k run unknown --image=registry.invalid/team/nothing:1 --restart=Never >/dev/null
eventually 40 says 'ErrImagePull|ImagePullBackOff' field pod/unknown '{.status.containerStatuses[0].state.waiting.reason}'
eventually 10 says 'lava image' k get events -o 'jsonpath={.items[*].message}'
echo '{apiVersion: v1, kind: Pod, metadata: {name: malformed}, spec: {containers: [{name: a, image: "Not//An::Image"}]}}' | k create -f - >/dev/null
becomes pod/malformed '{.status.containerStatuses[0].state.waiting.reason}' InvalidImageName
k run never --image=registry.invalid/team/other:1 --image-pull-policy=Never --restart=Never >/dev/null
becomes pod/never '{.status.containerStatuses[0].state.waiting.reason}' ErrImageNeverPull

step "a command that is not there"
k run nocommand --image=host --restart=Never --command -- /no/such/program >/dev/null
ended nocommand Failed
same StartError "$(field pod/nocommand '{.status.containerStatuses[0].state.terminated.reason}')"
same 128 "$(field pod/nocommand '{.status.containerStatuses[0].state.terminated.exitCode}')"
has "$(field pod/nocommand '{.status.containerStatuses[0].state.terminated.message}')" 'no such file or directory'

step "what does not exist: secrets, config maps, keys, host paths"
k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: nosecret}, spec: {containers: [{name: a, image: host, command: [sleep, '1000'], env: [{name: X, valueFrom: {secretKeyRef: {name: missing, key: k}}}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: novolume}, spec: {volumes: [{name: v, secret: {secretName: missing}}], containers: [{name: a, image: host, command: [sleep, '1000'], volumeMounts: [{name: v, mountPath: /v}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: nopath}, spec: {volumes: [{name: v, hostPath: {path: /no/such/directory, type: Directory}}], containers: [{name: a, image: host, command: [sleep, '1000'], volumeMounts: [{name: v, mountPath: /v}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: root}, spec: {containers: [{name: a, image: host, command: [sleep, '1000'], securityContext: {runAsNonRoot: true}}]}}
Y
becomes pod/nosecret '{.status.containerStatuses[0].state.waiting.reason}' CreateContainerConfigError
same 'secret "missing" not found' "$(field pod/nosecret '{.status.containerStatuses[0].state.waiting.message}')"
becomes pod/root '{.status.containerStatuses[0].state.waiting.reason}' CreateContainerConfigError
eventually 20 says 'MountVolume.SetUp failed for volume "v" : secret "missing" not found' k get events -o 'jsonpath={.items[*].message}'
eventually 20 says 'hostPath type check failed: /no/such/directory is not a directory' k get events -o 'jsonpath={.items[*].message}'
k create secret generic missing --from-literal=k=v >/dev/null
becomes pod/nosecret '{.status.phase}' Running
becomes pod/novolume '{.status.phase}' Running 90

step "an environment that is too large"
printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"large"},"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"host","command":["true"],"env":[{"name":"X","value":"%s"}]}]}}' \
  "$(head -c 200000 /dev/zero | tr '\0' x)" | k create -f - >/dev/null
ended large Failed
has "$(field pod/large '{.status.containerStatuses[0].state.terminated.message}')" 'argument list too long'

step "links in a subPath do not lead out"
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: escape}
spec:
  restartPolicy: Never
  volumes: [{name: v, emptyDir: {}}]
  initContainers: [{name: trick, image: host, command: [ln, -s, /etc, /v/way], volumeMounts: [{name: v, mountPath: /v}]}]
  containers: [{name: a, image: host, command: [ls, /out], volumeMounts: [{name: v, mountPath: /out, subPath: way}]}]
Y
becomes pod/escape '{.status.containerStatuses[0].state.waiting.reason}' CreateContainerConfigError

step "two pods, one port of the machine"
k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: port1}, spec: {containers: [{name: a, image: host, command: [sleep, '1000'], ports: [{containerPort: 80, hostPort: 38123}]}]}}
Y
ready pod/port1
node=$(field pod/port1 '{.spec.nodeName}')
k apply -f - >/dev/null <<Y
{apiVersion: v1, kind: Pod, metadata: {name: port2}, spec: {nodeName: $node, containers: [{name: a, image: host, command: [sleep, '1000'], ports: [{containerPort: 80, hostPort: 38123}]}]}}
Y
ended port2 Failed
same NodePorts "$(field pod/port2 '{.status.reason}')"

step "the node is well"
says True "$KUBECTL" get nodes -o 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}'
