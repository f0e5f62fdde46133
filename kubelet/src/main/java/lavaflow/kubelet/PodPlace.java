package lavaflow.kubelet;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.linux.FileTree;
import lavaflow.network.PodNetwork;
import lavaflow.sandbox.SandboxException;
import lavaflow.sandbox.SandboxSpec;
import lavaflow.volume.VolumeException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the place of a pod and takes it away: volumes, network, namespaces, files. */
final class PodPlace {
    private static final Logger LOG = LoggerFactory.getLogger(PodPlace.class);
    private static final KubeApi.Kind RUNTIME_CLASSES = new KubeApi.Kind("node.k8s.io", "v1", "runtimeclasses", false);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LAST_PAUSE = Duration.ofSeconds(10);

    private final PodLife life;
    private final Surroundings around;
    private final NodeTools tools;

    PodPlace(PodLife life) {
        this.life = life;
        this.around = life.around();
        this.tools = around.tools();
    }

    // ---- making it ----

    void prepare() {
        PodView pod = life.pod();
        try {
            refuseUserNamespace(pod);
            String handler = handler(pod, name -> around.api().find(RUNTIME_CLASSES, "", name));
            @Nullable Future<PodNetwork.Attachment> attaching = attach(pod);
            PodNetwork.Attachment place;
            try {
                tools.volumes().mount(pod.object());
            } finally {
                place = await(attaching);
            }
            List<InetAddress> addresses = place == null
                    ? List.of(InetAddress.ofLiteral(around.settings().address()))
                    : place.addresses();
            around.files()
                    .write(pod, addresses, tools.network().nameServers())
                    .forEach(each -> around.events().warning(pod, "DNSConfigForming", each));
            tools.runtime().createSandbox(sandbox(pod, place == null ? null : place.namespace(), handler));
            life.prepared(addresses.stream().map(InetAddress::getHostAddress).toList());
        } catch (VolumeException e) {
            around.events().warning(pod, "FailedMount", String.valueOf(e.getMessage()));
            failed("FailedMount", e);
        } catch (IOException | SandboxException | ApiException e) {
            around.events().warning(pod, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + e.getMessage());
            failed("FailedCreatePodSandBox", e);
        } catch (RuntimeException e) {
            LOG.error("no place for pod {}", pod.title(), e);
            failed("FailedCreatePodSandBox", e);
        }
    }

    /** Whoever wants its root to be nobody must not get the machine's root instead. */
    static void refuseUserNamespace(PodView pod) throws SandboxException {
        JsonNode hostUsers = Json.at(pod.object(), "spec", "hostUsers");
        if (hostUsers != null && hostUsers.isBoolean() && !hostUsers.asBoolean()) {
            throw new SandboxException(
                    SandboxException.Cause.CONFIGURATION,
                    "this node does not support user namespaces of pods: remove hostUsers: false from the pod");
        }
    }

    /** Network and volumes have nothing to do with each other and take a while each. */
    private @Nullable Future<PodNetwork.Attachment> attach(PodView pod) {
        if (pod.isHostNetwork()) {
            return null;
        }
        FutureTask<PodNetwork.Attachment> task =
                new FutureTask<>(() -> tools.network().attach(pod.uid(), hostPorts(pod)));
        Thread.ofVirtual().name("attach " + pod.uid()).start(task);
        return task;
    }

