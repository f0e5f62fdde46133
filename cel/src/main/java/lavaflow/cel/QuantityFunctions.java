package lavaflow.cel;

import lavaflow.kube.MalformedException;
import lavaflow.kube.Quantity;

import org.jspecify.annotations.Nullable;

/** Kubernetes' functions on quantities and semantic versions. */
final class QuantityFunctions {
    private QuantityFunctions() {}

    /** A quantity as a value. */
    record QuantityValue(Quantity quantity) implements TypedValue {
        @Override
        public CelType type() {
            return CelType.QUANTITY;
        }

        @Override
        public String toString() {
            return quantity.toString();
        }
    }

    static void register(Implementations all) {
        all.overload("string_to_quantity", args -> {
            try {
                return new QuantityValue(Quantity.parse((String) args[0]));
            } catch (MalformedException wrong) {
                throw new CelException(String.valueOf(wrong.getMessage()));
            }
        });
        all.overload("is_quantity_string", args -> parse((String) args[0]) != null);
        all.overload("quantity_sign", args -> (long) of(args[0]).signum());
        all.overload("quantity_is_integer", args -> integer(of(args[0])) != null);
        all.overload("quantity_get_int", args -> {
            Long value = integer(of(args[0]));
            if (value == null) {
                throw new CelException("cannot convert value to integer");
            }
            return value;
        });
        all.overload("quantity_get_float", args -> of(args[0]).approximate());
        all.overload("quantity_compare_to", args -> (long) of(args[0]).compareTo(of(args[1])));
        all.overload("quantity_is_greater_than", args -> of(args[0]).compareTo(of(args[1])) > 0);
        all.overload("quantity_is_less_than", args -> of(args[0]).compareTo(of(args[1])) < 0);
        all.overload("quantity_add", args -> new QuantityValue(of(args[0]).plus(of(args[1]))));
        all.overload("quantity_add_int", args -> new QuantityValue(of(args[0]).plus(whole((Long) args[1]))));
        all.overload("quantity_sub", args -> new QuantityValue(of(args[0]).minus(of(args[1]))));
        all.overload("quantity_sub_int", args -> new QuantityValue(of(args[0]).minus(whole((Long) args[1]))));
        versions(all);
    }

    private static void versions(Implementations all) {
        all.overload("string_to_semver", args -> SemanticVersion.parse((String) args[0]));
        all.overload("string_bool_to_semver", args -> version((String) args[0], (Boolean) args[1]));
        all.overload("is_semver_string", args -> isVersion((String) args[0], false));
        all.overload("is_semver_string_bool", args -> isVersion((String) args[0], (Boolean) args[1]));
        all.overload("semver_major", args -> ((SemanticVersion) args[0]).major());
        all.overload("semver_minor", args -> ((SemanticVersion) args[0]).minor());
        all.overload("semver_patch", args -> ((SemanticVersion) args[0]).patch());
        all.overload("semver_compare_to", args -> (long) compare(args));
        all.overload("semver_is_greater_than", args -> compare(args) > 0);
        all.overload("semver_is_less_than", args -> compare(args) < 0);
    }

    private static int compare(Object[] versions) {
        return Integer.signum(((SemanticVersion) versions[0]).compareTo((SemanticVersion) versions[1]));
    }

    private static SemanticVersion version(String text, boolean normalize) {
        return normalize ? SemanticVersion.normalized(text) : SemanticVersion.parse(text);
    }

    private static Object isVersion(String text, boolean normalize) {
        try {
            version(text, normalize);
            return true;
        } catch (CelException wrong) {
            return false;
        }
    }

    private static Quantity of(Object value) {
        return ((QuantityValue) value).quantity();
    }

    private static Quantity whole(long value) {
        return Quantity.of(value, Quantity.Format.DECIMAL_EXPONENT);
    }

    private static @Nullable Quantity parse(String text) {
        try {
            return Quantity.parse(text);
        } catch (MalformedException wrong) {
            return null;
        }
    }

    private static @Nullable Long integer(Quantity quantity) {
        long value = quantity.value();
        return Quantity.of(value, Quantity.Format.DECIMAL_SI).compareTo(quantity) == 0 ? value : null;
    }
}
