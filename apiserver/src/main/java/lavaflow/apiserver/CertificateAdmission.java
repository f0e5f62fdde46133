package lavaflow.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.kinds.CertificateSubject;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Who may approve and who may sign a request for a certificate depends on the signer it is for; and nobody gets one that
 * makes its owner almighty.
 */
final class CertificateAdmission implements Admission.Plugin {
    private static final String GROUP = "certificates.k8s.io";
    private static final String CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";

    private final Authorizer authorizer;
    private final boolean approval;
    private final boolean signing;
    private final boolean subjects;

    CertificateAdmission(Authorizer authorizer, AdmissionSwitches on) {
        this.authorizer = authorizer;
        this.approval = on.has("CertificateApproval");
        this.signing = on.has("CertificateSigning");
        this.subjects = on.has("CertificateSubjectRestriction");
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        if (!call.resource().bucket().equals("certificates.k8s.io/certificatesigningrequests") || object == null) {
            return;
        }
        if (operation == Admission.Operation.CREATE) {
            if (subjects) {
                subject(call, object);
            }
        } else if (operation == Admission.Operation.UPDATE && old != null) {
            String signer = Json.textAt(old, "spec", "signerName");
            boolean signed =
                    !Json.textAt(object, "status", "certificate").equals(Json.textAt(old, "status", "certificate"))
                            || failed(object) != failed(old);
            if (approval && call.subresource().equals("approval")) {
                require(call, object, "approve", signer);
            } else if (signing && signed && call.subresource().equals("status")) {
                require(call, object, "sign", signer);
            }
        }
    }

    private static boolean failed(ObjectNode request) {
        for (var condition : Json.listAt(request, "status", "conditions")) {
            if (Json.textAt(condition, "type").equals("Failed")) {
                return true;
            }
        }
        return false;
    }

    private void require(Call call, ObjectNode object, String verb, String signer) {
        String domain = signer.substring(0, Math.max(0, signer.indexOf('/')));
        boolean may = List.of(signer, domain + "/*").stream()
                .anyMatch(name -> authorizer
                        .decide(call.user(), Attributes.ofResource(verb, GROUP, "*", "signers", "", "", name))
                        .allowed());
        if (!may) {
            throw call.resource()
                    .forbidden(
                            Metadata.name(object),
                            "user not permitted to " + verb + " requests with signerName "
                                    + FieldErrors.quoted(signer));
        }
    }

    private static void subject(Call call, ObjectNode object) {
        if (!Json.textAt(object, "spec", "signerName").equals(CLIENT_SIGNER)) {
            return;
        }
        byte[] pem = Base64.getMimeDecoder().decode(Json.textAt(object, "spec", "request"));
        List<String> organisations = Objects.requireNonNull(
                        CertificateSubject.of(new String(pem, StandardCharsets.ISO_8859_1)))
                .organisations();
        if (organisations.contains("system:masters")) {
            throw call.resource()
                    .forbidden(
                            Metadata.name(object),
                            "use of " + CLIENT_SIGNER + " signer with system:masters group is not allowed");
        }
    }
}
