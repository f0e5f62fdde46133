package lavaflow.nodeserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;

import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which path of a node's API leads where. */
public final class NodeRoutes {
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
    private static final int MOST_OUTPUT = 16 << 20;

    /**
     * What else a node's server needs to know.
     *
     * @param logDirectory what is shown at /logs/; null for nothing
     */
    public record Settings(@Nullable Path logDirectory, InstantSource clock) {}

    /** A connection with one request on it. */
    record Conversation(InputStream in, OutputStream out, NodeReply reply) {}

    private final NodeView view;
    private final Settings settings;
    private final NodeStreams streams;

    NodeRoutes(NodeView view, Settings settings) {
        this.view = view;
        this.settings = settings;
        this.streams = new NodeStreams(view);
    }

    /** What a request is, to those who decide about it. Commands are never only read, however they are asked for. */
    static NodeAccess.Wish wish(NodeRequest request) {
        String first = request.segments().getFirst();
        List<String> parts = switch (first) {
            case "stats" -> List.of("stats");
            case "metrics" -> List.of("metrics");
            case "logs" -> List.of("log");
            case "pods", "runningpods" -> List.of("pods", "proxy");
            case "healthz" -> List.of("healthz", "proxy");
            case "configz" -> List.of("configz", "proxy");
            default -> List.of("proxy");
        };
        boolean command = List.of("exec", "attach", "run", "portForward").contains(first);
        String verb = switch (request.method()) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> "delete";
            default -> command ? "create" : "get";
        };
        return new NodeAccess.Wish(verb, parts);
    }

    /** False where the connection is used up. */
    boolean serve(NodeRequest request, Conversation conversation) throws IOException {
        NodeReply reply = conversation.reply();
        try {
            return switch (request.segments().getFirst()) {
                case "exec", "attach", "portForward" -> streams.serve(request, conversation);
                case "containerLogs" -> log(request, conversation);
                default -> {
                    document(request, reply);
                    yield true;
                }
            };
        } catch (ApiException e) {
            if (reply.hasBegun()) {
                return false; // the end shows that it is not whole
            }
            reply.text(e.code(), String.valueOf(e.getMessage()));
            return true;
        }
    }

    private void document(NodeRequest request, NodeReply reply) throws IOException {
        List<String> path = request.segments();
        String rest = path.size() > 1 ? path.get(1) : "";
        switch (path.getFirst()) {
            case "healthz" -> health(reply);
            case "pods" -> reply.json(Json.bytes(view.pods()));
            case "runningpods" -> reply.json(Json.bytes(running()));
            case "configz" -> reply.json(Json.bytes(view.config()));
            case "run" -> run(request, reply);
            case "logs" -> new NodeFiles(settings.logDirectory()).serve(request, reply);
            case "stats" -> {
                if (!rest.isEmpty() && !rest.equals("summary")) {
                    throw notFound();
                }
                reply.json(Json.bytes(view.summary()));
            }
            case "metrics" -> {
                String text = switch (rest) {
                    case "" -> view.metrics();
                    case "resource" -> view.resourceMetrics();
                    case "probes" -> view.probeMetrics();
                    case "cadvisor" -> CadvisorMetrics.of(view.summary());
                    default -> throw notFound();
                };
                reply.send(200, METRICS, text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            }
            default -> throw notFound();
        }
    }

    private static ApiException notFound() {
        return ApiException.of(404, "NotFound", "404 page not found\n");
    }

    private void health(NodeReply reply) throws IOException {
        String ailment = view.ailment();
        reply.header("X-Content-Type-Options", "nosniff");
        reply.text(ailment == null ? 200 : 500, ailment == null ? "ok" : ailment + "\n");
    }

    private ObjectNode running() {
        ObjectNode list = view.pods().deepCopy();
        var items = list.putArray("items");
        for (JsonNode pod : Json.listAt(view.pods(), "items")) {
            boolean runs = false;
            for (JsonNode status : Json.listAt(pod, "status", "containerStatuses")) {
                runs |= Json.at(status, "state", "running") != null;
            }
            if (runs) {
                items.add(pod);
            }
        }
        return list;
    }

    /** Runs a command to its end and answers what it said: the old way, which needs no streams. */
    private void run(NodeRequest request, NodeReply reply) throws IOException {
        if (!request.method().equals("POST")) {
            throw ApiException.of(405, "MethodNotAllowed", "405: Method Not Allowed");
        }
        NodeView.Target target = NodeStreams.target(view, request, true);
        List<String> command = List.of(request.parameter("cmd").split(" ", -1));
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        var wishes = new NodeView.StreamRequest(false, true, true, false);
        int code;
        try (NodeView.Session session = view.exec(target, command, wishes)) {
            Thread errors = RemoteCommand.pump("stderr", () -> collect(session.stderr(), output));
            RemoteCommand.pump("stdout", () -> collect(session.stdout(), output))
                    .join();
            errors.join();
            code = session.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        String failed = code == 0 ? "" : "\ncommand terminated with exit code " + code;
        output.writeBytes(failed.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        reply.send(code == 0 ? 200 : 500, "text/plain", output.toByteArray());
    }

    private static void collect(InputStream from, ByteArrayOutputStream output) {
        byte[] buffer = new byte[8192];
        try {
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                synchronized (output) {
                    if (output.size() + read <= MOST_OUTPUT) {
                        output.write(buffer, 0, read);
                    }
                }
            }
        } catch (IOException e) {
            // The process is gone.
        }
    }

    private boolean log(NodeRequest request, Conversation conversation) throws IOException {
        List<String> path = request.segments();
        if (path.size() != 4 || path.contains("")) {
            throw notFound();
        }
        NodeView.LogRequest wanted = logRequest(request);
        ObjectNode pod = view.findPod(path.get(1), path.get(2))
                .orElseThrow(() -> ApiException.of(404, "NotFound", "pod does not exist"));
        if (!NodeStreams.hasContainer(pod, path.get(3))) {
            throw ApiException.of(
                    404,
                    "NotFound",
                    "container " + GoQuote.quote(path.get(3)) + " not found in pod " + GoQuote.quote(path.get(2)));
        }
        NodeView.Target target =
                new NodeView.Target(path.get(1), path.get(2), Json.textAt(pod, "metadata", "uid"), path.get(3));
        // Begun by the first word: a refusal comes before it. Closed only where all of it was said.
        OutputStream out = conversation.reply().stream("text/plain");
        if (!wanted.follow()) {
            view.log(target, wanted, out);
            out.close();
            return true;
        }
        // Only reading tells that a client has left; what it may have said instead cannot be told from it.
        Thread follower = Thread.currentThread();
        Thread.ofVirtual().name("log client").start(() -> awaitEnd(conversation.in(), follower));
        view.log(target, wanted, out);
        if (!Thread.interrupted()) {
            out.close();
        }
        return false;
    }

    private static void awaitEnd(InputStream in, Thread follower) {
        try {
            while (in.read() >= 0) {
                // It has nothing to say until its answer is complete.
            }
        } catch (IOException e) {
            // That is its end, too.
        }
        follower.interrupt();
    }

    private NodeView.LogRequest logRequest(NodeRequest request) {
        Long tail = number(request, "tailLines");
        Long bytes = number(request, "limitBytes");
        Long seconds = number(request, "sinceSeconds");
        String time = request.parameter("sinceTime");
        NodeView.LogRequest.Stream stream = switch (request.parameter("stream")) {
            case "", "All" -> NodeView.LogRequest.Stream.ALL;
            case "Stdout" -> NodeView.LogRequest.Stream.STDOUT;
            case "Stderr" -> NodeView.LogRequest.Stream.STDERR;
            default -> throw invalid();
        };
        boolean wrong = (tail != null && tail < 0)
                || (bytes != null && bytes < 1)
                || (seconds != null && (seconds < 1 || !time.isEmpty()))
                || (tail != null && stream != NodeView.LogRequest.Stream.ALL);
        if (wrong) {
            throw invalid();
        }
        Instant since = null;
        if (seconds != null) {
            since = settings.clock().instant().minusSeconds(seconds);
        } else if (!time.isEmpty()) {
            since = instant(time);
        }
        return new NodeView.LogRequest(
                request.flag("follow"),
                request.flag("previous"),
                request.flag("timestamps"),
                since,
                tail == null ? -1 : tail,
                bytes == null ? 0 : bytes,
                stream);
    }

    private static ApiException invalid() {
        return ApiException.of(422, "Invalid", "{\"message\": \"Invalid request.\"}");
    }

    private static @Nullable Long number(NodeRequest request, String name) {
        String text = request.parameter(name);
        if (text.isEmpty()) {
            return null;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw ApiException.badRequest("{\"message\": \"Unable to decode query.\"}");
        }
    }

    private static Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw ApiException.badRequest("{\"message\": \"Unable to decode query.\"}");
        }
    }
}
