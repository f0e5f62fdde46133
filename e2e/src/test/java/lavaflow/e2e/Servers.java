package lavaflow.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Starts the servers a suite needs, or takes those that run already: {@code -Dpeer.kubeconfig} and
 * {@code -Dlava.kubeconfig} name them.
 */
final class Servers implements AutoCloseable {
    /** Only the controllers that Lavaflow has too; others would change objects between two steps of a case. */
    private static final String PEER_CONTROLLERS =
            "--controllers=namespace-controller,serviceaccount-controller,root-ca-certificate-publisher-controller,"
                    + "garbage-collector-controller,resourcequota-controller,persistentvolumeclaim-protection-controller,"
                    + "persistentvolume-protection-controller,volumeattributesclass-protection-controller,"
                    + "clusterrole-aggregation-controller,serviceaccount-token-controller,"
                    + "certificatesigningrequest-approving-controller,certificatesigningrequest-signing-controller,"
                    + "validatingadmissionpolicy-status-controller"
                    + " --kube-api-qps=1000 --kube-api-burst=2000";

    private static final int TOOL_MISSING = 77;
    private static final Path LOG = Path.of("target/contract/servers.log");
    private static final Path ROOT = repository();

    private final List<Runnable> ends = new ArrayList<>();
    private final List<String> flags;

    private Optional<ApiServer> peer = Optional.empty();
    private Optional<ApiServer> lava = Optional.empty();

    private Servers(List<String> flags) {
        this.flags = flags;
    }

    /** Servers that only answer: nobody makes pods of deployments between two steps of a case. */
    static Servers apiAlone() {
        return new Servers(List.of("--no-node", "--no-workloads"));
    }

    /** Servers as users have them, but for the node: clients wait for deployments to be rolled out. */
    static Servers withWorkloads() {
        return new Servers(List.of("--no-node"));
    }

    /** The whole cluster, on simulated nodes. */
    static Servers withNodes() {
        Path shapes = ROOT.resolve("e2e/src/test/resources/nodes/shapes.yaml");
        return new Servers(List.of("--sim-nodes", shapes.toString()));
    }

    /** The real kube-apiserver; absent where it cannot be built, after saying why. */
    Optional<ApiServer> peer() {
        peer = peer.or(() -> existing("peer.kubeconfig", "kube-apiserver")).or(this::startPeer);
        return peer;
    }

    /** Our own server. */
    ApiServer lava() {
        ApiServer running = lava.or(() -> existing("lava.kubeconfig", "lava")).orElseGet(this::startLava);
        lava = Optional.of(running);
        return running;
    }

    static Path repository() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("e2e/peer"))) {
            directory = directory.getParent();
        }
        return directory;
    }

    /** Where the real server's programs are, built if they are not there yet; absent where they cannot be. */
    static Optional<Path> builtPrograms() {
        String peer = ROOT.resolve("e2e/peer").toString();
        int exit = run(new ProcessBuilder(peer, "build"));
        if (exit == TOOL_MISSING) {
            return Optional.empty();
        }
        if (exit != 0) {
            throw new IllegalStateException("e2e/peer build failed, see " + LOG.toAbsolutePath());
        }
        try {
            Process process = new ProcessBuilder(peer, "bin").start();
            String path = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Optional.of(Path.of(path.strip()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Optional<ApiServer> startPeer() {
        Path run = temporaryDirectory("lavaflow-peer");
        ProcessBuilder up = new ProcessBuilder(ROOT.resolve("e2e/peer").toString(), "up", "--controllers");
        up.environment().put("LAVA_PEER_RUN", run.toString());
        up.environment().putIfAbsent("PEER_CONTROLLER_FLAGS", PEER_CONTROLLERS);
        ends.add(() -> {
            ProcessBuilder down = new ProcessBuilder(ROOT.resolve("e2e/peer").toString(), "down");
            down.environment().put("LAVA_PEER_RUN", run.toString());
            run(down);
        });
        int exit = run(up);
        if (exit == TOOL_MISSING) {
            return Optional.empty();
        }
        if (exit != 0) {
            throw new IllegalStateException(
                    "e2e/peer up failed with exit code " + exit + ", see " + LOG.toAbsolutePath());
        }
        return Optional.of(server("kube-apiserver", run.resolve("kubeconfig")));
    }

    private ApiServer startLava() {
        Path data = temporaryDirectory("lavaflow-data");
        String lava = ROOT.resolve("lava").toString();
        ends.add(() -> run(new ProcessBuilder(lava, "down", "--data-dir", data.toString())));
        List<String> up = new ArrayList<>(
                List.of(lava, "up", "--data-dir", data.toString(), "--listen", "127.0.0.1:0", "--no-node", "--detach"));
        up.addAll(flags);
        int exit = run(new ProcessBuilder(up));
        if (exit != 0) {
            throw new IllegalStateException("lava up failed with exit code " + exit + ", see " + LOG.toAbsolutePath());
        }
        return server("lava", data.resolve("kubeconfig"));
    }

    private Optional<ApiServer> existing(String property, String name) {
        return Optional.ofNullable(System.getProperty(property))
                .filter(path -> !path.isEmpty())
                .map(path -> server(name, Path.of(path)));
    }

    private ApiServer server(String name, Path kubeconfig) {
        try {
            ApiServer server = ApiServer.of(name, kubeconfig);
            ends.add(server::close);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path temporaryDirectory(String prefix) {
        try {
            return Files.createTempDirectory(prefix);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int run(ProcessBuilder command) {
        try {
            Files.createDirectories(LOG.getParent());
            Process process = command.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
                    .start();
            process.getOutputStream().close();
            return process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command.command(), e);
        }
    }

    @Override
    public void close() {
        ends.reversed().forEach(Runnable::run);
    }
}
