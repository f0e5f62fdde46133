# Volumes: contents, owners, updates.
k create configmap words --from-literal=a=one --from-literal=b=two >/dev/null
k create secret generic keys --from-literal=key=hidden >/dev/null
k apply -f - >/dev/null <<'Y'
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: many, labels: {color: red}}
spec:
  terminationGracePeriodSeconds: 0
  securityContext: {fsGroup: 4242}
  volumes:
  - {name: words, configMap: {name: words, defaultMode: 0440}}
  - {name: keys, secret: {secretName: keys}}
  - {name: memory, emptyDir: {medium: Memory, sizeLimit: 8Mi}}
  - {name: all, projected: {sources: [{configMap: {name: words, items: [{key: a, path: x/a}]}}, {downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}, {serviceAccountToken: {path: token, expirationSeconds: 600}}]}}
  - {name: shared, persistentVolumeClaim: {claimName: shared}}
  containers:
  - name: a
    image: host
    command: [sleep, '100000']
    securityContext: {runAsUser: 1234}
    volumeMounts:
    - {name: words, mountPath: /words}
    - {name: words, mountPath: /one, subPath: a}
    - {name: keys, mountPath: /keys, readOnly: true}
    - {name: memory, mountPath: /memory}
    - {name: all, mountPath: /all}
    - {name: shared, mountPath: /shared}
Y
ready pod/many
inside() { k exec many -- sh -c "$1"; }
step "contents"
same "one two hidden" "$(inside 'echo $(cat /words/a) $(cat /words/b) $(cat /keys/key)')"
step "links and modes"
same '..data/a' "$(inside 'readlink /words/a')"
same 440 "$(inside 'stat -Lc %a /words/a')"
same 4242 "$(inside 'stat -Lc %g /words/a')"
same tmpfs "$(inside 'stat -fc %T /memory')"
same 'color="red"' "$(inside 'cat /all/labels')"
same one "$(inside 'cat /all/x/a')"
[ "$(inside 'wc -c < /all/token')" -gt 100 ] || fail "no token"
step "writing where one may, refused where one may not"
inside 'echo mine > /shared/file; echo x > /memory/x'
! inside 'echo x > /keys/new' 2>/dev/null || fail "a read-only volume was written"
step "updates arrive, whole; not where a subPath was mounted"
k patch configmap words -p '{"data":{"a":"three"}}' >/dev/null
k label pod many color=blue --overwrite >/dev/null
eventually 90 says three inside 'cat /words/a'
eventually 90 says blue inside 'cat /all/labels'
same one "$(inside 'cat /one')"
step "another pod and user shares the claim"
k apply -f - >/dev/null <<'Y'
{apiVersion: v1, kind: Pod, metadata: {name: other}, spec: {restartPolicy: Never, securityContext: {fsGroup: 4242, runAsUser: 5678}, volumes: [{name: s, persistentVolumeClaim: {claimName: shared}}],
  containers: [{name: a, image: host, command: [sh, -c, 'cat /s/file && echo more >> /s/file && echo new > /s/mine'], volumeMounts: [{name: s, mountPath: /s}]}]}}
Y
ended other Succeeded
same "mine more" "$(inside 'echo $(cat /shared/file)')"
