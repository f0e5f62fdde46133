package lavaflow;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import lavaflow.cli.Manifests;
import lavaflow.cli.RunResult;
import lavaflow.cli.RunView;
import lavaflow.cli.ScriptJob;
import lavaflow.cli.Submission;
import lavaflow.cli.Target;
import lavaflow.cli.VolcanoObjects;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Runs what a file describes, from a bare machine to the result: cluster, images, submission, the gang, logs, the end. */
final class RunCommand implements Command {
    private static final int INTERRUPTED = 130;
    private static final Duration KINDS = Duration.ofSeconds(60);

    private static final Option KIND = Option.of(
            "--kind",
            "FRAMEWORK",
            null,
            "What a Python file becomes: tensorflow, pytorch, jax, xgboost, paddle, volcano or job.");
    private static final Option REPLICAS =
            new Option("--replicas", "-r", "COUNT", "1", "With a Python file: how many pods (1).", false);
    private static final Option IMAGE = new Option(
            "--image", "-i", "IMAGE", null, "With a Python file: its image (a recipe of the framework's name).", false);
    private static final Option NAME =
            Option.of("--name", "NAME", null, "With a Python file: the job's name (the file's).");
    private static final Option REQUESTS = new Option(
            "--requests",
            "-R",
            "LIST",
            "",
            "With a Python file: what each pod gets: cpu=1,memory=1Gi,nvidia.com/gpu=1.",
            false);
    private static final Option QUEUE =
            new Option("--queue", "-q", "NAME", "", "With a Python file: its queue (default).", false);
    private static final Option REPLACE =
            Option.flag("--replace", "Begin anew where a job of that name still runs; usually that one is followed.");
    private static final Option DETACH = new Option("--detach", "-d", null, null, "Submit, and do not follow.", false);
    private static final Option ON_INTERRUPT =
            Option.of("--on-interrupt", "WHAT", "ask", "On Ctrl-C: leave it running, delete it, or ask (ask).");

    @Override
    public String name() {
        return "run";
    }

    @Override
    public String summary() {
        return "Run a job from a file to its end; start a cluster if none runs.";
    }

    @Override
    public List<String> parameters() {
        return List.of("FILE");
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(
                KIND, REPLICAS, IMAGE, NAME, REQUESTS, QUEUE, REPLACE, DETACH, ON_INTERRUPT, ClusterClient.NAMESPACE);
    }

    @Override
    public String rest() {
        return "ARGUMENTS OF A PYTHON FILE";
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
        if (!List.of("ask", "leave", "delete").contains(arguments.value(ON_INTERRUPT))) {
            throw Arguments.wrong(this, "--on-interrupt wants ask, leave or delete");
        }
        Manifests manifests = manifests(arguments);
        boolean here = isHere(arguments);
        if (here) {
            start(arguments, console);
        }
        try (ClusterClient cluster = connect(arguments, manifests)) {
            check(cluster, arguments, manifests);
            if (here) {
                build(arguments, manifests, console);
            }
            Map<Target, Instant> made = submit(cluster, arguments, manifests, console);
            if (made.isEmpty() || arguments.has(DETACH)) {
                made.keySet().forEach(target -> console.line("Follow it with: " + command("watch", target)));
                return Lava.DONE;
            }
            return follow(cluster, made, arguments, console);
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
    }

    // ---- what

    private Manifests manifests(Arguments arguments) throws IOException {
        String file = arguments.parameter(0);
        boolean script = file.endsWith(".py");
        List<Option> idle = script
                ? List.of()
                : List.of(KIND, REPLICAS, IMAGE, NAME, REQUESTS, QUEUE).stream()
                        .filter(option -> !Objects.equals(arguments.find(option), option.fallback()))
                        .toList();
        if (!idle.isEmpty()) {
            throw Arguments.wrong(this, idle.getFirst().name() + " is for Python files, and " + file + " is none");
        }
        String text = text(file);
        try {
            Manifests found = script ? script(arguments, file, text) : Manifests.read(text);
            if (found.needed().isEmpty() && found.jobs().isEmpty()) {
                throw new IllegalArgumentException("there is nothing in it");
            }
            return found;
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.USAGE, file + ": " + e.getMessage());
        }
    }

