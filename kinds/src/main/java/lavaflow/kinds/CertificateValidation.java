package lavaflow.kinds;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.Names;
import lavaflow.kube.Pem;
import lavaflow.kube.TextDiff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Checks of certificate signing requests. */
final class CertificateValidation {
    /** Who writes: only some may touch the certificate, only some the approval. */
    enum Writer {
        OWNER,
        SIGNER,
        APPROVER
    }

    private static final FieldPath SPEC = FieldPath.of("spec");
    private static final FieldPath CONDITIONS = FieldPath.of("status", "conditions");
    private static final FieldPath CERTIFICATE = FieldPath.of("status", "certificate");
    private static final List<String> USAGES = List.of(
            "any",
            "cert sign",
            "client auth",
            "code signing",
            "content commitment",
            "crl sign",
            "data encipherment",
            "decipher only",
            "digital signature",
            "email protection",
            "encipher only",
            "ipsec end system",
            "ipsec tunnel",
            "ipsec user",
            "key agreement",
            "key encipherment",
            "microsoft sgc",
            "netscape sgc",
            "ocsp signing",
            "s/mime",
            "server auth",
            "signing",
            "timestamping");
    private static final Set<String> ALWAYS_TRUE = Set.of("Approved", "Denied", "Failed");
    private static final String LEGACY_SIGNER = "kubernetes.io/legacy-unknown";
    private static final long SHORTEST = 600;

    private CertificateValidation() {}

    static void create(ObjectNode object, FieldErrors errors) {
        validate(object, null, errors);
    }

    private static void validate(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        String request = Json.textAt(object, "spec", "request");
        String problem = CertificateRequest.problem(Base64.getDecoder().decode(request));
        if (!problem.isEmpty()) {
            errors.invalid(SPEC.child("request"), Json.at(object, "spec", "request"), problem);
        }
        usages(object, old, errors);
        String signer = Json.textAt(object, "spec", "signerName");
        if (!signer.equals(LEGACY_SIGNER)) {
            signerName(SPEC.child("signerName"), signer, errors);
        } else if (old == null || !Json.textAt(old, "spec", "signerName").equals(LEGACY_SIGNER)) {
            errors.invalid(
                    SPEC.child("signerName"), signer, "the legacy signerName is not allowed via this API version");
        }
        JsonNode seconds = Json.at(object, "spec", "expirationSeconds");
        if (seconds != null && seconds.longValue() < SHORTEST) {
            errors.invalid(
                    SPEC.child("expirationSeconds"),
                    seconds,
                    "may not specify a duration less than 600 seconds (10 minutes)");
        }
        conditions(object, old, errors);
        certificate(object, old, errors);
    }

    private static void usages(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        FieldPath path = SPEC.child("usages");
        List<String> usages = Nodes.strings(object, "spec", "usages");
        List<String> before = Nodes.strings(old, "spec", "usages");
        if (usages.isEmpty()) {
            errors.required(path);
        }
        if (USAGES.containsAll(before)) {
            for (int i = 0; i < usages.size(); i++) {
                if (!USAGES.contains(usages.get(i))) {
                    errors.notSupported(path.index(i), usages.get(i), USAGES);
                }
            }
        }
        Set<String> seen = new HashSet<>();
        if (new HashSet<>(before).size() == before.size()) {
            for (int i = 0; i < usages.size(); i++) {
                if (!seen.add(usages.get(i))) {
                    errors.duplicate(path.index(i), usages.get(i));
                }
            }
        }
    }

