package lavaflow.network;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * How the network of one cluster is told from others on the same machine.
 *
 * @param id six letters and digits that everything on the machine is named after
 * @param shared a directory for what all clusters of the machine must agree on
 * @param directory what is known of pods; lost, like their namespaces, when the machine restarts
 * @param podRange where pods should have their addresses, such as a node's podCIDR; empty for any that is free
 * @param serviceRange where services have theirs
 */
public record NetworkSettings(String id, Path shared, Path directory, String podRange, String serviceRange) {
    private static final String SERVICES = "10.96.0.0/16";
    private static final int ID_LENGTH = 6;

    public NetworkSettings {
        if (!id.matches("[a-z0-9]{" + ID_LENGTH + "}")) {
            throw new IllegalArgumentException("an id has six letters and digits: " + id);
        }
    }

    /** Those of the cluster that has its data in a directory. */
    public static NetworkSettings of(Path home) {
        String id = id(home);
        Path shared = Path.of("/run/lavaflow");
        return new NetworkSettings(id, shared, shared.resolve(id).resolve("network"), "", SERVICES);
    }

    /** The same for the same directory, another one for any other. */
    public static String id(Path home) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(home.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, ID_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    public NetworkSettings withPodRange(String range) {
        return new NetworkSettings(id, shared, directory, range, serviceRange);
    }

    /** The same kept in another directory. */
    public NetworkSettings in(Path other) {
        return new NetworkSettings(id, shared, other, podRange, serviceRange);
    }

    /** The same for a network that no other cluster sees, with everything in one directory. */
    public NetworkSettings alone(Path place) {
        return new NetworkSettings(id, place, place.resolve("own").resolve("network"), podRange, serviceRange);
    }

    /** Others find bridges of clusters by what their names begin with. */
    static final String BRIDGES = "lava-";

    String bridge() {
        return BRIDGES + id;
    }

    String table() {
        return "lava-" + id;
    }

    /** What the interfaces of pods begin with, at the machine's end. */
    String portPrefix() {
        return "lv" + id + "-";
    }

    String port(int number) {
        return portPrefix() + Integer.toHexString(number);
    }
}
