package lavaflow.apiserver;

import lavaflow.access.Attributes;
import lavaflow.access.Authorizer;
import lavaflow.access.User;
import lavaflow.audit.AuditRecord;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldSelector;
import lavaflow.kube.MalformedException;
import lavaflow.kube.Names;

/** Refuses what a user may not: 403, in upstream's words. */
public final class Authorization {
    private final Authorizer authorizer;

    Authorization(Authorizer authorizer) {
        this.authorizer = authorizer;
    }

    Authorizer authorizer() {
        return authorizer;
    }

    boolean allows(User user, Attributes attributes) {
        return authorizer.decide(user, attributes).allowed();
    }

    void check(User user, RequestInfo info, Query query) {
        check(user, attributes(info, query));
    }

    /** The same, and writes down why. */
    void check(User user, RequestInfo info, Query query, AuditRecord audit) {
        Attributes attributes = attributes(info, query);
        Authorizer.Decision decision = authorizer.decide(user, attributes);
        audit.annotate("authorization.k8s.io/decision", decision.allowed() ? "allow" : "forbid");
        audit.annotate("authorization.k8s.io/reason", decision.reason());
        if (!decision.allowed()) {
            throw forbidden(user, attributes, decision.reason());
        }
    }

    void check(User user, Attributes attributes) {
        Authorizer.Decision decision = authorizer.decide(user, attributes);
        if (!decision.allowed()) {
            throw forbidden(user, attributes, decision.reason());
        }
    }

    static Attributes attributes(RequestInfo info, Query query) {
        if (!info.resourceRequest()) {
            return Attributes.ofPath(info.verb(), info.path());
        }
        boolean selects = info.verb().equals("list")
                || info.verb().equals("watch")
                || info.verb().equals("deletecollection");
        String fields = selects ? text(query, "fieldSelector") : "";
        return new Attributes(
                true,
                info.verb(),
                info.namespace(),
                info.group(),
                info.version(),
                info.resource(),
                info.subresource(),
                info.name().isEmpty() ? selectedName(fields) : info.name(),
                info.path(),
                fields,
                selects ? text(query, "labelSelector") : "");
    }

    /** Who selects one object by its name asks for that object, so that roles for names let them list it. */
    private static String selectedName(String fieldSelector) {
        if (!fieldSelector.contains("metadata.name")) {
            return "";
        }
        try {
            String name =
                    FieldSelector.parse(fieldSelector).exactly("metadata.name").orElse("");
            return Names.pathSegmentName(name).isEmpty() ? name : "";
        } catch (MalformedException e) {
            return "";
        }
    }

    private static String text(Query query, String name) {
        String value = query.first(name);
        return value == null ? "" : value;
    }

    static ApiException forbidden(User user, Attributes attributes, String reason) {
        // Browsers may show it; upstream defuses it the same way.
        String refusal = attributes
                .refusal(user)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;");
        String why = reason.isEmpty() ? refusal : refusal + ": " + reason;
        return attributes.resourceRequest()
                ? ApiException.forbidden(attributes.group(), attributes.resource(), attributes.name(), why)
                : ApiException.of(403, "Forbidden", "forbidden: " + why).withEmptyDetails();
    }
}
