package lavaflow.kinds;

import java.util.Objects;
import java.util.Set;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Webhooks that judge or change what is written. */
final class WebhookConfigurationRules implements KindRules {
    private final boolean mutating;

    WebhookConfigurationRules(boolean mutating) {
        this.mutating = mutating;
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.NO_UNCONDITIONAL_UPDATE);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        for (ObjectNode webhook : Nodes.objects(object, "webhooks")) {
            Nodes.defaultValue(webhook, "failurePolicy", Json.text("Fail"));
            AdmissionDefaults.applyMatch(webhook);
            Nodes.defaultValue(webhook, "timeoutSeconds", Json.number(10));
            if (mutating) {
                Nodes.defaultValue(webhook, "reinvocationPolicy", Json.text("Never"));
            }
            AdmissionDefaults.applyService(Json.objectAt(webhook, "clientConfig", "service"));
        }
    }

    @Override
    public boolean specChanged(ObjectNode object, ObjectNode old) {
        return !Objects.equals(object.get("webhooks"), old.get("webhooks"));
    }

    @Override
    public void validateCreate(ObjectNode object, FieldErrors errors) {
        WebhookValidation.configuration(object, null, errors);
    }

    @Override
    public void validateUpdate(ObjectNode object, ObjectNode old, FieldErrors errors) {
        WebhookValidation.configuration(object, old, errors);
    }
}
