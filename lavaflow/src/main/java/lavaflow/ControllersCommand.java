package lavaflow;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import lavaflow.remote.Settings;

import org.jspecify.annotations.Nullable;

/** Runs the core controllers beside any API server and stays in the foreground. */
final class ControllersCommand implements Command {
    private static final Option KUBECONFIG = Option.of(
            "--kubeconfig",
            "FILE",
            null,
            "How to reach the server ($KUBECONFIG, ~/.kube/config, or the pod's account).");
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
        return List.of(
                KUBECONFIG,
                CONTROLLERS,
                ACCOUNTS,
                LEADER_ELECT,
                METRICS,
                TOKEN_KEY,
                ROOT_CA,
                SIGNING_CERTIFICATE,
                SIGNING_KEY,
                RATE,
                BURST);
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        Thread worker = Thread.currentThread();
        try (ControllersRole role = ControllersRole.connect(options(arguments))) {
            Set<String> unknown = role.unknownControllers();
            if (!unknown.isEmpty()) {
                throw Arguments.wrong(this, "--controllers: there is no " + String.join(", ", unknown));
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                worker.interrupt();
                ListenAddress.awaitQuietly(stopped);
            }));
            boolean lost = role.run();
            return lost ? Lava.FAILED : Lava.DONE;
        } catch (InterruptedException _) {
            return Lava.DONE;
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(Lava.USAGE, String.valueOf(e.getMessage()));
        } finally {
            stopped.countDown();
        }
    }

    private ControllersRole.Options options(Arguments arguments) {
        Settings connection = new Settings(
                path(arguments, KUBECONFIG),
                null,
                "lava-controllers/" + Lava.version(),
                number(arguments, RATE),
                number(arguments, BURST));
        @Nullable String metrics = arguments.find(METRICS);
        @Nullable
        InetSocketAddress listen = metrics == null ? null : ListenAddress.parse(this, METRICS.name(), metrics);
        return new ControllersRole.Options(
                connection,
                ControllerSelection.parse(arguments.value(CONTROLLERS)),
                new RemoteAccess.Material(
                        path(arguments, TOKEN_KEY),
                        path(arguments, ROOT_CA),
                        path(arguments, SIGNING_CERTIFICATE),
                        path(arguments, SIGNING_KEY)),
                flag(arguments, ACCOUNTS),
                flag(arguments, LEADER_ELECT),
                listen);
    }

    private boolean flag(Arguments arguments, Option option) {
        return switch (arguments.value(option)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw Arguments.wrong(this, option.name() + " wants true or false");
        };
    }

    private int number(Arguments arguments, Option option) {
        try {
            int number = Integer.parseInt(arguments.value(option));
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Told below, in one way for every bad number.
        }
        throw Arguments.wrong(this, option.name() + " wants a number above zero");
    }

    private static @Nullable Path path(Arguments arguments, Option option) {
        @Nullable String text = arguments.find(option);
        return text == null ? null : Path.of(text);
    }
}
