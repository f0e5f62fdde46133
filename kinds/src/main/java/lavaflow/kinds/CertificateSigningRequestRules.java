package lavaflow.kinds;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Requests for certificates: the spec is fixed once made; approval and certificate come through subresources. */
final class CertificateSigningRequestRules implements KindRules {
    private static final String APPROVED = "Approved";
    private static final String DENIED = "Denied";

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }

    @Override
    public void prepareForUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        KindRules.keep(object, old, "status");
    }

    /** Whoever signs may not change whether it was approved. */
    @Override
    public void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {
        KindRules.keep(object, old, "spec");
        ObjectNode status = Json.ensureObject(object, "status");
        for (String type : new String[] {APPROVED, DENIED}) {
            keepConditions(status, old, type);
        }
    }

    /** Through the approval subresource conditions may change, nothing else. */
    @Override
    public void prepareForSubresourceUpdate(String subresource, ObjectNode object, ObjectNode old) {
        ObjectNode asked = Json.ensureObject(object, "status").deepCopy();
        KindRules.keep(object, old, "spec");
        KindRules.keep(object, old, "status");
        KindRules.keep(Json.ensureObject(object, "status"), asked, "conditions");
    }

    private static void keepConditions(ObjectNode status, ObjectNode old, String type) {
        List<ObjectNode> before = ofType(Nodes.objects(old, "status", "conditions"), type);
        if (before.size() != ofType(Nodes.objects(status, "conditions"), type).size()) {
            return;
        }
        ArrayNode conditions = Json.array();
        int next = 0;
        for (ObjectNode condition : Nodes.objects(status, "conditions")) {
            boolean kept = Json.textAt(condition, "type").equals(type);
            conditions.add(kept ? before.get(next++).deepCopy() : condition);
        }
        if (!conditions.isEmpty()) {
            status.set("conditions", conditions);
        }
    }

    private static List<ObjectNode> ofType(List<ObjectNode> conditions, String type) {
        List<ObjectNode> found = new ArrayList<>(conditions);
        found.removeIf(condition -> !Json.textAt(condition, "type").equals(type));
        return found;
    }

    @Override
    public void stamp(ObjectNode object, @Nullable ObjectNode old, String now) {
        for (ObjectNode condition : Nodes.objects(object, "status", "conditions")) {
            Nodes.defaultValue(condition, "lastUpdateTime", Json.text(now));
            if (!Nodes.has(condition, "lastTransitionTime")) {
                condition.put("lastTransitionTime", lastTransition(condition, old, now));
            }
        }
    }

    private static String lastTransition(ObjectNode condition, @Nullable ObjectNode old, String now) {
        for (ObjectNode before : Nodes.objects(old, "status", "conditions")) {
            if (Json.textAt(before, "type").equals(Json.textAt(condition, "type"))
                    && Json.textAt(before, "status").equals(Json.textAt(condition, "status"))
                    && Nodes.has(before, "lastTransitionTime")) {
                return Json.textAt(before, "lastTransitionTime");
            }
        }
        return now;
    }

    @Override
    public Set<String> selectableFields() {
        return Set.of("spec.signerName");
    }

    @Override
    public @Nullable String selectableField(ObjectNode object, String field) {
        return field.equals("spec.signerName") ? Json.textAt(object, "spec", "signerName") : null;
    }

    @Override
    public List<String> nameErrors(String name, boolean prefix) {
        // Anything that fits into a URL: names are chosen by kubelets of any age.
        return List.of();
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        CertificateValidation.create(object, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        CertificateValidation.update(object, old, CertificateValidation.Writer.OWNER, errors);
    }

    @Override
    public void validateStatusUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        CertificateValidation.update(object, old, CertificateValidation.Writer.SIGNER, errors);
    }

    @Override
    public void validateSubresourceUpdate(String subresource, ObjectNode object, ObjectNode old, FieldErrors errors) {
        CertificateValidation.update(object, old, CertificateValidation.Writer.APPROVER, errors);
    }
}
