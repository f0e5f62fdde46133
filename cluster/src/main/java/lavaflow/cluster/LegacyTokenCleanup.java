package lavaflow.cluster;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

import lavaflow.access.AccountTokenReader;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends tokens that old controllers once put into secrets by themselves and that nobody has used for a year: first it marks them as invalid, a
 * year later it deletes them. Secrets that people made, that a pod names, or whose use has not been watched for a year, stay.
 */
final class LegacyTokenCleanup {
    /** Where the API server writes since when it notes the use of tokens. */
    static final String TRACKING = "kube-apiserver-legacy-service-account-token-tracking";

    static final Duration PERIOD = Duration.ofDays(365);
    static final Duration SWEEP = Duration.ofDays(1);

    private static final Logger LOG = LoggerFactory.getLogger(LegacyTokenCleanup.class);
    private static final KubeApi.Kind SECRETS = KubeApi.Kind.core("secrets");
    private static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    private static final KubeApi.Kind PODS = KubeApi.Kind.core("pods");
    private static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    private static final String TYPE = "kubernetes.io/service-account-token";
    private static final String ALL = "secrets";

    private final KubeApi api;
    private final InstantSource clock;
    private final ControllerRunner<String> runner;

    LegacyTokenCleanup(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.runner = new ControllerRunner<>("legacy-token-cleanup", followers, 1, this::sweep, nanoTime);
        runner.queue().add(ALL);
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private Optional<Duration> sweep(String key) {
        Instant now = clock.instant();
        Instant since = trackedSince();
        if (since != null && !now.isBefore(since.plus(PERIOD))) {
            List<ObjectNode> unused = new ArrayList<>();
            api.list(SECRETS, "", KubeApi.View.WHOLE, secret -> {
                if (isUnused(secret, now.minus(PERIOD))) {
                    unused.add(secret);
                }
            });
            Map<String, Set<String>> named = new HashMap<>();
            for (ObjectNode secret : unused) {
                String namespace = Objects.namespace(secret);
                if (isAutomatic(secret)
                        && !named.computeIfAbsent(namespace, this::namedByPods).contains(Objects.name(secret))) {
                    end(secret, now);
                }
            }
        }
        return Optional.of(SWEEP);
    }

    /** The first moment from which every use has been noted for certain: the day after the one that is written down. */
    private @Nullable Instant trackedSince() {
        ObjectNode tracking = api.find(MAPS, "kube-system", TRACKING).orElse(null);
        LocalDate day = tracking == null ? null : date(Json.textAt(tracking, "data", "since"));
        return day == null ? null : day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    private static @Nullable LocalDate date(String text) {
        try {
            return text.isEmpty() ? null : LocalDate.parse(text);
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static boolean isUnused(ObjectNode secret, Instant preserve) {
        if (!Json.textAt(secret, "type").equals(TYPE) || Objects.isDeleting(secret)) {
            return false;
        }
        Instant created = Instant.parse(Json.textAt(secret, "metadata", "creationTimestamp"));
        if (!created.isBefore(preserve)) {
            return false;
        }
        JsonNode label = Json.at(secret, "metadata", "labels", AccountTokenReader.LAST_USED);
        if (label == null) {
            return true;
        }
        LocalDate used = date(label.asText());
        return used != null && used.isBefore(day(preserve));
    }

    private static LocalDate day(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC).toLocalDate();
    }

    /** Old controllers wrote the secrets they made into the account; what people make is not there. */
    private boolean isAutomatic(ObjectNode secret) {
        String name = Json.textAt(secret, "metadata", "annotations", "kubernetes.io/service-account.name");
        String uid = Json.textAt(secret, "metadata", "annotations", "kubernetes.io/service-account.uid");
        ObjectNode account = name.isEmpty()
                ? null
                : api.find(ACCOUNTS, Objects.namespace(secret), name).orElse(null);
        if (account == null || (!uid.isEmpty() && !uid.equals(Objects.uid(account)))) {
            return false;
        }
        for (JsonNode each : Json.listAt(account, "secrets")) {
            if (Json.textAt(each, "name").equals(Objects.name(secret))) {
                return true;
            }
        }
        return false;
    }

    private Set<String> namedByPods(String namespace) {
        Set<String> names = new TreeSet<>();
        api.list(PODS, namespace, KubeApi.View.WHOLE, pod -> {
            Json.listAt(pod, "spec", "imagePullSecrets").forEach(each -> names.add(Json.textAt(each, "name")));
            collect(pod.path("spec"), names);
        });
        return names;
    }

    /** Secrets are named in many places, but always by a few words. */
    private static void collect(JsonNode part, Set<String> names) {
        part.properties().forEach(field -> {
            switch (field.getKey()) {
                case "secretRef", "secretKeyRef", "nodePublishSecretRef", "secret" ->
                    names.add(Json.textAt(field.getValue(), "name"));
                case "secretName" -> names.add(field.getValue().asText());
                default -> {}
            }
        });
        part.forEach(child -> collect(child, names));
    }

    private void end(ObjectNode secret, Instant now) {
        String namespace = Objects.namespace(secret);
        String name = Objects.name(secret);
        LocalDate invalid = date(Json.textAt(secret, "metadata", "labels", AccountTokenReader.INVALID_SINCE));
        try {
            if (invalid == null) {
                ObjectNode patch = Json.object();
                ObjectNode metadata = patch.putObject("metadata").put("uid", Objects.uid(secret));
                metadata.putObject("labels").put(AccountTokenReader.INVALID_SINCE, day(now).toString());
                api.patch(SECRETS, namespace, name, "", KubeApi.Merge.PLAIN, patch);
                LOG.info("secret {}/{}: its token has not been used for a year and is invalid now", namespace, name);
            } else if (invalid.isBefore(day(now.minus(PERIOD)))) {
                api.delete(
                        SECRETS,
                        namespace,
                        name,
                        new KubeApi.Deletion(Objects.uid(secret), Objects.resourceVersion(secret), null));
                LOG.info("secret {}/{}: deleted, its token had been invalid since {}", namespace, name, invalid);
            }
        } catch (ApiException e) {
            // It changed meanwhile, and will be looked at again tomorrow.
            LOG.warn("secret {}/{} could not be cleaned up: {}", namespace, name, e.getMessage());
        }
    }
}
