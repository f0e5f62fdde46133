package lavaflow.sandbox;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/** A place for containers to be asked for in a test: nothing special unless said. */
final class PodWish {
    private final String id;
    private @Nullable String hostname;
    private boolean hostProcesses;
    private boolean hostMessages;
    private boolean sharedProcesses;
    private SandboxSpec.Quality quality = SandboxSpec.Quality.BURSTABLE;
    private Limits limits = Limits.NONE;
    private Map<String, String> sysctls = Map.of();
    private String handler = "";

    PodWish(String id) {
        this.id = id;
        this.hostname = id;
    }

    /** With the machine's name and processes. */
    PodWish hostProcesses() {
        hostname = null;
        hostProcesses = true;
        return this;
    }

    PodWish hostMessages() {
        hostMessages = true;
        return this;
    }

    PodWish sharedProcesses() {
        sharedProcesses = true;
        return this;
    }

    PodWish quality(SandboxSpec.Quality other) {
        quality = other;
        return this;
    }

    PodWish limits(Limits other) {
        limits = other;
        return this;
    }

    PodWish sysctl(String name, String value) {
        sysctls = Map.of(name, value);
        return this;
    }

    PodWish handler(String other) {
        handler = other;
        return this;
    }

    void create(ContainerRuntime runtime) throws SandboxException {
        runtime.createSandbox(new SandboxSpec(
                id,
                Map.of(),
                hostname,
                null,
                hostProcesses,
                hostMessages,
                sharedProcesses,
                quality,
                limits,
                sysctls,
                handler));
    }
}
