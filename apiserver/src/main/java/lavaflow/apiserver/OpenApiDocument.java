package lavaflow.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.Types;
import lavaflow.schema.SchemaOpenApi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Builds one OpenAPI document. Used once, by one thread. */
final class OpenApiDocument {
    /** The two versions of OpenAPI clients read. */
    enum Dialect {
        V2("#/definitions/"),
        V3("#/components/schemas/");

        private final String prefix;

        Dialect(String prefix) {
            this.prefix = prefix;
        }

        String reference(String name) {
            return prefix + name;
        }
    }

    private static final List<String> BODY_TYPES =
            List.of("application/json", "application/yaml", "application/vnd.kubernetes.protobuf");
    private static final List<String> PATCH_TYPES = List.of(
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/apply-patch+yaml");
    private static final List<String> CUSTOM_BODY_TYPES = List.of("application/json", "application/yaml");
    private static final List<String> CUSTOM_PATCH_TYPES =
            List.of("application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml");
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";

    private final ServerVersion version;
    private final Dialect dialect;
    private final OpenApiSchemas schemas;
    private final ObjectNode paths = Json.object();
    /** What the resource at hand takes and gives. */
    private List<String> bodyTypes = BODY_TYPES;

    private List<String> patchTypes = PATCH_TYPES;

    OpenApiDocument(ServerVersion version, Dialect dialect) {
        this.version = version;
        this.dialect = dialect;
        this.schemas = new OpenApiSchemas(dialect);
    }

    /** The document of some resources, and of groups whose objects are not stored. */
    ObjectNode of(List<Resource> resources, List<OwnGroup> others) {
        resources.forEach(this::add);
        for (OwnGroup group : others) {
            group.kinds().forEach(kind -> addPlain(kind, group.types()));
        }
        ObjectNode document = Json.object();
        if (dialect == Dialect.V2) {
            document.put("swagger", "2.0");
        } else {
            document.put("openapi", "3.0.0");
        }
        document.putObject("info").put("title", "Kubernetes").put("version", version.gitVersion());
        document.set("paths", paths);
        if (dialect == Dialect.V2) {
            document.set("definitions", schemas.all());
        } else {
            document.putObject("components").set("schemas", schemas.all());
        }
        return document;
    }

    private void add(Resource resource) {
        CustomVersion custom = resource.custom();
        if (custom == null) {
            addPlain(resource.info(), resource.types());
            return;
        }
        KindInfo info = published(resource.info());
        bodyTypes = CUSTOM_BODY_TYPES;
        patchTypes = CUSTOM_PATCH_TYPES;
        addPaths(info, resource.types(), schemas.addCustom(custom, info));
    }

    private void addPlain(KindInfo info, Types types) {
        schemas.addKind(types, info.struct(), info.group(), info.version(), info.kind());
        schemas.addList(info);
        bodyTypes = BODY_TYPES;
        patchTypes = PATCH_TYPES;
        addPaths(info, types, info.struct() + "List");
    }

    private void addPaths(KindInfo info, Types types, String list) {
        for (String common : List.of("DeleteOptions", "Status", "Patch", "APIResourceList", "WatchEvent")) {
            schemas.add(types, META + common);
        }
        String base =
                info.group().isEmpty() ? "/api/" + info.version() : "/apis/" + info.group() + "/" + info.version();
        String collection = base + (info.namespaced() ? "/namespaces/{namespace}/" : "/") + info.resource();
        ObjectNode operations = paths.putObject(collection);
        if (info.namespaced()) {
            parameter(operations.putArray("parameters"), "namespace", "path", "string");
        }
        operation(operations, "get", "list", info, list, "list");
        operation(operations, "post", "create", info, info.struct(), "post");
        operation(operations, "delete", "deletecollection", info, META + "Status", "deletecollection");
        if (info.namespaced() && info.allows("list")) {
            operation(paths.putObject(base + "/" + info.resource()), "get", "list", info, list, "list");
        }
        item(info, collection + "/{name}");
        for (KindInfo.Subresource sub : info.subresources()) {
            subresource(types, info, sub, collection + "/{name}/" + sub.name());
        }
    }

    /** Schemas of custom kinds go by names made of group, version and kind. */
    private static KindInfo published(KindInfo info) {
        String name = SchemaOpenApi.name(new GroupVersionKind(info.group(), info.version(), info.kind()));
        List<KindInfo.Subresource> parts = new ArrayList<>();
        for (KindInfo.Subresource part : info.subresources()) {
            boolean whole = part.struct().equals(info.struct());
            parts.add(new KindInfo.Subresource(
                    part.name(),
                    part.group(),
                    part.version(),
                    part.kind(),
                    part.namespaced(),
                    part.verbs(),
                    whole ? name : part.struct()));
        }
        return new KindInfo(
                info.group(),
                info.version(),
                info.kind(),
                info.listKind(),
                info.resource(),
                info.singular(),
                info.namespaced(),
                info.verbs(),
                info.shortNames(),
                info.categories(),
                info.storageVersionHash(),
                name,
                parts);
    }

    private void item(KindInfo info, String path) {
        if (!info.allows("get") && !info.allows("patch")) {
            return;
        }
        ObjectNode operations = paths.putObject(path);
        pathParameters(operations, info.namespaced());
        operation(operations, "get", "get", info, info.struct(), "get");
        operation(operations, "put", "update", info, info.struct(), "put");
        operation(operations, "patch", "patch", info, info.struct(), "patch");
        operation(operations, "delete", "delete", info, META + "Status", "delete");
    }

    private static void pathParameters(ObjectNode operations, boolean namespaced) {
        ArrayNode parameters = operations.putArray("parameters");
        parameter(parameters, "name", "path", "string");
        if (namespaced) {
            parameter(parameters, "namespace", "path", "string");
        }
    }

    private static void parameter(ArrayNode parameters, String name, String place, String type) {
        ObjectNode parameter = parameters.addObject();
        parameter.put("name", name).put("in", place);
        if (place.equals("path")) {
            parameter.put("required", true);
        }
        parameter.putObject("schema").put("type", type);
    }

    private void subresource(Types types, KindInfo info, KindInfo.Subresource sub, String path) {
        if (sub.struct().isEmpty() || sub.name().equals("proxy")) {
            return;
        }
        if (!sub.struct().equals(info.struct())) {
            schemas.addKind(types, sub.struct(), sub.group(), sub.version(), sub.kind());
        }
        KindInfo shape = new KindInfo(
                sub.group(),
                sub.version(),
                sub.kind(),
                "",
                info.resource() + "/" + sub.name(),
                "",
                info.namespaced(),
                sub.verbs(),
                List.of(),
                List.of(),
                "",
                sub.struct(),
                List.of());
        ObjectNode operations = paths.putObject(path);
        pathParameters(operations, info.namespaced());
        for (Map.Entry<String, String> verb : Map.of("get", "get", "put", "update", "patch", "patch", "post", "create")
                .entrySet()) {
            operation(operations, verb.getKey(), verb.getValue(), shape, sub.struct(), verb.getKey());
        }
    }

    private void operation(
            ObjectNode operations, String method, String verb, KindInfo info, String result, String action) {
        if (!info.allows(verb)) {
            return;
        }
        ObjectNode operation = operations.putObject(method);
        operation.put(
                "operationId",
                verb
                        + info.group().replaceAll("[^A-Za-z0-9]", "")
                        + info.version().toUpperCase(Locale.ROOT)
                        + (info.namespaced() ? "Namespaced" : "")
                        + info.kind());
        ArrayNode parameters = operation.putArray("parameters");
        boolean writes = List.of("create", "update", "patch").contains(verb);
        if (writes || verb.startsWith("delete")) {
            queryParameter(parameters, "dryRun", "string");
        }
        if (writes) {
            queryParameter(parameters, "fieldManager", "string");
            queryParameter(parameters, "fieldValidation", "string");
        }
        if (verb.equals("patch")) {
            queryParameter(parameters, "force", "boolean");
        }
        if (verb.equals("list") || verb.equals("deletecollection")) {
            for (String name : List.of("labelSelector", "fieldSelector", "continue", "resourceVersion")) {
                queryParameter(parameters, name, "string");
            }
            queryParameter(parameters, "limit", "integer");
            queryParameter(parameters, "watch", "boolean");
        }
        body(operation, parameters, verb, info);
        response(operation, result);
        operation.put("x-kubernetes-action", action);
        operation
                .putObject("x-kubernetes-group-version-kind")
                .put("group", info.group())
                .put("version", info.version())
                .put("kind", info.kind());
    }

    private void queryParameter(ArrayNode parameters, String name, String type) {
        ObjectNode parameter = parameters.addObject();
        parameter.put("name", name).put("in", "query");
        if (dialect == Dialect.V2) {
            parameter.put("type", type).put("uniqueItems", true);
        } else {
            parameter.putObject("schema").put("type", type).put("uniqueItems", true);
        }
    }

    private void body(ObjectNode operation, ArrayNode parameters, String verb, KindInfo info) {
        String struct = switch (verb) {
            case "create", "update" -> info.struct();
            case "patch" -> META + "Patch";
            case "delete", "deletecollection" -> META + "DeleteOptions";
            default -> "";
        };
        if (struct.isEmpty()) {
            return;
        }
        boolean required = !verb.startsWith("delete");
        if (dialect == Dialect.V2) {
            ObjectNode body = parameters.addObject();
            body.put("name", "body").put("in", "body").put("required", required);
            body.putObject("schema").put("$ref", dialect.reference(struct));
            ArrayNode consumes = operation.putArray("consumes");
            (verb.equals("patch") ? patchTypes : List.of("*/*")).forEach(consumes::add);
            return;
        }
        ObjectNode body = operation.putObject("requestBody");
        body.put("required", required);
        ObjectNode content = body.putObject("content");
        for (String type : verb.equals("patch") ? patchTypes : List.of("*/*")) {
            content.putObject(type).putObject("schema").put("$ref", dialect.reference(struct));
        }
    }

    private void response(ObjectNode operation, String struct) {
        ObjectNode ok = operation.putObject("responses").putObject("200");
        ok.put("description", "OK");
        if (dialect == Dialect.V2) {
            ok.putObject("schema").put("$ref", dialect.reference(struct));
            ArrayNode produces = operation.putArray("produces");
            bodyTypes.forEach(produces::add);
            return;
        }
        ObjectNode content = ok.putObject("content");
        for (String type : bodyTypes) {
            content.putObject(type).putObject("schema").put("$ref", dialect.reference(struct));
        }
    }
}
