package lavaflow.cel;

import lavaflow.kube.Names;

import org.jspecify.annotations.Nullable;

/** Kubernetes' functions that ask whether someone may do something. */
final class AuthorizerFunctions {
    private AuthorizerFunctions() {}

    /** Questions and answers cannot be compared. */
    interface Incomparable extends TypedValue {
        @Override
        default boolean sameAs(Object other) {
            if (CelValues.NULL.equals(other)) {
                return false;
            }
            throw Errors.noSuchOverload();
        }
    }

    /** Whom to ask, and for whom. */
    record AuthorizerValue(CelAuthorizer authorizer, CelAuthorizer.@Nullable ServiceAccount account)
            implements Incomparable {
        @Override
        public CelType type() {
            return CelType.AUTHORIZER;
        }
    }

    /** A question about a path, short of its verb. */
    record PathCheck(AuthorizerValue authorizer, String path) implements Incomparable {
        @Override
        public CelType type() {
            return CelType.PATH_CHECK;
        }
    }

    /** A question about an API group, short of its resource. */
    record GroupCheck(AuthorizerValue authorizer, String group) implements Incomparable {
        @Override
        public CelType type() {
            return CelType.GROUP_CHECK;
        }
    }

    /** A question about a resource; the verb of {@code check} is still empty. */
    record ResourceCheck(AuthorizerValue authorizer, CelAuthorizer.Check check) implements Incomparable {
        @Override
        public CelType type() {
            return CelType.RESOURCE_CHECK;
        }
    }

    /** The answer. */
    record DecisionValue(CelAuthorizer.Decision decision) implements Incomparable {
        @Override
        public CelType type() {
            return CelType.DECISION;
        }
    }

    static void register(Implementations all) {
        all.overload("authorizer_path", args -> {
            requireText((String) args[1], "path");
            return new PathCheck((AuthorizerValue) args[0], (String) args[1]);
        });
        all.overload("authorizer_group", args -> new GroupCheck((AuthorizerValue) args[0], (String) args[1]));
        all.overload(
                "authorizer_serviceaccount",
                args -> serviceAccount((AuthorizerValue) args[0], (String) args[1], (String) args[2]));
        all.overload("groupcheck_resource", args -> resource((GroupCheck) args[0], (String) args[1]));
        all.overload("resourcecheck_subresource", args -> {
            CelAuthorizer.Check c = check(args);
            return with(
                    args,
                    c.resource(),
                    (String) args[1],
                    c.namespace(),
                    c.name(),
                    c.fieldSelector(),
                    c.labelSelector());
        });
        all.overload("resourcecheck_namespace", args -> {
            CelAuthorizer.Check c = check(args);
            return with(
                    args,
                    c.resource(),
                    c.subresource(),
                    (String) args[1],
                    c.name(),
                    c.fieldSelector(),
                    c.labelSelector());
        });
        all.overload("resourcecheck_name", args -> {
            CelAuthorizer.Check c = check(args);
            return with(
                    args,
                    c.resource(),
                    c.subresource(),
                    c.namespace(),
                    (String) args[1],
                    c.fieldSelector(),
                    c.labelSelector());
        });
        all.overload("authorizer_fieldselector", args -> {
            CelAuthorizer.Check c = check(args);
            return with(
                    args, c.resource(), c.subresource(), c.namespace(), c.name(), (String) args[1], c.labelSelector());
        });
        all.overload("authorizer_labelselector", args -> {
            CelAuthorizer.Check c = check(args);
            return with(
                    args, c.resource(), c.subresource(), c.namespace(), c.name(), c.fieldSelector(), (String) args[1]);
        });
        all.overload("pathcheck_check", args -> {
            PathCheck path = (PathCheck) args[0];
            return ask(path.authorizer(), check(path.authorizer(), (String) args[1], path.path(), "", ""));
        });
        all.overload("resourcecheck_check", args -> {
            ResourceCheck resource = (ResourceCheck) args[0];
            return ask(resource.authorizer(), withVerb(resource.check(), (String) args[1]));
        });
        all.overload("decision_allowed", args -> decision(args).allowed());
        all.overload("decision_reason", args -> decision(args).reason());
        all.overload("decision_errored", args -> decision(args).error() != null);
        all.overload("decision_error", args -> {
            String error = decision(args).error();
            return error == null ? "" : error;
        });
    }

    private static void requireText(String text, String what) {
        if (text.isBlank()) {
            throw new CelException(what + " must not be empty");
        }
    }

    private static CelAuthorizer.Decision decision(Object[] args) {
        return ((DecisionValue) args[0]).decision();
    }

    private static CelAuthorizer.Check check(Object[] args) {
        return ((ResourceCheck) args[0]).check();
    }

    private static Object serviceAccount(AuthorizerValue authorizer, String namespace, String name) {
        if (!Names.dns1123Subdomain(name).isEmpty()) {
            throw new CelException("Invalid service account name");
        }
        if (!Names.dns1123Label(namespace).isEmpty()) {
            throw new CelException("Invalid service account namespace");
        }
        return new AuthorizerValue(authorizer.authorizer(), new CelAuthorizer.ServiceAccount(namespace, name));
    }

    private static CelAuthorizer.Check check(
            AuthorizerValue authorizer, String verb, @Nullable String path, String group, String resource) {
        return new CelAuthorizer.Check(verb, path, group, resource, "", "", "", null, null, authorizer.account());
    }

    private static Object resource(GroupCheck group, String resource) {
        requireText(resource, "resource");
        return new ResourceCheck(group.authorizer(), check(group.authorizer(), "", null, group.group(), resource));
    }

    private static Object with(
            Object[] args,
            String resource,
            String subresource,
            String namespace,
            String name,
            @Nullable String fieldSelector,
            @Nullable String labelSelector) {
        ResourceCheck old = (ResourceCheck) args[0];
        CelAuthorizer.Check check = new CelAuthorizer.Check(
                "",
                null,
                old.check().group(),
                resource,
                subresource,
                namespace,
                name,
                fieldSelector,
                labelSelector,
                old.check().serviceAccount());
        return new ResourceCheck(old.authorizer(), check);
    }

    private static CelAuthorizer.Check withVerb(CelAuthorizer.Check check, String verb) {
        return new CelAuthorizer.Check(
                verb,
                null,
                check.group(),
                check.resource(),
                check.subresource(),
                check.namespace(),
                check.name(),
                check.fieldSelector(),
                check.labelSelector(),
                check.serviceAccount());
    }

    private static Object ask(AuthorizerValue authorizer, CelAuthorizer.Check check) {
        return new DecisionValue(authorizer.authorizer().decide(check));
    }
}
