package lavaflow;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Deletes the data of a stopped local cluster, after asking. */
@Command(name = "reset", description = "Delete the local cluster's data.", mixinStandardHelpOptions = true)
final class ResetCommand implements Callable<Integer> {
    @Mixin
    private HomeOption homeOption = new HomeOption();

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Home home = homeOption.home();
        Console console = new Console(spec.commandLine().getOut());
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
        if (!yes && !confirmed(home)) {
            console.line("Nothing deleted.");
            return Lava.FAILED;
        }
        for (Path part : new Path[] {home.store(), home.pki(), home.kubeconfig()}) {
            deleteTree(part);
        }
        console.line("Deleted the cluster in " + home.directory());
        return Lava.DONE;
    }

    private boolean confirmed(Home home) {
        if (!Console.isTerminal()) {
            throw new CommandFailure(Lava.USAGE, "nobody to ask here; say --yes to delete " + home.directory());
        }
        String answer = java.util.Objects.requireNonNull(System.console())
                .readLine("Delete all data in %s? [y/N] ", home.directory());
        return answer.trim().equalsIgnoreCase("y");
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
