package lavaflow;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.store.Store;

/** Fills an empty data directory from a backup. */
final class RestoreCommand implements Command {
    @Override
    public String name() {
        return "restore";
    }

    @Override
    public String summary() {
        return "Restore a backup into an empty data directory.";
    }

    @Override
    public List<String> parameters() {
        return List.of("FILE");
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        Home home = arguments.home();
        Path file = Path.of(arguments.parameter(0));
        if (!Files.isReadable(file)) {
            throw new CommandFailure(Lava.FAILED, "cannot read " + file);
        }
        if (home.running().isPresent()) {
            throw new CommandFailure(Lava.FAILED, "the cluster is running; stop it first with: lava down");
        }
        home.create();
        Store.restore(file, home.store());
        console.line("Restored into " + home.directory() + ". Start it with: lava up");
        return Lava.DONE;
    }
}
