package lavaflow;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;

import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Says whether the local cluster runs and how it is. */
@Command(name = "status", description = "Show the local cluster.", mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private HomeOption homeOption = new HomeOption();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "Output as json instead of for people.")
    private String output = "";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Home home = homeOption.home();
        Optional<Home.Running> running = home.running();
        PrintWriter out = spec.commandLine().getOut();
        if (output.equals("json")) {
            var state = Json.object();
            state.put("running", running.isPresent())
                    .put("dataDir", home.directory().toString());
            running.ifPresent(found -> state.put("url", found.url())
                    .put("pid", found.pid())
                    .put("startedAt", found.startedAt())
                    .put("kubeconfig", home.kubeconfig().toString()));
            out.println(Json.pretty(state));
            out.flush();
            return running.isPresent() ? Lava.DONE : Lava.UNREACHABLE;
        }
        Console console = new Console(out);
        if (running.isEmpty()) {
            console.line("Lavaflow is not running in " + home.directory() + ". Start it with: lava up --detach");
            return Lava.UNREACHABLE;
        }
        Home.Running found = running.get();
        Duration age = Duration.between(Instant.parse(found.startedAt()), Instant.now());
        console.status("State", console.ok("running") + " for " + HumanDuration.format(age));
        console.status("Server", found.url());
        console.status("Kubeconfig", home.kubeconfig().toString());
        console.status("Data", home.directory().toString());
        console.status("Process", Long.toString(found.pid()));
        return Lava.DONE;
    }
}
