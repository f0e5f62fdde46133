package lavaflow.volume;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tokens of service accounts that pods hold, bound to the pod, renewed after four fifths of their life or a day. */
final class PodTokens {
    private static final Logger LOG = LoggerFactory.getLogger(PodTokens.class);
    private static final KubeApi.Kind ACCOUNTS = KubeApi.Kind.core("serviceaccounts");
    private static final Duration LONGEST = Duration.ofHours(24);

    /** What a token is for; each pod has its own. */
    private record Key(String podUid, String audience, long seconds) {}

    private record Token(String text, Instant renewAt, Instant expiresAt) {}

    private final KubeApi api;
    private final InstantSource clock;
    private final Map<Key, Token> tokens = new HashMap<>();

    PodTokens(KubeApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
    }

    /** A token that holds for a while; one that cannot be renewed serves until it expires. */
    String token(ObjectNode pod, String audience, long seconds) {
        Key key = new Key(Json.textAt(pod, "metadata", "uid"), audience, seconds);
        Instant now = clock.instant();
        Token known;
        synchronized (this) {
            known = tokens.get(key);
        }
        if (known != null && now.isBefore(known.renewAt())) {
            return known.text();
        }
        try {
            Token fresh = request(pod, key, now);
            synchronized (this) {
                tokens.put(key, fresh);
            }
            return fresh.text();
        } catch (ApiException e) {
            if (known != null && now.isBefore(known.expiresAt())) {
                LOG.warn(
                        "cannot renew a token of pod {}/{}, which holds until {}: {}",
                        Json.textAt(pod, "metadata", "namespace"),
                        Json.textAt(pod, "metadata", "name"),
                        known.expiresAt(),
                        e.getMessage());
                return known.text();
            }
            throw e;
        }
    }

    private Token request(ObjectNode pod, Key key, Instant now) {
        ObjectNode request = Json.object().put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        ObjectNode spec = request.putObject("spec");
        if (key.audience().isEmpty()) {
            spec.putArray("audiences");
        } else {
            spec.putArray("audiences").add(key.audience());
        }
        spec.put("expirationSeconds", key.seconds());
        spec.putObject("boundObjectRef")
                .put("kind", "Pod")
                .put("apiVersion", "v1")
                .put("name", Json.textAt(pod, "metadata", "name"))
                .put("uid", key.podUid());
        ObjectNode answer =
                api.post(ACCOUNTS, Json.textAt(pod, "metadata", "namespace"), account(pod), "token", request);
        Instant expires = GoTime.parseSeconds(Json.textAt(answer, "status", "expirationTimestamp"));
        Duration life = Duration.between(now, expires);
        Duration used = life.multipliedBy(4).dividedBy(5);
        return new Token(
                Json.textAt(answer, "status", "token"),
                now.plus(used.compareTo(LONGEST) > 0 ? LONGEST : used),
                expires);
    }

    private static String account(ObjectNode pod) {
        String name = Json.textAt(pod, "spec", "serviceAccountName");
        return name.isEmpty() ? "default" : name;
    }

    synchronized void release(String podUid) {
        tokens.keySet().removeIf(key -> key.podUid().equals(podUid));
    }

    /** When a token of a pod wants to be renewed. */
    synchronized Optional<Instant> renewal(String podUid) {
        Instant first = null;
        for (Iterator<Map.Entry<Key, Token>> i = tokens.entrySet().iterator(); i.hasNext(); ) {
            Map.Entry<Key, Token> entry = i.next();
            Instant at = entry.getValue().renewAt();
            if (entry.getKey().podUid().equals(podUid) && (first == null || at.isBefore(first))) {
                first = at;
            }
        }
        return Optional.ofNullable(first);
    }
}
