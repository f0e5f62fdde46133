# Services and names: a client finds a server, through every door.
k apply -f - >/dev/null <<'Y'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: web
        image: host
        command: [sh, -c, 'mkdir /w; cd /w; hostname > index.html; exec python3 -m http.server 8000']
        readinessProbe: {tcpSocket: {port: 8000}, periodSeconds: 1}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8000}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: sticky}, spec: {sessionAffinity: ClientIP, selector: {app: web}, ports: [{port: 80, targetPort: 8000}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: nobody}, spec: {selector: {app: none}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: every}, spec: {clusterIP: None, selector: {app: web}, ports: [{name: http, port: 8000}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: client}, spec: {terminationGracePeriodSeconds: 0, containers: [{name: a, image: host, command: [sleep, '100000']}]}}
Y
k rollout status deployment/web --timeout="$((60 * ${PATIENCE:-1}))s" >/dev/null
ready pod/client
late=$((2 * ${PATIENCE:-1})) # seconds
in_pod() { k exec client -- sh -c "$1"; }

step "by name, balanced"
eventually 20 in_pod "curl -sf --noproxy '*' -m $late http://web/"
same 2 "$(in_pod "for i in \$(seq 30); do curl -sf --noproxy '*' -m $late http://web/; done" | sort -u | wc -l)"
step "by longer names"
in_pod "curl -sf --noproxy '*' http://web.$NAMESPACE/ >/dev/null && curl -sf --noproxy '*' http://web.$NAMESPACE.svc.cluster.local/ >/dev/null"
step "one client, one server"
same 1 "$(in_pod "for i in \$(seq 20); do curl -sf --noproxy '*' -m $late http://sticky/; done" | sort -u | wc -l)"
step "without a service's addresses: every pod"
same 2 "$(in_pod 'getent ahostsv4 every | cut -d" " -f1 | sort -u' | wc -l)"
step "nobody at home is told at once"
same 7 "$(in_pod "curl -s --noproxy '*' -m $((5 * ${PATIENCE:-1})) http://nobody/; echo \$?")" # refused; 28 would be silence
step "a port of the node"
port=$(field service/web '{.spec.ports[0].nodePort}')
address=${NODE_ADDRESS:-$("$KUBECTL" get nodes -o 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}')}
curl -sf --noproxy '*' -m $late "http://$address:$port/" >/dev/null
step "a pod calls itself through its service"
pod=$(k get pods -l app=web -o 'jsonpath={.items[0].metadata.name}')
k scale deployment/web --replicas=1 >/dev/null
alone() { [ "$(k get pods -l app=web --no-headers | wc -l)" = 1 ]; }
eventually 20 alone
pod=$(k get pods -l app=web -o 'jsonpath={.items[0].metadata.name}')
eventually 10 says "^$pod" k exec "$pod" -- curl -sf --noproxy '*' -m $late http://web/
step "the pod's own name is its own address"
same "$(field pod/client '{.status.podIP}')" "$(in_pod 'getent hosts $(hostname) | cut -d" " -f1')"
step "the API server, with the pod's own token"
says gitVersion in_pod 'curl -sf --noproxy "*" --cacert /var/run/secrets/kubernetes.io/serviceaccount/ca.crt -H "Authorization: Bearer $(cat /var/run/secrets/kubernetes.io/serviceaccount/token)" https://kubernetes.default.svc/version'
step "unknown names fail at once"
same 2 "$(in_pod "timeout $((4 * ${PATIENCE:-1})) getent hosts nothing-here; echo \$?")"
