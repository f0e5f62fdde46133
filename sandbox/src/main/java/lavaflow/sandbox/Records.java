package lavaflow.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What is written about sandboxes and containers for the next process. */
final class Records {
    /**
     * A container as it was asked for, as far as it matters later.
     *
     * @param overlay options of its root's mount, so that it can be mounted again
     * @param group its control group
     * @param boot during which run of the machine it was made; its processes do not outlive that
     * @param runtime the program that makes it; empty for the usual one
     */
    record Made(
            String id,
            String sandbox,
            Map<String, String> labels,
            Instant createdAt,
            String overlay,
            String group,
            String log,
            boolean tty,
            boolean stdin,
            boolean stdinOnce,
            String boot,
            String runtime) {}

    private Records() {}

    static String currentBoot() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    static void write(Path file, Made made) throws IOException {
        ObjectNode node = Json.object();
        node.put("id", made.id);
        node.put("sandbox", made.sandbox);
        putAll(node.putObject("labels"), made.labels);
        node.put("createdAt", made.createdAt.toString());
        node.put("overlay", made.overlay);
        node.put("group", made.group);
        node.put("log", made.log);
        node.put("tty", made.tty);
        node.put("stdin", made.stdin);
        node.put("stdinOnce", made.stdinOnce);
        node.put("boot", made.boot);
        node.put("runtime", made.runtime);
        Places.write(file, Json.string(node));
    }

    static Made readMade(Path file) throws IOException {
        JsonNode node = read(file);
        return new Made(
                node.path("id").asText(),
                node.path("sandbox").asText(),
                map(node.path("labels")),
                Instant.parse(node.path("createdAt").asText()),
                node.path("overlay").asText(),
                node.path("group").asText(),
                node.path("log").asText(),
                node.path("tty").asBoolean(),
                node.path("stdin").asBoolean(),
                node.path("stdinOnce").asBoolean(),
                node.path("boot").asText(),
                node.path("runtime").asText());
    }

    static void write(Path file, SandboxSpec spec) throws IOException {
        ObjectNode node = Json.object();
        node.put("id", spec.id());
        putAll(node.putObject("labels"), spec.labels());
        if (spec.hostname() != null) {
            node.put("hostname", spec.hostname());
        }
        if (spec.networkNamespace() != null) {
            node.put("networkNamespace", spec.networkNamespace().toString());
        }
        node.put("hostPid", spec.hostPid());
        node.put("hostIpc", spec.hostIpc());
        node.put("sharedPid", spec.sharedPid());
        node.put("quality", spec.quality().name());
        ObjectNode limits = node.putObject("limits");
        limits.put("cpuShares", spec.limits().cpuShares());
        limits.put("cpuQuotaMicros", spec.limits().cpuQuotaMicros());
        limits.put("memoryBytes", spec.limits().memoryBytes());
        limits.put("pids", spec.limits().pids());
        putAll(node.putObject("sysctls"), spec.sysctls());
        node.put("handler", spec.handler());
        Places.write(file, Json.string(node));
    }

    static SandboxSpec readSandbox(Path file) throws IOException {
        JsonNode node = read(file);
        JsonNode limits = node.path("limits");
        @Nullable
        String network =
                node.has("networkNamespace") ? node.path("networkNamespace").asText() : null;
        return new SandboxSpec(
                node.path("id").asText(),
                map(node.path("labels")),
                node.has("hostname") ? node.path("hostname").asText() : null,
                network == null ? null : Path.of(network),
                node.path("hostPid").asBoolean(),
                node.path("hostIpc").asBoolean(),
                node.path("sharedPid").asBoolean(),
                SandboxSpec.Quality.valueOf(node.path("quality").asText()),
                new Limits(
                        limits.path("cpuShares").asLong(),
                        limits.path("cpuQuotaMicros").asLong(),
                        limits.path("memoryBytes").asLong(),
                        limits.path("pids").asLong()),
                map(node.path("sysctls")),
                node.path("handler").asText());
    }

    private static JsonNode read(Path file) throws IOException {
        return Json.parse(Files.readString(file));
    }

    private static void putAll(ObjectNode node, Map<String, String> values) {
        values.forEach(node::put);
    }

    static Map<String, String> map(JsonNode node) {
        Map<String, String> values = new LinkedHashMap<>();
        node.properties()
                .forEach(entry -> values.put(entry.getKey(), entry.getValue().asText()));
        return values;
    }
}
