package lavaflow.kube;

/**
 * One thing that is wrong with one field.
 *
 * @param reason the machine-readable kind of error, as in a Status cause
 * @param field where, printed as {@link FieldPath}
 * @param detail what, without the field: {@code Invalid value: "x": must be …}
 */
public record FieldError(Reason reason, String field, String detail) {
    /** Upstream's names of causes. */
    public enum Reason {
        REQUIRED("FieldValueRequired"),
        INVALID("FieldValueInvalid"),
        NOT_SUPPORTED("FieldValueNotSupported"),
        DUPLICATE("FieldValueDuplicate"),
        FORBIDDEN("FieldValueForbidden"),
        TOO_LONG("FieldValueTooLong"),
        TOO_MANY("FieldValueTooMany"),
        NOT_FOUND("FieldValueNotFound"),
        TYPE_INVALID("FieldValueTypeInvalid"),
        INTERNAL("InternalError");

        private final String wireName;

        Reason(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }

    /** The whole message: {@code spec.replicas: Invalid value: -1: must be …}. */
    public String message() {
        return field.isEmpty() ? detail : field + ": " + detail;
    }
}
