package lavaflow.cel;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Values that may be absent. {@code or} and {@code orValue} are steps of their own because they are lazy. */
final class OptionalFunctions {
    private OptionalFunctions() {}

    static void register(Implementations all) {
        all.overload("optional_none", args -> CelOptional.NONE);
        all.overload("optional_of", args -> CelOptional.of(args[0]));
        all.overload("optional_ofNonZeroValue", args -> isZero(args[0]) ? CelOptional.NONE : CelOptional.of(args[0]));
        all.overload("optional_hasValue", args -> ((CelOptional) args[0]).isPresent());
        all.overload("optional_value", args -> {
            Object value = ((CelOptional) args[0]).value();
            if (value == null) {
                throw new CelException("optional.none() dereference");
            }
            return value;
        });
        all.overload("optional_unwrap", args -> unwrap((CelList) args[0]));
        all.overload("optional_unwrapOpt", args -> unwrap((CelList) args[0]));
    }

    private static Object unwrap(CelList list) {
        List<Object> present = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            if (!(list.get(i) instanceof CelOptional optional)) {
                throw new CelException("value " + GoFormat.value(list.get(i)) + " is not optional");
            }
            if (optional.value() != null) {
                present.add(optional.value());
            }
        }
        return new Lists.Values(present);
    }

    private static boolean isZero(Object value) {
        return switch (value) {
            case Boolean bool -> !bool;
            case Long number -> number == 0;
            case UnsignedLong number -> number.bits() == 0;
            case Double number -> number == 0;
            case String text -> text.isEmpty();
            case CelBytes bytes -> bytes.size() == 0;
            case CelList list -> list.size() == 0;
            case CelMap map -> map.size() == 0;
            case Duration duration -> duration.isZero();
            case OffsetDateTime time -> time.toEpochSecond() == -62_135_596_800L && time.getNano() == 0;
            case CelOptional optional -> !optional.isPresent();
            default -> CelValues.NULL.equals(value);
        };
    }
}
