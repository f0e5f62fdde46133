package lavaflow.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.User;
import lavaflow.controller.ControllerRunner;
import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.kinds.CertificateSubject;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import static lavaflow.kinds.CertificateSubject.Alternative.DNS;
import static lavaflow.kinds.CertificateSubject.Alternative.EMAIL;
import static lavaflow.kinds.CertificateSubject.Alternative.IP;
import static lavaflow.kinds.CertificateSubject.Alternative.URI;

/** Approves what nodes ask for themselves, and signs what was approved for the signers of Kubernetes. */
final class CertificateRequestsController {
    private static final KubeApi.Kind REQUESTS =
            new KubeApi.Kind("certificates.k8s.io", "v1", "certificatesigningrequests", false);
    private static final String SIGNERS = "kubernetes.io/";
    private static final String KUBELET_CLIENT = SIGNERS + "kube-apiserver-client-kubelet";
    private static final String KUBELET_SERVING = SIGNERS + "kubelet-serving";
    private static final String CLIENT = SIGNERS + "kube-apiserver-client";
    private static final String LEGACY = SIGNERS + "legacy-unknown";
    private static final List<String> NODES = List.of("system:nodes");
    private static final String NODE = "system:node:";
    private static final String NO_NODES = "subject organization is not system:nodes";
    private static final String NO_NODE = "subject common name does not begin with system:node:";
    private static final Duration LONGEST = Duration.ofDays(365);

    private final KubeApi api;
    private final Authorizer authorizer;
    private final CertificateSigner signer;
    private final InstantSource clock;
    private final ControllerRunner<String> runner;

    CertificateRequestsController(
            KubeApi api,
            Followers followers,
            Authorizer authorizer,
            CertificateSigner signer,
            InstantSource clock,
            LongSupplier nanoTime) {
        this.api = api;
        this.authorizer = authorizer;
        this.signer = signer;
        this.clock = clock;
        this.runner = new ControllerRunner<>("certificate-requests", followers, 1, this::reconcile, nanoTime)
                .follow(REQUESTS, object -> List.of(Objects.name(object)));
    }

    ControllerRunner<String> controller() {
        return runner;
    }

    private Optional<Duration> reconcile(String name) {
        ObjectNode request = api.find(REQUESTS, "", name).orElse(null);
        boolean done = request == null
                || Objects.isDeleting(request)
                || !Json.textAt(request, "status", "certificate").isEmpty()
                || has(request, "Denied")
                || has(request, "Failed");
        if (request == null || done) {
            return Optional.empty();
        }
        if (has(request, "Approved")) {
            sign(request);
        } else {
            approve(request);
        }
        return Optional.empty();
    }

    private static boolean has(ObjectNode request, String condition) {
        for (JsonNode present : Json.listAt(request, "status", "conditions")) {
            if (Json.textAt(present, "type").equals(condition)) {
                return true;
            }
        }
        return false;
    }

    /** A node's first certificate, and the next one it asks for with the last; if its user may. */
    private void approve(ObjectNode request) {
        CertificateSubject subject = CertificateSubject.of(pem(request));
        if (!Json.textAt(request, "spec", "signerName").equals(KUBELET_CLIENT)
                || subject == null
                || !problem(request, KUBELET_CLIENT, subject).isEmpty()) {
            return;
        }
        boolean self = Json.textAt(request, "spec", "username").equals(subject.commonName());
        if (self && allowed(request, "selfnodeclient")) {
            condition(
                    request,
                    "Approved",
                    "AutoApproved",
                    "Auto approving self kubelet client certificate after SubjectAccessReview.");
        } else if (allowed(request, "nodeclient")) {
            condition(
                    request,
                    "Approved",
                    "AutoApproved",
                    "Auto approving kubelet client certificate after SubjectAccessReview.");
        } else {
            return;
        }
        api.update(REQUESTS, "approval", request);
    }

    private boolean allowed(ObjectNode request, String subresource) {
        List<String> groups = new ArrayList<>();
        Json.listAt(request, "spec", "groups").forEach(group -> groups.add(group.asText()));
        Map<String, List<String>> extra = new LinkedHashMap<>();
        User user =
                new User(Json.textAt(request, "spec", "username"), Json.textAt(request, "spec", "uid"), groups, extra);
        return authorizer
                .decide(
                        user,
                        Attributes.ofResource(
                                "create", REQUESTS.group(), "*", REQUESTS.resource(), subresource, "", ""))
                .allowed();
    }

