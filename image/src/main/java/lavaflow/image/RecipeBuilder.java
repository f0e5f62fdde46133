package lavaflow.image;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Carries out recipes. What comes out is named by the recipe, its files and the interpreter, made once, and shared by every pod,
 * which sees it at one place and cannot write to it.
 */
final class RecipeBuilder {
    private static final Pattern UNREACHABLE = Pattern.compile(
            "connection refused|failed to establish a new connection|name resolution|name or service not known|"
                    + "network is unreachable|no route to host|timed out|connect error|dns error|error sending request",
            Pattern.CASE_INSENSITIVE);

    private static final int WHOLE = 100;
    private static final int ENVIRONMENT = 5;
    private static final int PACKAGES = 80;

    private final Path home;
    private final Warehouse warehouse;
    private final Programs programs = Programs.ofMachine();

    RecipeBuilder(Path home, Warehouse warehouse) {
        this.home = home;
        this.warehouse = warehouse;
    }

    Path fileOf(String recipe) {
        return home.resolve("recipes").resolve(recipe + ".yaml");
    }

    private Path logOf(Recipe recipe) throws IOException {
        return Files.createDirectories(home.resolve("recipes")).resolve(recipe.name() + ".log");
    }

    /** What would be built now, as far as it can be told without reading everything. */
    String fingerprint(String name) {
        try {
            return fingerprint(chain(fileOf(name)));
        } catch (IOException | IllegalArgumentException e) {
            return "recipe " + name + " is missing";
        }
    }

