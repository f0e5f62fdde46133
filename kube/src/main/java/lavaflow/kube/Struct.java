package lavaflow.kube;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** A struct type: its fields in declaration order and how server-side apply treats it. */
public final class Struct {
    /** What a list means to server-side apply. */
    public enum ListKind {
        ATOMIC,
        SET,
        MAP
    }

    /**
     * One field.
     *
     * @param name the JSON name
     * @param type what it holds
     * @param number the protobuf field number, 0 where protobuf does not know it
     * @param wirePath protobuf numbers of the messages that JSON flattens around this field, outermost first
     * @param pointer Go keeps a pointer, so that zero differs from absent
     * @param omitEmpty left out of JSON when empty in Go's sense (which never holds for a struct that is no pointer)
     * @param omitZero left out of JSON when it is the zero value, structs too
     * @param required OpenAPI lists it as required
     * @param patchMerge strategic merge patch merges the list or map instead of replacing it
     * @param patchRetainKeys strategic merge patch clears what {@code $retainKeys} does not name
     * @param patchMergeKey key of a merged list of objects; null for primitives
     * @param listKind what a list means to server-side apply
     * @param listKeys keys of a list of kind MAP
     * @param atomicMap server-side apply owns the map or struct in this field as a whole
     * @param defaultValue the default that OpenAPI declares, which also completes keys of lists of kind MAP
     */
    public record Field(
            String name,
            Type type,
            int number,
            List<Integer> wirePath,
            boolean pointer,
            boolean omitEmpty,
            boolean omitZero,
            boolean required,
            boolean patchMerge,
            boolean patchRetainKeys,
            @Nullable String patchMergeKey,
            ListKind listKind,
            List<String> listKeys,
            boolean atomicMap,
            @Nullable JsonNode defaultValue) {
        /** Whether Go leaves the field out of JSON when it holds the zero value of its type. */
        boolean omittedWhenZero() {
            return omitZero || (omitEmpty && (pointer || type.canBeEmpty()));
        }
    }

    private final String name;
    private final String goName;
    private final boolean atomic;
    private final boolean open;
    private final Map<String, Field> fields;
    private final Map<String, String> goTypes;
    private final Map<String, String> goPaths;
    private final Map<String, Integer> positions = new HashMap<>();
    private final Field[] ordered;
    private final boolean[] shownWhenZero;
    private volatile @Nullable WirePlan wire;

    /** A struct whose fields have the Go types that follow from their types. */
    public Struct(String name, String goName, List<Field> fields, boolean atomic, boolean open) {
        this(name, goName, fields, atomic, open, Map.of(), Map.of());
    }

    /**
     * @param name the unique name: {@code io.k8s.api.core.v1.PodSpec}
     * @param goName the short name that decoding errors show: {@code PodSpec}
     * @param fields in declaration order; inlined structs are already flattened
     * @param atomic server-side apply owns the struct as a whole ({@code x-kubernetes-map-type: atomic})
     * @param open unknown fields are kept ({@code x-kubernetes-preserve-unknown-fields})
     * @param goTypes Go's names of field types, by field, where they do not follow from the type: named strings and maps
     * @param goPaths Go's names of the inlined structs around a field, by field, joined by dots
     */
    public Struct(
            String name,
            String goName,
            List<Field> fields,
            boolean atomic,
            boolean open,
            Map<String, String> goTypes,
            Map<String, String> goPaths) {
        this.name = name;
        this.goName = goName;
        this.atomic = atomic;
        this.open = open;
        this.goTypes = goTypes;
        this.goPaths = goPaths;
        Map<String, Field> byName = new LinkedHashMap<>();
        for (Field field : fields) {
            byName.put(field.name(), field);
        }
        this.fields = Collections.unmodifiableMap(byName);
        this.ordered = byName.values().toArray(Field[]::new);
        this.shownWhenZero = new boolean[ordered.length];
        for (int i = 0; i < ordered.length; i++) {
            positions.put(ordered[i].name(), i);
            shownWhenZero[i] = !ordered[i].omittedWhenZero();
        }
    }

    /** Where protobuf field numbers lead; made when first needed, maybe twice, which does no harm. */
    WirePlan wire() {
        WirePlan known = wire;
        if (known == null) {
            known = WirePlan.of(this);
            wire = known;
        }
        return known;
    }

    /** How many fields there are. */
    int size() {
        return ordered.length;
    }

    /** The position of a field in the order of declaration, or -1. */
    int position(String jsonName) {
        Integer position = positions.get(jsonName);
        return position == null ? -1 : position;
    }

    /** The field at a position. */
    Field at(int position) {
        return ordered[position];
    }

    /** Whether Go prints the field at a position even if it was never set. */
    boolean shownWhenZero(int position) {
        return shownWhenZero[position];
    }

    public String name() {
        return name;
    }

    public String goName() {
        return goName;
    }

    public boolean atomic() {
        return atomic;
    }

    public boolean open() {
        return open;
    }

    /** Fields by JSON name, in declaration order. */
    public Map<String, Field> fields() {
        return fields;
    }

    /** The type of a field as decoding errors name it: {@code v1.RestartPolicy}. */
    public String goType(Field field) {
        String named = goTypes.get(field.name());
        return named != null ? named : field.type().goName();
    }

    /** The name of a field as decoding errors show it, with the structs that JSON flattens: {@code VolumeSource.nfs}. */
    public String goPath(Field field) {
        String around = goPaths.get(field.name());
        return around == null ? field.name() : around + "." + field.name();
    }

    /** The field with a JSON name, or null where the struct has none. */
    public @Nullable Field field(String jsonName) {
        return fields.get(jsonName);
    }
}
