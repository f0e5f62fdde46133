package lavaflow.e2e;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.Identity;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

/**
 * The metrics APIs of one cluster, aggregated into its API server. A metric has the value that its selector asks for:
 * {@code value: "30"} is 30, {@code value: 10_20} are two, for as many pods or series. What is not selected so is not found,
 * and of what is called {@code silent} there is not even a Status that says so.
 * Pods use what their annotations {@code uses-cpu} and {@code uses-memory} say.
 */
final class MetricsProgram implements TwoClusters.Surrounding {
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind SERVICES = KubeApi.Kind.core("services");
    private static final KubeApi.Kind REGISTRATIONS =
            new KubeApi.Kind("apiregistration.k8s.io", "v1", "apiservices", false);
    private static final List<String> GROUPS =
            List.of("metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2", "external.metrics.k8s.io/v1beta1");
    private static final String SERVICE = "metrics";
    private static final String HOME = "default";

    private final KubeApi api;
    private final HttpsServer server;

    MetricsProgram(KubeApi api) throws Exception {
        this.api = api;
        Identity identity = CertificateAuthority.create("metrics", Instant.now())
                .issueServer("metrics", List.of("localhost"), List.of("127.0.0.1"), Instant.now());
        this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(
                new HttpsConfigurator(PemFiles.context(identity.certificatePem(), identity.keyPem())));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
        register();
    }

    // ---- registration

    private void register() throws InterruptedException {
        ObjectNode service = Json.object();
        service.putObject("metadata").put("name", SERVICE);
        service.putObject("spec").put("type", "ExternalName").put("externalName", "localhost");
        makeAnew(SERVICES, HOME, service);
        for (String group : GROUPS) {
            String[] words = group.split("/", -1);
            ObjectNode registration = Json.object();
            registration.putObject("metadata").put("name", words[1] + "." + words[0]);
            ObjectNode spec = registration.putObject("spec");
            spec.put("group", words[0]).put("version", words[1]).put("insecureSkipTLSVerify", true);
            spec.put("groupPriorityMinimum", 100).put("versionPriority", 100);
            spec.putObject("service")
                    .put("namespace", HOME)
                    .put("name", SERVICE)
                    .put("port", (long) server.getAddress().getPort());
            makeAnew(REGISTRATIONS, "", registration);
        }
        for (String group : GROUPS) {
            await("/apis/" + group);
        }
    }

    /** An earlier run may have left its own. */
    private void makeAnew(KubeApi.Kind kind, String namespace, ObjectNode object) {
        String name = Json.textAt(object, "metadata", "name");
        if (api.find(kind, namespace, name).isPresent()) {
            api.delete(kind, namespace, name, KubeApi.Deletion.PLAIN);
        }
        api.create(kind, namespace, object);
    }

    private void await(String path) throws InterruptedException {
        Instant deadline = Instant.now().plusSeconds(300);
        while (true) {
            try {
                api.read(path);
                return;
            } catch (ApiException e) {
                if (Instant.now().isAfter(deadline)) {
                    throw e;
                }
                Thread.sleep(200);
            }
        }
    }

