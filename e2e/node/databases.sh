# PostgreSQL and Redis as StatefulSets: what they store survives their pods, and Lavaflow.
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | head -n 1)
needs "${postgres:-/nowhere}/postgres" postgresql
needs redis-server redis-server
k apply -f - >/dev/null <<Y
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: pg}
spec:
  serviceName: pg
  selector: {matchLabels: {app: pg}}
  template:
    metadata: {labels: {app: pg}}
    spec:
      securityContext: {runAsUser: $(id -u postgres), runAsGroup: $(id -g postgres), fsGroup: $(id -g postgres)}
      containers:
      - name: postgres
        image: host
        command: [bash, -ec, '[ -e /data/db/PG_VERSION ] || { initdb -D /data/db -A trust >/dev/null; echo host all all all trust >> /data/db/pg_hba.conf; }; exec postgres -D /data/db -k /tmp -h "*"']
        env: [{name: PATH, value: "$postgres:/usr/bin:/bin"}]
        volumeMounts: [{name: data, mountPath: /data}]
        readinessProbe: {exec: {command: [pg_isready, -h, 127.0.0.1]}, periodSeconds: 1}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
{apiVersion: v1, kind: Service, metadata: {name: pg}, spec: {clusterIP: None, selector: {app: pg}, ports: [{port: 5432}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: redis}
spec:
  serviceName: redis
  selector: {matchLabels: {app: redis}}
  template:
    metadata: {labels: {app: redis}}
    spec:
      containers:
      - name: redis
        image: host
        command: [redis-server, --dir, /data, --appendonly, 'yes', --protected-mode, 'no', --bind, 0.0.0.0]
        volumeMounts: [{name: data, mountPath: /data}]
        readinessProbe: {tcpSocket: {port: 6379}, periodSeconds: 1}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
{apiVersion: v1, kind: Service, metadata: {name: redis}, spec: {clusterIP: None, selector: {app: redis}, ports: [{port: 6379}]}}
Y
step "they come up"
k rollout status statefulset/pg --timeout=90s >/dev/null
k rollout status statefulset/redis --timeout=60s >/dev/null
step "they store, also for a client that finds them by name"
k exec pg-0 -- psql -h pg-0.pg -U postgres -qc 'create table t(v text); insert into t values (42)'
same OK "$(k exec redis-0 -- redis-cli -h redis-0.redis set answer 42)"
step "their pods die"
k delete pod pg-0 redis-0 >/dev/null
k rollout status statefulset/pg --timeout=90s >/dev/null
k rollout status statefulset/redis --timeout=60s >/dev/null
step "what they stored is there"
same 42 "$(k exec pg-0 -- psql -h pg-0.pg -U postgres -Atc 'select v from t')"
same 42 "$(k exec redis-0 -- redis-cli -h redis-0.redis get answer)"
[ -n "${RESTART:-}" ] || { echo "nobody said how to restart what runs the pods; not tried"; exit 0; }
step "what runs them is stopped, and started again"
$RESTART
step "what they stored is there again"
eventually 90 says '^42$' k exec pg-0 -- psql -h pg-0.pg -U postgres -Atc 'select v from t'
eventually 30 says '^42$' k exec redis-0 -- redis-cli -h redis-0.redis get answer
