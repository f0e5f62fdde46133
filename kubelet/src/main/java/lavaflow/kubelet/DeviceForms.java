package lavaflow.kubelet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import lavaflow.sandbox.ContainerSpec;

/** How containers are told of devices. */
final class DeviceForms {
    private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";
    private static final String PLAIN_VISIBLE = "CUDA_VISIBLE_DEVICES";
    private static final String PERMISSIONS = "rwm";

    private DeviceForms() {}

    /** As NVIDIA's container tools understand it; processes of the machine see all cards, and are told to look at theirs only. */
    static DevicePool.Form nvidia(String capabilities, List<String> common, List<ContainerSpec.Mount> driver) {
        return (devices, isolated) -> {
            String cards = cards(devices);
            Map<String, String> environment = new LinkedHashMap<>();
            environment.put(VISIBLE, cards.isEmpty() ? "void" : cards);
            if (!isolated) {
                environment.put(PLAIN_VISIBLE, cards);
            }
            if (devices.isEmpty()) {
                return new DeviceGrant(environment, List.of(), List.of());
            }
            environment.put("NVIDIA_DRIVER_CAPABILITIES", capabilities);
            return new DeviceGrant(environment, files(devices, common), driver);
        };
    }

    static DevicePool.Form fake(DeviceSettings.Fake fake, String capabilities) {
        if (fake.resource().equals(DeviceSettings.GPU) && fake.environment().isEmpty()) {
            return nvidia(capabilities, List.of(), List.of());
        }
        return (devices, _) -> {
            if (devices.isEmpty()) {
                return DeviceGrant.NOTHING;
            }
            Map<String, String> environment = new LinkedHashMap<>();
            fake.environment().forEach((name, value) -> environment.put(name, value.replace("$(IDS)", cards(devices))));
            return new DeviceGrant(environment, files(devices, List.of()), List.of());
        };
    }

    /** Shares of one card are one card to whoever has several. */
    private static String cards(List<Device> devices) {
        return devices.stream().map(Device::card).distinct().collect(Collectors.joining(","));
    }

    private static List<ContainerSpec.Device> files(List<Device> devices, List<String> common) {
        Set<String> nodes = new LinkedHashSet<>();
        devices.forEach(device -> nodes.addAll(device.nodes()));
        if (!devices.isEmpty()) {
            nodes.addAll(common);
        }
        List<ContainerSpec.Device> files = new ArrayList<>();
        nodes.forEach(node -> files.add(new ContainerSpec.Device(Path.of(node), node, PERMISSIONS)));
        return files;
    }
}
