package lavaflow.cluster;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Removes certificate requests that nobody waits for any more, after upstream's periods: an hour after the decision, a day where
 * there is none, and at once where the certificate has expired.
 */
final class CertificateRequestCleanup {
    static final Duration DECIDED = Duration.ofHours(1);
    static final Duration PENDING = Duration.ofHours(24);

    private static final KubeApi.Kind REQUESTS =
            new KubeApi.Kind("certificates.k8s.io", "v1", "certificatesigningrequests", false);

    private final KubeApi api;
    private final InstantSource clock;
    private final ControllerRunner<String> runner;

    CertificateRequestCleanup(KubeApi api, Followers followers, InstantSource clock, LongSupplier nanoTime) {
        this.api = api;
        this.clock = clock;
        this.runner = new ControllerRunner<>("certificate-request-cleanup", followers, 1, this::reconcile, nanoTime)
                .follow(REQUESTS, object -> List.of(Objects.name(object)));
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private Optional<Duration> reconcile(String name) {
        ObjectNode request = api.find(REQUESTS, "", name).orElse(null);
        Instant end = request == null || Objects.isDeleting(request) ? null : end(request);
        if (request == null || end == null) {
            return Optional.empty();
        }
        Instant now = clock.instant();
        if (now.isAfter(end)) {
            api.delete(REQUESTS, "", name, KubeApi.Deletion.ofUid(Objects.uid(request)));
            return Optional.empty();
        }
        return Optional.of(Duration.between(now, end).plusMillis(1));
    }

    /** When a request is of no use any more; null for one that is approved and waits for its signer. */
    private static @Nullable Instant end(ObjectNode request) {
        boolean issued = !Json.textAt(request, "status", "certificate").isEmpty();
        boolean undecided = true;
        Instant end = null;
        for (JsonNode condition : Json.listAt(request, "status", "conditions")) {
            undecided = false;
            boolean counts = !Json.textAt(condition, "type").equals("Approved") || issued;
            Instant decided = time(Json.textAt(condition, "lastUpdateTime"));
            if (counts && decided != null) {
                end = earlier(end, decided.plus(DECIDED));
            }
        }
        if (undecided) {
            Instant created = time(Json.textAt(request, "metadata", "creationTimestamp"));
            return created == null ? null : created.plus(PENDING);
        }
        return issued ? earlier(end, expiry(Json.textAt(request, "status", "certificate"))) : end;
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isBefore(one)) ? other : one;
    }

    private static @Nullable Instant time(String text) {
        try {
            return text.isEmpty() ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static @Nullable Instant expiry(String certificate) {
        try {
            byte[] pem = Base64.getDecoder().decode(certificate);
            return CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem))
                            instanceof X509Certificate read
                    ? read.getNotAfter().toInstant()
                    : null;
        } catch (CertificateException | IllegalArgumentException e) {
            return null;
        }
    }
}
