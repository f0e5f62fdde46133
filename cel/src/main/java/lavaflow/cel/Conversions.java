package lavaflow.cel;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;

import lavaflow.kube.MalformedException;

/** {@code int()}, {@code string()} and the other conversions. */
final class Conversions {
    private Conversions() {}

    private static CelException overflow() {
        return new CelException("integer overflow");
    }

    private static CelException unsignedOverflow() {
        return new CelException("unsigned integer overflow");
    }

    static double toDouble(UnsignedLong value) {
        long bits = value.bits();
        return bits >= 0 ? bits : ((bits >>> 1) | (bits & 1)) * 2.0;
    }

    static Object toInt(Object value) {
        return switch (value) {
            case Long number -> number;
            case UnsignedLong number -> {
                if (number.bits() < 0) {
                    throw overflow();
                }
                yield number.bits();
            }
            case Double number -> {
                if (number.isNaN() || number <= -0x1p63 || number >= 0x1p63) {
                    throw overflow();
                }
                yield number.longValue();
            }
            case String text -> {
                try {
                    yield Long.parseLong(digits(text));
                } catch (NumberFormatException wrong) {
                    throw Errors.conversion(value, CelType.INT);
                }
            }
            case OffsetDateTime time -> time.toEpochSecond();
            case Duration duration -> duration.toNanos();
            default -> throw Errors.noSuchOverload("int", value);
        };
    }

    /** Java reads digits of any script; the language only ASCII ones. */
    private static String digits(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                throw new NumberFormatException(text);
            }
        }
        return text;
    }

    static Object toUint(Object value) {
        return switch (value) {
            case UnsignedLong number -> number;
            case Long number -> {
                if (number < 0) {
                    throw unsignedOverflow();
                }
                yield new UnsignedLong(number);
            }
            case Double number -> {
                if (number.isNaN() || number < 0 || number >= 0x1p64) {
                    throw unsignedOverflow();
                }
                yield new UnsignedLong(new BigDecimal(number).toBigInteger().longValue());
            }
            case String text -> {
                try {
                    if (text.startsWith("+")) {
                        throw new NumberFormatException(text);
                    }
                    yield new UnsignedLong(Long.parseUnsignedLong(digits(text)));
                } catch (NumberFormatException wrong) {
                    throw Errors.conversion(value, CelType.UINT);
                }
            }
            default -> throw Errors.noSuchOverload("uint", value);
        };
    }

    static Object toDouble(Object value) {
        return switch (value) {
            case Double number -> number;
            case Long number -> (double) number;
            case UnsignedLong number -> toDouble(number);
            case String text -> parseDouble(text);
            default -> throw Errors.noSuchOverload("double", value);
        };
    }

    private static Object parseDouble(String text) {
        String lower = text.toLowerCase(java.util.Locale.ROOT);
        switch (lower) {
            case "nan" -> {
                return Double.NaN;
            }
            case "inf", "+inf", "infinity", "+infinity" -> {
                return Double.POSITIVE_INFINITY;
            }
            case "-inf", "-infinity" -> {
                return Double.NEGATIVE_INFINITY;
            }
            default -> {}
        }
        try {
            if (text.isEmpty()
                    || text.strip().length() != text.length()
                    || "dDfF".indexOf(text.charAt(text.length() - 1)) >= 0) {
                throw new NumberFormatException(text);
            }
            double number = Double.parseDouble(digits(withoutSeparators(text)));
            if (Double.isInfinite(number)) {
                throw new NumberFormatException(text);
            }
            return number;
        } catch (NumberFormatException wrong) {
            throw Errors.conversion(text, CelType.DOUBLE);
        }
    }

    /** Underscores may separate digits. */
    private static String withoutSeparators(String text) {
        for (int i = text.indexOf('_'); i >= 0; i = text.indexOf('_', i + 1)) {
            if (i == 0 || i == text.length() - 1 || !isDigit(text.charAt(i - 1)) || !isDigit(text.charAt(i + 1))) {
                throw new NumberFormatException(text);
            }
        }
        return text.replace("_", "");
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static Object toBool(Object value) {
        return switch (value) {
            case Boolean bool -> bool;
            case String text ->
                switch (text) {
                    case "1", "t", "T", "true", "TRUE", "True" -> true;
                    case "0", "f", "F", "false", "FALSE", "False" -> false;
                    default -> throw Errors.conversion(value, CelType.BOOL);
                };
            default -> throw Errors.noSuchOverload("bool", value);
        };
    }

    static Object toBytes(Object value) {
        return switch (value) {
            case CelBytes bytes -> bytes;
            case String text -> new CelBytes(text.getBytes(StandardCharsets.UTF_8));
            default -> throw Errors.noSuchOverload("bytes", value);
        };
    }

    static Object toText(Object value) {
        return switch (value) {
            case String text -> text;
            case Long number -> number.toString();
            case UnsignedLong number -> number.toString();
            case Boolean bool -> bool.toString();
            case Double number -> GoFormat.general(number);
            case CelBytes bytes -> decoded(bytes);
            case OffsetDateTime time -> Times.format(time);
            case Duration duration -> Times.seconds(duration);
            case CelType type -> type.typeName();
            case NetworkValues.Ip ip -> ip.toString();
            case NetworkValues.Network network -> network.toString();
            default -> throw Errors.noSuchOverload("string", value);
        };
    }

    private static String decoded(CelBytes bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.bytes()))
                    .toString();
        } catch (CharacterCodingException wrong) {
            throw new CelException("invalid UTF-8 in bytes, cannot convert to string");
        }
    }

    static Object toTimestamp(Object value) {
        return switch (value) {
            case OffsetDateTime time -> time;
            case Long seconds -> Times.ofSeconds(seconds);
            case String text -> {
                try {
                    yield Times.parse(text);
                } catch (DateTimeException wrong) {
                    throw Errors.conversion(value, CelType.TIMESTAMP);
                }
            }
            default -> throw Errors.noSuchOverload("timestamp", value);
        };
    }

    static Object toDuration(Object value) {
        return switch (value) {
            case Duration duration -> duration;
            case Long nanos -> Duration.ofNanos(nanos);
            case String text -> {
                try {
                    yield Times.parseDuration(text);
                } catch (MalformedException wrong) {
                    throw Errors.conversion(value, CelType.DURATION);
                }
            }
            default -> throw Errors.noSuchOverload("duration", value);
        };
    }
}
