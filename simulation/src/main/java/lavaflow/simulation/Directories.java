package lavaflow.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Where the volumes of a run are. The provisioner works on real directories. */
final class Directories implements AutoCloseable {
    private final Path root;

    Directories() throws IOException {
        root = Files.createTempDirectory("lavaflow-simulation");
    }

    Path root() {
        return root;
    }

    /** The names of the volumes there are directories for. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> found = Files.list(root)) {
            found.forEach(each -> {
                String name = each.getFileName().toString();
                names.add(name.substring(0, name.indexOf('_')));
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    @Override
    public void close() throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(root)) {
            all = found.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }
}
