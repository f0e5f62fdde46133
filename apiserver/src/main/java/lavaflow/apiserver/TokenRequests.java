package lavaflow.apiserver;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import lavaflow.access.AccountTokens;
import lavaflow.kube.ApiException;
import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldFilter;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.ManagedFields;
import lavaflow.kube.Names;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Hands out tokens of service accounts: {@code serviceaccounts/token}. */
final class TokenRequests {
    private static final FieldPath EXPIRATION = FieldPath.of("spec", "expirationSeconds");
    private static final long DEFAULT_SECONDS = 3_600;
    private static final long LEAST_SECONDS = 600;
    private static final long MOST_SECONDS = 1L << 32;
    /**
     * The kubelet asks for exactly this much for the volumes of pods. Old clients do not read the file again, so such a
     * token lives for a year and only says from when on its user should have had a newer one.
     */
    private static final long WARN_ONLY_SECONDS = 3_607;

    private static final long EXTENDED_SECONDS = Duration.ofDays(365).toSeconds();

    private static final ManagedFields OWNERS = new ManagedFields(new ManagedFields.Endpoint(
            BuiltinTypes.instance(),
            "io.k8s.api.authentication.v1.TokenRequest",
            "authentication.k8s.io/v1",
            "TokenRequest",
            "token",
            FieldFilter.ALL,
            null));

    private final AccountTokens tokens;
    private final Stored stored;
    private final Admission admission;

    TokenRequests(AccountTokens tokens, Stored stored, Admission admission) {
        this.tokens = tokens;
        this.stored = stored;
        this.admission = admission;
    }

    void serve(Exchange exchange, Call call, KindInfo.Subresource sub, Answer answer) throws IOException {
        ObjectNode request = ObjectDecoder.request(call, exchange, ObjectDecoder.Expected.of(sub));
        ResourceHandler.checkNamespace(call, request);
        ObjectNode answered = issue(call, request);
        answer.warnings(call);
        answer.status(201, answered);
    }

    ObjectNode issue(Call call, ObjectNode request) {
        ObjectNode spec = Json.ensureObject(request, "spec");
        if (spec.path("expirationSeconds").isMissingNode()
                || spec.path("expirationSeconds").isNull()) {
            spec.put("expirationSeconds", DEFAULT_SECONDS);
        }
        OWNERS.update(null, request, call.fieldManager(), Metadata.time(call.now()));
        ObjectNode account = stored.find("serviceaccounts", call.namespace() + "/" + call.name());
        if (account == null) {
            throw call.resource().notFound(call.name());
        }
        checkName(call, request);
        checkDuration(spec);
        admission.mutate(call, Admission.Operation.CREATE, request, null);
        if (Json.listAt(spec, "audiences").isEmpty()) {
            spec.putArray("audiences").add(AccountTokens.ISSUER);
        }
        AccountTokens.Content content = content(call, spec, account);
        admission.validate(call, Admission.Operation.CREATE, request, null);
        long asked = Json.longAt(spec, DEFAULT_SECONDS, "expirationSeconds");
        return answer(call, request, account, tokens.issue(content), call.now().plusSeconds(asked));
    }

    private static void checkName(Call call, ObjectNode request) {
        String name = Metadata.name(request);
        if (!name.isEmpty() && !name.equals(call.name())) {
            FieldErrors errors = new FieldErrors();
            errors.invalid(FieldPath.of("metadata", "name"), name, "must match the service account name if specified");
            throw ApiException.invalid("authentication.k8s.io", "TokenRequest", call.name(), errors.list());
        }
    }

    private static void checkDuration(ObjectNode spec) {
        long seconds = Json.longAt(spec, DEFAULT_SECONDS, "expirationSeconds");
        FieldErrors errors = new FieldErrors();
        if (seconds < LEAST_SECONDS) {
            errors.invalid(EXPIRATION, seconds, "may not specify a duration less than 10 minutes");
        }
        if (seconds > MOST_SECONDS) {
            errors.invalid(EXPIRATION, seconds, "may not specify a duration larger than 2^32 seconds");
        }
        if (!errors.isEmpty()) {
            throw ApiException.invalid("authentication.k8s.io", "TokenRequest", "", errors.list());
        }
    }