    private static String fingerprint(List<Recipe> chain) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Recipe recipe : chain) {
            text.append(recipe.text());
            for (Recipe.Placed file : recipe.files()) {
                text.append(' ').append(Files.getLastModifiedTime(file.source()).toMillis());
                text.append(' ').append(Files.size(file.source()));
            }
        }
        return "recipe " + chain.getLast().name() + " "
                + Warehouse.shortened(Digest.of(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    /** A recipe, after those it builds upon. */
    private List<Recipe> chain(Path file) throws IOException {
        List<Recipe> chain = new ArrayList<>(List.of(Recipe.read(file)));
        while (!chain.getFirst().base().isHost()) {
            Recipe.Base base = chain.getFirst().base();
            if (chain.stream().anyMatch(above -> above.name().equals(base.name()))) {
                throw new IllegalArgumentException(file + ": recipe " + base.name() + " builds upon itself");
            }
            Path beside = base.directory().resolve(base.name() + ".yaml");
            chain.addFirst(Recipe.read(Files.exists(beside) ? beside : fileOf(base.name())));
        }
        return chain;
    }

    StoredImage build(String name, String reference, Progress progress) throws IOException, ImageException {
        List<Recipe> chain;
        try {
            chain = chain(fileOf(name));
        } catch (IllegalArgumentException e) {
            throw new ImageException(ImageException.Kind.NOT_FOUND, String.valueOf(e.getMessage()), e);
        }
        StoredImage made = null;
        for (int i = 0; i < chain.size(); i++) {
            Recipe recipe = chain.get(i);
            String called = i == chain.size() - 1
                    ? reference
                    : Reference.parse(recipe.name()).toString();
            made = build(recipe, made, called, fingerprint(chain.subList(0, i + 1)), progress);
        }
        return Objects.requireNonNull(made);
    }

    private StoredImage build(
            Recipe recipe, @Nullable StoredImage base, String reference, String origin, Progress progress)
            throws IOException, ImageException {
        Optional<String> uv = programs.find("uv").map(Path::toString);
        Recipe.Python python = recipe.python();
        Interpreter interpreter = python == null ? null : Interpreter.find(python.version(), uv.isEmpty());
        String identity = identity(recipe, base == null ? String.valueOf(interpreter) : base.id());
        String tree = recipe.name() + "-" + identity.substring(0, 12);
        return warehouse.makeTree(
                tree,
                root -> {
                    Path log = logOf(recipe);
                    try (Writer out = Files.newBufferedWriter(log)) {
                        Steps steps = new Steps(log, out, progress);
                        steps.begin("looking for programs", 0);
                        programs.ensure(recipe.programs(), command -> steps.run(ENVIRONMENT, command));
                        if (python != null && interpreter != null) {
                            environment(recipe, python, interpreter, root.resolve("python"), uv, steps);
                        }
                        copyFiles(recipe, root);
                        progress.amount(WHOLE, WHOLE);
                    }
                },
                size -> publish(recipe, base, interpreter, identity, tree, size, reference, origin));
    }

    private StoredImage publish(
            Recipe recipe,
            @Nullable StoredImage base,
            @Nullable Interpreter interpreter,
            String identity,
            String tree,
            long size,
            String reference,
            String origin)
            throws IOException {
        Map<String, String> trees = new LinkedHashMap<>(base == null ? Map.of() : base.trees());
        List<String> environment = new ArrayList<>();
        if (interpreter != null) {
            if (!interpreter.prefix().startsWith("/usr")) {
                // somewhere in a home directory, say, which containers do not see
                trees.put(interpreter.prefix().toString(), interpreter.prefix().toString());
            }
            trees.put(recipe.place(), tree + "/tree/python");
            environment.add("PATH=" + recipe.place() + "/bin:" + HostDefaults.PATH);
            environment.add("VIRTUAL_ENV=" + recipe.place());
            environment.add("PYTHONDONTWRITEBYTECODE=1");
        }
        for (int i = 0; i < recipe.files().size(); i++) {
            trees.put(recipe.files().get(i).target(), tree + "/tree/files/" + i);
        }
        environment.addAll(recipe.config().environment());
        ImageConfig config = recipe.config().withEnvironment(environment);
        if (base != null) {
            config = config.over(base.config());
        }
        return warehouse.publish(
                new StoredImage(
                        "sha256:" + identity,
                        origin,
                        List.of(),
                        HostDefaults.completed(config),
                        List.of(),
                        true,
                        trees,
                        size + (base == null ? 0 : base.size()),
                        Instant.now().toString()),
                reference,
                null);
    }

    /** Everything the result depends on. */
    private static String identity(Recipe recipe, String below) throws IOException {
        MessageDigest hash = Digest.sha256();
        hash.update((recipe.text() + " " + below).getBytes(StandardCharsets.UTF_8));
        for (Recipe.Placed file : recipe.files()) {
            Files.walkFileTree(file.source(), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                    hash.update((file.source().relativize(path) + "\0").getBytes(StandardCharsets.UTF_8));
                    if (attributes.isRegularFile()) {
                        hash.update(Files.readAllBytes(path));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        return Digest.hex(Digest.named(hash.digest()));
    }

    private static void environment(
            Recipe recipe, Recipe.Python python, Interpreter interpreter, Path place, Optional<String> uv, Steps steps)
            throws IOException, ImageException {
        String inside = place.resolve("bin/python").toString();
        Path requirements = Files.write(place.resolveSibling("requirements.txt"), python.requirements());
        String program = interpreter.program().toString();
        steps.begin("making the environment with Python " + interpreter.version(), 0);
        if (uv.isPresent()) {
            steps.run(
                    ENVIRONMENT,
                    uv.get(),
                    "venv",
                    "--no-project",
                    "--relocatable",
                    "--python",
                    program,
                    place.toString());
        } else if (interpreter.installsElsewhere()) {
            steps.run(ENVIRONMENT, program, "-m", "venv", "--without-pip", place.toString());
        } else {
            steps.run(ENVIRONMENT, program, "-m", "venv", place.toString());
        }
        if (!python.requirements().isEmpty()) {
            steps.begin("getting " + python.requirements().size() + " packages and what they need", ENVIRONMENT);
            if (uv.isPresent()) {
                steps.run(PACKAGES, uv.get(), "pip", "install", "--python", inside, "-r", requirements.toString());
            } else {
                List<String> pip = interpreter.installsElsewhere()
                        ? List.of(program, "-m", "pip", "--python", inside)
                        : List.of(inside, "-m", "pip");
                List<String> command = new ArrayList<>(pip);
                command.addAll(List.of("install", "--disable-pip-version-check", "--no-input", "--no-compile"));
                command.addAll(List.of("--progress-bar=off", "-r", requirements.toString()));
                steps.run(PACKAGES, command.toArray(String[]::new));
            }
        }
        steps.begin("compiling", PACKAGES);
        // files that are templates of programs rather than programs make it complain, which matters to nobody
        steps.tryTo(
                inside,
                "-m",
                "compileall",
                "-q",
                "-j",
                "0",
                "-s",
                place.toString(),
                "-p",
                recipe.place(),
                place.resolve("lib").toString());
        settle(place, recipe.place());
    }

    /** Scripts name the interpreter by where the environment was made; from now on it is seen elsewhere. */
    private static void settle(Path place, String target) throws IOException {
        try (DirectoryStream<Path> scripts = Files.newDirectoryStream(place.resolve("bin"))) {
            for (Path script : scripts) {
                if (!Files.isRegularFile(script, LinkOption.NOFOLLOW_LINKS) || Files.size(script) > 1 << 20) {
                    continue;
                }
                String text = Files.readString(script, StandardCharsets.ISO_8859_1);
                String settled = text.replace(place.toString(), target);
                if (!settled.equals(text)) {
                    Files.writeString(script, settled, StandardCharsets.ISO_8859_1);
                }
            }
        }
    }

    private static void copyFiles(Recipe recipe, Path root) throws IOException {
        for (int i = 0; i < recipe.files().size(); i++) {
            Path source = recipe.files().get(i).source();
            Path target = Files.createDirectories(root.resolve("files")).resolve(Integer.toString(i));
            Files.walkFileTree(source, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) throws IOException {
                    Files.createDirectories(target.resolve(source.relativize(path)));
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                    Path place = path.equals(source) ? target : target.resolve(source.relativize(path));
                    Files.copy(path, place, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
                    return FileVisitResult.CONTINUE;
                }
            });
        }
    }

    /** The programs of a build one after the other; what they say goes to the log and, shortened, to whoever watches. */
    private static final class Steps {
        private final Path log;
        private final Writer out;
        private final Progress progress;
        private double done;

        Steps(Path log, Writer out, Progress progress) {
            this.log = log;
            this.out = out;
            this.progress = progress;
        }

        void begin(String what, int at) {
            done = at;
            progress.note(what);
            progress.amount(at, WHOLE);
        }

        void run(int until, String... command) throws IOException, ImageException {
            if (execute(until, command) != 0) {
                out.flush();
                throw problem(Files.readAllLines(log), log);
            }
            progress.amount(until, WHOLE);
        }

        void tryTo(String... command) throws IOException, ImageException {
            execute(WHOLE, command);
        }

        private int execute(int until, String... command) throws IOException, ImageException {
            out.write("$ " + String.join(" ", command) + "\n");
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().remove("PYTHONDONTWRITEBYTECODE");
            builder.environment().remove("PYTHONHOME");
            builder.environment().remove("PYTHONPATH");
            builder.environment().remove("VIRTUAL_ENV");
            Process process = builder.start();
            process.getOutputStream().close();
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    out.write(line + "\n");
                    told(line.strip(), until);
                }
                return process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ImageException(ImageException.Kind.UNREACHABLE, "interrupted", e);
            } finally {
                out.flush();
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }

        /** How many packages there will be is not known before, so each moves the bar a part of the way that is left. */
        private void told(String line, int until) {
            boolean tells = line.startsWith("Collecting ")
                    || line.startsWith("Downloading ")
                    || line.startsWith("Installing ")
                    || line.startsWith("Resolved ")
                    || line.startsWith("Prepared ")
                    || line.startsWith("Building ");
            if (tells) {
                done += (until - done) / 12;
                progress.note(line.length() > 60 ? line.substring(0, 60) : line);
                progress.amount((long) done, WHOLE);
            }
        }
    }

    /** What went wrong, in one line; tools say last that there is no such package, even if they found nobody to ask. */
    static ImageException problem(List<String> lines, Path log) {
        String where = "the recipe could not be carried out, see " + log + ": ";
        for (String line : lines) {
            if (UNREACHABLE.matcher(line).find()) {
                return new ImageException(
                        ImageException.Kind.UNREACHABLE,
                        where + "no packages could be fetched: " + line.strip()
                                + ". They come from where pip and uv are told to look (PIP_INDEX_URL, pip.conf,"
                                + " UV_DEFAULT_INDEX)");
            }
        }
        for (String line : lines.reversed()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("error") || line.contains("Error:")) {
                return new ImageException(ImageException.Kind.NOT_FOUND, where + line);
            }
        }
        return new ImageException(
                ImageException.Kind.NOT_FOUND, where + (lines.isEmpty() ? "it said nothing" : lines.getLast()));
    }
}
