package lavaflow.apiserver;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out whether the servers behind APIServices answer, and says so in their status, in upstream's words. */
final class RemoteAvailability {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteAvailability.class);
    private static final LocalApi.Path PATH = new LocalApi.Path("apiregistration.k8s.io", "v1", "apiservices");
    private static final User SERVER = new User("system:kube-apiserver", List.of(User.MASTERS));

    private static final User AGGREGATOR = new User("system:kube-aggregator", List.of(User.MASTERS));

    private static final int ATTEMPTS = 5;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(15);

    private record Verdict(boolean available, String reason, String message) {}

    /** What one attempt came to, and whether another one is worth its while. */
    private record Attempt(Verdict verdict, boolean again) {}

    private final LocalApi api;
    private final Stored stored;
    private final Aggregation aggregation;

    RemoteAvailability(LocalApi api, Stored stored, Aggregation aggregation) {
        this.api = api;
        this.stored = stored;
        this.aggregation = aggregation;
    }

    void checkAll() {
        // At once: one that does not answer must not keep the others waiting.
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (RemoteService service : aggregation.services()) {
                var _ = threads.submit(() -> look(service));
            }
        }
        aggregation.servers().connections().prune();
    }

    /** Changes whenever a service that an APIService names does, or what stands behind it. */
    String whereabouts() {
        StringBuilder all = new StringBuilder();
        for (RemoteService remote : aggregation.services()) {
            String key = remote.serviceNamespace() + "/" + remote.serviceName();
            all.append(remote.name()).append(' ').append(revision(stored.find("services", key)));
            all.append(' ').append(revision(stored.find("endpoints", key)));
            for (ObjectNode slice : stored.all("discovery.k8s.io/endpointslices", remote.serviceNamespace())) {
                if (Json.textAt(slice, "metadata", "labels", "kubernetes.io/service-name")
                        .equals(remote.serviceName())) {
                    all.append(' ').append(revision(slice));
                }
            }
            all.append('\n');
        }
        return all.toString();
    }

    private static String revision(@Nullable ObjectNode object) {
        return object == null ? "-" : Metadata.uid(object) + "@" + Metadata.resourceVersion(object);
    }

    private void look(RemoteService service) {
        try {
            Verdict verdict = check(service);
            tell(service, verdict);
            if (verdict.available()) {
                aggregation.schemas().learn(service);
            }
        } catch (RuntimeException e) {
            LOG.warn("{} could not be looked after: {}", service.name(), e.toString());
        }
    }

    private Verdict check(RemoteService remote) {
        String where = "service/" + remote.serviceName() + " in " + GoQuote.quote(remote.serviceNamespace());
        ObjectNode service = stored.find("services", remote.serviceNamespace() + "/" + remote.serviceName());
        if (service == null) {
            return new Verdict(false, "ServiceNotFound", where + " is not present");
        }
        if (Json.textAt(service, "spec", "type").equals("ClusterIP")) {
            JsonNode port = null;
            for (JsonNode each : Json.listAt(service, "spec", "ports")) {
                port = Json.longAt(each, 0, "port") == remote.port() ? each : port;
            }
            if (port == null) {
                return new Verdict(false, "ServicePortError", where + " is not listening on port " + remote.port());
            }
            if (!hasEndpoints(remote)) {
                return new Verdict(false, "EndpointsNotFound", "cannot find endpointslices for " + where);
            }
        }
        return ask(remote, url(remote, service));
    }

    private boolean hasEndpoints(RemoteService remote) {
        for (ObjectNode slice : stored.all("discovery.k8s.io/endpointslices", remote.serviceNamespace())) {
            if (Json.textAt(slice, "metadata", "labels", "kubernetes.io/service-name")
                    .equals(remote.serviceName())) {
                return true;
            }
        }
        return stored.find("endpoints", remote.serviceNamespace() + "/" + remote.serviceName()) != null;
    }

    /** Where upstream would ask. */
    private static String url(RemoteService remote, ObjectNode service) {
        boolean named = Json.textAt(service, "spec", "type").equals("ExternalName");
        String host = named ? Json.textAt(service, "spec", "externalName") : Json.textAt(service, "spec", "clusterIP");
        return "https://" + host + ":" + remote.port() + remote.path();
    }

    /** One answer among some attempts is enough, as it is upstream; who does not even refuse is not asked again. */
    private Verdict ask(RemoteService remote, String url) {
        long begin = System.nanoTime();
        Attempt attempt = attempt(remote, url);
        for (int i = 1; i < ATTEMPTS && attempt.again() && System.nanoTime() - begin < LONGEST_NANOS; i++) {
            attempt = attempt(remote, url);
        }
        return attempt.verdict();
    }

    private Attempt attempt(RemoteService remote, String url) {
        try {
            RemoteServers.Document document =
                    aggregation.servers().document(remote, AGGREGATOR, remote.path(), "application/json", "");
            if (document.code() < 200 || document.code() >= 300) {
                return new Attempt(failed(url, "bad status from " + url + ": " + document.code()), true);
            }
            learn(remote, document.body());
            return new Attempt(new Verdict(true, "Passed", "all checks passed"), false);
        } catch (IOException e) {
            Verdict verdict = failed(url, "Get \"" + url + "\": " + WebhookTrust.goText(e));
            return new Attempt(verdict, !(e instanceof SocketTimeoutException));
        }
    }

    /** An answer that says nothing about resources is an answer all the same. */
    private void learn(RemoteService remote, byte[] document) {
        try {
            if (Json.parseUntrusted(document) instanceof ObjectNode list) {
                aggregation.learned(remote, list);
            }
        } catch (JsonProcessingException e) {
            LOG.debug("{} does not say what it serves: {}", remote.name(), e.getMessage());
        }
    }

    private static Verdict failed(String url, String why) {
        return new Verdict(false, "FailedDiscoveryCheck", "failing or missing response from " + url + ": " + why);
    }

    private void tell(RemoteService remote, Verdict verdict) {
        ObjectNode object = stored.find(Aggregation.BUCKET, remote.name());
        if (object == null) {
            return;
        }
        String status = verdict.available() ? "True" : "False";
        String since = GoTime.seconds(api.now());
        ArrayNode conditions = Json.array();
        for (JsonNode condition : Json.listAt(object, "status", "conditions")) {
            if (!Json.textAt(condition, "type").equals("Available")) {
                conditions.add(condition);
                continue;
            }
            boolean same = Json.textAt(condition, "status").equals(status);
            if (same && Json.textAt(condition, "message").equals(verdict.message())) {
                return;
            }
            since = same ? Json.textAt(condition, "lastTransitionTime") : since;
        }
        conditions
                .addObject()
                .put("type", "Available")
                .put("status", status)
                .put("lastTransitionTime", since)
                .put("reason", verdict.reason())
                .put("message", verdict.message());
        Json.ensureObject(object, "status").set("conditions", conditions);
        try {
            api.update(SERVER, PATH, "status", object);
        } catch (ApiException e) {
            // It changed meanwhile, and will be looked at again.
            LOG.debug("{}: {}", remote.name(), e.getMessage());
        }
    }
}
