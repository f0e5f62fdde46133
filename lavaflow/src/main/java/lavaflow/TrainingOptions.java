package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import lavaflow.training.Gang;
import lavaflow.training.Settings;

import org.jspecify.annotations.Nullable;

/** How training jobs are run, under the names these options have upstream, older ones among them. */
final class TrainingOptions {
    private static final Command.Option GANG = Command.Option.of(
            "--enable-gang-scheduling",
            "true|false",
            null,
            "Start all pods of a training job or none (true in a cluster of our own).");
    private static final Command.Option SCHEDULER = Command.Option.of(
            "--gang-scheduler-name",
            "NAME",
            null,
            "Who places them: volcano, kube-batch, none, or a scheduler with the plugins of kube-scheduler.");
    private static final Command.Option INIT_IMAGE = Command.Option.of(
            "--pytorch-init-container-image",
            "IMAGE",
            null,
            "What waits for the master of a PyTorchJob (" + Settings.USUAL.initImage()
                    + "; this machine in a cluster of our own).");
    private static final Command.Option INIT_TRIES = Command.Option.of(
            "--pytorch-init-container-max-tries",
            "N",
            Integer.toString(Settings.USUAL.initTries()),
            "How often it looks (" + Settings.USUAL.initTries() + ").");
    private static final Command.Option INIT_TEMPLATE = Command.Option.of(
            "--pytorch-init-container-template-file", "FILE", null, "What it is instead, as a template of Go's.");
    private static final Command.Option KUBECTL_IMAGE = Command.Option.of(
            "--mpi-kubectl-delivery-image", "IMAGE", null, "What brings kubectl to the launchers of MPIJobs.");

    static final List<Command.Option> OPTIONS =
            List.of(GANG, SCHEDULER, INIT_IMAGE, INIT_TRIES, INIT_TEMPLATE, KUBECTL_IMAGE);

    private TrainingOptions() {}

    /** @param usual what holds where nothing is said */
    static Settings of(Command command, Arguments arguments, Settings usual) throws IOException {
        String image = arguments.find(INIT_IMAGE);
        String kubectl = arguments.find(KUBECTL_IMAGE);
        String domain = System.getenv("CUSTOM_CLUSTER_DOMAIN");
        return new Settings(
                gang(command, arguments.find(GANG), arguments.find(SCHEDULER), usual.gang()),
                image == null ? usual.initImage() : image,
                arguments.number(command, INIT_TRIES),
                template(arguments, usual),
                kubectl == null ? usual.kubectlImage() : kubectl,
                domain == null ? "" : domain);
    }

    /** Another image has the programs of upstream's image, and so upstream's container. */
    private static @Nullable String template(Arguments arguments, Settings usual) throws IOException {
        Path file = arguments.findPath(INIT_TEMPLATE);
        if (file != null) {
            return Files.readString(file);
        }
        return arguments.has(INIT_IMAGE) ? null : usual.initTemplate();
    }

    static Gang gang(Command command, @Nullable String enabled, @Nullable String name, Gang usual) {
        if (enabled == null) {
            return name == null ? usual : Gang.named(name);
        }
        return switch (enabled.toLowerCase(Locale.ROOT)) {
            case "true" -> name == null ? Gang.VOLCANO : Gang.named(name);
            case "false" -> Gang.NONE;
            default -> throw Arguments.wrong(command, GANG.name() + ": true or false, not " + enabled);
        };
    }
}
