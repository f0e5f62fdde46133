package lavaflow.schema;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.ApiException;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;
import lavaflow.kube.ManagedFields;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Applying any configuration to a custom object gives an object or an answer to the client, changes nothing it was given,
 * and applied once more changes nothing. An input is a JSON object a line.
 */
class CustomApplyFuzzTest {
    private static final String NOW = "2026-01-02T03:04:05Z";

    private static final ObjectNode SCHEMA = (ObjectNode) Json.parse("""
            {"type":"object","properties":{"spec":{"type":"object","properties":{
              "ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],
                "items":{"type":"object","required":["port"],"properties":{"port":{"type":"integer"},
                  "protocol":{"type":"string","default":"TCP"},"name":{"type":"string"},
                  "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}},
              "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
              "args":{"type":"array","items":{"type":"string"}},
              "pools":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"map",
                "x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],
                  "properties":{"name":{"type":"string"},"size":{"x-kubernetes-int-or-string":true}}}}},
              "selector":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
              "labels":{"type":"object","additionalProperties":{"type":"string"}},
              "raw":{"x-kubernetes-preserve-unknown-fields":true},
              "template":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}
            }}}}""");

    private static final ObjectNode LIVE = (ObjectNode) Json.parse("""
            {"apiVersion":"ex.com/v1","kind":"Foo","metadata":{"name":"f","uid":"1","labels":{"a":"1"}},
             "spec":{"ports":[{"port":1,"protocol":"TCP","name":"a","tags":["x"]},{"port":2,"protocol":"UDP"}],"tags":["a","b"],
              "args":["1"],"pools":{"a":[{"name":"x","size":1},{"name":"y","size":"5%"}]},"selector":{"a":"b"},
              "labels":{"c":"d"},"raw":{"x":{"y":[1]}},
              "template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}}""");

    /** The object in one line of an input. */
    private static @Nullable ObjectNode line(byte[] input, int number) {
        String[] lines = new String(input, StandardCharsets.UTF_8).split("\n", 4);
        if (number >= lines.length) {
            return null;
        }
        try {
            JsonNode tree = Json.parseUntrusted(lines[number].getBytes(StandardCharsets.UTF_8));
            return tree instanceof ObjectNode object ? object : null;
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private static ManagedFields owners(ObjectNode schema) {
        SchemaTypes types = new SchemaTypes(StructuralSchema.parse(schema), "ex.com/v1/Foo");
        return new ManagedFields(ManagedFields.Endpoint.of(types, types.root(), "ex.com/v1", "Foo"));
    }

    private static ObjectNode foo(ObjectNode object) {
        return object.put("apiVersion", "ex.com/v1").put("kind", "Foo");
    }

    /** Two managers apply and one updates; each may be refused, none may fail. */
    private static void write(ManagedFields owners, ObjectNode live, ObjectNode config) {
        ObjectNode before = live.deepCopy();
        ObjectNode sent = config.deepCopy();
        try {
            ObjectNode first = owners.apply(live, config, "one", true, NOW);
            require(live.equals(before), "the live object was changed");
            require(config.equals(sent), "the configuration was changed");
            ObjectNode second = owners.apply(first, config, "one", false, NOW);
            require(second.equals(first), "applying once more gave " + second + " after " + first);
            owners.apply(second, before, "two", true, NOW);
            owners.apply(null, config, "one", false, NOW);
        } catch (ApiException e) {
            require(e.code() >= 400 && e.code() < 500, "refused with " + e.code() + ": " + e.getMessage());
        }
        owners.update(live, sent.deepCopy(), "three", NOW);
        owners.update(null, sent.deepCopy(), "three", NOW);
    }

    @FuzzTest
    void configurations(byte[] input) {
        ManagedFields owners = owners(SCHEMA);
        ObjectNode live = owners.update(null, LIVE.deepCopy(), "three", NOW);
        ObjectNode first = line(input, 0);
        ObjectNode second = line(input, 1);
        if (first != null) {
            write(owners, live, foo(first));
            if (second != null) {
                write(owners, owners.update(null, foo(first.deepCopy()), "three", NOW), foo(second));
            }
        }
    }

    @FuzzTest
    void schemas(byte[] input) {
        ObjectNode props = line(input, 0);
        ObjectNode live = line(input, 1);
        ObjectNode config = line(input, 2);
        if (props == null || live == null || config == null) {
            return;
        }
        FieldErrors errors = new FieldErrors();
        StructuralRules.check(props, true, false, FieldPath.of("spec", "validation"), errors);
        if (errors.isEmpty()) {
            write(owners(props), foo(live), foo(config));
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
