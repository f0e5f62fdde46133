package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A command (or the container's own program) and a client: copies what each says, and tells the client how it ended. */
final class RemoteCommand {
    private static final int BUFFER = 32 << 10;
    private static final int MOST_SIZE_TEXT = 256;

    /** Begins the process, once the client's streams are there. */
    interface Start {
        NodeView.Session session() throws IOException;
    }

    private final Start start;
    private final List<String> command;

    /** @param command empty for an attachment */
    RemoteCommand(Start start, List<String> command) {
        this.start = start;
        this.command = command;
    }

    /**
     * Runs to the end of the process, or of the client, which ends the process too: {@code leave} is given the way to do that.
     *
     * <p>On threads of the system: whoever waits at a pipe keeps the thread below, and of those that virtual threads share there are only as
     * many as processors. Two commands that say nothing would stop everything else.
     */
    void run(CommandStreams streams, java.util.function.Consumer<Runnable> leave) throws IOException {
        try {
            pump("command", () -> hold(streams, leave)).join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hold(CommandStreams streams, java.util.function.Consumer<Runnable> leave) throws IOException {
        NodeView.Session session;
        try {
            session = start.session();
        } catch (ApiException | IOException e) {
            tell(streams, failure(String.valueOf(e.getMessage())));
            return;
        }
        try (session) {
            leave.accept(session::close);
            if (streams.stdin() != null) {
                pump("stdin", () -> stdin(streams.stdin(), session));
            }
            if (streams.sizes() != null) {
                pump("resize", () -> sizes(streams.sizes(), session));
            }
            Thread errors = pump("stderr", () -> copy(session.stderr(), streams.stderr()));
            copy(session.stdout(), streams.stdout());
            errors.join();
            tell(streams, ended(session.await()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close(streams.stdin());
            close(streams.sizes());
        }
    }

    /** Something to do with a process. */
    interface Copying {
        void run() throws IOException;
    }

    /** Reads from or writes to a process. */
    static Thread pump(String name, Copying copying) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                copying.run();
            } catch (IOException e) {
                // The process or the client is gone; whoever waits for it notices.
            }
        });
    }

    private static void stdin(@Nullable InputStream from, NodeView.Session session) throws IOException {
        if (from == null) {
            return;
        }
        try (OutputStream to = session.stdin()) {
            byte[] buffer = new byte[BUFFER];
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                to.write(buffer, 0, read);
                to.flush();
            }
        } finally {
            from.close(); // what comes now is for nobody, and must not keep other streams waiting
        }
    }

    /** Goes on reading when the client does not want to hear any more: a process that cannot write would never end. */
    private static void copy(InputStream from, @Nullable OutputStream to) throws IOException {
        byte[] buffer = new byte[BUFFER];
        OutputStream client = to;
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            try {
                if (client != null) {
                    client.write(buffer, 0, read);
                }
            } catch (IOException e) {
                client = null;
            }
        }
        if (client != null) {
            client.close();
        }
    }

    private static void sizes(@Nullable InputStream from, NodeView.Session session) throws IOException {
        if (from == null) {
            return;
        }
        StringBuilder text = new StringBuilder();
        for (int c = from.read(); c >= 0; c = from.read()) {
            text.append((char) c);
            if (c == '}') {
                resize(text.toString(), session);
                text.setLength(0);
            } else if (text.length() > MOST_SIZE_TEXT) {
                from.close();
                return;
            }
        }
    }

    private static void resize(String text, NodeView.Session session) {
        try {
            JsonNode size = Json.parseUntrusted(text.strip().getBytes(StandardCharsets.UTF_8));
            int columns = Math.clamp(Json.longAt(size, 0, "Width"), 0, 0xffff);
            int rows = Math.clamp(Json.longAt(size, 0, "Height"), 0, 0xffff);
            if (columns > 0 && rows > 0) {
                session.resize(columns, rows);
            }
        } catch (JsonProcessingException | RuntimeException e) {
            // A size nobody understands changes nothing.
        }
    }

    private ObjectNode ended(int code) {
        ObjectNode status = status();
        if (code == 0) {
            return status.put("status", "Success");
        }
        String what = command.isEmpty() ? "" : "error executing command " + command + ", ";
        status.put("status", "Failure")
                .put("message", "command terminated with non-zero exit code: " + what + "exit code " + code)
                .put("reason", "NonZeroExitCode");
        status.putObject("details")
                .putArray("causes")
                .addObject()
                .put("reason", "ExitCode")
                .put("message", Integer.toString(code));
        return status;
    }

    private ObjectNode failure(String why) {
        String what = command.isEmpty() ? "error attaching to container: " : "error executing command in container: ";
        ObjectNode status = status();
        status.put("status", "Failure")
                .put("message", "Internal error occurred: " + what + why)
                .put("reason", "InternalError");
        status.putObject("details").putArray("causes").addObject().put("message", what + why);
        return status.put("code", 500);
    }

    private static ObjectNode status() {
        ObjectNode status = Json.object();
        status.putObject("metadata");
        return status;
    }

    private static void tell(CommandStreams streams, ObjectNode status) throws IOException {
        boolean success = Json.textAt(status, "status").equals("Success");
        if (streams.structured()) {
            streams.error().write(Json.bytes(status));
        } else if (!success) {
            streams.error().write(Json.textAt(status, "message").getBytes(StandardCharsets.UTF_8));
        }
        streams.error().close();
    }

    private static void close(@Nullable InputStream stream) {
        try {
            if (stream != null) {
                stream.close();
            }
        } catch (IOException e) {
            // Nothing is lost with it.
        }
    }
}
