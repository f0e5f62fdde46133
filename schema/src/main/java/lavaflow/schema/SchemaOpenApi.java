package lavaflow.schema;

import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Schemas of custom kinds as OpenAPI documents publish them. */
public final class SchemaOpenApi {
    private SchemaOpenApi() {}

    /** The schema of a kind for {@code components.schemas} of an OpenAPI 3 document. */
    public static ObjectNode v3(@Nullable JsonNode openAPIV3Schema, GroupVersionKind kind) {
        return Json.object();
    }

    /** The schema of a kind for {@code definitions} of an OpenAPI 2 document, which can say less. */
    public static ObjectNode v2(@Nullable JsonNode openAPIV3Schema, GroupVersionKind kind) {
        return Json.object();
    }

    /** The schema of the list of a kind; {@code prefix} is {@code #/components/schemas/} or {@code #/definitions/}. */
    public static ObjectNode list(GroupVersionKind kind, String listKind, String itemName, String prefix) {
        return Json.object();
    }

    /** The name of a kind's schema: the group backwards, then version and kind: {@code com.example.v1.Foo}. */
    public static String name(GroupVersionKind kind) {
        return "";
    }
}
