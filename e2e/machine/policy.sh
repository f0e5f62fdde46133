# Network policies: who may not come in does not, until somebody lets them.
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: Pod
metadata: {name: server, labels: {app: server}}
spec: {terminationGracePeriodSeconds: 0, containers: [{name: a, image: host, command: [sh, -c, 'mkdir -p /tmp/w; cd /tmp/w; echo served > index.html; exec python3 -m http.server 8000'],
  readinessProbe: {tcpSocket: {port: 8000}, periodSeconds: 1}}]}
---
{apiVersion: v1, kind: Service, metadata: {name: server}, spec: {selector: {app: server}, ports: [{port: 80, targetPort: 8000}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: friend, labels: {is: friend}}, spec: {terminationGracePeriodSeconds: 0, containers: [{name: a, image: host, command: [sleep, '1000000']}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: stranger}, spec: {terminationGracePeriodSeconds: 0, containers: [{name: a, image: host, command: [sleep, '1000000']}]}}
Y
ready pod/server pod/friend pod/stranger
asks() { k exec "$1" -- curl -sf --noproxy '*' -m $((10 * ${PATIENCE:-1})) http://server/; }
refused() { ! asks "$1"; }
step "everybody, before there is a policy"
eventually 30 asks friend
eventually 30 asks stranger
step "friends only"
k apply -f - >/dev/null <<'Y'
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: friends}
spec: {podSelector: {matchLabels: {app: server}}, ingress: [{from: [{podSelector: {matchLabels: {is: friend}}}]}]}
Y
eventually 30 refused stranger
same served "$(asks friend)"
step "everybody again"
k delete networkpolicy friends >/dev/null
eventually 30 asks stranger
