package lavaflow.access;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.Json;
import lavaflow.store.BucketView;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import org.jspecify.annotations.Nullable;

/**
 * Roles and bindings as they are stored now, found by who is bound. Reading takes no lock; what was committed before
 * {@link #refresh} is seen after it.
 */
public final class Roles implements AutoCloseable {
    private static final String GROUP = "rbac.authorization.k8s.io/";

    /** A binding of a certain subject, and what is said when it allows something. */
    record Bound(Binding binding, Authorizer.Allow allow) {
        static Bound of(Binding binding, Binding.Subject subject) {
            return new Bound(binding, new Authorizer.Allow("RBAC: allowed by " + binding.describe(subject)));
        }
    }

    private record Key(String namespace, boolean group, String name) {}

    private final Map<String, List<Rule>> roles = new ConcurrentHashMap<>();
    private final Map<String, Binding> bindings = new ConcurrentHashMap<>();
    private final Map<Key, List<Bound>> bySubject = new ConcurrentHashMap<>();
    private final List<BucketView> views;

    public Roles(Store store) {
        views = List.of(
                new BucketView(store, GROUP + "clusterroles", new RoleListener("")),
                new BucketView(store, GROUP + "roles", new RoleListener("/")),
                new BucketView(store, GROUP + "clusterrolebindings", new BindingListener("")),
                new BucketView(store, GROUP + "rolebindings", new BindingListener("/")));
    }

    void refresh() {
        for (BucketView view : views) {
            view.refresh();
        }
    }

    /** The rules of a role; null where there is no such role, which is another thing than no rules. */
    @Nullable
    List<Rule> rules(boolean cluster, String namespace, String name) {
        return roles.get(cluster ? name : "/" + namespace + "/" + name);
    }

    @Nullable
    List<Rule> rules(Binding binding) {
        return rules(binding.cluster(), binding.namespace(), binding.role());
    }

    /** The bindings of a user or group in a namespace; the empty one has those that hold everywhere. */
    List<Bound> of(String namespace, boolean group, String name) {
        List<Bound> bound = bySubject.get(new Key(namespace, group, name));
        return bound == null ? List.of() : bound;
    }

    @Override
    public void close() {
        views.forEach(BucketView::close);
    }

    /** Cluster-wide and namespaced objects share a map; no name has a slash in front. */
    private final class RoleListener implements BucketView.Listener {
        private final String prefix;

        RoleListener(String prefix) {
            this.prefix = prefix;
        }

        private boolean mine(String key) {
            return key.startsWith("/") == !prefix.isEmpty();
        }

        @Override
        public void reset() {
            roles.keySet().removeIf(this::mine);
        }

        @Override
        public void put(StoredObject object) {
            roles.put(prefix + object.key(), Rule.of(Json.parseObject(object.bytes())));
        }

        @Override
        public void remove(String key) {
            roles.remove(prefix + key);
        }
    }

    private final class BindingListener implements BucketView.Listener {
        private final String prefix;

        BindingListener(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public void reset() {
            List<String> keys = bindings.keySet().stream()
                    .filter(key -> key.startsWith("/") == !prefix.isEmpty())
                    .toList();
            keys.forEach(this::drop);
        }

        @Override
        public void put(StoredObject object) {
            Binding binding = Binding.of(Json.parseObject(object.bytes()));
            Binding before = bindings.put(prefix + object.key(), binding);
            Map<Key, List<Bound>> bound = new HashMap<>();
            if (before != null) {
                before.subjects().forEach(subject -> bound.put(key(before, subject), List.of()));
            }
            binding.subjects()
                    .forEach(subject ->
                            bound.merge(key(binding, subject), List.of(Bound.of(binding, subject)), Roles::sorted));
            // In one step for everybody: whoever stays bound is never seen without.
            bound.forEach((key, now) -> bySubject.compute(key, (_, present) -> {
                List<Bound> others = present == null ? null : without(present, binding);
                return others == null ? now.isEmpty() ? null : now : sorted(others, now);
            }));
        }

        private static Key key(Binding binding, Binding.Subject subject) {
            return new Key(binding.namespace(), subject.group(), subject.name());
        }

        @Override
        public void remove(String key) {
            drop(prefix + key);
        }

        private void drop(String key) {
            Binding binding = bindings.remove(key);
            if (binding == null) {
                return;
            }
            for (Binding.Subject subject : binding.subjects()) {
                bySubject.computeIfPresent(key(binding, subject), (_, present) -> without(present, binding));
            }
        }
    }

    private static @Nullable List<Bound> without(List<Bound> present, Binding binding) {
        List<Bound> rest = present.stream()
                .filter(bound -> !bound.binding().name().equals(binding.name()))
                .toList();
        return rest.isEmpty() ? null : rest;
    }

    private static List<Bound> sorted(List<Bound> present, List<Bound> added) {
        List<Bound> all = new ArrayList<>(present);
        for (Bound bound : added) {
            if (all.stream().noneMatch(other -> Objects.equals(other, bound))) {
                all.add(bound);
            }
        }
        all.sort((a, b) -> a.binding().name().compareTo(b.binding().name()));
        return List.copyOf(all);
    }
}
