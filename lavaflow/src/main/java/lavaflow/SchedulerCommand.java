package lavaflow;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import lavaflow.remote.Settings;

/** Runs the scheduler beside any API server and stays in the foreground. */
final class SchedulerCommand implements Command {
    private static final Option KUBECONFIG = Option.of(
            "--kubeconfig",
            "FILE",
            null,
            "How to reach the server ($KUBECONFIG, ~/.kube/config, or the pod's account).");
    private static final Option INSTALL =
            Option.flag("--install", "Give the cluster the kinds that gangs need, and the queues everybody has.");
    private static final Option LEADER_ELECT =
            Option.of("--leader-elect", "true|false", "true", "Wait until no other copy works (true).");
    private static final Option METRICS = Option.of(
            "--metrics-listen",
            "HOST:PORT",
            null,
            "Where to serve /metrics, /healthz and /readyz; nowhere by default.");
    private static final Option RATE = Option.of("--kube-api-qps", "N", "2000", "Requests a second, at most (2000).");
    private static final Option BURST =
            Option.of("--kube-api-burst", "N", "2000", "Requests at once after a quiet time (2000).");

    @Override
    public String name() {
        return "scheduler";
    }

    @Override
    public String summary() {
        return "Run the scheduler of gangs on any API server.";
    }

    @Override
    public List<Option> options() {
        List<Option> options = new ArrayList<>(List.of(KUBECONFIG));
        options.addAll(SchedulerOptions.OPTIONS);
        options.addAll(List.of(INSTALL, LEADER_ELECT, METRICS, RATE, BURST));
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        return Foreground.stay(() -> SchedulerRole.connect(options(arguments)));
    }

    private SchedulerRole.Options options(Arguments arguments) throws IOException {
        Settings connection = new Settings(
                WhichCluster.kubeconfig(arguments.find(KUBECONFIG), System.getenv(), Home.of(null)),
                null,
                "lava-scheduler/" + Lava.version(),
                arguments.number(this, RATE),
                arguments.number(this, BURST));
        String metrics = arguments.find(METRICS);
        return new SchedulerRole.Options(
                connection,
                SchedulerOptions.of(this, arguments),
                arguments.has(INSTALL),
                arguments.truth(this, LEADER_ELECT),
                metrics == null ? null : ListenAddress.parse(this, METRICS.name(), metrics));
    }
}
