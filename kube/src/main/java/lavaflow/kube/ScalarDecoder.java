package lavaflow.kube;

import java.util.Base64;
import java.util.function.Consumer;

import lavaflow.kube.Struct.Field;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** Checks values without inner structure and brings them into their canonical form. */
final class ScalarDecoder {
    private static final String ZERO_TIME = "0001-01-01T00:00:00Z";
    private static final String ZERO_MICRO_TIME = "0001-01-01T00:00:00.000000Z";

    private final FieldTrail trail;
    private final Consumer<DecodingException> soft;

    /** @param soft told of values that do not fit but do not stop Go's decoder either */
    ScalarDecoder(FieldTrail trail, Consumer<DecodingException> soft) {
        this.trail = trail;
        this.soft = soft;
    }

    /** The canonical form of a value that is not null; null where it does not fit, which has been told. */
    @Nullable
    JsonNode decode(Type.Scalar type, Struct struct, Field field, int nesting, JsonNode input)
            throws DecodingException {
        boolean fits = switch (type) {
            case STRING -> input.isTextual();
            case BOOL -> input.isBoolean();
            case INT32 -> input.isIntegralNumber() && input.canConvertToInt();
            case INT64 -> input.isIntegralNumber() && input.canConvertToLong();
            case FLOAT64 -> input.isNumber();
            case BYTES -> input.isTextual() || input.isArray();
            case QUANTITY, TIME, MICRO_TIME, DURATION, INT_OR_STRING, RAW, FIELDS_V1 -> true;
        };
        if (!fits) {
            boolean number = type == Type.Scalar.INT32 || type == Type.Scalar.INT64;
            soft.accept(mismatch(input, number, trail.goType(struct, field, nesting, type)));
            return null;
        }
        return switch (type) {
            case STRING, BOOL, INT32, INT64, RAW, FIELDS_V1 -> input;
            case FLOAT64 -> wholeIfPossible(input);
            case BYTES -> input.isArray() ? bytesOf(input) : base64(input);
            case QUANTITY -> quantity(input);
            case TIME, MICRO_TIME, DURATION -> time(type, input);
            case INT_OR_STRING -> intOrString(input);
        };
    }

    private DecodingException mismatch(JsonNode input, boolean showNumber, String goType) {
        String kind = GoText.jsonKind(input);
        String value = showNumber && input.isNumber() ? kind + " " + input.asText() : kind;
        return trail.mismatch(value, goType);
    }

    /** Go prints floating point numbers without a fraction where there is none. */
    static JsonNode wholeIfPossible(JsonNode number) {
        if (number.isIntegralNumber()) {
            return number;
        }
        double value = number.doubleValue();
        return value == Math.rint(value) && Math.abs(value) < 1e18 ? Json.number((long) value) : number;
    }

    private @Nullable JsonNode bytesOf(JsonNode input) {
        byte[] bytes = new byte[input.size()];
        for (int i = 0; i < bytes.length; i++) {
            JsonNode element = input.get(i);
            boolean fits = element.isIntegralNumber() && element.canConvertToInt();
            if (!element.isNull() && (!fits || element.intValue() < 0 || element.intValue() > 255)) {
                soft.accept(mismatch(element, true, "uint8"));
                return null;
            }
            bytes[i] = (byte) element.intValue();
        }
        return Json.text(Base64.getEncoder().encodeToString(bytes));
    }

    private @Nullable JsonNode base64(JsonNode input) {
        try {
            String canonical = Base64.getEncoder().encodeToString(GoBase64.decode(input.textValue()));
            return canonical.equals(input.textValue()) ? input : Json.text(canonical);
        } catch (DecodingException e) {
            soft.accept(e);
            return null;
        }
    }

    private static JsonNode quantity(JsonNode input) throws DecodingException {
        try {
            String canonical = Quantity.parse((input.isContainerNode() ? "" : input.asText()).strip())
                    .toString();
            return input.isTextual() && canonical.equals(input.textValue()) ? input : Json.text(canonical);
        } catch (MalformedException e) {
            throw new DecodingException(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable JsonNode time(Type.Scalar type, JsonNode input) throws DecodingException {
        if (!input.isTextual()) {
            throw mismatch(input, false, "string");
        }
        String text = input.textValue();
        try {
            String canonical = switch (type) {
                case TIME -> GoTime.seconds(GoTime.parseSeconds(text));
                case MICRO_TIME -> GoTime.micros(GoTime.parseMicros(text));
                default -> GoDuration.formatNanos(GoDuration.parseNanos(text));
            };
            if (canonical.equals(ZERO_TIME) || canonical.equals(ZERO_MICRO_TIME)) {
                return null;
            }
            return canonical.equals(text) ? input : Json.text(canonical);
        } catch (MalformedException e) {
            throw new DecodingException(String.valueOf(e.getMessage()));
        }
    }

    private JsonNode intOrString(JsonNode input) throws DecodingException {
        if (input.isTextual() || (input.isIntegralNumber() && input.canConvertToInt())) {
            return input;
        }
        throw mismatch(input, true, "int32");
    }
}
