package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import lavaflow.linux.FileTree;
import lavaflow.sandbox.OwnNamespaces;

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
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
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
        OwnNamespaces.enter(home.node());
        if (!arguments.has(YES)) {
            if (!Console.isTerminal()) {
                throw new CommandFailure(Lava.USAGE, "nobody to ask here; say --yes to delete " + home.directory());
            }
            if (!Console.confirms("Delete all data in " + home.directory() + "?")) {
                console.line("Nothing deleted.");
                return Lava.FAILED;
            }
        }
        WorkerNode.dismantle(home.directory());
        OwnNamespaces.leave(home.node());
        for (Path part : new Path[] {home.store(), home.pki(), home.kubeconfig(), home.node(), home.images()}) {
            // Does not follow links; nothing is mounted any more.
            FileTree.delete(part);
        }
        console.line("Deleted the cluster in " + home.directory());
        return Lava.DONE;
    }
}
