package lavaflow.cel;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** A type of the language. Its text is the one compile errors show. */
public sealed interface CelType {
    CelType DYN = Basic.DYN;
    CelType BOOL = Basic.BOOL;
    CelType INT = Basic.INT;
    CelType UINT = Basic.UINT;
    CelType DOUBLE = Basic.DOUBLE;
    CelType STRING = Basic.STRING;
    CelType BYTES = Basic.BYTES;
    CelType NULL = Basic.NULL;
    CelType TIMESTAMP = Basic.TIMESTAMP;
    CelType DURATION = Basic.DURATION;

    /** Kubernetes' own types. */
    CelType QUANTITY = object("kubernetes.Quantity");

    CelType URL = object("kubernetes.URL");
    CelType SEMVER = object("kubernetes.Semver");
    CelType NAMED_FORMAT = object("kubernetes.NamedFormat");
    CelType IP = new Opaque("net.IP", List.of());
    CelType CIDR = new Opaque("net.CIDR", List.of());
    CelType AUTHORIZER = object("kubernetes.authorization.Authorizer");
    CelType PATH_CHECK = object("kubernetes.authorization.PathCheck");
    CelType GROUP_CHECK = object("kubernetes.authorization.GroupCheck");
    CelType RESOURCE_CHECK = object("kubernetes.authorization.ResourceCheck");
    CelType DECISION = object("kubernetes.authorization.Decision");
    /** Who asks, as expressions about requests and tokens see them. */
    CelType USER_INFO = object(
            "kubernetes.UserInfo",
            Map.of("username", STRING, "uid", STRING, "groups", list(STRING), "extra", map(STRING, list(STRING))));

    CelType JSON_PATCH = new ObjectOf("JSONPatch", Map.of("op", STRING, "path", STRING, "from", STRING, "value", DYN));

    /** Types without parts. */
    enum Basic implements CelType {
        DYN("dyn", "dyn"),
        BOOL("bool", "bool"),
        INT("int", "int"),
        UINT("uint", "uint"),
        DOUBLE("double", "double"),
        STRING("string", "string"),
        BYTES("bytes", "bytes"),
        NULL("null", "null_type"),
        TIMESTAMP("timestamp", "google.protobuf.Timestamp"),
        DURATION("duration", "google.protobuf.Duration"),
        /** What a part with an error has, so that one mistake is reported once. */
        ERROR("!error!", "*error*");

        private final String text;
        private final String typeName;

        Basic(String text, String typeName) {
            this.text = text;
            this.typeName = typeName;
        }

        @Override
        public String toString() {
            return text;
        }

        @Override
        public String typeName() {
            return typeName;
        }
    }

    /** A list. */
    record ListOf(CelType element) implements CelType {
        @Override
        public String toString() {
            return "list(" + element + ")";
        }

        @Override
        public String typeName() {
            return "list";
        }
    }

    /** A map. */
    record MapOf(CelType key, CelType value) implements CelType {
        @Override
        public String toString() {
            return "map(" + key + ", " + value + ")";
        }

        @Override
        public String typeName() {
            return "map";
        }
    }

    /** An object with declared fields; its name is its identity. Fields are named as expressions name them (escaped). */
    record ObjectOf(String name, Map<String, CelType> fields) implements CelType {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ObjectOf object && object.name.equals(name);
        }

        @Override
        public int hashCode() {
            return Objects.hash(name);
        }

        @Override
        public String toString() {
            return name;
        }

        @Override
        public String typeName() {
            return name;
        }
    }

    /** A type only its functions look into. */
    record Opaque(String name, List<CelType> parameters) implements CelType {
        @Override
        public String toString() {
            return parameters.isEmpty() ? name : name + "(" + parameters.getFirst() + ")";
        }

        @Override
        public String typeName() {
            return name;
        }
    }

    /** The type of a type. */
    record TypeOf(CelType of) implements CelType {
        @Override
        public String toString() {
            return "type(" + of + ")";
        }

        @Override
        public String typeName() {
            return "type";
        }
    }

    /** A type still to be found, in declarations of functions and while checking. */
    record Parameter(String name) implements CelType {
        @Override
        public String toString() {
            return name;
        }

        @Override
        public String typeName() {
            return name;
        }
    }

    /** The name values of this type answer to {@code type()} with. */
    String typeName();

    static CelType list(CelType element) {
        return new ListOf(element);
    }

    static CelType map(CelType key, CelType value) {
        return new MapOf(key, value);
    }

    static CelType optional(CelType value) {
        return new Opaque("optional_type", List.of(value));
    }

    static CelType object(String name, Map<String, CelType> fields) {
        return new ObjectOf(name, fields);
    }

    static CelType object(String name) {
        return new ObjectOf(name, Map.of());
    }

    static CelType type(CelType of) {
        return new TypeOf(of);
    }
}
