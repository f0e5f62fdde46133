package lavaflow.schema;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Whether a schema may define a custom kind: every value has a type, nothing is used that pruning could not follow, defaults
 * are valid, rules compile and are cheap enough.
 *
 * <p>Schemas come decoded. What upstream only tolerates because it was so before, such as defaults with unknown fields, is
 * not tolerated: no definition could have been stored with it.
 */
public final class StructuralRules {
    private static final String[] UNSUPPORTED = {
        "id", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"
    };

    private static final String ROOT_WORDS =
            "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength"
                    + " Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example"
                    + " XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status"
                    + " subresource is enabled";

    private StructuralRules() {}

    /**
     * Checks the schema of a version.
     *
     * @param statusEnabled whether the version has the status subresource, which leaves less to the root of the schema
     * @param unchanged whether the version had this schema before; costs of its rules were accepted then
     * @param path of the validation or schema field that holds {@code openAPIV3Schema}
     */
    public static void check(
            ObjectNode props, boolean statusEnabled, boolean unchanged, FieldPath path, FieldErrors errors) {
        FieldPath place = path.child("openAPIV3Schema");
        FieldErrors own = new FieldErrors();
        root(props, statusEnabled, place, own);
        boolean readable = !hasUnsupported(props);
        boolean structural = readable;
        if (readable) {
            int before = own.list().size();
            StructureCheck.check(props, place, own);
            if (own.list().size() == before) {
                DefaultsCheck.check(StructuralSchema.parse(props), place, own);
            }
            structural = own.list().size() == before;
        }
        new WordsCheck(structural ? new RuleCosts(unchanged) : null).check(props, place, own);
        if (own.isEmpty() && !readable) {
            own.invalid(place, "", "OpenAPIV3Schema 'schema' is not supported");
        }
        errors.addAll(own);
    }

    private static void root(ObjectNode props, boolean statusEnabled, FieldPath path, FieldErrors errors) {
        String refused = statusEnabled ? SchemaDump.refusedAtRoot(props) : null;
        if (refused != null && refused.equals("type")) {
            errors.invalid(
                    path.child("type"),
                    Json.textAt(props, "type"),
                    "only \"object\" is allowed as the type at the root of the schema if the status subresource is"
                            + " enabled");
        } else if (refused != null) {
            errors.invalid(path, SchemaDump.of(props), ROOT_WORDS);
        }
        if (Json.flagAt(props, "nullable")) {
            errors.forbidden(path.child("nullable"), "nullable cannot be true at the root");
        }
    }

    /** Whether something is used that upstream cannot even read into the form that it checks. */
    static boolean hasUnsupported(@Nullable JsonNode node) {
        if (!(node instanceof ObjectNode schema)) {
            return false;
        }
        for (String word : UNSUPPORTED) {
            JsonNode value = Json.at(schema, word);
            if (value != null && !(value.isContainerNode() && value.isEmpty())) {
                return true;
            }
        }
        JsonNode preserves = Json.at(schema, "x-kubernetes-preserve-unknown-fields");
        if ((preserves != null && !preserves.booleanValue())
                || Json.at(schema, "$schema") != null
                || (schema.get("items") != null && schema.get("items").isArray())) {
            return true;
        }
        for (String list : new String[] {"allOf", "anyOf", "oneOf"}) {
            for (JsonNode choice : Json.listAt(schema, list)) {
                if (hasUnsupported(choice)) {
                    return true;
                }
            }
        }
        if (hasUnsupported(schema.get("not"))
                || hasUnsupported(schema.get("items"))
                || hasUnsupported(schema.get("additionalProperties"))) {
            return true;
        }
        ObjectNode properties = Json.objectAt(schema, "properties");
        return properties != null
                && properties.properties().stream().anyMatch(entry -> hasUnsupported(entry.getValue()));
    }
}
