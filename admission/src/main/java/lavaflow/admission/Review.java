package lavaflow.admission;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import lavaflow.access.User;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The question a webhook is asked: an AdmissionReview. Policies see its {@code request} too. */
final class Review {
    private Review() {}

    static ObjectNode of(Occasion occasion, Occasion.Form form, String version) {
        ObjectNode review = Json.object();
        review.put("kind", "AdmissionReview").put("apiVersion", "admission.k8s.io/" + version);
        ObjectNode request = request(occasion, form);
        ObjectNode withId = Json.object();
        withId.put("uid", UUID.randomUUID().toString());
        withId.setAll(request);
        withId.set("object", orNull(form.object()));
        withId.set("oldObject", orNull(form.old()));
        withId.put("dryRun", occasion.call().isTrial());
        withId.set("options", orNull(occasion.call().optionsDocument(occasion.operation())));
        review.set("request", withId);
        return review;
    }

    /** The part without identity and objects. */
    static ObjectNode request(Occasion occasion, Occasion.Form form) {
        ObjectNode request = Json.object();
        request.set("kind", kind(form.kind()));
        request.set("resource", resource(form));
        putUnlessEmpty(request, "subResource", occasion.subresource());
        Occasion.Form asked = occasion.form(occasion.resource());
        request.set("requestKind", kind(asked.kind()));
        request.set("requestResource", resource(asked));
        putUnlessEmpty(request, "requestSubResource", occasion.subresource());
        putUnlessEmpty(request, "name", occasion.name());
        putUnlessEmpty(request, "namespace", occasion.namespace());
        request.put("operation", occasion.operation().name());
        request.set("userInfo", user(occasion.call().user()));
        return request;
    }

    private static JsonNode orNull(@Nullable ObjectNode node) {
        return node == null ? NullNode.getInstance() : node;
    }

    private static ObjectNode kind(GroupVersionKind kind) {
        return Json.object()
                .put("group", kind.group())
                .put("version", kind.version())
                .put("kind", kind.kind());
    }

    private static ObjectNode resource(Occasion.Form form) {
        return Json.object()
                .put("group", form.resource().group())
                .put("version", form.resource().info().version())
                .put("resource", form.resource().name());
    }

    private static void putUnlessEmpty(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }

    private static ObjectNode user(User user) {
        ObjectNode node = Json.object();
        putUnlessEmpty(node, "username", user.name());
        putUnlessEmpty(node, "uid", user.uid());
        if (!user.groups().isEmpty()) {
            ArrayNode groups = node.putArray("groups");
            user.groups().forEach(groups::add);
        }
        if (!user.extra().isEmpty()) {
            ObjectNode extra = node.putObject("extra");
            for (Map.Entry<String, List<String>> each : user.extra().entrySet()) {
                ArrayNode values = extra.putArray(each.getKey());
                each.getValue().forEach(values::add);
            }
        }
        return node;
    }
}
