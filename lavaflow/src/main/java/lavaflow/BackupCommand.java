package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

/** Writes a consistent copy of the cluster's objects, running or not. */
final class BackupCommand implements Command {
    @Override
    public String name() {
        return "backup";
    }

    @Override
    public String summary() {
        return "Copy all objects of the local cluster into a file.";
    }

    @Override
    public List<String> parameters() {
        return List.of("FILE");
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        Home home = arguments.home();
        Path target = Path.of(arguments.parameter(0)).toAbsolutePath();
        if (Files.exists(target)) {
            throw new CommandFailure(Lava.FAILED, target + " exists; name another file or remove it");
        }
        if (home.running().isPresent()) {
            AdminClient.of(home).backup(target);
        } else if (!Files.exists(home.store())) {
            throw home.missing();
        } else {
            try (Store store = Store.open(home.store(), StoreOptions.defaults())) {
                store.backup(target);
            }
        }
        console.line("Backed up to " + target + " (" + Files.size(target) / 1024 + " KiB)");
        return Lava.DONE;
    }
}
