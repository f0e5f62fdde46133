package lavaflow.admission;

import java.util.HashMap;
import java.util.Map;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.User;
import lavaflow.cel.CelAuthorizer;
import lavaflow.cel.CelLimits;
import lavaflow.cel.CelValues;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Prepares the evaluation of expressions: what their variables stand for. */
final class Evaluations {
    private final Namespaces namespaces;
    private final Authorizer authorizer;

    Evaluations(Namespaces namespaces, Authorizer authorizer) {
        this.namespaces = namespaces;
        this.authorizer = authorizer;
    }

    /** For the match conditions of webhooks, which know no namespace. */
    Evaluation conditions(Occasion occasion, Occasion.Form form) {
        return new Evaluation(bindings(occasion, form, null), CelLimits.RUNTIME_MATCH_CONDITIONS);
    }

    /** For policies. */
    Evaluation policy(Occasion occasion, Occasion.Form form, @Nullable ObjectNode params, long budget) {
        boolean inNone = occasion.namespace().isEmpty() || occasion.isNamespace();
        ObjectNode namespace = inNone ? null : namespaces.find(occasion.namespace());
        Evaluation evaluation = new Evaluation(bindings(occasion, form, namespace), budget);
        evaluation.bind("params", CelValues.of(params));
        return evaluation;
    }

    private Map<String, Object> bindings(Occasion occasion, Occasion.Form form, @Nullable ObjectNode namespace) {
        Map<String, Object> bindings = new HashMap<>();
        bindings.put("object", CelValues.of(form.object()));
        bindings.put("oldObject", CelValues.of(form.old()));
        bindings.put("request", request(occasion, form));
        CelAuthorizer checks = authorizer(occasion);
        bindings.put("namespaceObject", CelValues.of(namespace == null ? null : visible(namespace)));
        bindings.put("authorizer", CelValues.authorizer(checks));
        bindings.put("authorizer.requestResource", CelValues.resourceCheck(checks, ownResource(occasion)));
        return bindings;
    }

    private static CelAuthorizer.Check ownResource(Occasion occasion) {
        return new CelAuthorizer.Check(
                "",
                null,
                occasion.resource().group(),
                occasion.resource().name(),
                occasion.subresource(),
                occasion.namespace(),
                occasion.name(),
                null,
                null,
                null);
    }

    private static ObjectNode request(Occasion occasion, Occasion.Form form) {
        ObjectNode request = Review.request(occasion, form);
        request.put("dryRun", occasion.call().isTrial());
        ObjectNode options = occasion.call().optionsDocument(occasion.operation());
        if (options != null) {
            request.set("options", options);
        }
        return request;
    }

    /** A namespace as expressions see it: without what changes all the time. */
    private static ObjectNode visible(ObjectNode namespace) {
        ObjectNode copy = namespace.deepCopy();
        Json.ensureObject(copy, "metadata").remove("managedFields");
        copy.remove("kind");
        copy.remove("apiVersion");
        return copy;
    }

    private CelAuthorizer authorizer(Occasion occasion) {
        User user = occasion.call().user();
        return check -> {
            String path = check.path();
            Attributes attributes = path != null
                    ? Attributes.ofPath(check.verb(), path)
                    : Attributes.ofResource(
                            check.verb(),
                            check.group(),
                            "*",
                            check.resource(),
                            check.subresource(),
                            check.namespace(),
                            check.name());
            CelAuthorizer.ServiceAccount account = check.serviceAccount();
            Authorizer.Decision decision = authorizer.decide(account == null ? user : asUser(account), attributes);
            return new CelAuthorizer.Decision(decision.allowed(), decision.reason(), null);
        };
    }

    private static User asUser(CelAuthorizer.ServiceAccount account) {
        return new User(
                "system:serviceaccount:" + account.namespace() + ":" + account.name(),
                java.util.List.of(
                        "system:serviceaccounts", "system:serviceaccounts:" + account.namespace(), User.AUTHENTICATED));
    }
}
