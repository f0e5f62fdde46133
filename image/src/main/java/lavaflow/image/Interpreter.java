package lavaflow.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A Python of this machine.
 *
 * @param program the interpreter itself, not a link or a wrapper of it
 * @param prefix where it is installed
 * @param version such as 3.11.7
 * @param makesEnvironments whether it can make environments without further tools
 * @param installsElsewhere whether its installer can put packages into environments that have none, which saves copying it into each
 */
record Interpreter(Path program, Path prefix, String version, boolean makesEnvironments, boolean installsElsewhere) {
    private static final String QUESTION = """
            import importlib.util, os, sys
            import importlib.metadata
            has = importlib.util.find_spec
            pip = bool(has("pip")) and tuple(map(int, importlib.metadata.version("pip").split(".")[:2])) >= (22, 3)
            venv = bool(has("venv")) and (pip or bool(has("ensurepip")))
            print(os.path.realpath(sys.executable), sys.base_prefix, "%d.%d.%d" % sys.version_info[:3], venv, pip, sep="\\n")""";

    /** The first that fits: the distribution's own before others, because containers see its files anyway. */
    static Interpreter find(String version, boolean needsOwnTools) throws ImageException {
        List<String> seen = new ArrayList<>();
        for (Path candidate : candidates(version)) {
            Optional<Interpreter> found = ask(candidate);
            if (found.isEmpty()) {
                continue;
            }
            boolean fits = version.isEmpty()
                    || found.get().version.equals(version)
                    || found.get().version.startsWith(version + ".");
            if (fits && (found.get().makesEnvironments || !needsOwnTools)) {
                return found.get();
            }
            seen.add(candidate + " is " + found.get().version
                    + (fits ? " without venv (apt-get install python3-venv)" : ""));
        }
        throw new ImageException(
                ImageException.Kind.NOT_FOUND,
                "this machine has no Python " + (version.isEmpty() ? "3" : version) + " to make an environment with"
                        + (seen.isEmpty() ? "" : ": " + String.join(", ", seen)));
    }

    private static Set<Path> candidates(String version) {
        List<String> names = new ArrayList<>();
        if (!version.isEmpty()) {
            String[] parts = version.split("\\.", -1);
            names.add("python" + (parts.length > 1 ? parts[0] + "." + parts[1] : parts[0]));
        }
        names.add("python3");
        Set<Path> places = new LinkedHashSet<>();
        for (String directory :
                ("/usr/bin:/usr/local/bin:" + System.getenv().getOrDefault("PATH", "")).split(":", -1)) {
            for (String name : names) {
                Path place = Path.of(directory).resolve(name);
                if (place.isAbsolute() && Files.isExecutable(place)) {
                    places.add(place);
                }
            }
        }
        return places;
    }

    private static Optional<Interpreter> ask(Path candidate) {
        try {
            Process process = new ProcessBuilder(candidate.toString(), "-I", "-c", QUESTION)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            List<String> said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0 || said.size() < 5) {
                process.destroyForcibly();
                return Optional.empty();
            }
            return Optional.of(new Interpreter(
                    Path.of(said.get(0)),
                    Path.of(said.get(1)),
                    said.get(2),
                    said.get(3).equals("True"),
                    said.get(4).equals("True")));
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
