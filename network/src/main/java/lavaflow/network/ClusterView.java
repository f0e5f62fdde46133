package lavaflow.network;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.Mirror;

import org.jspecify.annotations.Nullable;

/** The services of the cluster and who stands behind them, as small values kept current. Safe for concurrent use. */
public final class ClusterView {
    static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    static final KubeApi.Kind SLICES = new KubeApi.Kind("discovery.k8s.io", "v1", "endpointslices", true);

    /** How the index calls a service with an address. */
    private static final String AT = "at ";

    private final Mirror<ServiceView> services;
    private final Mirror<SliceView> slices;
    private final PolicyRules policies;
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

    /** Make it before the followers start. */
    public ClusterView(Followers followers) {
        this.policies = new PolicyRules(followers);
        this.services = new Mirror<>(followers, SERVICES, ServiceView::of, ClusterView::words)
                .whenDifferent((before, after) ->
                        tell(before == null ? null : before.key(), after == null ? null : after.key()));
        this.slices = new Mirror<>(followers, SLICES, SliceView::of, ClusterView::words)
                .whenDifferent((before, after) ->
                        tell(before == null ? null : before.service(), after == null ? null : after.service()));
    }

    private static List<String> words(ServiceView service) {
        return service.addresses().stream().map(address -> AT + address).toList();
    }

    private static List<String> words(SliceView slice) {
        List<String> words = new ArrayList<>();
        words.add(slice.service());
        for (SliceView.Endpoint endpoint : slice.endpoints()) {
            if (!words.contains(AT + endpoint.address())) {
                words.add(AT + endpoint.address());
            }
        }
        return words;
    }

    private void tell(@Nullable String before, @Nullable String after) {
        for (Consumer<String> listener : listeners) {
            if (before != null && !before.equals(after)) {
                listener.accept(before);
            }
            if (after != null) {
                listener.accept(after);
            }
        }
    }

    /** Tells of every service that is not as it was, on a thread that must not wait. */
    void onChange(Consumer<String> listener) {
        listeners.add(listener);
    }

    PolicyRules policies() {
        return policies;
    }

    @Nullable
    ServiceView find(String namespace, String name) {
        return services.get(namespace, name);
    }

    @Nullable
    ServiceView find(String key) {
        int slash = key.indexOf('/');
        return find(key.substring(0, slash), key.substring(slash + 1));
    }

    List<ServiceView> services() {
        return services.all();
    }

    List<SliceView> slices(String service) {
        return slices.having(service);
    }

    /** Those that have an address of their own. */
    List<ServiceView> servicesAt(String address) {
        return services.having(AT + address);
    }

    List<SliceView> slicesAt(String address) {
        return slices.having(AT + address);
    }
}
