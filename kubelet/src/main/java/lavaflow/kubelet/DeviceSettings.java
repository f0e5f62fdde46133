package lavaflow.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Which devices a node hands out, from a small YAML file. */
public record DeviceSettings(Nvidia nvidia, List<Fake> fakes) {
    static final String GPU = "nvidia.com/gpu";
    private static final int MOST = 100_000;
    public static final DeviceSettings DEFAULT =
            new DeviceSettings(new Nvidia(true, GPU, 1, "compute,utility"), List.of());

    /**
     * Graphics cards of the machine.
     *
     * @param replicas how many containers may share a card
     */
    record Nvidia(boolean discovered, String resource, int replicas, String capabilities) {}

    /**
     * Devices that are there because the file says so.
     *
     * @param environment what containers see; $(IDS) stands for the ids they got
     */
    record Fake(
            String resource,
            List<String> ids,
            Set<String> unhealthy,
            int replicas,
            Map<String, String> environment,
            List<String> nodes) {}

    /** Reads a file; one that does not exist says nothing. */
    public static DeviceSettings read(Path file) throws IOException {
        try {
            return parse(Files.readAllBytes(file));
        } catch (NoSuchFileException _) {
            return DEFAULT;
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * What somebody who starts a node says of its devices.
     *
     * @param written as {@code nvidia.com/gpu=8,example.com/fpga=2}, made up beside what the usual file says, or the name of
     *     a file to read in place of it; null for the usual file alone
     */
    public static DeviceSettings read(Path usual, @Nullable String written) throws IOException {
        if (written == null) {
            return read(usual);
        }
        if (!written.contains("=")) {
            Path file = Path.of(written);
            if (Files.notExists(file)) {
                throw new NoSuchFileException(written);
            }
            return read(file);
        }
        return read(usual).with(counts(written));
    }

    private static List<Fake> counts(String written) {
        Map<String, Fake> counts = new LinkedHashMap<>();
        for (String part : written.split(",", -1)) {
            int equals = part.indexOf('=');
            String number = part.substring(equals + 1);
            if (equals < 0 || !number.matches("[0-9]{1,6}")) {
                throw new IllegalArgumentException(
                        "must be RESOURCE=NUMBER, as in nvidia.com/gpu=8, not \"" + part + "\"");
            }
            ObjectNode node = Json.object().put("resource", part.substring(0, equals));
            Fake fake = fake(node.put("count", Long.parseLong(number)), part);
            if (counts.put(fake.resource(), fake) != null) {
                throw new IllegalArgumentException(fake.resource() + " is there twice");
            }
        }
        return List.copyOf(counts.values());
    }

    /** The same with other devices that are made up, in the place of those of the same resource. */
    private DeviceSettings with(List<Fake> others) {
        List<Fake> all = new ArrayList<>(fakes);
        all.removeIf(each -> others.stream().anyMatch(other -> other.resource().equals(each.resource())));
        all.addAll(others);
        return new DeviceSettings(nvidia, all);
    }

    static DeviceSettings parse(byte[] yaml) {
        JsonNode root;
        try {
            root = Yaml.parse(yaml).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        if (root.isNull() || root.isMissingNode()) {
            return DEFAULT;
        }
        check(root, "", Set.of("nvidia", "fake"));
        if (root.has("fake") && !root.path("fake").isArray()) {
            throw new IllegalArgumentException("fake must be a list");
        }
        List<Fake> fakes = new ArrayList<>();
        Set<String> resources = new LinkedHashSet<>();
        for (JsonNode fake : Json.listAt(root, "fake")) {
            Fake read = fake(fake, "fake[" + fakes.size() + "]");
            if (!resources.add(read.resource())) {
                throw new IllegalArgumentException("fake: " + read.resource() + " is there twice");
            }
            fakes.add(read);
        }
        return new DeviceSettings(nvidia(root.path("nvidia")), fakes);
    }

    private static Nvidia nvidia(JsonNode node) {
        Nvidia usual = DEFAULT.nvidia();
        if (node.isMissingNode() || node.isNull()) {
            return usual;
        }
        check(node, "nvidia.", Set.of("discover", "resource", "replicas", "driverCapabilities"));
        String resource = Json.textAt(node, "resource");
        String capabilities = Json.textAt(node, "driverCapabilities");
        return new Nvidia(
                !node.has("discover") || Json.flagAt(node, "discover"),
                resource.isEmpty() ? usual.resource() : resource(resource, "nvidia.resource"),
                count(node, "replicas", 1, "nvidia.replicas"),
                capabilities.isEmpty() ? usual.capabilities() : capabilities);
    }

    private static Fake fake(JsonNode node, String where) {
        check(node, where + ".", Set.of("resource", "count", "ids", "unhealthy", "replicas", "environment", "devices"));
        String resource = resource(Json.textAt(node, "resource"), where + ".resource");
        List<String> ids = texts(node, "ids");
        int count = count(node, "count", ids.size(), where + ".count");
        if (!ids.isEmpty() && count != ids.size()) {
            throw new IllegalArgumentException(
                    where + ".count: is " + count + ", but there are " + ids.size() + " ids");
        }
        if (ids.isEmpty()) {
            String prefix = resource.equals(GPU) ? "GPU-fake-" : resource.substring(resource.indexOf('/') + 1) + "-";
            for (int i = 0; i < count; i++) {
                ids.add(prefix + i);
            }
        }
        Map<String, String> environment = new LinkedHashMap<>();
        node.path("environment")
                .properties()
                .forEach(entry ->
                        environment.put(entry.getKey(), entry.getValue().asText()));
        return new Fake(
                resource,
                ids,
                new LinkedHashSet<>(texts(node, "unhealthy")),
                count(node, "replicas", 1, where + ".replicas"),
                environment,
                texts(node, "devices"));
    }

    private static void check(JsonNode node, String where, Set<String> known) {
        if (!(node instanceof ObjectNode object)) {
            throw new IllegalArgumentException((where.isEmpty() ? "the file" : where) + " must be a map");
        }
        object.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("unknown field " + where + name + "; known are "
                        + String.join(", ", known.stream().sorted().toList()));
            }
        });
    }

    /** Only such names are resources of devices; others have a meaning of their own. */
    private static String resource(String name, String where) {
        int slash = name.indexOf('/');
        boolean extended = slash > 0 && !name.substring(0, slash).endsWith("kubernetes.io");
        if (!extended || !Names.qualifiedName(name).isEmpty()) {
            throw new IllegalArgumentException(
                    where + ": must be a name such as example.com/fpga, not \"" + name + "\"");
        }
        return name;
    }

    private static int count(JsonNode node, String field, int absent, String where) {
        long count = Json.longAt(node, absent, field);
        if (count < (field.equals("replicas") ? 1 : 0) || count > MOST) {
            throw new IllegalArgumentException(where + ": cannot be " + count);
        }
        return (int) count;
    }

    private static List<String> texts(JsonNode node, String field) {
        List<String> texts = new ArrayList<>();
        Json.listAt(node, field).forEach(each -> texts.add(each.asText()));
        return texts;
    }
}
