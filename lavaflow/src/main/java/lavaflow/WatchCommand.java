package lavaflow;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

import lavaflow.cli.GangWatch;
import lavaflow.cli.Outcome;
import lavaflow.cli.Target;
import lavaflow.kube.ApiException;

/** Shows a gang live until it has ended. */
final class WatchCommand implements Command {
    @Override
    public String name() {
        return "watch";
    }

    @Override
    public String summary() {
        return "Show a job live: pods, nodes, restarts, progress.";
    }

    @Override
    public List<Option> options() {
        return ClusterClient.options(ClusterClient.NAMESPACE);
    }

    @Override
    public List<String> parameters() {
        return List.of("KIND/NAME");
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException, InterruptedException {
        try (ClusterClient cluster = ClusterClient.connect(arguments)) {
            Target target = cluster.target(ClusterClient.namespace(arguments), arguments.parameter(0));
            return watch(cluster, target, console)
                    .filter(outcome -> outcome == Outcome.SUCCEEDED)
                    .map(_ -> Lava.DONE)
                    .orElse(Lava.FAILED);
        } catch (ApiException e) {
            throw ClusterClient.refused(e);
        }
    }

    static Optional<Outcome> watch(ClusterClient cluster, Target target, Console console) throws InterruptedException {
        TerminalSize terminal = new TerminalSize();
        return new GangWatch(
                        cluster.api(),
                        cluster.logs(),
                        cluster::why,
                        target,
                        console.palette(),
                        console.out(),
                        terminal::now,
                        InstantSource.system())
                .run();
    }
}
