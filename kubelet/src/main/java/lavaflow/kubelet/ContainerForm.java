package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import lavaflow.image.Image;
import lavaflow.image.ImageConfig;
import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerSpec;
import lavaflow.volume.MountedVolume;
import lavaflow.volume.VolumeException;
import lavaflow.volume.Volumes;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Makes what the runtime needs of what pod and image say. */
final class ContainerForm {
    private static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final String DEFAULT_LAST_WORDS = "/dev/termination-log";
    private static final String PRIVATE = "rprivate";

    private final PodView pod;
    private final PodView.Container container;
    private final Image image;
    private final Map<String, String> variables;

    /** @param variables of the pod, without the image's */
    ContainerForm(PodView pod, PodView.Container container, Image image, Map<String, String> variables) {
        this.pod = pod;
        this.container = container;
        this.image = image;
        this.variables = variables;
    }

    // ---- what runs ----

    ContainerSpec.Program program(String hostname) throws ConfigurationException {
        String directory = Json.textAt(container.spec(), "workingDir");
        if (directory.isEmpty()) {
            directory = image.config().directory();
        }
        boolean tty = Json.flagAt(container.spec(), "tty");
        return new ContainerSpec.Program(
                arguments(),
                environment(hostname, tty),
                directory.isEmpty() ? "/" : directory,
                tty,
                Json.flagAt(container.spec(), "stdin"),
                Json.flagAt(container.spec(), "stdinOnce"));
    }

    private List<String> arguments() throws ConfigurationException {
        Function<String, @Nullable String> values = variables::get;
        List<String> command = expanded(Json.listAt(container.spec(), "command"), values);
        List<String> given = expanded(Json.listAt(container.spec(), "args"), values);
        ImageConfig config = image.config();
        List<String> all = new ArrayList<>(command.isEmpty() ? config.entrypoint() : command);
        // A command of the pod's own does not take the image's arguments.
        if (given.isEmpty() && command.isEmpty()) {
            all.addAll(config.command());
        } else {
            all.addAll(given);
        }
        if (all.isEmpty()) {
            throw new ConfigurationException("no command specified");
        }
        return all;
    }

    private static List<String> expanded(JsonNode texts, Function<String, @Nullable String> values) {
        List<String> list = new ArrayList<>();
        texts.forEach(each -> list.add(Expansion.expand(each.asText(), values)));
        return list;
    }

