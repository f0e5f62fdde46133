package lavaflow.kube;

import java.util.Arrays;

import lavaflow.kube.Struct.Field;

/** Where a decoder stands in a document; text is made only when there is something to complain about. */
final class FieldTrail {
    private enum ListStep {
        INDEX
    }

    /** A {@link Field}, a map key or a position in a list. */
    private Object[] steps = new Object[32];

    private Struct[] structs = new Struct[32];
    private int[] positions = new int[32];
    private int depth;

    void enterField(Struct struct, Field field) {
        grow();
        structs[depth] = struct;
        steps[depth++] = field;
    }

    void enterKey(String key) {
        grow();
        steps[depth++] = key;
    }

    void enterIndex(int index) {
        grow();
        positions[depth] = index;
        steps[depth++] = ListStep.INDEX;
    }

    void leave() {
        depth--;
    }

    private void grow() {
        if (depth == steps.length) {
            steps = Arrays.copyOf(steps, depth * 2);
            structs = Arrays.copyOf(structs, depth * 2);
            positions = Arrays.copyOf(positions, depth * 2);
        }
    }

    /** The path of a key in the current object: {@code spec.containers[0].imagee}. */
    String path(String key) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            if (steps[i] instanceof ListStep) {
                path.append('[').append(positions[i]).append(']');
            } else {
                String name = steps[i] instanceof Field field ? field.name() : (String) steps[i];
                path.append(path.isEmpty() ? "" : ".").append(name);
            }
        }
        return path.append(path.isEmpty() ? "" : ".").append(key).toString();
    }

    /** Go's complaint about a value that the current field cannot hold. */
    DecodingException mismatch(String value, String goType) {
        return new DecodingException(
                "json: cannot unmarshal " + value + " into Go struct field " + goField() + " of type " + goType);
    }

    /** The innermost struct and the fields from the root, as Go's decoding errors show them. */
    private String goField() {
        StringBuilder path = new StringBuilder();
        String struct = "";
        for (int i = 0; i < depth; i++) {
            if (steps[i] instanceof Field field) {
                struct = structs[i].goName();
                path.append('.').append(structs[i].goPath(field));
            }
        }
        return struct + path;
    }

    /** Go's name for a type that is reached from a field through lists and maps. */
    String goType(Struct struct, Field field, int nesting, Type type) {
        String name = struct.goType(field);
        for (int i = 0; i < nesting; i++) {
            if (name.startsWith("[]")) {
                name = name.substring(2);
            } else if (name.startsWith("map[")) {
                name = name.substring(name.indexOf(']') + 1);
            } else {
                return type.goName();
            }
        }
        return name.startsWith("*") ? name.substring(1) : name;
    }
}
