package lavaflow.apiserver;

import java.util.List;

/** The role that lets whoever may look at a namespace see what its pods use, under the name metrics-server gives it. */
final class MetricsReaders {
    private static final AggregatedRole ROLE = new AggregatedRole(
            "system:aggregated-metrics-reader",
            ResourceMetrics.GROUP,
            List.of("pods", "nodes"),
            List.of("get", "list", "watch"));

    private MetricsReaders() {}

    static void publish(LocalApi api) {
        ROLE.publish(api);
    }
}
