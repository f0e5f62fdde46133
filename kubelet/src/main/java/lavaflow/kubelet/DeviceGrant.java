package lavaflow.kubelet;

import java.util.List;
import java.util.Map;

import lavaflow.sandbox.ContainerSpec;

/**
 * What a container gets for its devices.
 *
 * @param environment beside its own; stronger than that
 */
public record DeviceGrant(
        Map<String, String> environment, List<ContainerSpec.Device> devices, List<ContainerSpec.Mount> mounts) {
    public static final DeviceGrant NOTHING = new DeviceGrant(Map.of(), List.of(), List.of());
}
