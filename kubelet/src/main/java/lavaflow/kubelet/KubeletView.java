package lavaflow.kubelet;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.nodeserver.ContainerLogs;
import lavaflow.nodeserver.NodeView;
import lavaflow.sandbox.ProcessStreams;
import lavaflow.sandbox.SandboxException;
import lavaflow.sandbox.StreamWishes;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What others may see and do of the pods of this node. */
final class KubeletView implements NodeView {
    private final Kubelet kubelet;

    KubeletView(Kubelet kubelet) {
        this.kubelet = kubelet;
    }

    // ---- pods ----

    @Override
    public ObjectNode pods() {
        ObjectNode list = Json.object().put("kind", "PodList").put("apiVersion", "v1");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        kubelet.lives().forEach(life -> items.add(life.shown()));
        return list;
    }

    @Override
    public Optional<ObjectNode> findPod(String namespace, String name) {
        return find(namespace, name).map(PodLife::shown);
    }

    private Optional<PodLife> find(String namespace, String name) {
        return kubelet.lives().stream()
                .filter(life ->
                        life.pod().name().equals(name) && life.pod().namespace().equals(namespace))
                .findFirst();
    }

    private PodLife life(Target target) {
        PodLife life = find(target.namespace(), target.pod())
                .orElseThrow(() -> ApiException.of(
                        404, "NotFound", "pod \"" + target.pod() + "_" + target.namespace() + "\" does not exist"));
        if (!target.uid().isEmpty() && !target.uid().equals(life.uid())) {
            throw ApiException.of(
                    404, "NotFound", "pod \"" + target.pod() + "_" + target.namespace() + "\" does not exist");
        }
        return life;
    }

    // ---- logs ----

    @Override
    public void log(Target target, LogRequest request, OutputStream out) throws IOException {
        PodLife life = life(target);
        String id = ContainerLogs.container(life.shown(), target.container(), request.previous());
        int number = life.numberOf(target.container(), id, request.previous());
        Path file = life.around().files().log(life.pod(), target.container(), number);
        ContainerLogs.write(file, request, new LogLife(life, target.container(), id), out);
    }

    /** How long a container may still say something. */
    private record LogLife(PodLife life, String container, String id) implements ContainerLogs.Life {
        @Override
        public boolean isOver() {
            return !life.isRunning(container, id);
        }

        @Override
        public AutoCloseable onEnd(Runnable action) {
            return life.onExit(container, id, action);
        }
    }

    // ---- streams ----

    @Override
    public Session exec(Target target, List<String> command, StreamRequest wishes) throws IOException {
        PodLife life = life(target);
        String id = running(life, target.container());
        try {
            return new Streams(life.around().tools().runtime().exec(id, command, wishes(wishes)));
        } catch (SandboxException e) {
            throw refused(e);
        }
    }

    @Override
    public Session attach(Target target, StreamRequest wishes) throws IOException {
        PodLife life = life(target);
        String id = running(life, target.container());
        PodView.Container container = life.pod().find(target.container());
        boolean tty = container != null && Json.flagAt(container.spec(), "tty");
        try {
            return new Streams(life.around()
                    .tools()
                    .runtime()
                    .attach(id, new StreamWishes(wishes.stdin(), wishes.stdout(), wishes.stderr(), tty)));
        } catch (SandboxException e) {
            throw refused(e);
        }
    }

    private static StreamWishes wishes(StreamRequest request) {
        return new StreamWishes(request.stdin(), request.stdout(), request.stderr(), request.tty());
    }

    private static ApiException refused(SandboxException problem) {
        return ApiException.of(500, "InternalError", String.valueOf(problem.getMessage()));
    }

    private static String running(PodLife life, String container) {
        String id = life.runningId(container);
        if (id == null) {
            throw ApiException.of(404, "NotFound", "container not found (\"" + container + "\")");
        }
        return id;
    }

    private record Streams(ProcessStreams streams) implements Session {
        @Override
        public OutputStream stdin() {
            return streams.stdin();
        }

        @Override
        public InputStream stdout() {
            return streams.stdout();
        }

        @Override
        public InputStream stderr() {
            return streams.stderr();
        }

        @Override
        public void resize(int columns, int rows) {
            streams.resize(columns, rows);
        }

        @Override
        public int await() throws InterruptedException {
            return streams.await();
        }

        @Override
        public void close() {
            streams.close();
        }
    }

    @Override
    public ByteChannel dial(Target pod, int port) throws IOException {
        PodLife life = life(pod);
        if (life.pod().isHostNetwork()) {
            return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        return life.around().tools().network().dial(life.uid(), port);
    }

    // ---- figures ----

    @Override
    public ObjectNode summary() {
        return kubelet.figures().summary(kubelet.lives());
    }

    @Override
    public String resourceMetrics() {
        return kubelet.figures().metrics(kubelet.lives());
    }

    @Override
    public @Nullable String ailment() {
        return null;
    }
}
