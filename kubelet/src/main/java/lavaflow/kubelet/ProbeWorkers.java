package lavaflow.kubelet;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.kube.GoDuration;
import lavaflow.kube.Json;
import lavaflow.sandbox.CommandResult;
import lavaflow.sandbox.ContainerRuntime;
import lavaflow.sandbox.SandboxException;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks containers how they are, each at its pace. Between two questions nothing waits but an entry of a timer. */
final class ProbeWorkers implements Probing {
    private static final Logger LOG = LoggerFactory.getLogger(ProbeWorkers.class);

    private final ContainerRuntime runtime;
    private final PodEvents events;
    private final Timers timers;
    private final Map<String, List<Worker>> workers = new ConcurrentHashMap<>();

    ProbeWorkers(ContainerRuntime runtime, PodEvents events, Timers timers) {
        this.runtime = runtime;
        this.events = events;
        this.timers = timers;
    }

    @Override
    public void begin(PodLife pod, PodView.Container container, Attempt attempt) {
        List<Worker> begun = new ArrayList<>();
        for (Probe.Kind kind : Probe.Kind.values()) {
            JsonNode spec = Json.at(container.spec(), kind.field());
            if (spec != null) {
                begun.add(new Worker(pod, container, attempt.id(), Probe.of(kind, spec)));
            }
        }
        if (!begun.isEmpty() && workers.putIfAbsent(attempt.id(), begun) == null) {
            begun.forEach(worker -> worker.later(Duration.ofSeconds(worker.probe.initialDelaySeconds())));
        }
    }

    @Override
    public void end(String id) {
        List<Worker> ended = workers.remove(id);
        if (ended != null) {
            ended.forEach(worker -> worker.over = true);
        }
    }

    /** What a question brought: nothing wrong, or what. */
    record Result(boolean success, String output) {}

    private final class Worker {
        private final PodLife pod;
        private final PodView.Container container;
        private final String id;
        private final Probe probe;
        private ProbeState state = ProbeState.NEW;
        private volatile boolean over;

        Worker(PodLife pod, PodView.Container container, String id, Probe probe) {
            this.pod = pod;
            this.container = container;
            this.id = id;
            this.probe = probe;
        }

        void later(Duration delay) {
            if (!over) {
                timers.after(delay, () -> Thread.ofVirtual().name("probe " + id).start(this::ask));
            }
        }

        private void ask() {
            if (over) {
                return;
            }
            try {
                if (isDue()) {
                    tell(question());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                LOG.error("probe of {} failed", container.name(), e);
            }
            later(Duration.ofSeconds(probe.periodSeconds()));
        }

        /** Others wait for the startup probe, which has nothing to ask once it succeeded. */
        private boolean isDue() {
            PodFacts.ContainerFacts known = pod.facts().of(container);
            Attempt last = known.last();
            if (last == null || !last.id().equals(id) || !last.isRunning()) {
                return false;
            }
            boolean ending = pod.facts().isEnding();
            return switch (probe.kind()) {
                case STARTUP -> !known.started() && !ending && known.verdict() == PodFacts.Verdict.NONE;
                case LIVENESS -> known.started() && !ending && known.verdict() == PodFacts.Verdict.NONE;
                case READINESS -> known.started();
            };
        }

        private Result question() throws InterruptedException {
            String address =
                    pod.addresses().isEmpty() ? "127.0.0.1" : pod.addresses().getFirst();
            return ProbeWorkers.this.question(probe, container, id, address);
        }

        private void tell(Result result) {
            Boolean before = state.belief();
            state = state.heard(result.success(), probe);
            if (!result.success() && !over) {
                events.warning(
                        pod.pod(), container, "Unhealthy", probe.kind().word() + " probe failed: " + result.output());
            }
            Boolean belief = state.belief();
            if (belief != null && !belief.equals(before) && !over) {
                pod.probed(container.name(), id, probe.kind(), belief);
                if (probe.kind() == Probe.Kind.STARTUP && belief) {
                    hurryReadiness();
                }
            }
        }

        /** Whoever has just started should not wait another period to be ready. */
        private void hurryReadiness() {
            List<Worker> siblings = workers.getOrDefault(id, List.of());
            for (Worker each : siblings) {
                if (each.probe.kind() == Probe.Kind.READINESS) {
                    Thread.ofVirtual().name("probe " + id).start(each::askOnce);
                }
            }
        }

        private void askOnce() {
            try {
                if (!over && isDue()) {
                    tell(question());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    Result question(Probe probe, PodView.Container container, String id, String address) throws InterruptedException {
        Duration patience = Duration.ofSeconds(probe.timeoutSeconds());
        JsonNode exec = Json.at(probe.spec(), "exec");
        JsonNode http = Json.at(probe.spec(), "httpGet");
        JsonNode tcp = Json.at(probe.spec(), "tcpSocket");
        JsonNode grpc = Json.at(probe.spec(), "grpc");
        if (exec != null) {
            return exec(exec, id, patience);
        }
        if (http != null) {
            HttpAsking.Answer answer = HttpAsking.get(http, container, address, patience, "kube-probe/1.36");
            return new Result(!answer.isFailure(), answer.isFailure() ? answer.message() : answer.body());
        }
        if (tcp != null) {
            String given = Json.textAt(tcp, "host");
            return tcp(given.isEmpty() ? address : given, HttpAsking.port(Json.at(tcp, "port"), container), patience);
        }
        if (grpc != null) {
            String problem = GrpcAsking.check(
                    address, (int) Json.longAt(grpc, 0, "port"), Json.textAt(grpc, "service"), patience);
            return new Result(problem.isEmpty(), problem);
        }
        return new Result(true, "");
    }

    private Result exec(JsonNode exec, String id, Duration patience) {
        List<String> command = new ArrayList<>();
        Json.listAt(exec, "command").forEach(each -> command.add(each.asText()));
        try {
            CommandResult result = runtime.run(id, command, patience);
            if (result.timedOut()) {
                return new Result(
                        false,
                        "command timed out: \"" + String.join(" ", command) + "\" timed out after "
                                + GoDuration.format(patience));
            }
            return new Result(result.code() == 0, result.output());
        } catch (SandboxException e) {
            return new Result(false, String.valueOf(e.getMessage()));
        }
    }

    private static Result tcp(String host, int port, Duration patience) {
        @Nullable String problem = null;
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), (int) patience.toMillis());
        } catch (ConnectException e) {
            problem = "connect: connection refused";
        } catch (SocketTimeoutException e) {
            problem = "i/o timeout";
        } catch (IOException e) {
            problem = String.valueOf(e.getMessage());
        }
        return problem == null
                ? new Result(true, "")
                : new Result(false, "dial tcp " + host + ":" + port + ": " + problem);
    }
}
