package lavaflow.apiserver;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

import lavaflow.access.User;
import lavaflow.kinds.KindRules;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Serves the verbs of every resource, built-in or custom, over HTTP. */
final class ResourceHandler {
    /** Answered by others, in whatever form. */
    private static final Set<String> CONNECTED = Set.of("exec", "attach", "portforward", "proxy");

    private final ResourceTable table;
    private final Reads reads;
    private final Writes writes;
    private final Deletes deletes;
    private final Watches watches;
    private final Patches patches;
    private final Subresources subresources;
    private final InstantSource clock;

    ResourceHandler(
            ResourceTable table,
            Reads reads,
            Writes writes,
            Deletes deletes,
            Watches watches,
            Patches patches,
            Subresources subresources,
            InstantSource clock) {
        this.table = table;
        this.reads = reads;
        this.writes = writes;
        this.deletes = deletes;
        this.watches = watches;
        this.patches = patches;
        this.subresources = subresources;
        this.clock = clock;
    }

    void handle(Exchange exchange, RequestInfo info, User user) throws IOException {
        Resource resource = table.find(info.group(), info.version(), info.resource());
        if (resource == null || !rightScope(resource, info)) {
            if (table.isBuiltinGroup(info.group())) {
                throw ApiException.noSuchPath();
            }
            throw new PathNotServed();
        }
        Answer answer = new Answer(exchange, resource, clock.instant());
        try {
            answer(exchange, info, user, resource, answer);
        } catch (ApiException e) {
            throw answer.refused(e);
        }
    }

    private void answer(Exchange exchange, RequestInfo info, User user, Resource resource, Answer answer)
            throws IOException {
        boolean proxied = info.subresource().equals("proxy");
        if (exchange.method().equals("HEAD") && resource.custom() == null && !proxied) {
            throw methodNotAllowed();
        }
        if (!info.subresource().isEmpty()) {
            subresource(exchange, info, user, resource, answer);
            return;
        }
        if (resource.custom() == null) {
            checkVerb(resource, info);
        } else {
            checkCustomVerb(resource, info, exchange);
        }
        String deprecation = resource.rules().deprecation();
        if (deprecation != null) {
            answer.warn(deprecation);
        }
        switch (info.verb()) {
            case "get" -> get(exchange, info, resource, answer);
            case "list" -> list(exchange, info, resource, answer);
            case "watch" -> watch(exchange, info, resource, answer);
            case "create" -> create(exchange, info, user, resource, answer);
            case "update" -> update(exchange, info, user, resource, answer);
            case "patch" -> patch(exchange, info, user, resource, answer);
            case "delete" -> delete(exchange, info, user, resource, answer);
            case "deletecollection" -> deleteCollection(exchange, info, user, resource, answer);
            default -> throw methodNotAllowed();
        }
    }

    /** Cluster-scoped kinds have no path inside a namespace; namespaces themselves do. */
    private static boolean rightScope(Resource resource, RequestInfo info) {
        if (resource.namespaced()) {
            boolean collection = info.name().isEmpty() && info.subresource().isEmpty();
            return !info.namespace().isEmpty() || collection;
        }
        return info.namespace().isEmpty() || info.resource().equals("namespaces");
    }

