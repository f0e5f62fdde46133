package lavaflow;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import lavaflow.apiserver.Admission;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells an API server which webhooks there are and how to reach them, in objects with upstream's names. */
final class WebhookRegistration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebhookRegistration.class);
    private static final String GROUP = "admissionregistration.k8s.io";
    private static final KubeApi.Kind MUTATING = new KubeApi.Kind(GROUP, "v1", "mutatingwebhookconfigurations", false);
    private static final KubeApi.Kind VALIDATING =
            new KubeApi.Kind(GROUP, "v1", "validatingwebhookconfigurations", false);
    private static final int SECONDS = 10;

    /** Whoever asks a process to end does not wait for long, and a server that is going away itself may never answer. */
    private static final Duration LEAVING = Duration.ofSeconds(3);

    /**
     * How API servers reach the webhooks: through a service of the cluster, or else at an address.
     *
     * @param url the address; empty where there is a service
     * @param service its name; empty where there is none
     * @param namespace of the service, whose objects nobody asks about
     */
    record Callers(String url, String service, String namespace) {
        /** The names that the certificate vouches for. */
        List<String> names() {
            List<String> names = new ArrayList<>(List.of("localhost"));
            if (!service.isEmpty()) {
                names.add(service + "." + namespace + ".svc");
                names.add(service + "." + namespace);
            } else if (!isAddress(host())) {
                names.add(host());
            }
            return names;
        }

        List<String> addresses() {
            List<String> addresses = new ArrayList<>(List.of("127.0.0.1", "::1"));
            if (service.isEmpty() && isAddress(host()) && !addresses.contains(host())) {
                addresses.add(host());
            }
            return addresses;
        }

        private String host() {
            String rest = url.substring(url.indexOf("//") + 2);
            int end = rest.startsWith("[") ? rest.indexOf(']') + 1 : rest.indexOf(':');
            String host = end < 0 ? rest.replaceFirst("/.*", "") : rest.substring(0, end);
            return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        }

        private static boolean isAddress(String host) {
            return host.matches("[0-9.]+") || host.contains(":");
        }

        /** The same once it is known where the server listens, if that was left open. */
        Callers at(int port) {
            return new Callers(url.replaceFirst(":0$", ":" + port), service, namespace);
        }

        /** What callers use who are on this machine. */
        static Callers of(InetSocketAddress listen, String namespace) {
            String host = listen.getAddress().isAnyLocalAddress()
                    ? "127.0.0.1"
                    : listen.getAddress().getHostAddress();
            String shown = host.contains(":") ? "[" + host + "]" : host;
            return new Callers("https://" + shown + ":" + listen.getPort(), "", namespace);
        }
    }

    private final KubeApi api;
    private final Callers callers;
    private final String authority;
    private final Set<Webhook> webhooks;

    /** @param authority who signed the certificate of the webhooks, in PEM */
    WebhookRegistration(KubeApi api, Callers callers, String authority, Set<? extends Webhook> webhooks) {
        this.api = api;
        this.callers = callers;
        this.authority = authority;
        this.webhooks = Set.copyOf(webhooks);
    }

    void register() {
        for (List<Webhook> together : configurations()) {
            Webhook first = together.getFirst();
            ObjectNode wanted = configuration(together);
            Optional<ObjectNode> present = api.find(kind(first), "", first.configuration());
            if (present.isEmpty()) {
                api.create(kind(first), "", wanted);
            } else {
                ObjectNode changed = present.get();
                changed.set("webhooks", wanted.get("webhooks"));
                api.update(kind(first), "", changed);
            }
        }
    }

    /** Who is reached at the address of one process takes it back; behind a service there may be others. */
    @Override
    public void close() {
        if (!callers.service().isEmpty()) {
            return;
        }
        Map<Webhook, Future<?>> deletions = new LinkedHashMap<>();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        for (List<Webhook> together : configurations()) {
            Webhook first = together.getFirst();
            deletions.put(
                    first,
                    threads.submit(() -> api.delete(kind(first), "", first.configuration(), KubeApi.Deletion.PLAIN)));
        }
        threads.shutdown();
        try {
            if (!threads.awaitTermination(LEAVING.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("the API server does not answer");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        deletions.forEach(WebhookRegistration::tell);
        threads.shutdownNow();
    }

    private static void tell(Webhook webhook, Future<?> deletion) {
        switch (deletion.state()) {
            case SUCCESS -> {}
            case FAILED ->
                LOG.warn(
                        "{} is still registered: {}",
                        webhook.configuration(),
                        deletion.exceptionNow().getMessage());
            case RUNNING, CANCELLED -> LOG.warn("{} may still be registered", webhook.configuration());
        }
    }

    /** Those of one configuration together. */
    private Collection<List<Webhook>> configurations() {
        return webhooks.stream()
                .sorted(Comparator.comparing(Webhook::path))
                .collect(Collectors.groupingBy(Webhook::configuration, TreeMap::new, Collectors.toList()))
                .values();
    }

    private static KubeApi.Kind kind(Webhook webhook) {
        return webhook.isMutating() ? MUTATING : VALIDATING;
    }

    ObjectNode configuration(List<Webhook> together) {
        Webhook first = together.getFirst();
        ObjectNode object = Json.object().put("apiVersion", GROUP + "/v1");
        object.put("kind", first.isMutating() ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration");
        object.putObject("metadata").put("name", first.configuration());
        ArrayNode entries = object.putArray("webhooks");
        together.forEach(webhook -> fill(entries.addObject(), webhook));
        return object;
    }

    private void fill(ObjectNode entry, Webhook webhook) {
        entry.put("name", webhook.title());
        entry.putArray("admissionReviewVersions").add("v1");
        client(entry.putObject("clientConfig"), webhook);
        entry.put("failurePolicy", "Fail").put("matchPolicy", "Equivalent");
        ObjectNode selector = entry.putObject("namespaceSelector");
        if (webhook.sparesSystem()) {
            selector.putArray("matchExpressions")
                    .addObject()
                    .put("key", "kubernetes.io/metadata.name")
                    .put("operator", "NotIn")
                    .putArray("values")
                    .add(callers.namespace())
                    .add("kube-system");
        }
        ObjectNode objects = entry.putObject("objectSelector");
        if (!webhook.exemption().isEmpty()) {
            objects.putArray("matchExpressions")
                    .addObject()
                    .put("key", webhook.exemption())
                    .put("operator", "NotIn")
                    .putArray("values")
                    .add("disabled");
        }
        if (webhook.isMutating()) {
            entry.put("reinvocationPolicy", "Never");
        }
        ObjectNode rule = entry.putArray("rules").addObject();
        rule.putArray("apiGroups").add(webhook.target().group());
        rule.putArray("apiVersions").add(webhook.target().version());
        ArrayNode operations = rule.putArray("operations");
        for (Admission.Operation operation : webhook.operations()) {
            operations.add(operation.name());
        }
        rule.putArray("resources").add(webhook.target().resource());
        rule.put("scope", "*");
        // It changes nothing but its answer, dry run or not.
        entry.put("sideEffects", "None").put("timeoutSeconds", SECONDS);
    }

    private void client(ObjectNode client, Webhook webhook) {
        client.put("caBundle", Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.US_ASCII)));
        if (callers.service().isEmpty()) {
            client.put("url", callers.url() + webhook.path());
        } else {
            client.putObject("service")
                    .put("name", callers.service())
                    .put("namespace", callers.namespace())
                    .put("path", webhook.path())
                    .put("port", 443);
        }
    }
}
