package lavaflow.apiserver;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import lavaflow.access.BootstrapRoles;
import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Makes the roles and bindings every cluster has, and completes those that lack something. */
final class RoleBootstrap {
    private static final String GROUP = "rbac.authorization.k8s.io";

    private final LocalApi api;
    private final User user;

    RoleBootstrap(LocalApi api, User user) {
        this.api = api;
        this.user = user;
    }

    /** All at once: the store writes them together, where one after the other would wait for the disk each. */
    void run() {
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            List<? extends Future<?>> running = BootstrapRoles.all().stream()
                    .map(object -> each.submit(() -> ensure(object)))
                    .toList();
            for (Future<?> one : running) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot make the roles of the cluster", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ensure(ObjectNode wanted) {
        LocalApi.Path path = new LocalApi.Path(GROUP, "v1", BootstrapRoles.resource(wanted));
        String namespace = Json.textAt(wanted, "metadata", "namespace");
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
