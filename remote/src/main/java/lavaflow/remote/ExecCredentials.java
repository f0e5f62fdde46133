package lavaflow.remote;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Credentials from a program that a kubeconfig names (an ExecCredential), as cloud providers hand them out. It runs when the first
 * request is made, when what it said has ended, and when the server does not know it any more.
 */
final class ExecCredentials implements Credentials {
    /** Somebody may have to log in. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final int MOST_BYTES = 1 << 20;
    /** As client-go: a little before the end counts as the end. */
    private static final Duration EARLY = Duration.ofSeconds(5);

    /**
     * What is to be run.
     *
     * @param hint what the kubeconfig says to people who do not have the program
     * @param cluster what the program is told of the cluster; null if it does not want to know
     */
    record Program(
            String apiVersion,
            List<String> command,
            Map<String, String> environment,
            Path directory,
            String hint,
            boolean mayAsk,
            @Nullable ObjectNode cluster) {}

    private record Given(
            @Nullable String header,
            ServerAccess.@Nullable Identity identity,
            @Nullable Instant ends) {}

    private final Program program;
    private final InstantSource clock;
    private @Nullable Given given;

    ExecCredentials(Program program, InstantSource clock) {
        this.program = program;
        this.clock = clock;
    }

    @Override
    public synchronized @Nullable String authorization() {
        return current().header();
    }

    /** A certificate that the program gave; null where it gave a token. */
    synchronized ServerAccess.@Nullable Identity identity() {
        return current().identity();
    }

    @Override
    public synchronized boolean refused() {
        Given before = given;
        given = null;
        return before != null && !current().equals(before);
    }

    private Given current() {
        Given known = given;
        if (known == null || isOver(known)) {
            known = read(run());
            given = known;
        }
        return known;
    }

    private boolean isOver(Given known) {
        return known.ends() != null && !clock.instant().isBefore(known.ends().minus(EARLY));
    }

    private byte[] run() {
        String name = program.command().getFirst();
        boolean person = program.mayAsk() && isPersonThere();
        List<String> command = new ArrayList<>(program.command());
        // A path begins where the kubeconfig is; a plain name is looked for as usual.
        if (name.contains("/")) {
            command.set(0, program.directory().resolve(name).toString());
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(program.environment());
        builder.environment().put("KUBERNETES_EXEC_INFO", Json.string(told(person)));
        if (person) {
            builder.redirectInput(ProcessBuilder.Redirect.INHERIT);
        }
        try {
            return finished(name, builder.start(), person);
        } catch (IOException e) {
            throw failure("the program '" + name + "' of the kubeconfig cannot be run: " + e.getMessage()
                    + (program.hint().isBlank() ? "" : ". " + program.hint().strip()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw failure("interrupted while '" + name + "' was asked for credentials");
        }
    }

    @SuppressWarnings("SystemConsoleNull") // it still is where input and output are no terminal
    private static boolean isPersonThere() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private static byte[] finished(String name, Process process, boolean person)
            throws IOException, InterruptedException {
        try {
            if (!person) {
                process.getOutputStream().close();
            }
            byte[] said = process.getInputStream().readNBytes(MOST_BYTES);
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw failure("the program '" + name + "' of the kubeconfig did not end");
            }
            if (process.exitValue() != 0) {
                throw failure(
                        "the program '" + name + "' of the kubeconfig failed with exit code " + process.exitValue());
            }
            return said;
        } finally {
            process.destroyForcibly();
        }
    }

    private ObjectNode told(boolean person) {
        ObjectNode told = Json.object().put("apiVersion", program.apiVersion()).put("kind", "ExecCredential");
        ObjectNode spec = told.putObject("spec");
        spec.put("interactive", person);
        if (program.cluster() != null) {
            spec.set("cluster", program.cluster());
        }
        return told;
    }

    private Given read(byte[] said) {
        JsonNode document;
        try {
            document = Json.parseUntrusted(said);
        } catch (JsonProcessingException _) {
            throw failure("the program '" + program.command().getFirst() + "' of the kubeconfig printed no JSON");
        }
        JsonNode status = Json.at(document, "status");
        String token = Json.textAt(status, "token");
        String certificate = Json.textAt(status, "clientCertificateData");
        String key = Json.textAt(status, "clientKeyData");
        if (token.isEmpty() && (certificate.isEmpty() || key.isEmpty())) {
            throw failure("the program '" + program.command().getFirst()
                    + "' of the kubeconfig gave neither a token nor a certificate with its key");
        }
        return new Given(
                token.isEmpty() ? null : "Bearer " + token,
                certificate.isEmpty() ? null : new ServerAccess.Identity(certificate, key),
                ends(Json.textAt(status, "expirationTimestamp")));
    }

    private static @Nullable Instant ends(String time) {
        try {
            return time.isEmpty() ? null : Instant.parse(time);
        } catch (DateTimeException _) {
            throw failure("'" + time + "' is no time at which credentials end");
        }
    }

    private static ApiException failure(String message) {
        return ApiException.of(401, "Unauthorized", message);
    }

    /** Nothing of what it gave. */
    @Override
    public String toString() {
        return "credentials of " + program.command().getFirst();
    }
}