    static ApiException methodNotAllowed() {
        return ApiException.of(
                        405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
                .withEmptyDetails();
    }

    private static void checkVerb(Resource resource, RequestInfo info) {
        boolean onCollection = info.name().isEmpty();
        boolean needsName = List.of("update", "patch").contains(info.verb());
        boolean needsNamespace = resource.namespaced() && info.namespace().isEmpty();
        boolean misplaced = (needsName && onCollection)
                || (info.verb().equals("create") && (!onCollection || needsNamespace))
                || (info.verb().equals("deletecollection") && needsNamespace);
        if (misplaced || !resource.info().allows(info.verb())) {
            throw methodNotAllowed();
        }
    }

    /** Custom kinds are served by a handler of their own upstream, which words its refusals otherwise. */
    private static void checkCustomVerb(Resource resource, RequestInfo info, Exchange exchange) {
        boolean needsName = List.of("update", "patch").contains(info.verb());
        if (needsName && info.name().isEmpty()) {
            throw ApiException.badRequest("name must be provided");
        }
        boolean needsNamespace = resource.namespaced() && info.namespace().isEmpty();
        boolean reads = exchange.method().equals("GET") || exchange.method().equals("HEAD");
        if (needsNamespace && !reads) {
            throw new PathNotServed();
        }
    }

    private void get(Exchange exchange, RequestInfo info, Resource resource, Answer answer) throws IOException {
        answer.negotiate(false);
        StoredObject stored = reads.get(resource, info.namespace(), info.name(), exchange.query());
        answer.stored(200, stored);
    }

    private void list(Exchange exchange, RequestInfo info, Resource resource, Answer answer) throws IOException {
        answer.negotiate(true);
        ListOptions options = ListOptions.parse(exchange.query(), false);
        answer.list(reads.list(resource, info.namespace(), options));
    }

    private void watch(Exchange exchange, RequestInfo info, Resource resource, Answer answer) throws IOException {
        Negotiation.Choice choice = answer.negotiateStream();
        ListOptions options = ListOptions.parse(exchange.query(), true);
        if (!info.name().isEmpty()) {
            options = options.forName(info.name());
        }
        Watches.Request request = new Watches.Request(
                resource,
                info.namespace(),
                options,
                choice,
                Rendering.IncludeObject.parse(exchange.query().first("includeObject")));
        watches.serve(exchange, request);
    }

    private Call call(
            Exchange exchange,
            RequestInfo info,
            User user,
            Answer answer,
            Resource resource,
            String optionsKind,
            boolean apply) {
        String agent = exchange.header("User-Agent");
        WriteOptions options = WriteOptions.parse(exchange.query(), agent == null ? "" : agent, optionsKind, apply);
        Call call = new Call(user, resource, info, options, clock.instant());
        call.audited(exchange.audit());
        answer.answers(call);
        return call;
    }

    private void create(Exchange exchange, RequestInfo info, User user, Resource resource, Answer answer)
            throws IOException {
        answer.negotiate(false);
        Call call = call(exchange, info, user, answer, resource, "CreateOptions", false);
        ObjectNode object = ObjectDecoder.request(call, exchange, resource.info());
        if (resource.info().allows("get")) {
            checkNamespace(call, object);
            checkNamePresent(resource, object);
            ObjectNode created = writes.create(call, object);
            answer.warnings(call);
            answer.object(201, created);
        } else {
            checkNamespace(call, object);
            ObjectNode result = subresources.review(call, object);
            answer.warnings(call);
            answer.object(201, result);
        }
    }

    static void checkNamespace(Call call, ObjectNode object) {
        String given = Metadata.namespace(object);
        if (!call.resource().namespaced()) {
            return;
        }
        if (!given.isEmpty() && !given.equals(call.namespace())) {
            throw ApiException.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request");
        }
    }

    private static void checkNamePresent(Resource resource, ObjectNode object) {
        boolean named = !Metadata.name(object).isEmpty()
                || !Json.textAt(object, "metadata", "generateName").isEmpty();
        if (!named) {
            FieldErrors errors = new FieldErrors();
            errors.required(lavaflow.kube.FieldPath.of("metadata", "name"), "name or generateName is required");
            throw resource.invalid("", errors);
        }
    }

    private void update(Exchange exchange, RequestInfo info, User user, Resource resource, Answer answer)
            throws IOException {
        answer.negotiate(false);
        Call call = call(exchange, info, user, answer, resource, "UpdateOptions", false);
        ObjectNode object = ObjectDecoder.request(call, exchange, resource.info());
        checkNamespace(call, object);
        checkName(call, object);
        Writes.Written written = writes.update(
                call, resource.has(KindRules.Trait.CREATE_ON_UPDATE), false, _ -> inPlace(call, object.deepCopy()));
        answer.warnings(call);
        answer.object(written.created() ? 201 : 200, written.object());
    }

    static void checkName(Call call, ObjectNode object) {
        String given = Metadata.name(object);
        if (given.isEmpty()) {
            throw Patches.nameless(call);
        }
        if (!given.equals(call.name())) {
            throw ApiException.badRequest(
                    "the name of the object (" + given + ") does not match the name on the URL (" + call.name() + ")");
        }
    }

    /** The namespace of a body may be left out. */
    static ObjectNode inPlace(Call call, ObjectNode object) {
        if (call.resource().namespaced()) {
            Metadata.of(object).put("namespace", call.namespace());
        }
        return object;
    }

    private void patch(Exchange exchange, RequestInfo info, User user, Resource resource, Answer answer)
            throws IOException {
        answer.negotiate(false);
        boolean apply = Patches.isApply(exchange);
        Call call = call(exchange, info, user, answer, resource, "PatchOptions", apply);
        Writes.Written written = patches.patch(call, exchange);
        answer.warnings(call);
        answer.object(written.created() ? 201 : 200, written.object());
    }

    private void subresource(Exchange exchange, RequestInfo info, User user, Resource resource, Answer answer)
            throws IOException {
        KindInfo.Subresource sub = resource.info().subresource(info.subresource());
        if (sub == null) {
            throw resource.custom() == null ? ApiException.noSuchPath() : resource.notFound(info.name());
        }
        // There is no verb for it, but programs behind a proxy are asked for their options as by any other method.
        boolean options = sub.name().equals("proxy") && exchange.method().equals("OPTIONS");
        if (!options && !sub.verbs().contains(info.verb())) {
            throw methodNotAllowed();
        }
        if (!CONNECTED.contains(sub.name())) {
            answer.negotiate(false);
        }
        String optionsKind = switch (info.verb()) {
            case "create" -> "CreateOptions";
            case "patch" -> "PatchOptions";
            default -> "UpdateOptions";
        };
        boolean apply = info.verb().equals("patch") && Patches.isApply(exchange);
        Call call = call(exchange, info, user, answer, resource, optionsKind, apply);
        subresources.serve(exchange, call, sub, answer);
    }

    private void delete(Exchange exchange, RequestInfo info, User user, Resource resource, Answer answer)
            throws IOException {
        answer.negotiate(false);
        Call call = new Call(user, resource, info, WriteOptions.of(""), clock.instant());
        DeleteOptions options = DeleteOptions.parse(ObjectDecoder.deleteOptions(exchange), exchange.query());
        warnOfOrphans(call, options);
        Deletes.Deleted deleted = deletes.delete(call, options);
        answer.warnings(call);
        boolean legacyForeground = !deleted.gone() && options.orphanDependents() != null && !options.orphanDependents();
        boolean withObject = !deleted.gone() || resource.has(KindRules.Trait.RETURNS_DELETED);
        int code = legacyForeground ? 202 : 200;
        if (withObject) {
            answer.object(code, deleted.object());
        } else {
            answer.status(code, success(resource, deleted.object()));
        }
    }

    private static void warnOfOrphans(Call call, DeleteOptions options) {
        String warning = call.resource().rules().orphaningWarning();
        if (warning != null && options.orphanDependents() == null && options.propagationPolicy() == null) {
            call.warn(warning);
        }
    }

    private static ObjectNode success(Resource resource, ObjectNode deleted) {
        ObjectNode status = Json.object();
        status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
        status.put("status", "Success");
        ObjectNode details = status.putObject("details");
        details.put("name", Metadata.name(deleted));
        if (!resource.group().isEmpty()) {
            details.put("group", resource.group());
        }
        details.put("kind", resource.name());
        details.put("uid", Metadata.uid(deleted));
        return status;
    }

    private void deleteCollection(Exchange exchange, RequestInfo info, User user, Resource resource, Answer answer)
            throws IOException {
        answer.negotiate(true);
        Instant now = clock.instant();
        Call call = new Call(user, resource, info, WriteOptions.of(""), now);
        ListOptions selection = ListOptions.parse(exchange.query(), false);
        DeleteOptions options = DeleteOptions.parse(ObjectDecoder.deleteOptions(exchange), exchange.query());
        warnOfOrphans(call, options);
        answer.warnings(call);
        Reads.Page page = reads.list(resource, info.namespace(), selection);
        List<ObjectNode> deleted = new java.util.ArrayList<>();
        for (StoredObject stored : page.items()) {
            ObjectNode object = resource.read(stored);
            try {
                deletes.delete(call, Metadata.namespace(object), Metadata.name(object), options);
            } catch (ApiException e) {
                // Somebody else was faster; it is gone, which is what was asked for.
                if (e.code() != 404) {
                    throw e;
                }
            }
            deleted.add(object);
        }
        answer.objects(deleted, page.revision());
    }
}
