package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import lavaflow.kube.GoDuration;
import lavaflow.kube.MalformedException;
import lavaflow.kubelet.NodeSettings;

import org.jspecify.annotations.Nullable;

/** How the node of this machine shall be, whether it is started alone or with a cluster. */
final class NodeOptions {
    private static final Command.Option TRANSITION = Command.Option.of(
            "--eviction-pressure-transition-period",
            "DURATION",
            GoDuration.format(NodeSettings.USUAL_TRANSITION),
            "How long a node that was short of memory or disk says so after it no longer is (5m0s).");

    private static final Command.Option HANDLERS = Command.Option.of(
            "--runtime-handlers",
            "NAME=PROGRAM,...",
            null,
            "Programs that make containers of pods whose RuntimeClass has such a handler (runc and crun are known).");

    static final List<Command.Option> OPTIONS =
            List.of(DeviceOption.DEVICES, OciRuntimeOption.OCI_RUNTIME, HANDLERS, TRANSITION);

    private NodeOptions() {}

    static WorkerNode.Wish wish(Command command, Arguments arguments, String name) {
        return new WorkerNode.Wish(
                name,
                DeviceOption.of(command, arguments),
                OciRuntimeOption.of(command, arguments),
                transition(command, arguments),
                handlers(command, arguments.find(HANDLERS)));
    }

    private static Map<String, Path> handlers(Command command, @Nullable String written) {
        Map<String, Path> handlers = new LinkedHashMap<>();
        for (String each : written == null ? new String[0] : written.split(",", -1)) {
            int equals = each.indexOf('=');
            Path program = Path.of(each.substring(equals + 1));
            if (equals < 1 || !program.isAbsolute()) {
                throw Arguments.wrong(
                        command, HANDLERS.name() + " wants a name and the whole path of a program, not '" + each + "'");
            }
            if (!Files.isExecutable(program)) {
                throw Arguments.wrong(command, HANDLERS.name() + ": " + program + " is not a program");
            }
            handlers.put(each.substring(0, equals), program);
        }
        return handlers;
    }

    private static Duration transition(Command command, Arguments arguments) {
        String written = arguments.value(TRANSITION);
        try {
            Duration period = GoDuration.parse(written);
            if (!period.isNegative()) {
                return period;
            }
        } catch (MalformedException e) {
            // What is wrong is said below, as for a negative one.
        }
        throw Arguments.wrong(
                command, TRANSITION.name() + " wants a duration such as 30s or 5m, not '" + written + "'");
    }
}
