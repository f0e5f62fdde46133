package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.remote.Settings;

import org.jspecify.annotations.Nullable;

/** Runs the core controllers beside any API server and stays in the foreground. */
final class ControllersCommand implements Command {
    private static final Option KUBECONFIG = Option.of(
            "--kubeconfig",
            "FILE",
            null,
            "How to reach the server ($KUBECONFIG, the running local cluster, ~/.kube/config, or the pod's account).");
    private static final Option CONTROLLERS = Option.of(
            "--controllers",
            "LIST",
            "*",
            "Which to run: '*' for the usual ones, 'name' for one, '-name' for not that one (*).");
    private static final Option ACCOUNTS = Option.of(
            "--use-service-account-credentials",
            "true|false",
            "false",
            "Let each controller write as its own service account (false).");
    private static final Option LEADER_ELECT =
            Option.of("--leader-elect", "true|false", "true", "Wait until no other copy works (true).");
    private static final Option METRICS = Option.of(
            "--metrics-listen",
            "HOST:PORT",
            null,
            "Where to serve /metrics, /healthz and /readyz; nowhere by default.");
    private static final Option TOKEN_KEY = Option.of(
            "--service-account-private-key-file", "FILE", null, "Key that signs the tokens of token secrets.");
    private static final Option ROOT_CA = Option.of(
            "--root-ca-file", "FILE", null, "Certificates that clients in pods trust (those of the kubeconfig).");
    private static final Option SIGNING_CERTIFICATE =
            Option.of("--cluster-signing-cert-file", "FILE", null, "Certificate of the authority that signs requests.");
    private static final Option SIGNING_KEY =
            Option.of("--cluster-signing-key-file", "FILE", null, "Its key. Without both, nobody signs requests.");
    private static final Option LOCAL_PATH = Option.of(
            "--local-path",
            "DIRECTORY",
            null,
            "Make volumes for claims of rancher.io/local-path below it, on one machine.");
    private static final Option RATE = Option.of("--kube-api-qps", "N", "500", "Requests a second, at most (500).");
    private static final Option BURST =
            Option.of("--kube-api-burst", "N", "1000", "Requests at once after a quiet time (1000).");

    @Override
    public String name() {
        return "controllers";
    }

    @Override
    public String summary() {
        return "Run the core controllers on any API server.";
    }

    @Override
    public List<Option> options() {
        List<Option> options = new ArrayList<>(List.of(
                KUBECONFIG,
                CONTROLLERS,
                ACCOUNTS,
                LEADER_ELECT,
                METRICS,
                TOKEN_KEY,
                ROOT_CA,
                SIGNING_CERTIFICATE,
                SIGNING_KEY,
                LOCAL_PATH,
                RATE,
                BURST));
        options.addAll(TrainingOptions.OPTIONS);
        return options;
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        return Foreground.stay(() -> {
            ControllersRole role = ControllersRole.connect(options(arguments));
            Set<String> unknown = role.unknownControllers();
            if (!unknown.isEmpty()) {
                role.close();
                throw Arguments.wrong(this, "--controllers: there is no " + String.join(", ", unknown));
            }
            return role;
        });
    }

    private ControllersRole.Options options(Arguments arguments) throws IOException {
        Settings connection = new Settings(
                WhichCluster.kubeconfig(arguments.find(KUBECONFIG), System.getenv(), Home.of(null)),
                null,
                "lava-controllers/" + Lava.version(),
                arguments.number(this, RATE),
                arguments.number(this, BURST));
        @Nullable String metrics = arguments.find(METRICS);
        @Nullable
        InetSocketAddress listen = metrics == null ? null : ListenAddress.parse(this, METRICS.name(), metrics);
        return new ControllersRole.Options(
                connection,
                ControllerSelection.parse(arguments.value(CONTROLLERS)),
                new RemoteAccess.Material(
                        arguments.findPath(TOKEN_KEY),
                        arguments.findPath(ROOT_CA),
                        arguments.findPath(SIGNING_CERTIFICATE),
                        arguments.findPath(SIGNING_KEY)),
                arguments.findPath(LOCAL_PATH),
                arguments.truth(this, ACCOUNTS),
                arguments.truth(this, LEADER_ELECT),
                listen,
                TrainingOptions.of(this, arguments, lavaflow.training.Settings.USUAL));
    }
}
