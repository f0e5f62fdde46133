package lavaflow.nodeserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.ByteChannel;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What a node lets others see and do; failures are {@link lavaflow.kube.ApiException}s. */
public interface NodeView {
    /** A container of a pod. */
    record Target(String namespace, String pod, String uid, String container) {}

    /** Which part of a log; a negative number of lines, and any number of bytes that is not above zero, mean all. */
    record LogRequest(
            boolean follow,
            boolean previous,
            boolean timestamps,
            @Nullable Instant since,
            long tailLines,
            long limitBytes,
            Stream stream) {
        /** Which of both streams. */
        public enum Stream {
            ALL,
            STDOUT,
            STDERR
        }
    }

    /** Which streams somebody wants. */
    record StreamRequest(boolean stdin, boolean stdout, boolean stderr, boolean tty) {}

    /** A process with streams. Those nobody wants are empty. */
    interface Session extends AutoCloseable {
        OutputStream stdin();

        InputStream stdout();

        InputStream stderr();

        void resize(int columns, int rows);

        /** The exit code; for an attachment 0 when the container has ended. */
        int await() throws InterruptedException;

        /** Ends what {@code exec} began; lets go of what was attached. Whoever reads or waits returns. */
        @Override
        void close();
    }

    /**
     * Writes a log to a client until its end, or, following, until the container's end or the client's, when the thread is interrupted
     * ({@link ContainerLogs} does all of that).
     */
    void log(Target target, LogRequest request, OutputStream out) throws IOException;

    Session exec(Target target, List<String> command, StreamRequest wishes) throws IOException;

    Session attach(Target target, StreamRequest wishes) throws IOException;

    /** A connection to a port as programs in the pod reach it at localhost; a SocketChannel where one end can be closed alone. */
    ByteChannel dial(Target pod, int port) throws IOException;

    /** The pods of this node, as a PodList. */
    ObjectNode pods();

    /** A pod of this node, with its status as the node sees it. */
    default Optional<ObjectNode> findPod(String namespace, String name) {
        for (JsonNode pod : Json.listAt(pods(), "items")) {
            boolean found = Json.textAt(pod, "metadata", "namespace").equals(namespace)
                    && Json.textAt(pod, "metadata", "name").equals(name);
            if (found && pod instanceof ObjectNode object) {
                return Optional.of(object);
            }
        }
        return Optional.empty();
    }

    /** As /stats/summary. */
    ObjectNode summary();

    /** As /metrics/resource, in the text form of Prometheus. */
    String resourceMetrics();

    /** As /metrics: what the node measures of itself. */
    default String metrics() {
        return "";
    }

    /** As /metrics/probes. */
    default String probeMetrics() {
        return "";
    }

    /** What the node was told, as /configz shows it. */
    default ObjectNode config() {
        return Json.object();
    }

    /** Null while the node works; otherwise why not, as /healthz says it. */
    default @Nullable String ailment() {
        return null;
    }
}
