package lavaflow.kubelet;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How a node is set up.
 *
 * @param name in the API
 * @param address others reach it at; pods in the machine's network have it, too
 * @param named whether its name leads to it; API servers try a name first that a Node tells
 * @param directory of everything it keeps
 * @param maxPods how many pods it takes
 * @param podPids how many processes and threads a pod may have
 * @param clusterDomain what names of services end with
 * @param capacity amounts that are told instead of what was found, and those nobody can find
 * @param labels beside the usual ones
 * @param devices what was said of them, see {@link DeviceSettings#read(Path, String)}
 * @param pressureTransition how long a node that was short of something says so after it is not
 */
public record NodeSettings(
        String name,
        String address,
        boolean named,
        Path directory,
        int maxPods,
        long podPids,
        String clusterDomain,
        Map<String, String> capacity,
        Map<String, String> labels,
        @Nullable String devices,
        Duration pressureTransition) {
    /** Kubelets' own. */
    public static final Duration USUAL_TRANSITION = Duration.ofMinutes(5);

    private static final int LONGEST_NAME = 255;

    public static NodeSettings of(String name, String address, Path directory) {
        return new NodeSettings(
                name,
                address,
                true,
                directory,
                110,
                16_384,
                "cluster.local",
                Map.of(),
                Map.of(),
                null,
                USUAL_TRANSITION);
    }

    public NodeSettings withoutName() {
        return new NodeSettings(
                name,
                address,
                false,
                directory,
                maxPods,
                podPids,
                clusterDomain,
                capacity,
                labels,
                devices,
                pressureTransition);
    }

    public NodeSettings withDevices(@Nullable String written) {
        return new NodeSettings(
                name,
                address,
                named,
                directory,
                maxPods,
                podPids,
                clusterDomain,
                capacity,
                labels,
                written,
                pressureTransition);
    }

    public NodeSettings withPressureTransition(Duration period) {
        return new NodeSettings(
                name, address, named, directory, maxPods, podPids, clusterDomain, capacity, labels, devices, period);
    }

    /** Where devices are written down that nobody names when a node is started. */
    public Path deviceFile() {
        return directory.resolve("devices.yaml");
    }

    Path pod(String uid) {
        return directory.resolve("pods").resolve(uid);
    }

    /** Logs of all pods. */
    public Path logs() {
        return directory.resolve("logs");
    }

    /** Where the logs of a pod are, as kubelets lay them out; a file cannot be called all that a pod may be called. */
    public Path logs(String namespace, String name, String uid) {
        String title = namespace + "_" + name;
        int room = Math.max(0, LONGEST_NAME - uid.length() - 1);
        return logs().resolve(title.substring(0, Math.min(title.length(), room)) + "_" + uid);
    }
}
