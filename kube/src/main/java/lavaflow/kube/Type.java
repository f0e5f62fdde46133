package lavaflow.kube;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** The type of a field: what Go's type says of built-in kinds and a structural schema of custom ones. */
public sealed interface Type {
    /** The type's name in decoding errors, as far as the type alone tells. */
    String goName();

    /** Whether Go's omitempty can hold for the type: of structs, and what Go makes of structs, it never does. */
    default boolean canBeEmpty() {
        return switch (this) {
            case Scalar scalar ->
                switch (scalar) {
                    case STRING, BOOL, INT32, INT64, FLOAT64, BYTES -> true;
                    case QUANTITY, TIME, MICRO_TIME, DURATION, INT_OR_STRING, RAW, FIELDS_V1 -> false;
                };
            case ListOf _, MapOf _ -> true;
            case Ref _, OneOf _ -> false;
        };
    }

    /** A value without inner structure; each has its own JSON form, canonical form and protobuf form. */
    enum Scalar implements Type {
        STRING("string"),
        BOOL("bool"),
        INT32("int32"),
        INT64("int64"),
        FLOAT64("float64"),
        /** Base64 text in JSON. */
        BYTES("[]uint8"),
        /** A number with a unit; canonicalised on output. */
        QUANTITY("resource.Quantity"),
        /** RFC 3339 with seconds. */
        TIME("v1.Time"),
        /** RFC 3339 with microseconds. */
        MICRO_TIME("v1.MicroTime"),
        /** Go's duration text. */
        DURATION("v1.Duration"),
        INT_OR_STRING("intstr.IntOrString"),
        /** An object kept as it came: a RawExtension, a JSON value of a schema, a set of managed fields. */
        RAW("runtime.RawExtension"),
        /** The set of fields of a managedFields entry. */
        FIELDS_V1("v1.FieldsV1");

        private final String goName;

        Scalar(String goName) {
            this.goName = goName;
        }

        @Override
        public String goName() {
            return goName;
        }
    }

    /** A struct by name, resolved through {@link Types}, so that recursive types are possible. */
    record Ref(String struct) implements Type {
        /** Package and type: {@code v1.PodSpec}. */
        @Override
        public String goName() {
            return struct.substring(struct.lastIndexOf('.', struct.lastIndexOf('.') - 1) + 1);
        }
    }

    /**
     * A list; pointers to elements do not matter in JSON.
     *
     * @param meaning how apply owns a list that stands in a map or another list; where it stands in a field, the field says it
     */
    record ListOf(Type element, Struct.@Nullable Field meaning) implements Type {
        public ListOf(Type element) {
            this(element, null);
        }

        @Override
        public String goName() {
            return "[]" + element.goName();
        }
    }

    /**
     * A map with string keys.
     *
     * @param meaning how apply owns a map that stands in another map or a list; where it stands in a field, the field says it
     */
    record MapOf(Type value, Struct.@Nullable Field meaning) implements Type {
        public MapOf(Type value) {
            this(value, null);
        }

        @Override
        public String goName() {
            return "map[string]" + value.goName();
        }
    }

    /**
     * Values that are either of the given types, told apart by their JSON form (as in JSONSchemaPropsOrBool); without choices,
     * of any.
     */
    record OneOf(String goName, List<Type> choices) implements Type {
        /** Content without a schema, whose meaning is deduced from its form: see {@link ApplySchema}. */
        public static final OneOf ANY = new OneOf("interface {}", List.of());
    }
}
