package lavaflow;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Says whether the local cluster runs and how it is. */
final class StatusCommand implements Command {
    private static final Option OUTPUT =
            new Option("--output", "-o", "json", "text", "Print for machines: json.", false);

    @Override
    public String name() {
        return "status";
    }

    @Override
    public String summary() {
        return "Show the local cluster.";
    }

    @Override
    public List<Option> options() {
        return List.of(DATA_DIR, OUTPUT);
    }

    @Override
    public int run(Arguments arguments, Console console) throws IOException {
        Home home = arguments.home();
        Optional<Home.Running> running = home.running();
        switch (arguments.value(OUTPUT)) {
            case "text" -> text(home, running, console);
            case "json" -> console.line(Json.pretty(document(home, running)));
            default -> throw Arguments.wrong(this, "--output knows json, not '" + arguments.value(OUTPUT) + "'");
        }
        return running.isPresent() ? Lava.DONE : Lava.UNREACHABLE;
    }

    private static ObjectNode document(Home home, Optional<Home.Running> running) throws IOException {
        ObjectNode state = Json.object();
        state.put("running", running.isPresent())
                .put("dataDir", home.directory().toString());
        running.ifPresent(found -> state.put("url", found.url())
                .put("pid", found.pid())
                .put("startedAt", found.startedAt())
                .put("stopping", found.isEnding())
                .put("kubeconfig", home.kubeconfig().toString()));
        if (running.isPresent()) {
            Isolation.read(home.node()).ifPresent(found -> state.set("node", found.document()));
        }
        return state;
    }

    private static void text(Home home, Optional<Home.Running> running, Console console) throws IOException {
        if (running.isEmpty()) {
            console.line("Lavaflow is not running in " + home.directory() + ". Start it with: lava up --detach");
            return;
        }
        Home.Running found = running.get();
        Duration age = Duration.between(Instant.parse(found.startedAt()), Instant.now());
        console.status(
                "State",
                found.isEnding()
                        ? "stopping, " + EndNotice.pods(found.endingPods()) + " left"
                        : console.green("running") + " for " + HumanDuration.format(age));
        console.status("Server", found.url());
        console.status("Kubeconfig", home.kubeconfig().toString());
        console.status("Data", home.directory().toString());
        console.status("Process", Long.toString(found.pid()));
        Optional<Isolation> isolation = Isolation.read(home.node());
        isolation.ifPresent(pods -> {
            console.status("Pods", pods.runtime());
            pods.notices().forEach(notice -> console.status("", notice));
        });
    }
}