    private static String text(String file) throws IOException {
        if (file.equals("-")) {
            return new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        }
        try {
            return Files.readString(Path.of(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            String why = !Files.exists(Path.of(file))
                    ? ": there is no such file"
                    : Files.isDirectory(Path.of(file)) ? ": it is a directory" : ": is it text, and may you read it?";
            throw new CommandFailure(Lava.USAGE, "cannot read " + file + why);
        }
    }

    private Manifests script(Arguments arguments, String file, String text) {
        String word = arguments.find(KIND);
        if (word == null) {
            throw Arguments.wrong(this, "a Python file needs --kind, such as --kind pytorch");
        }
        ScriptJob.Framework framework = List.of(ScriptJob.Framework.values()).stream()
                .filter(each -> each.word().equals(word.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> Arguments.wrong(
                        this,
                        "--kind knows no '" + word + "'; it knows "
                                + List.of(ScriptJob.Framework.values()).stream()
                                        .map(ScriptJob.Framework::word)
                                        .collect(Collectors.joining(", "))));
        String base = String.valueOf(Path.of(file).getFileName());
        String name = arguments.find(NAME);
        String image = arguments.find(IMAGE);
        return ScriptJob.of(
                new ScriptJob.Wish(
                        name == null ? ScriptJob.nameOf(base) : name,
                        framework,
                        arguments.number(this, REPLICAS),
                        image == null ? framework.image() : image,
                        arguments.rest(),
                        VolcanoObjects.resources(arguments.value(REQUESTS)),
                        arguments.value(QUEUE)),
                base,
                text);
    }

    // ---- where

    /** Whether the cluster of this machine is meant. */
    private static boolean isHere(Arguments arguments) throws IOException {
        boolean elsewhere = new LocalCluster(arguments.home(), System.getenv()).isElsewhere();
        return !ClusterClient.isNamed(arguments) && (arguments.find(DATA_DIR) != null || !elsewhere);
    }

    private static void start(Arguments arguments, Console console) throws IOException, InterruptedException {
        Home home = arguments.home();
        long began = System.nanoTime();
        if (new LocalCluster(home, System.getenv()).ensure(console)) {
            console.line(console.green("✓") + " cluster started in " + home.directory() + " "
                    + console.dim("(" + seconds(began) + "; 'lava down' stops it)"));
        }
    }

    /** Makes the images of recipes that lie beside the file, or come with the program. */
    private static void build(Arguments arguments, Manifests manifests, Console console) throws IOException {
        RecipeBuilding recipes = new RecipeBuilding(arguments.home());
        for (String image : manifests.images()) {
            Optional<Path> recipe = findRecipe(arguments.parameter(0), image);
            if (recipe.isPresent() && !recipes.isElsewhere(image)) {
                long start = System.nanoTime();
                recipes.adopt(recipe.get());
                long size = recipes.build(image, console).size();
                console.line(console.green("✓") + " image " + image + ", " + Sizes.of(size) + " "
                        + console.dim("(" + recipe.get() + ", " + seconds(start) + ")"));
            }
        }
    }

    private static String seconds(long since) {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since) + " s";
    }

    /** {@code images/NAME.yaml} beside the file, or among the recipes that come with the program. */
    private static Optional<Path> findRecipe(String file, String image) {
        if (!image.matches("[a-z0-9][a-z0-9._-]*")) {
            return Optional.empty();
        }
        List<Path> places = new ArrayList<>();
        Path beside = file.equals("-") ? null : Path.of(file).toAbsolutePath().getParent();
        places.add(beside == null ? Path.of("").toAbsolutePath() : beside);
        String program = System.getenv(LocalCluster.PROGRAM);
        Path root = program == null ? null : Path.of(program).getParent();
        if (root != null) {
            places.add(root.resolve("examples"));
        }
        return places.stream()
                .map(place -> place.resolve("images").resolve(image + ".yaml"))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    /** A cluster of this machine that just started may not know all its kinds yet. */
    private static ClusterClient connect(Arguments arguments, Manifests manifests)
            throws IOException, InterruptedException {
        Instant settled = settled(arguments);
        while (true) {
            ClusterClient cluster = ClusterClient.connect(arguments);
            Submission submission = new Submission(cluster.api(), "", false);
            Optional<ObjectNode> unknown = submission.findUnknown(manifests);
            if (unknown.isEmpty()) {
                return cluster;
            }
            List<KubeApi.Kind> meant = submission.resembling(unknown.get());
            cluster.close();
            // Kinds of one group come together.
            String group = Manifests.group(unknown.get());
            boolean known = meant.stream().anyMatch(kind -> kind.group().equals(group));
            if (known || Instant.now().isAfter(settled)) {
                throw new CommandFailure(Lava.FAILED, unknown(unknown.get(), meant));
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    private static Instant settled(Arguments arguments) throws IOException {
        Optional<Home.Running> running = isHere(arguments) ? arguments.home().running() : Optional.empty();
        return running.map(each -> Instant.parse(each.startedAt()).plus(KINDS)).orElse(Instant.EPOCH);
    }

    private static String unknown(ObjectNode object, List<KubeApi.Kind> meant) {
        String told =
                "this cluster knows no " + Json.textAt(object, "kind") + " of " + Json.textAt(object, "apiVersion");
        return meant.isEmpty()
                ? told + ". Is it spelled right, and is what brings the kind installed?"
                : told + ", but it knows "
                        + meant.stream()
                                .map(kind -> kind.resource() + " of "
                                        + (kind.group().isEmpty() ? "" : kind.group() + "/") + kind.version())
                                .collect(Collectors.joining(" and "));
    }

    /** A field that nobody knows is most often one that is misspelled: nothing is made of such a file. */
    private static void check(ClusterClient cluster, Arguments arguments, Manifests manifests) throws IOException {
        Submission submission = new Submission(cluster.api(), ClusterClient.namespace(arguments), false);
        Optional<String> misspelled = submission.findMisspelled(manifests, cluster::rehearse);
        if (misspelled.isPresent()) {
            throw new CommandFailure(Lava.USAGE, arguments.parameter(0) + ": " + misspelled.get());
        }
    }

    // ---- submitting

    private static Map<Target, Instant> submit(
            ClusterClient cluster, Arguments arguments, Manifests manifests, Console console)
            throws IOException, InterruptedException {
        Submission submission =
                new Submission(cluster.api(), ClusterClient.namespace(arguments), arguments.has(REPLACE));
        List<String> words = new ArrayList<>();
        for (ObjectNode object : manifests.needed()) {
            submission.apply(object);
            words.add(Submission.word(object));
        }
        Map<Target, Instant> made = new LinkedHashMap<>();
        for (ObjectNode job : manifests.jobs()) {
            Instant now = Instant.now();
            Submission.Submitted submitted = submission.run(job);
            Target target = submitted.target();
            if (submitted.found()) {
                console.line(console.yellow("●") + " " + Submission.word(target.object())
                        + " runs already and is followed; --replace begins anew");
                now = Instant.parse(Json.textAt(target.object(), "metadata", "creationTimestamp"));
            } else {
                words.add(Submission.word(target.object()));
            }
            made.put(target, now);
        }
        if (!words.isEmpty()) {
            console.line(console.green("✓") + " submitted " + String.join(", ", words));
        }
        return made;
    }

    // ---- following

    private static int follow(ClusterClient cluster, Map<Target, Instant> made, Arguments arguments, Console console)
            throws InterruptedException {
        TerminalSize terminal = new TerminalSize();
        RunView view = new RunView(
                cluster.api(),
                cluster.logs(),
                cluster::why,
                console.palette(),
                console.out(),
                terminal::now,
                InstantSource.system(),
                made.size() > 1);
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread here = Thread.currentThread();
        Runnable first = () -> {
            interrupted.set(true);
            here.interrupt();
        };
        try (EndSignals.Listening _ =
                EndSignals.during(first, () -> Runtime.getRuntime().halt(INTERRUPTED))) {
            List<RunResult> results = view.follow(made);
            return results.stream().allMatch(RunResult::isSuccess) ? Lava.DONE : Lava.FAILED;
        } catch (InterruptedException | RuntimeException e) {
            if (!interrupted.get()) {
                throw e;
            }
            Thread.interrupted(); // what follows asks the cluster and the user
            interrupted(cluster, made, arguments.value(ON_INTERRUPT), console);
            return INTERRUPTED;
        }
    }

    private static void interrupted(ClusterClient cluster, Map<Target, Instant> made, String wish, Console console)
            throws InterruptedException {
        boolean delete = wish.equals("delete")
                || (wish.equals("ask")
                        && Console.confirms("\nDelete " + (made.size() == 1 ? "it" : "them") + "? Otherwise "
                                + (made.size() == 1 ? "it is" : "they are") + " left running."));
        for (Target target : made.keySet()) {
            if (delete) {
                console.line("Deleting " + Submission.word(target.object()) + " and its pods ...");
                new Submission(cluster.api(), "", false).delete(target, Duration.ofSeconds(30));
                console.line("Deleted " + Submission.word(target.object()));
            } else {
                console.line(Submission.word(target.object()) + " goes on. Follow it with: " + command("watch", target)
                        + " or " + command("logs -f", target));
            }
        }
    }

    private static String command(String verb, Target target) {
        return "lava " + verb + " " + RunResult.word(target)
                + (target.namespace().equals("default") ? "" : " -n " + target.namespace());
    }
}
