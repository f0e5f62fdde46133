package lavaflow;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

import lavaflow.kubelet.DeviceSettings;
import lavaflow.kubelet.NodeSettings;

import org.jspecify.annotations.Nullable;

/** Devices that a node is told to hand out. */
final class DeviceOption {
    static final Command.Option DEVICES = Command.Option.of(
            "--devices",
            "RESOURCE=N,...|FILE",
            null,
            "Make up devices such as nvidia.com/gpu=8, or read them from a YAML file (DATA-DIR/node/devices.yaml).");

    private DeviceOption() {}

    /** What was said, which makes sense; null if nothing was. */
    static @Nullable String of(Command command, Arguments arguments) {
        String written = arguments.find(DEVICES);
        if (written != null) {
            try {
                NodeSettings usual = WorkerNode.settings(arguments.home().directory(), "node");
                DeviceSettings ignored = DeviceSettings.read(usual.deviceFile(), written);
            } catch (NoSuchFileException e) {
                throw Arguments.wrong(
                        command, "--devices wants RESOURCE=NUMBER or a file; there is no file " + written);
            } catch (IOException | IllegalArgumentException e) {
                throw Arguments.wrong(command, "--devices " + written + ": " + e.getMessage());
            }
        }
        return written;
    }
}
