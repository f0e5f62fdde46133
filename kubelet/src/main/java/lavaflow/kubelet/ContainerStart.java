package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import lavaflow.image.Image;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.sandbox.ContainerSpec;
import lavaflow.sandbox.SandboxException;
import lavaflow.volume.MountedVolume;
import lavaflow.volume.VolumeException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The start of one life of a container: image, container, program, hook. */
final class ContainerStart {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerStart.class);
    private static final int CANNOT_START = 128;
    private static final String CONFIG_ERROR = "CreateContainerConfigError";
    private static final String CREATE_ERROR = "CreateContainerError";
    private static final Duration HOOK_PATIENCE = Duration.ofMinutes(10);

    private final PodLife life;
    private final Surroundings around;
    private final PodView pod;
    private final PodView.Container container;
    private final int number;
    private final int token;

    ContainerStart(PodLife life, PodView pod, PodView.Container container, int number, int token) {
        this.life = life;
        this.around = life.around();
        this.container = container;
        this.number = number;
        this.token = token;
        this.pod = withAddresses(pod, life.addresses());
    }

    /** Variables may name addresses that the API has not been told yet. */
    private PodView withAddresses(PodView seen, List<String> addresses) {
        ObjectNode copy = seen.object().deepCopy();
        ObjectNode status = Json.ensureObject(copy, "status");
        String host = around.settings().address();
        status.put("hostIP", host).putArray("hostIPs").addObject().put("ip", host);
        if (!addresses.isEmpty()) {
            status.put("podIP", addresses.getFirst());
            var all = status.putArray("podIPs");
            addresses.forEach(each -> all.addObject().put("ip", each));
        }
        return new PodView(copy);
    }

    void run() {
        try {
            ContainerLife[] state = new ContainerLife[1];
            if (!life.with(container.name(), token, each -> state[0] = each)) {
                return;
            }
            Image image = new ImagePulls(around).get(pod, container, state[0]);
            if (!life.with(container.name(), token, each -> each.mayBeGivenUp = false)) {
                return;
            }
            start(image);
        } catch (StartFailure e) {
            failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error("container {} of pod {} not started", container.name(), pod.title(), e);
            failed(new StartFailure(CREATE_ERROR, String.valueOf(e.getMessage())));
        }
    }

    private void failed(StartFailure problem) {
        Instant retryAt = around.clock().instant().plus(problem.retryAfter());
        life.with(container.name(), token, each -> {
            each.failure = new PodFacts.Failure(problem.reason(), problem.text(), retryAt);
            each.work = PodFacts.Work.NONE;
            each.mayBeGivenUp = false;
        });
    }

    private void start(Image image) throws StartFailure, InterruptedException {
        String id = HexFormat.of().formatHex(randomBytes());
        Attempt attempt = new Attempt(
                id,
                number,
                image.reference(),
                imageId(image),
                PodLife.hash(container),
                new ContainerForm(pod, container, image, Map.of()).stopSignal(),
                null,
                null);
        ContainerSpec spec = spec(image, attempt);
        if (ArgumentLimits.isExceededBy(spec.program())) {
            // The kernel would say so only once the program is to run, and nobody but the log would hear it.
            cannotStart(
                    attempt,
                    "unable to start container process: exec: \""
                            + spec.program().arguments().getFirst() + "\": argument list too long");
            return;
        }
        create(spec, attempt);
        around.tools().images().used(image.id());
        around.exits().expect(id, life, container, number);
        life.gave(container);
        Attempt made = attempt.runningAs(around.tools().runtime().user(id).orElse(null));
        life.with(container.name(), each -> each.attempts.add(made));
        try {
            around.tools().runtime().start(id);
        } catch (SandboxException e) {
            cannotStart(made, String.valueOf(e.getMessage()));
            return;
        }
        Instant now = around.clock().instant();
        life.with(container.name(), each -> {
            Attempt current = each.find(id);
            each.replace((current == null ? made : current).started(now));
            each.failure = null;
            each.started = false;
            each.ready = false;
            each.verdict = PodFacts.Verdict.NONE;
        });
        around.events().normal(pod, container, "Started", "Container started");
        begun(attempt);
    }

    private static byte[] randomBytes() {
        byte[] bytes = new byte[32];
        ThreadLocalRandom.current().nextBytes(bytes);
        return bytes;
    }

    private static String imageId(Image image) {
        String digest = image.digest();
        return digest == null ? image.id() : digest;
    }

    // ---- making it ----

    private ContainerSpec spec(Image image, Attempt attempt) throws StartFailure {
        try {
            var mounted = around.tools().volumes().mount(pod.object());
            Environment.Variables variables = Environment.of(
                    pod,
                    container,
                    around.objects(),
                    (volume, path) -> text(mounted.get(volume), volume, path),
                    services(),
                    Json.at(around.node().get(), "status", "allocatable"));
            variables
                    .skipped()
                    .forEach(each -> around.events().warning(pod, container, "InvalidEnvironmentVariableNames", each));
            DeviceGrant granted = around.devices()
                    .grant(pod.uid(), container.name(), around.runtime().isolated());
            Map<String, String> values = new LinkedHashMap<>(variables.values());
            values.putAll(granted.environment());
            ContainerForm form = new ContainerForm(pod, container, image, values);
            Path lastWords = around.files().lastWords(pod, container.name(), attempt.id());
            Path log = around.files().log(pod, container.name(), attempt.number());
            Files.createDirectories(log.getParent());
            ContainerSpec.Privileges rights = ContainerRights.of(
                    pod,
                    container,
                    image.config().user(),
                    around.settings().directory().resolve("seccomp"));
            List<ContainerSpec.Mount> mounts = form.mounts(
                    around.tools().volumes(),
                    mounted,
                    around.files(),
                    lastWords,
                    around.runtime().recursiveReadOnly());
            mounts.addAll(granted.mounts());
            return new ContainerSpec(
                    attempt.id(),
                    pod.uid(),
                    ContainerLabels.ofContainer(pod, container, attempt),
                    form.root(),
                    mounts,
                    form.program(around.files().hostname(pod).kernelName()),
                    rights,
                    PodResources.ofContainer(container),
                    PodResources.oomScore(pod, container, around.machineMemory()),
                    granted.devices(),
                    log,
                    target());
        } catch (ConfigurationException | VolumeException e) {
            throw told(CONFIG_ERROR, String.valueOf(e.getMessage()));
        } catch (IOException | ApiException e) {
            throw told(CREATE_ERROR, String.valueOf(e.getMessage()));
        }
    }

    private String text(@Nullable MountedVolume volume, String name, String path)
            throws ConfigurationException, VolumeException {
        if (volume == null) {
            throw new ConfigurationException("cannot find the volume \"" + name + "\" referenced by FileKeyRef");
        }
        return around.tools().volumes().text(volume, path);
    }

    private Map<String, String> services() {
        JsonNode links = Json.at(pod.object(), "spec", "enableServiceLinks");
        return ServiceVariables.of(
                pod.namespace(),
                links == null || links.asBoolean(),
                around.services().get());
    }

    /** The container whose processes an ephemeral one wants to see. */
    private @Nullable String target() {
        String name = Json.textAt(container.spec(), "targetContainerName");
        PodView.Container other = name.isEmpty() ? null : pod.find(name);
        Attempt last = other == null ? null : life.facts().of(other).last();
        return last != null && last.isRunning() ? last.id() : null;
    }

    private StartFailure told(String reason, String message) {
        around.events().warning(pod, container, "Failed", "Error: " + message);
        return new StartFailure(reason, message);
    }

    private void create(ContainerSpec spec, Attempt attempt) throws StartFailure {
        try {
            around.tools().runtime().create(spec);
            around.events().normal(pod, container, "Created", "Container created");
        } catch (SandboxException e) {
            if (e.reason() == SandboxException.Cause.START) {
                around.events().normal(pod, container, "Created", "Container created");
                cannotStart(attempt, String.valueOf(e.getMessage()));
                throw new StartFailure("RunContainerError", String.valueOf(e.getMessage()), Duration.ZERO);
            }
            throw told(CREATE_ERROR, String.valueOf(e.getMessage()));
        }
    }

    /** Its program could not be executed: a life that ended before it began. */
    private void cannotStart(Attempt attempt, String message) {
        Instant now = around.clock().instant();
        around.events().warning(pod, container, "Failed", "Error: " + message);
        life.with(container.name(), each -> {
            Attempt ended = attempt.ended(new Attempt.Exit(CANNOT_START, "StartError", message, now));
            if (!each.replace(ended)) {
                each.attempts.add(ended);
            }
            each.failure = new PodFacts.Failure("RunContainerError", message, now);
            each.work = PodFacts.Work.NONE;
        });
        try {
            around.tools().runtime().remove(attempt.id());
        } catch (SandboxException e) {
            LOG.warn("container {} not removed: {}", attempt.id(), e.getMessage());
        }
    }

    // ---- after the start ----

    private void begun(Attempt attempt) throws InterruptedException {
        JsonNode hook = Json.at(container.spec(), "lifecycle", "postStart");
        if (hook != null && !hooked(hook, attempt)) {
            return;
        }
        life.with(container.name(), token, each -> {
            each.work = PodFacts.Work.NONE;
            each.mayBeGivenUp = false;
            Attempt now = each.find(attempt.id());
            if (now != null && now.isRunning()) {
                each.started = !container.hasProbe(Probe.Kind.STARTUP);
                each.ready = !container.hasProbe(Probe.Kind.READINESS);
            }
        });
        around.probing().begin(life, container, attempt);
    }

    private boolean hooked(JsonNode hook, Attempt attempt) throws InterruptedException {
        life.with(container.name(), token, each -> each.mayBeGivenUp = true);
        String address =
                life.addresses().isEmpty() ? "127.0.0.1" : life.addresses().getFirst();
        String problem = new Hooks(around.tools().runtime()).run(hook, container, attempt.id(), address, HOOK_PATIENCE);
        if (problem.isEmpty()) {
            return true;
        }
        LOG.info("hook after the start of {} in pod {} failed: {}", container.name(), pod.title(), problem);
        around.events().warning(pod, container, "FailedPostStartHook", "PostStartHook failed");
        boolean ours = life.with(container.name(), token, each -> {
            each.work = PodFacts.Work.STOPPING;
            each.mayBeGivenUp = false;
            each.failure = new PodFacts.Failure(
                    "PostStartHookError", problem, around.clock().instant());
            each.stoppingSince = around.clock().instant();
            each.stopGrace = pod.graceSeconds();
        });
        if (ours) {
            new ContainerStop(life, container, attempt).run("FailedPostStartHook");
        }
        return false;
    }
}
