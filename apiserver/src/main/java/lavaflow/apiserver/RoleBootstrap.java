package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import lavaflow.access.BootstrapRoles;
import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.store.Mutation;
import lavaflow.store.Outcome;
import lavaflow.store.Store;
import lavaflow.store.StoreUnavailableException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the roles and bindings every cluster has, and completes those that lack something.
 *
 * <p>A start must not wait for that: the first one stores them as they were recorded, all in one go; later ones have them
 * already and look after them while they serve.
 */
final class RoleBootstrap {
    private static final Logger LOG = LoggerFactory.getLogger(RoleBootstrap.class);
    private static final String GROUP = "rbac.authorization.k8s.io";
    /** Stored last: where it is, the others are. */
    private static final String LAST = "cluster-admin";

    private final LocalApi api;
    private final Store store;
    private final User user;

    RoleBootstrap(LocalApi api, User user) {
        this.api = api;
        this.store = api.store();
        this.user = user;
    }

    void run() {
        if (store.get(GROUP + "/clusterrolebindings", LAST) == null) {
            seed();
        } else {
            Thread.ofVirtual().name("role-bootstrap").start(this::complete);
        }
    }

    /** What was recorded is complete and valid; it needs no more than an identity. */
    private void seed() {
        List<ObjectNode> objects = new ArrayList<>(BootstrapRoles.all());
        objects.sort((a, b) -> Boolean.compare(isLast(a), isLast(b)));
        String now = Metadata.time(api.now());
        List<CompletableFuture<Outcome>> stored = new ArrayList<>();
        for (ObjectNode object : objects) {
            object.put("apiVersion", GROUP + "/v1");
            Metadata.of(object).put("uid", UUID.randomUUID().toString()).put("creationTimestamp", now);
            String namespace = Metadata.namespace(object);
            String key = namespace.isEmpty() ? Metadata.name(object) : namespace + "/" + Metadata.name(object);
            stored.add(store.submit(new Mutation.Put(
                    GROUP + "/" + BootstrapRoles.resource(object),
                    key,
                    Mutation.ABSENT,
                    StoredForm.encode(object),
                    false)));
        }
        stored.forEach(CompletableFuture::join);
    }

    private static boolean isLast(ObjectNode object) {
        return Metadata.name(object).equals(LAST) && Json.textAt(object, "kind").equals("ClusterRoleBinding");
    }

    private void complete() {
        try {
            BootstrapRoles.all().forEach(this::ensure);
        } catch (StoreUnavailableException e) {
            LOG.debug("stopped before every role was looked at");
        } catch (RuntimeException e) {
            LOG.warn("cannot look after the roles of the cluster: {}", e.getMessage());
        }
    }

    private void ensure(ObjectNode wanted) {
        LocalApi.Path path = new LocalApi.Path(GROUP, "v1", BootstrapRoles.resource(wanted));
        String namespace = Metadata.namespace(wanted);
        try {
            Optional<ObjectNode> present = api.find(user, path, namespace, Metadata.name(wanted));
            if (present.isPresent() && BootstrapRoles.bindsAnother(wanted, present.get())) {
                api.delete(user, path, namespace, Metadata.name(wanted), LocalApi.Deletion.PLAIN);
                present = Optional.empty();
            }
            if (present.isEmpty()) {
                api.create(user, path, namespace, wanted);
                return;
            }
            ObjectNode completed = BootstrapRoles.completed(wanted, present.get());
            if (completed != null) {
                api.update(user, path, "", completed);
            }
        } catch (ApiException e) {
            // Somebody else is making it at the same time, or took it away: the next start looks again.
            if (e.code() != 409 && e.code() != 404) {
                throw e;
            }
        }
    }
}