    // ---- answers

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
            ObjectNode answer = GROUPS.stream().anyMatch(group -> path.equals("/apis/" + group))
                    ? resources(path.substring("/apis/".length()))
                    : answer(path.split("/", -1), query);
            boolean silent = path.endsWith("/silent");
            String text = silent ? "404 page not found\n" : Json.string(answer == null ? missing(path) : answer);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", silent ? "text/plain" : "application/json");
            exchange.sendResponseHeaders(answer == null ? 404 : 200, bytes.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(bytes);
            }
        }
    }

    private static Map<String, String> query(String text) {
        Map<String, String> query = new TreeMap<>();
        for (String pair : text == null ? new String[0] : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                query.put(
                        pair.substring(0, equals),
                        URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return query;
    }

    /** Only what pods use can be listed like objects. */
    private static ObjectNode resources(String group) {
        ObjectNode list = Json.object().put("kind", "APIResourceList").put("apiVersion", "v1");
        ArrayNode resources = list.put("groupVersion", group).putArray("resources");
        if (group.startsWith("metrics.")) {
            ObjectNode pods = resources.addObject().put("name", "pods").put("singularName", "");
            pods.put("namespaced", true)
                    .put("kind", "PodMetrics")
                    .putArray("verbs")
                    .add("get");
        }
        return list;
    }

    private static ObjectNode missing(String path) {
        ObjectNode status =
                Json.object().put("kind", "Status").put("apiVersion", "v1").put("status", "Failure");
        return status.put("message", "nothing is measured at " + path)
                .put("reason", "NotFound")
                .put("code", 404);
    }

    /** {@code /apis/GROUP/VERSION/namespaces/NAMESPACE/...}, in words. */
    private ObjectNode answer(String[] words, Map<String, String> query) {
        if (words.length < 7 || !words[4].equals("namespaces")) {
            return null;
        }
        return switch (words[2]) {
            case "metrics.k8s.io" -> usage(words[5], query.getOrDefault("labelSelector", ""));
            case "external.metrics.k8s.io" -> external(words[6], query.getOrDefault("labelSelector", ""));
            case "custom.metrics.k8s.io" -> words.length < 9 ? null : custom(words, query);
            default -> null;
        };
    }

    private static String[] values(String selector) {
        return selector.startsWith("value=")
                ? selector.substring("value=".length()).split("_", -1)
                : new String[0];
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static ObjectNode list(String kind, String version, Consumer<ArrayNode> items) {
        ObjectNode list = Json.object().put("kind", kind).put("apiVersion", version);
        list.putObject("metadata");
        items.accept(list.putArray("items"));
        return list;
    }

    private static ObjectNode external(String name, String selector) {
        String[] values = values(selector);
        if (values.length == 0) {
            return null;
        }
        return list("ExternalMetricValueList", "external.metrics.k8s.io/v1beta1", items -> {
            for (String value : values) {
                ObjectNode item = items.addObject().put("metricName", name);
                item.putObject("metricLabels");
                item.put("timestamp", now()).put("value", value);
            }
        });
    }

    private ObjectNode custom(String[] words, Map<String, String> query) {
        String[] values = values(query.getOrDefault("metricLabelSelector", ""));
        if (values.length == 0) {
            return null;
        }
        String kind = words[6].equals("pods") ? "Pod" : words[6].equals("services") ? "Service" : "Deployment";
        return list("MetricValueList", "custom.metrics.k8s.io/v1beta2", items -> {
            if (!words[7].equals("*")) {
                measured(items.addObject(), words[5], kind, words[7], words[8], values[0]);
                return;
            }
            List<ObjectNode> pods = pods(words[5], query.getOrDefault("labelSelector", ""));
            for (int i = 0; i < pods.size() && (values.length == 1 || i < values.length); i++) {
                String pod = Json.textAt(pods.get(i), "metadata", "name");
                measured(items.addObject(), words[5], kind, pod, words[8], values[values.length == 1 ? 0 : i]);
            }
        });
    }

    private static void measured(
            ObjectNode item, String namespace, String kind, String name, String metric, String value) {
        item.putObject("describedObject")
                .put("kind", kind)
                .put("namespace", namespace)
                .put("name", name)
                .put("apiVersion", "v1");
        item.putObject("metric").put("name", metric);
        item.put("timestamp", now()).put("windowSeconds", 30).put("value", value);
    }

    private List<ObjectNode> pods(String namespace, String text) {
        LabelSelector selector;
        try {
            selector = LabelSelector.parse(text);
        } catch (MalformedException e) {
            throw new IllegalArgumentException(e);
        }
        return api.list(PODS, namespace, KubeApi.View.WHOLE).items().stream()
                .filter(pod -> selector.matches(Json.at(pod, "metadata", "labels")))
                .sorted(Comparator.comparing(pod -> Json.textAt(pod, "metadata", "name")))
                .toList();
    }

    private ObjectNode usage(String namespace, String selector) {
        return list("PodMetricsList", "metrics.k8s.io/v1beta1", items -> {
            for (ObjectNode pod : pods(namespace, selector)) {
                String cpu = Json.textAt(pod, "metadata", "annotations", "uses-cpu");
                String memory = Json.textAt(pod, "metadata", "annotations", "uses-memory");
                if (!cpu.isEmpty() || !memory.isEmpty()) {
                    ObjectNode item = items.addObject();
                    item.putObject("metadata")
                            .put("name", Json.textAt(pod, "metadata", "name"))
                            .put("namespace", namespace);
                    // Long after the pod began, so that what it uses does not count as starting up.
                    item.put(
                            "timestamp",
                            Instant.now()
                                    .plusSeconds(60)
                                    .truncatedTo(ChronoUnit.SECONDS)
                                    .toString());
                    item.put("window", "1s");
                    ObjectNode container =
                            item.putArray("containers").addObject().put("name", "c");
                    container
                            .putObject("usage")
                            .put("cpu", cpu.isEmpty() ? "0" : cpu)
                            .put("memory", memory.isEmpty() ? "0" : memory);
                }
            }
        });
    }

    @Override
    public void close() {
        server.stop(0);
        for (String group : GROUPS) {
            String[] words = group.split("/", -1);
            api.delete(REGISTRATIONS, "", words[1] + "." + words[0], KubeApi.Deletion.PLAIN);
        }
        api.delete(SERVICES, HOME, SERVICE, KubeApi.Deletion.PLAIN);
    }
}
