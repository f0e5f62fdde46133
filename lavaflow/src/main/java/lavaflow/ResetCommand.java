package lavaflow;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/** Deletes the data of a stopped local cluster, after asking. */
final class ResetCommand implements Command {
    private static final Option YES = new Option("--yes", "-y", null, null, "Do not ask.", false);

    @Override
    public String name() {
        return "reset";
    }

    @Override
    public String summary() {
        return "Delete the local cluster's data.";
    }

    @Override
    public List<Option> options() {
        return List.of(DATA_DIR, YES);
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        Home home = arguments.home();
        if (!Files.exists(home.directory())) {
            console.line("There is nothing in " + home.directory());
            return Lava.DONE;
        }
        if (home.running().isPresent()) {
            throw new CommandFailure(Lava.FAILED, "the cluster is running; stop it first with: lava down");
        }
        if (!Files.exists(home.store()) && !Files.exists(home.pki())) {
            throw new CommandFailure(
                    Lava.FAILED, home.directory() + " does not look like a Lavaflow data directory; nothing deleted");
        }
        if (!arguments.has(YES)) {
            if (!Console.isTerminal()) {
                throw new CommandFailure(Lava.USAGE, "nobody to ask here; say --yes to delete " + home.directory());
            }
            if (!Console.confirms("Delete all data in " + home.directory() + "?")) {
                console.line("Nothing deleted.");
                return Lava.FAILED;
            }
        }
        for (Path part : new Path[] {home.store(), home.pki(), home.kubeconfig()}) {
            deleteTree(part);
        }
        console.line("Deleted the cluster in " + home.directory());
        return Lava.DONE;
    }

    /** Does not follow links. */
    private static void deleteTree(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                    Path directory, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
