package lavaflow;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

import lavaflow.cli.Outcome;
import lavaflow.cli.Target;
import lavaflow.cli.VolcanoObjects;
import lavaflow.kube.ApiException;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Makes a job of options or of a file, and shows it to its end if that is wanted. */
final class JobRunCommand implements Command {
    private static final Option FILE =
            new Option("--file", "-f", "FILE", null, "The job as YAML; - reads standard input.", false);
    private static final Option IMAGE = new Option("--image", "-i", "IMAGE", "busybox", "Image (busybox).", false);
    private static final Option REPLICAS = new Option("--replicas", "-r", "COUNT", "1", "How many pods (1).", false);
    private static final Option MIN =
            new Option("--min", "-m", "COUNT", null, "How many must run at once (default: all of them).", false);
    private static final Option QUEUE = new Option("--queue", "-q", "NAME", "default", "Queue (default).", false);
    private static final Option REQUESTS = new Option(
            "--requests",
            "-R",
            "LIST",
            "cpu=500m,memory=100Mi",
            "What each pod asks for (cpu=500m,memory=100Mi).",
            false);
    private static final Option LIMITS =
            new Option("--limits", "-L", "LIST", "", "What each pod may use at most: nvidia.com/gpu=1.", false);
    private static final Option WATCH = new Option("--watch", "-w", null, null, "Show it until it has ended.", false);

    @Override
    public String name() {
        return "job run";
    }

    @Override
    public String summary() {
        return "Run a job: an image with a command, or a file.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(
                FILE, IMAGE, REPLICAS, MIN, QUEUE, REQUESTS, LIMITS, WATCH, ClusterClient.NAMESPACE);
    }

    @Override
    public List<String> optionalParameters() {
        return List.of("NAME");
    }

    @Override
    public String rest() {
        return "COMMAND";
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
        ObjectNode job = job(arguments);
        String named = Json.textAt(job, "metadata", "namespace");
        String namespace = named.isEmpty() ? ClusterClient.namespace(arguments) : named;
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            cluster.requireJobs();
            ObjectNode made = create(cluster, namespace, job);
            String name = Json.textAt(made, "metadata", "name");
            if (!arguments.has(WATCH)) {
                console.line("Job " + name + " is made. "
                        + console.dim("Follow it with: lava watch job/" + name
                                + (namespace.equals("default") ? "" : " -n " + namespace)));
                return Lava.DONE;
            }
            Target target = cluster.target(namespace, "job/" + name);
            return WatchCommand.watch(cluster, target, console)
                    .filter(outcome -> outcome == Outcome.SUCCEEDED)
                    .map(_ -> Lava.DONE)
                    .orElse(Lava.FAILED);
        }
    }

    private static ObjectNode create(ClusterClient cluster, String namespace, ObjectNode job) {
        try {
            return cluster.api().create(VolcanoObjects.JOBS, namespace, job);
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
    }

    private ObjectNode job(Arguments arguments) throws IOException {
        String name = arguments.findParameter(0);
        String file = arguments.find(FILE);
        if (file != null) {
            ObjectNode job = read(file);
            if (name != null) {
                Json.ensureObject(job, "metadata").put("name", name);
            }
            return job;
        }
        if (name == null) {
            throw Arguments.wrong(this, "a job needs a name, or a file: --file FILE");
        }
        int replicas = arguments.number(this, REPLICAS);
        int min = arguments.has(MIN) ? arguments.number(this, MIN) : replicas;
        if (min > replicas) {
            throw Arguments.wrong(this, "--min " + min + " is more than --replicas " + replicas);
        }
        ObjectNode job = VolcanoObjects.job(new VolcanoObjects.JobShape(
                name,
                ClusterClient.namespace(arguments),
                "volcano",
                arguments.value(IMAGE),
                arguments.rest(),
                replicas,
                min,
                resources(REQUESTS, arguments.value(REQUESTS)),
                resources(LIMITS, arguments.value(LIMITS))));
        ObjectNode spec = Json.ensureObject(job, "spec");
        spec.put("queue", arguments.value(QUEUE));
        ((ObjectNode) Json.listAt(spec, "tasks").path(0)).put("name", "worker");
        return job;
    }

    private ObjectNode resources(Option option, @Nullable String text) {
        try {
            return VolcanoObjects.resources(text == null ? "" : text);
        } catch (IllegalArgumentException e) {
            throw Arguments.wrong(this, option.name() + ": " + e.getMessage());
        }
    }

    private ObjectNode read(String file) throws IOException {
        byte[] text = file.equals("-") ? System.in.readAllBytes() : bytes(file);
        try {
            if (Yaml.parse(text).root() instanceof ObjectNode job) {
                return job;
            }
        } catch (DecodingException e) {
            throw new CommandFailure(Lava.USAGE, file + " is no YAML: " + e.getMessage());
        }
        String said = new String(text, StandardCharsets.UTF_8).strip();
        throw new CommandFailure(Lava.USAGE, file + " is no job: " + (said.isEmpty() ? "it is empty" : said));
    }

    private static byte[] bytes(String file) {
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException e) {
            throw new CommandFailure(
                    Lava.USAGE,
                    "cannot read " + file + ": "
                            + (e instanceof NoSuchFileException ? "there is no such file" : e.getMessage()));
        }
    }
}
