package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import lavaflow.store.Store;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Fills an empty data directory from a backup. */
@Command(
        name = "restore",
        description = "Restore a backup into an empty data directory.",
        mixinStandardHelpOptions = true)
final class RestoreCommand implements Callable<Integer> {
    @Mixin
    private HomeOption homeOption = new HomeOption();

    @Parameters(paramLabel = "FILE", description = "A file that 'lava backup' wrote.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Home home = homeOption.home();
        if (!Files.isReadable(file)) {
            throw new CommandFailure(Lava.FAILED, "cannot read " + file);
        }
        if (home.running().isPresent()) {
            throw new CommandFailure(Lava.FAILED, "the cluster is running; stop it first with: lava down");
        }
        home.create();
        Store.restore(file, home.store());
        new Console(spec.commandLine().getOut()).line("Restored into " + home.directory() + ". Start it with: lava up");
        return Lava.DONE;
    }
}
