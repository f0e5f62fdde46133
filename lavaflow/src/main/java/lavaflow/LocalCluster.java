package lavaflow;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The cluster of a data directory, for commands that start it if they must. */
final class LocalCluster {
    /** How the program that starts everything is called; the launcher says it. */
    static final String PROGRAM = "LAVA_PROGRAM";

    private static final int USUAL_PORT = 6443;

    private final Home home;
    private final Map<String, String> environment;

    LocalCluster(Home home, Map<String, String> environment) {
        this.home = home;
        this.environment = environment;
    }

    /** Whether a kubeconfig in the environment means another cluster. */
    boolean isElsewhere() throws IOException {
        String named = environment.getOrDefault("KUBECONFIG", "");
        if (named.isEmpty()) {
            return false;
        }
        Path own = home.kubeconfig();
        return !Path.of(named)
                .toAbsolutePath()
                .normalize()
                .equals(own.toAbsolutePath().normalize());
    }

    /** True if it had to be started. */
    boolean ensure(Console console) throws IOException, InterruptedException {
        Optional<Home.Running> running = home.running();
        if (running.isPresent() && !running.get().isEnding()) {
            return false;
        }
        String program = environment.getOrDefault(PROGRAM, "");
        if (program.isEmpty()) {
            throw new CommandFailure(
                    Lava.UNREACHABLE,
                    "no cluster runs in " + home.directory() + ". Start one with: lava up --detach, or name another"
                            + " one with --kubeconfig FILE");
        }
        start(program, console);
        return true;
    }

    private void start(String program, Console console) throws IOException, InterruptedException {
        Path log = Files.createTempFile("lava-up", ".log");
        try (ProgressBar progress = console.progress()) {
            progress.note("starting a cluster in " + home.directory());
            List<String> command = List.of(
                    program,
                    "up",
                    "--detach",
                    "--wait",
                    "--data-dir",
                    home.directory().toString(),
                    "--listen",
                    "127.0.0.1:" + (isFree(USUAL_PORT) ? USUAL_PORT : 0));
            Process process = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (process.waitFor() != 0) {
                String said = Files.readString(log, StandardCharsets.UTF_8).strip();
                throw new CommandFailure(
                        Lava.UNREACHABLE, "the cluster did not start: " + said.substring(said.lastIndexOf('\n') + 1));
            }
        } finally {
            Files.deleteIfExists(log);
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException _) {
            return false;
        }
    }
}
