package lavaflow.cel;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Arrays;

/** The operators + - * / % and the unary minus; overflow is an error. */
final class Arithmetic {
    private Arithmetic() {}

    private static CelException overflow() {
        return new CelException("integer overflow");
    }

    private static CelException unsignedOverflow() {
        return new CelException("unsigned integer overflow");
    }

    static Object add(Object left, Object right) {
        return switch (left) {
            case Long a
            when right instanceof Long b -> {
                long sum = a + b;
                if (((a ^ sum) & (b ^ sum)) < 0) {
                    throw overflow();
                }
                yield sum;
            }
            case UnsignedLong a
            when right instanceof UnsignedLong b -> {
                long sum = a.bits() + b.bits();
                if (Long.compareUnsigned(sum, a.bits()) < 0) {
                    throw unsignedOverflow();
                }
                yield new UnsignedLong(sum);
            }
            case Double a when right instanceof Double b -> a + b;
            case String a when right instanceof String b -> a.concat(b);
            case CelBytes a when right instanceof CelBytes b -> joined(a, b);
            case CelList a
            when right instanceof CelList b -> a instanceof KeyedList keyed ? keyed.merged(b) : Lists.concat(a, b);
            case Duration a when right instanceof Duration b -> Times.bounded(a, b, false);
            case Duration a when right instanceof OffsetDateTime b -> moved(b, a, false);
            case OffsetDateTime a when right instanceof Duration b -> moved(a, b, false);
            case Long a -> throw Errors.noSuchOverload();
            case UnsignedLong a -> throw Errors.noSuchOverload();
            case Double a -> throw Errors.noSuchOverload();
            case String a -> throw Errors.noSuchOverload();
            case CelBytes a -> throw Errors.noSuchOverload();
            case CelList a -> throw Errors.noSuchOverload();
            case Duration a -> throw Errors.noSuchOverload();
            case OffsetDateTime a -> throw Errors.noSuchOverload();
            default -> throw Errors.noSuchOverload("_+_");
        };
    }

    private static CelBytes joined(CelBytes left, CelBytes right) {
        byte[] all = Arrays.copyOf(left.bytes(), left.size() + right.size());
        System.arraycopy(right.bytes(), 0, all, left.size(), right.size());
        return new CelBytes(all);
    }

    private static OffsetDateTime moved(OffsetDateTime time, Duration by, boolean back) {
        try {
            return Times.bounded(back ? time.minus(by) : time.plus(by));
        } catch (DateTimeException | ArithmeticException beyond) {
            throw Times.overflow();
        }
    }

    static Object subtract(Object left, Object right) {
        return switch (left) {
            case Long a
            when right instanceof Long b -> {
                long difference = a - b;
                if (((a ^ b) & (a ^ difference)) < 0) {
                    throw overflow();
                }
                yield difference;
            }
            case UnsignedLong a
            when right instanceof UnsignedLong b -> {
                if (a.compareTo(b) < 0) {
                    throw unsignedOverflow();
                }
                yield new UnsignedLong(a.bits() - b.bits());
            }
            case Double a when right instanceof Double b -> a - b;
            case Duration a when right instanceof Duration b -> Times.bounded(a, b, true);
            case OffsetDateTime a when right instanceof Duration b -> moved(a, b, true);
            case OffsetDateTime a when right instanceof OffsetDateTime b -> Times.between(b, a);
            case Long a -> throw Errors.noSuchOverload();
            case UnsignedLong a -> throw Errors.noSuchOverload();
            case Double a -> throw Errors.noSuchOverload();
            case Duration a -> throw Errors.noSuchOverload();
            case OffsetDateTime a -> throw Errors.noSuchOverload();
            default -> throw Errors.noSuchOverload("_-_");
        };
    }

    static Object multiply(Object left, Object right) {
        return switch (left) {
            case Long a
            when right instanceof Long b -> {
                try {
                    yield Math.multiplyExact(a, b);
                } catch (ArithmeticException beyond) {
                    throw overflow();
                }
            }
            case UnsignedLong a
            when right instanceof UnsignedLong b -> {
                if (Math.unsignedMultiplyHigh(a.bits(), b.bits()) != 0) {
                    throw unsignedOverflow();
                }
                yield new UnsignedLong(a.bits() * b.bits());
            }
            case Double a when right instanceof Double b -> a * b;
            default -> throw notNumbers(left, "_*_");
        };
    }

    private static CelException notNumbers(Object left, String operator) {
        return left instanceof Long || left instanceof UnsignedLong || left instanceof Double
                ? Errors.noSuchOverload()
                : Errors.noSuchOverload(operator);
    }

    static Object divide(Object left, Object right) {
        return switch (left) {
            case Long a
            when right instanceof Long b -> {
                if (b == 0) {
                    throw new CelException("division by zero");
                }
                if (a == Long.MIN_VALUE && b == -1) {
                    throw overflow();
                }
                yield a / b;
            }
            case UnsignedLong a
            when right instanceof UnsignedLong b -> {
                if (b.bits() == 0) {
                    throw new CelException("division by zero");
                }
                yield new UnsignedLong(Long.divideUnsigned(a.bits(), b.bits()));
            }
            case Double a when right instanceof Double b -> a / b;
            default -> throw notNumbers(left, "_/_");
        };
    }

    static Object modulo(Object left, Object right) {
        return switch (left) {
            case Long a
            when right instanceof Long b -> {
                if (b == 0) {
                    throw new CelException("modulus by zero");
                }
                if (a == Long.MIN_VALUE && b == -1) {
                    throw overflow();
                }
                yield a % b;
            }
            case UnsignedLong a
            when right instanceof UnsignedLong b -> {
                if (b.bits() == 0) {
                    throw new CelException("modulus by zero");
                }
                yield new UnsignedLong(Long.remainderUnsigned(a.bits(), b.bits()));
            }
            default ->
                throw left instanceof Long || left instanceof UnsignedLong
                        ? Errors.noSuchOverload()
                        : Errors.noSuchOverload("_%_");
        };
    }

    static Object negate(Object value) {
        return switch (value) {
            case Long number -> {
                if (number == Long.MIN_VALUE) {
                    throw overflow();
                }
                yield -number;
            }
            case Double number -> -number;
            default -> throw Errors.noSuchOverload();
        };
    }
}
