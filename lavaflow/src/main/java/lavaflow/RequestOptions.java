package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

import lavaflow.audit.AuditFile;
import lavaflow.audit.AuditPolicy;
import lavaflow.audit.AuditPolicyException;
import lavaflow.audit.Auditor;
import lavaflow.fairness.FlowControl;

import org.jspecify.annotations.Nullable;

/**
 * What is written down about requests, and how many run at once. The names of the options are those of kube-apiserver.
 *
 * @param file closed with the server; null where nothing is written down
 */
record RequestOptions(Auditor auditor, @Nullable AuditFile file, int seats) implements AutoCloseable {
    static final RequestOptions DEFAULT = new RequestOptions(Auditor.NONE, null, FlowControl.DEFAULT_SEATS);

    private static final Command.Option POLICY = Command.Option.of(
            "--audit-policy-file", "FILE", null, "Policy that says which requests are written down (audit.k8s.io/v1).");
    private static final Command.Option LOG =
            Command.Option.of("--audit-log-path", "FILE", null, "Where they are written, one JSON line an event.");
    private static final Command.Option MAX_SIZE =
            Command.Option.of("--audit-log-maxsize", "MB", "100", "Size at which the audit log is put aside (100).");
    private static final Command.Option MAX_BACKUP =
            Command.Option.of("--audit-log-maxbackup", "COUNT", "0", "How many of those are kept (0: all).");
    private static final Command.Option MODE = Command.Option.of(
            "--audit-log-mode", "MODE", "batch", "batch never holds a request up; blocking; blocking-strict (batch).");
    private static final Command.Option READING = Command.Option.of(
            "--max-requests-inflight", "COUNT", "400", "Requests that run at once, together with the next one (400).");
    private static final Command.Option WRITING =
            Command.Option.of("--max-mutating-requests-inflight", "COUNT", "200", "Added to the one before (200).");

    static final List<Command.Option> OPTIONS = List.of(POLICY, LOG, MAX_SIZE, MAX_BACKUP, MODE, READING, WRITING);

    static RequestOptions of(Command command, Arguments arguments) throws IOException {
        int seats = number(command, arguments, READING) + number(command, arguments, WRITING);
        if (seats == 0) {
            throw Arguments.wrong(
                    command, READING.name() + " and " + WRITING.name() + " leave no request that may run");
        }
        String policy = arguments.find(POLICY);
        String log = arguments.find(LOG);
        if (policy == null && log == null) {
            return new RequestOptions(Auditor.NONE, null, seats);
        }
        if (policy == null || log == null) {
            throw Arguments.wrong(command, POLICY.name() + " and " + LOG.name() + " belong together");
        }
        AuditFile.Bounds bounds = new AuditFile.Bounds(
                Math.max(1L, number(command, arguments, MAX_SIZE)) << 20,
                number(command, arguments, MAX_BACKUP),
                AuditFile.Bounds.DEFAULT.queuedEvents());
        AuditPolicy read = policy(command, policy);
        InstantSource clock = InstantSource.system();
        AuditFile file = new AuditFile(Path.of(log), mode(command, arguments.value(MODE)), bounds, clock);
        return new RequestOptions(new Auditor(read, file, clock), file, seats);
    }

    private static AuditPolicy policy(Command command, String path) {
        try {
            return AuditPolicy.parse(Files.readString(Path.of(path)));
        } catch (AuditPolicyException | IOException e) {
            throw Arguments.wrong(command, POLICY.name() + " " + path + ": " + e.getMessage());
        }
    }

    private static AuditFile.Mode mode(Command command, String text) {
        return switch (text) {
            case "batch" -> AuditFile.Mode.BATCH;
            case "blocking" -> AuditFile.Mode.BLOCKING;
            case "blocking-strict" -> AuditFile.Mode.BLOCKING_STRICT;
            default ->
                throw Arguments.wrong(
                        command, MODE.name() + " is batch, blocking or blocking-strict, not '" + text + "'");
        };
    }

    private static int number(Command command, Arguments arguments, Command.Option option) {
        String text = arguments.value(option);
        try {
            int value = Integer.parseInt(text);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Told below, together with negative ones.
        }
        throw Arguments.wrong(command, option.name() + " wants a number, not '" + text + "'");
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