    private void sign(ObjectNode request) {
        String signerName = Json.textAt(request, "spec", "signerName");
        if (!List.of(CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY).contains(signerName)) {
            return;
        }
        CertificateSubject subject = CertificateSubject.of(pem(request));
        String problem = subject == null ? "unable to parse csr" : problem(request, signerName, subject);
        if (!problem.isEmpty()) {
            // What is only of unknown use may still be signed by somebody else.
            if (!signerName.equals(LEGACY)) {
                condition(request, "Failed", "SignerValidationFailure", problem);
                api.update(REQUESTS, "status", request);
            }
            return;
        }
        try {
            String certificate = signer.sign(pem(request), usages(request), lifetime(request));
            Json.ensureObject(request, "status")
                    .put(
                            "certificate",
                            Base64.getEncoder().encodeToString(certificate.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            condition(request, "Failed", "SigningFailure", String.valueOf(e.getMessage()));
        }
        api.update(REQUESTS, "status", request);
    }

    private static Duration lifetime(ObjectNode request) {
        long seconds = Json.longAt(request, 0, "spec", "expirationSeconds");
        Duration wanted = Duration.ofSeconds(seconds);
        return seconds <= 0 || wanted.compareTo(LONGEST) > 0 ? LONGEST : wanted;
    }

    private static List<String> usages(ObjectNode request) {
        List<String> usages = new ArrayList<>();
        Json.listAt(request, "spec", "usages").forEach(usage -> usages.add(usage.asText()));
        return usages;
    }

    private static String pem(ObjectNode request) {
        byte[] bytes = Base64.getMimeDecoder().decode(Json.textAt(request, "spec", "request"));
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** What a signer does not like of a request; empty where it likes all. */
    private static String problem(ObjectNode request, String signer, CertificateSubject subject) {
        List<String> usages = usages(request);
        return switch (signer) {
            case CLIENT -> clientUsageProblem(usages);
            case KUBELET_CLIENT -> kubeletClientProblem(usages, subject);
            case KUBELET_SERVING -> kubeletServingProblem(usages, subject);
            default -> "";
        };
    }

    private static String kubeletClientProblem(List<String> usages, CertificateSubject subject) {
        if (!subject.organisations().equals(NODES)) {
            return NO_NODES;
        }
        String unwanted = unwanted(subject, DNS, EMAIL, IP, URI);
        if (!unwanted.isEmpty()) {
            return unwanted;
        }
        if (!subject.commonName().startsWith(NODE)) {
            return NO_NODE;
        }
        List<String> known = List.of("client auth", "digital signature", "key encipherment");
        return within(usages, "client auth", known) ? "" : "usages did not match [" + String.join(" ", known) + "]";
    }

    private static String kubeletServingProblem(List<String> usages, CertificateSubject subject) {
        if (!subject.organisations().equals(NODES)) {
            return NO_NODES;
        }
        if (!subject.alternatives().contains(DNS) && !subject.alternatives().contains(IP)) {
            return "DNS or IP subjectAltName is required";
        }
        String unwanted = unwanted(subject, EMAIL, URI);
        if (!unwanted.isEmpty()) {
            return unwanted;
        }
        List<String> known = List.of("digital signature", "key encipherment", "server auth");
        if (!within(usages, "server auth", known)) {
            return "usages did not match [" + String.join(" ", known) + "]";
        }
        return subject.commonName().startsWith(NODE) ? "" : NO_NODE;
    }

    private static String unwanted(CertificateSubject subject, CertificateSubject.Alternative... kinds) {
        for (CertificateSubject.Alternative kind : kinds) {
            if (subject.alternatives().contains(kind)) {
                return (kind == EMAIL ? "Email" : kind.name()) + " subjectAltNames are not allowed";
            }
        }
        return "";
    }

    private static String clientUsageProblem(List<String> usages) {
        List<String> known = List.of("digital signature", "key encipherment", "client auth");
        for (String usage : usages) {
            if (!known.contains(usage)) {
                return "invalid usage for client certificate: " + usage;
            }
        }
        return usages.contains("client auth") ? "" : "missing required usage for client certificate: client auth";
    }

    private static boolean within(List<String> usages, String purpose, List<String> known) {
        return usages.contains(purpose) && known.containsAll(usages);
    }

    private void condition(ObjectNode request, String type, String reason, String message) {
        ObjectNode status = Json.ensureObject(request, "status");
        @Nullable JsonNode present = status.get("conditions");
        ArrayNode conditions = present instanceof ArrayNode list ? list : status.putArray("conditions");
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        conditions
                .addObject()
                .put("type", type)
                .put("status", "True")
                .put("reason", reason)
                .put("message", message)
                .put("lastUpdateTime", now)
                .put("lastTransitionTime", now);
    }
}
