package lavaflow.kinds;

import java.util.List;

import lavaflow.kube.FieldError;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Objects written in JSON with single quotes, put through the rules of their kind as the server does. */
final class Sample {
    static final String NOW = "2026-01-02T03:04:05Z";

    private Sample() {}

    static ObjectNode object(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    static KindRules rules(String resource) {
        int slash = resource.indexOf('/');
        return BuiltinKinds.rules(resource.substring(0, slash), "v1", resource.substring(slash + 1));
    }

    /** The object as stored after create, but for what the generic pipeline adds. */
    static ObjectNode created(String resource, String json) {
        ObjectNode object = object(json);
        KindRules rules = rules(resource);
        rules.applyDefaults(object);
        rules.prepareForCreate(object);
        rules.stamp(object, null, NOW);
        return object;
    }

    static void assertCreated(String resource, String json, String expected) {
        assertThat(created(resource, json)).isEqualTo(object(expected));
    }

    /** What validation says of a new object, one message per error. */
    static List<String> createErrors(String resource, String json) {
        FieldErrors errors = new FieldErrors();
        rules(resource).validateCreate(created(resource, json), errors);
        return messages(errors);
    }

    /** What validation says of a change. */
    static List<String> updateErrors(String resource, String before, String after) {
        ObjectNode old = created(resource, before);
        ObjectNode object = object(after);
        KindRules rules = rules(resource);
        rules.applyDefaults(object);
        rules.prepareForUpdate(object, old);
        rules.stamp(object, old, NOW);
        FieldErrors errors = new FieldErrors();
        rules.validateUpdate(object, old, errors);
        return messages(errors);
    }

    static List<String> messages(FieldErrors errors) {
        return errors.list().stream().map(FieldError::message).toList();
    }

    static List<String> warnings(String resource, String json) {
        return rules(resource).warnings(created(resource, json), null);
    }
}