    private List<String> environment(String hostname, boolean tty) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("PATH", DEFAULT_PATH);
        all.put("HOSTNAME", hostname);
        if (tty) {
            all.put("TERM", "xterm");
        }
        for (String each : image.config().environment()) {
            String[] parts = each.split("=", 2);
            all.put(parts[0], parts.length > 1 ? parts[1] : "");
        }
        all.putAll(variables);
        List<String> list = new ArrayList<>();
        all.forEach((name, value) -> list.add(name + "=" + value));
        return list;
    }

    // ---- what it sees ----

    ContainerSpec.Root root() {
        boolean readOnly = Json.flagAt(container.spec(), "securityContext", "readOnlyRootFilesystem");
        return switch (image.source()) {
            case Image.Layers(List<Path> lowestFirst) -> new ContainerSpec.Layers(lowestFirst, readOnly);
            case Image.HostTree(List<Image.Overlaid> laidOver) -> {
                List<ContainerSpec.Mount> mounts = new ArrayList<>();
                laidOver.forEach(
                        each -> mounts.add(new ContainerSpec.Mount(each.source(), each.target(), true, PRIVATE)));
                yield new ContainerSpec.HostTree(mounts, readOnly);
            }
        };
    }

    List<ContainerSpec.Mount> mounts(
            Volumes volumes,
            Map<String, MountedVolume> mounted,
            PodFiles files,
            Path lastWords,
            boolean recursiveReadOnly)
            throws ConfigurationException, VolumeException, IOException {
        List<ContainerSpec.Mount> mounts = new ArrayList<>();
        Set<String> targets = new LinkedHashSet<>();
        for (JsonNode mount : Json.listAt(container.spec(), "volumeMounts")) {
            String name = Json.textAt(mount, "name");
            MountedVolume volume = mounted.get(name);
            if (volume == null) {
                throw new ConfigurationException(
                        "cannot find volume \"" + name + "\" to mount into container \"" + container.name() + "\"");
            }
            Path source = volumes.source(pod.object(), container.name(), volume, mount, subPath(mount));
            String target = Json.textAt(mount, "mountPath");
            boolean readOnly = Json.flagAt(mount, "readOnly") || volume.readOnly();
            boolean below = isReadOnlyBelow(mount, recursiveReadOnly);
            mounts.add(new ContainerSpec.Mount(source, absolute(target), readOnly, propagation(mount), below));
            targets.add(absolute(target));
        }
        add(mounts, targets, files.hosts(pod), "/etc/hosts");
        add(mounts, targets, files.resolver(pod), "/etc/resolv.conf");
        if (!pod.isHostNetwork()) {
            add(mounts, targets, files.hostnameFile(pod), "/etc/hostname");
        }
        String path = Json.textAt(container.spec(), "terminationMessagePath");
        add(mounts, targets, lastWords, path.isEmpty() ? DEFAULT_LAST_WORDS : path);
        return mounts;
    }

    static boolean isWishedReadOnlyBelow(JsonNode mount) {
        String mode = Json.textAt(mount, "recursiveReadOnly");
        return mode.equals("Enabled") || mode.equals("IfPossible");
    }

    private static boolean isReadOnlyBelow(JsonNode mount, boolean possible) throws ConfigurationException {
        if (Json.textAt(mount, "recursiveReadOnly").equals("Enabled") && !possible) {
            throw new ConfigurationException("failed to resolve recursive read-only mode: volume \""
                    + Json.textAt(mount, "name")
                    + "\" requested recursive read-only mode, but it is not supported by the runtime");
        }
        return possible && isWishedReadOnlyBelow(mount);
    }

    private static void add(List<ContainerSpec.Mount> mounts, Set<String> targets, Path source, String target) {
        if (targets.add(target)) {
            mounts.add(new ContainerSpec.Mount(source, target, false, PRIVATE));
        }
    }

    private static String absolute(String target) {
        String slashed = target.startsWith("/") ? target : "/" + target;
        return slashed.length() > 1 && slashed.endsWith("/") ? slashed.substring(0, slashed.length() - 1) : slashed;
    }

    private String subPath(JsonNode mount) throws ConfigurationException {
        String expression = Json.textAt(mount, "subPathExpr");
        if (expression.isEmpty()) {
            return Json.textAt(mount, "subPath");
        }
        List<String> missing = new ArrayList<>();
        String path = Expansion.expand(expression, name -> {
            String value = variables.get(name);
            if (value == null) {
                missing.add(name);
            }
            return value;
        });
        if (!missing.isEmpty()) {
            throw new ConfigurationException("missing value for \"" + missing.getFirst() + "\"");
        }
        if (path.startsWith("/")) {
            throw new ConfigurationException("error SubPath `" + path + "` must not be an absolute path");
        }
        if (List.of(path.split("/", -1)).contains("..")) {
            throw new ConfigurationException("unable to provision SubPath `" + path + "`: must not contain '..'");
        }
        return path;
    }

    private static String propagation(JsonNode mount) {
        return switch (Json.textAt(mount, "mountPropagation")) {
            case "HostToContainer" -> "rslave";
            case "Bidirectional" -> "rshared";
            default -> PRIVATE;
        };
    }

    String stopSignal() {
        String own = Json.textAt(container.spec(), "lifecycle", "stopSignal");
        String images = image.config().stopSignal();
        return !own.isEmpty() ? own : images == null || images.isEmpty() ? "SIGTERM" : images;
    }
}