    private AccountTokens.Content content(Call call, ObjectNode spec, ObjectNode account) {
        AccountTokens.Reference pod = null;
        AccountTokens.Reference node = null;
        AccountTokens.Reference secret = null;
        ObjectNode bound = Json.objectAt(spec, "boundObjectRef");
        if (bound != null) {
            GroupVersion version = version(bound);
            switch (version.group() + "/" + Json.textAt(bound, "kind")) {
                case "/Pod" -> {
                    ObjectNode found = bound(bound, "pods", call.namespace() + "/");
                    if (!accountOf(found).equals(call.name())) {
                        throw ApiException.badRequest("cannot bind token for serviceaccount "
                                + FieldErrors.quoted(call.name())
                                + " to pod running with different serviceaccount name.");
                    }
                    pod = reference(found);
                    node = nodeOf(found);
                }
                case "/Node" -> node = reference(bound(bound, "nodes", ""));
                case "/Secret" -> secret = reference(bound(bound, "secrets", call.namespace() + "/"));
                default ->
                    throw ApiException.badRequest("cannot bind token to object of type " + typeOf(version, bound));
            }
        }
        List<String> audiences = new ArrayList<>();
        Json.listAt(spec, "audiences").forEach(audience -> audiences.add(audience.asText()));
        long seconds = Json.longAt(spec, DEFAULT_SECONDS, "expirationSeconds");
        boolean extended =
                seconds == WARN_ONLY_SECONDS && pod != null && audiences.equals(List.of(AccountTokens.ISSUER));
        Instant warnAfter = extended ? call.now().plusSeconds(seconds) : null;
        return new AccountTokens.Content(
                call.namespace(),
                reference(account),
                pod,
                node,
                secret,
                audiences,
                extended ? EXTENDED_SECONDS : seconds,
                warnAfter);
    }

    private record GroupVersion(String group, String version) {}

    /** Only the group counts, and what is no version at all is that of the core, as upstream reads it. */
    private static GroupVersion version(ObjectNode bound) {
        String[] parts = Json.textAt(bound, "apiVersion").split("/", -1);
        return switch (parts.length) {
            case 1 -> new GroupVersion("", parts[0]);
            case 2 -> new GroupVersion(parts[0], parts[1]);
            default -> new GroupVersion("", "");
        };
    }

    /** As upstream prints a type: group/version, Kind=kind. */
    private static String typeOf(GroupVersion version, ObjectNode bound) {
        return version.group() + "/" + version.version() + ", Kind=" + Json.textAt(bound, "kind");
    }

    private static String accountOf(ObjectNode pod) {
        return Json.textAt(pod, "spec", "serviceAccountName");
    }

    private AccountTokens.@Nullable Reference nodeOf(ObjectNode pod) {
        String name = Json.textAt(pod, "spec", "nodeName");
        if (name.isEmpty()) {
            return null;
        }
        ObjectNode node = stored.find("nodes", name);
        return node == null ? new AccountTokens.Reference(name, "") : reference(node);
    }

    private static AccountTokens.Reference reference(ObjectNode object) {
        return new AccountTokens.Reference(Metadata.name(object), Metadata.uid(object));
    }

    private ObjectNode bound(ObjectNode reference, String bucket, String prefix) {
        String name = Json.textAt(reference, "name");
        if (name.isEmpty()) {
            throw ApiException.badRequest("Name parameter required.");
        }
        List<String> wrong = Names.pathSegmentName(name);
        if (!wrong.isEmpty()) {
            throw ApiException.badRequest(
                    "Name parameter invalid: " + FieldErrors.quoted(name) + ": " + String.join(";", wrong));
        }
        ObjectNode found = stored.find(bucket, prefix + name);
        if (found == null) {
            throw ApiException.notFound("", bucket, name);
        }
        String uid = Json.textAt(reference, "uid");
        if (!uid.isEmpty() && !uid.equals(Metadata.uid(found))) {
            throw ApiException.conflict(
                    "",
                    Json.textAt(reference, "kind"),
                    name,
                    "the UID in the bound object reference (" + uid
                            + ") does not match the UID in record. The object might have been deleted and then"
                            + " recreated");
        }
        return found;
    }

    private static ObjectNode answer(
            Call call, ObjectNode request, ObjectNode account, String token, Instant expiration) {
        ObjectNode answer = Json.object();
        answer.put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        ObjectNode given = Metadata.of(request);
        ObjectNode metadata = answer.putObject("metadata");
        metadata.put("name", call.name()).put("namespace", call.namespace());
        metadata.put("uid", Metadata.uid(account)).put("creationTimestamp", Metadata.time(call.now()));
        given.properties().forEach(entry -> {
            if (!metadata.has(entry.getKey())) {
                metadata.set(entry.getKey(), entry.getValue());
            }
        });
        ObjectNode spec = answer.putObject("spec");
        ArrayNode audiences = spec.putArray("audiences");
        Json.listAt(request, "spec", "audiences").forEach(audiences::add);
        spec.set("expirationSeconds", request.path("spec").path("expirationSeconds"));
        ObjectNode bound = Json.objectAt(request, "spec", "boundObjectRef");
        if (bound == null) {
            spec.putNull("boundObjectRef");
        } else {
            spec.set("boundObjectRef", bound);
        }
        answer.putObject("status").put("token", token).put("expirationTimestamp", Metadata.time(expiration));
        return answer;
    }
}