    /** A domain and a path below it. */
    static void signerName(FieldPath path, String name, FieldErrors errors) {
        if (name.isEmpty()) {
            errors.required(path);
            return;
        }
        String[] parts = name.split("/", -1);
        if (parts.length != 2) {
            errors.invalid(
                    path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
            return;
        }
        String[] labels = parts[0].split("\\.", -1);
        for (String label : labels) {
            for (String wrong : Names.dns1123Label(label)) {
                errors.invalid(path, parts[0], "validating label " + FieldErrors.quoted(label) + ": " + wrong);
            }
        }
        if (labels.length < 2) {
            errors.invalid(path, parts[0], "should be a domain with at least two segments separated by dots");
        }
        for (String wrong : Names.dns1123Subdomain(parts[1])) {
            errors.invalid(path, parts[1], "validating label " + FieldErrors.quoted(parts[1]) + ": " + wrong);
        }
    }

    private static boolean hasType(@Nullable ObjectNode object, String type) {
        return !ofType(object, type).isEmpty();
    }

    private static ArrayNode ofType(@Nullable ObjectNode object, String type) {
        ArrayNode found = Json.array();
        for (ObjectNode condition : Nodes.objects(object, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals(type)) {
                found.add(condition);
            }
        }
        return found;
    }

    private static boolean hasDuplicates(@Nullable ObjectNode object) {
        Set<String> seen = new HashSet<>();
        return !Nodes.objects(object, "status", "conditions").stream()
                .allMatch(condition -> seen.add(Json.textAt(condition, "type")));
    }

    private static void conditions(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        boolean mayBeBoth = hasType(old, "Approved") && hasType(old, "Denied");
        boolean mayRepeat = hasDuplicates(old);
        Set<String> seen = new HashSet<>();
        List<ObjectNode> conditions = Nodes.objects(object, "status", "conditions");
        for (int i = 0; i < conditions.size(); i++) {
            FieldPath path = CONDITIONS.index(i);
            String type = Json.textAt(conditions.get(i), "type");
            if (type.isEmpty() && !hasType(old, "")) {
                errors.required(path.child("type"));
            }
            List<String> allowed = ALWAYS_TRUE.contains(type) ? List.of("True") : List.of("False", "True", "Unknown");
            FieldChecks.requireOneOf(Json.textAt(conditions.get(i), "status"), allowed, path.child("status"), errors);
            String opposite = type.equals("Approved") ? "Denied" : type.equals("Denied") ? "Approved" : null;
            if (!mayBeBoth && opposite != null && seen.contains(opposite)) {
                errors.invalid(CONDITIONS, type, "Approved and Denied conditions are mutually exclusive");
            }
            if (!seen.add(type) && !mayRepeat) {
                errors.duplicate(path.child("type"), type);
            }
        }
    }

    private static void certificate(ObjectNode object, @Nullable ObjectNode old, FieldErrors errors) {
        String now = Json.textAt(object, "status", "certificate");
        if (old != null) {
            String before = Json.textAt(old, "status", "certificate");
            if (now.equals(before) || !certificateProblem(before).isEmpty()) {
                return;
            }
        }
        String problem = certificateProblem(now);
        if (!problem.isEmpty()) {
            errors.invalid(CERTIFICATE, "<certificate data>", problem);
        }
    }

    private static String certificateProblem(String base64) {
        if (base64.isEmpty()) {
            return "";
        }
        List<Pem> blocks = Pem.blocks(Base64.getDecoder().decode(base64));
        for (Pem block : blocks) {
            if (!block.type().equals("CERTIFICATE")) {
                return "only CERTIFICATE PEM blocks are allowed, found " + FieldErrors.quoted(block.type());
            }
            if (block.headers()) {
                return "no PEM block headers are permitted";
            }
            try {
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(block.content()));
            } catch (CertificateException e) {
                return "x509: malformed certificate";
            }
        }
        return blocks.isEmpty() ? "must contain at least one CERTIFICATE PEM block" : "";
    }

    static void update(ObjectNode object, ObjectNode old, Writer writer, FieldErrors errors) {
        validate(object, old, errors);
        for (String type : new String[] {"Approved", "Denied", "Failed"}) {
            if (ofType(object, type).size() < ofType(old, type).size()) {
                errors.forbidden(CONDITIONS, "updates may not remove a condition of type " + FieldErrors.quoted(type));
            }
        }
        if (writer != Writer.APPROVER) {
            keepApproval(object, old, "Approved", errors);
            keepApproval(object, old, "Denied", errors);
        }
        String before = Json.textAt(old, "status", "certificate");
        if (!Json.textAt(object, "status", "certificate").equals(before)) {
            if (writer != Writer.SIGNER) {
                errors.forbidden(CERTIFICATE, "updates may not set certificate content");
            } else if (!before.isEmpty()) {
                errors.forbidden(CERTIFICATE, "updates may not modify existing certificate content");
            }
        }
    }

    private static void keepApproval(ObjectNode object, ObjectNode old, String type, FieldErrors errors) {
        ArrayNode now = ofType(object, type);
        ArrayNode before = ofType(old, type);
        String quoted = FieldErrors.quoted(type);
        if (now.size() > before.size()) {
            errors.forbidden(CONDITIONS, "updates may not add a condition of type " + quoted);
        } else if (now.size() == before.size() && !Objects.equals(now, before)) {
            errors.forbidden(
                    CONDITIONS,
                    "updates may not modify a condition of type " + quoted + "\n" + TextDiff.ofJson(before, now));
        }
    }
}