    private static PodNetwork.@Nullable Attachment await(@Nullable Future<PodNetwork.Attachment> attaching)
            throws IOException {
        try {
            return attaching == null ? null : attaching.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof IOException problem) {
                throw problem;
            }
            throw new IOException(String.valueOf(cause == null ? e.getMessage() : cause.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Whether nobody waits for news in its volumes any more: what they show often goes before the pod does. */
    static boolean leaves(PodView pod) {
        return pod.isDeleted() || pod.isOver();
    }

    /** Shows in the volumes what the API says now. */
    void refresh() {
        PodView pod = life.pod();
        if (leaves(pod)) {
            return;
        }
        try {
            tools.volumes().refresh(pod.object());
        } catch (VolumeException e) {
            if (!leaves(life.pod())) {
                around.events().warning(pod, "FailedMount", String.valueOf(e.getMessage()));
            }
        } catch (ApiException e) {
            LOG.warn("volumes of pod {} not renewed: {}", pod.title(), e.getMessage());
        }
    }

    /** Each failure in a row doubles the pause. */
    private void failed(String reason, Exception problem) {
        PodFacts.Failure before = life.facts().failure();
        Duration pause = before == null ? FIRST_PAUSE : doubled(before);
        life.notPrepared(new PodFacts.Failure(
                reason,
                pause.toMillis() + " " + problem.getMessage(),
                around.clock().instant().plus(pause)));
    }

    private static Duration doubled(PodFacts.Failure before) {
        String millis = before.message().substring(0, before.message().indexOf(' '));
        Duration doubled = Duration.ofMillis(2 * Long.parseLong(millis));
        return doubled.compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : doubled;
    }

    private static List<PodNetwork.HostPort> hostPorts(PodView pod) {
        List<PodNetwork.HostPort> ports = new ArrayList<>();
        for (PodView.Container container : pod.containers()) {
            for (JsonNode port : Json.listAt(container.spec(), "ports")) {
                int host = (int) Json.longAt(port, 0, "hostPort");
                if (host > 0) {
                    String protocol = Json.textAt(port, "protocol");
                    ports.add(new PodNetwork.HostPort(
                            protocol.isEmpty() ? "TCP" : protocol, Json.textAt(port, "hostIP"), host, (int)
                                    Json.longAt(port, 0, "containerPort")));
                }
            }
        }
        return ports;
    }

    /** Which of the node's runtimes the pod's class wants; empty for the usual one. */
    static String handler(PodView pod, Function<String, Optional<ObjectNode>> classes) {
        String name = Json.textAt(pod.object(), "spec", "runtimeClassName");
        if (name.isEmpty()) {
            return "";
        }
        ObjectNode wanted =
                classes.apply(name).orElseThrow(() -> ApiException.notFound("node.k8s.io", "runtimeclass", name));
        return Json.textAt(wanted, "handler");
    }

    private SandboxSpec sandbox(PodView pod, @Nullable Path namespace, String handler) {
        Map<String, String> sysctls = new LinkedHashMap<>();
        for (JsonNode each : Json.listAt(pod.object(), "spec", "securityContext", "sysctls")) {
            sysctls.put(Json.textAt(each, "name"), Json.textAt(each, "value"));
        }
        return new SandboxSpec(
                pod.uid(),
                ContainerLabels.ofPod(pod),
                pod.isHostNetwork() ? null : around.files().hostname(pod).kernelName(),
                namespace,
                Json.flagAt(pod.object(), "spec", "hostPID"),
                Json.flagAt(pod.object(), "spec", "hostIPC"),
                Json.flagAt(pod.object(), "spec", "shareProcessNamespace"),
                PodResources.quality(pod),
                PodResources.ofPod(pod, around.settings().podPids()),
                sysctls,
                handler);
    }

    // ---- taking it away ----

    /** What became of the pod is told first: nothing of its end may be lost. */
    void finish() {
        try {
            if (!life.isVanished()) {
                life.writer().awaitWritten();
            }
            takeAway();
            around.claims().release(life.uid());
            NodeAdmission.releaseDevices(around, life.uid());
            life.finished();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void takeAway() throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        while (!isTakenAway(life.uid(), around)) {
            Thread.sleep(pause);
            pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) > 0 ? LAST_PAUSE : pause.multipliedBy(2);
        }
    }

    /** Takes away all a pod has on this machine but its logs; false if something is left. */
    static boolean isTakenAway(String uid, Surroundings around) {
        try {
            around.tools().runtime().removeSandbox(uid);
            around.tools().network().detach(uid);
            around.tools().volumes().unmount(uid);
            FileTree.delete(around.settings().pod(uid));
            return true;
        } catch (SandboxException | IOException | VolumeException | RuntimeException e) {
            LOG.warn("pod {} is not wholly gone: {}", uid, e.getMessage());
            return false;
        }
    }

    /** Nobody can ask for them once the API has forgotten the pod. */
    void deleteLogs() {
        try {
            FileTree.delete(around.files().logDirectory(life.pod()));
        } catch (IOException e) {
            LOG.warn("logs of pod {} not deleted: {}", life.uid(), e.getMessage());
        }
    }

    /** Lets the API forget the pod. */
    void delete() {
        PodView pod = life.pod();
        try {
            around.api()
                    .delete(
                            Surroundings.PODS,
                            pod.namespace(),
                            pod.name(),
                            KubeApi.Deletion.ofUid(pod.uid()).atOnce());
        } catch (ApiException e) {
            if (e.code() != 404 && e.code() != 409) {
                LOG.warn("pod {} not deleted: {}", pod.title(), e.getMessage());
                around.timers().after(LAST_PAUSE, life::wake);
            }
        }
    }
}
