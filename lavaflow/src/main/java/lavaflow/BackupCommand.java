package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a consistent copy of the cluster's objects, running or not. */
@Command(
        name = "backup",
        description = "Copy all objects of the local cluster into a file.",
        mixinStandardHelpOptions = true)
final class BackupCommand implements Callable<Integer> {
    @Mixin
    private HomeOption homeOption = new HomeOption();

    @Parameters(paramLabel = "FILE", description = "File to write; must not exist.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Home home = homeOption.home();
        Path target = file.toAbsolutePath();
        if (Files.exists(target)) {
            throw new CommandFailure(Lava.FAILED, target + " exists; name another file or remove it");
        }
        if (home.running().isPresent()) {
            AdminClient.of(home).backup(target);
        } else {
            try (Store store = Store.open(home.store(), StoreOptions.defaults())) {
                store.backup(target);
            }
        }
        new Console(spec.commandLine().getOut())
                .line("Backed up to " + target + " (" + Files.size(target) / 1024 + " KiB)");
        return Lava.DONE;
    }
}
