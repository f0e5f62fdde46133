package lavaflow.cel;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Something with fields or elements to look up: a variable, or any value, and the path from it. */
abstract class AttributeNode extends Node {
    /** The value, without the price of reading the attribute: that is for whoever evaluates it on its own. */
    abstract Object resolve(Frame frame);

    abstract AttributeNode with(Qualifier qualifier);

    /** The test whether the field is there. */
    abstract Node test(Qualifier qualifier);

    /** One step of a path. */
    record Qualifier(@Nullable Object key, @Nullable Node index, boolean optional) {
        static Qualifier constant(Object key, boolean optional) {
            return new Qualifier(key, null, optional);
        }

        static Qualifier computed(Node index, boolean optional) {
            return new Qualifier(null, index, optional);
        }

        private Object key(Frame frame) {
            if (key != null) {
                return key;
            }
            if (index instanceof AttributeNode attribute) {
                return Lookup.checkKey(attribute.resolve(frame));
            }
            if (index == null) {
                throw new IllegalStateException("a qualifier without key");
            }
            return Lookup.checkKey(index.eval(frame));
        }

        Object get(Frame frame, Object operand) {
            Object value;
            Object resolved;
            try {
                resolved = key(frame);
                value = Lookup.find(operand, resolved, true);
            } catch (CelException failure) {
                frame.charge(1);
                throw failure;
            }
            frame.charge(1);
            if (value == null && operand instanceof Maps.Made) {
                // Objects that mutations build have any field one asks for.
                return CelValues.NULL;
            }
            if (value == null) {
                throw Lookup.missing(operand, resolved);
            }
            return value;
        }

        /** The value or null if there is none. */
        @Nullable
        Object find(Frame frame, Object operand) {
            Object value = Lookup.find(operand, key(frame), false);
            if (value != null) {
                frame.charge(1);
            }
            return value;
        }

        boolean has(Frame frame, Object operand) {
            frame.charge(1);
            return Lookup.has(operand, key(frame));
        }
    }

    /** A path from a variable, a loop's variable or a value. */
    abstract static class Path extends AttributeNode {
        final Qualifier[] qualifiers;

        Path(Qualifier... qualifiers) {
            this.qualifiers = qualifiers;
        }

        abstract Object base(Frame frame);

        abstract Path extended(Qualifier[] longer);

        @Override
        AttributeNode with(Qualifier qualifier) {
            Qualifier[] longer = Arrays.copyOf(qualifiers, qualifiers.length + 1);
            longer[qualifiers.length] = qualifier;
            return extended(longer);
        }

        @Override
        Node test(Qualifier qualifier) {
            return new Presence(this, qualifier);
        }

        @Override
        Object eval(Frame frame) {
            Object value;
            try {
                value = resolve(frame);
            } catch (CelException failure) {
                frame.charge(1);
                throw failure;
            }
            frame.charge(1);
            return value;
        }

        @Override
        Object resolve(Frame frame) {
            Object value = base(frame);
            if (qualifiers.length == 0) {
                return value;
            }
            boolean optional = false;
            if (value instanceof CelOptional held) {
                if (held.value() == null) {
                    return held;
                }
                value = held.value();
                optional = true;
            }
            for (Qualifier qualifier : qualifiers) {
                optional |= qualifier.optional();
                if (optional) {
                    Object next = qualifier.find(frame, value);
                    if (next == null) {
                        return CelOptional.NONE;
                    }
                    value = next;
                } else {
                    value = qualifier.get(frame, value);
                }
            }
            return optional ? CelOptional.of(value) : value;
        }
    }

    /** A variable of the environment. */
    static final class Variable extends Path {
        private final int index;

        Variable(int index, Qualifier... qualifiers) {
            super(qualifiers);
            this.index = index;
        }

        @Override
        Object base(Frame frame) {
            return frame.variable(index);
        }

        @Override
        Path extended(Qualifier[] longer) {
            return new Variable(index, longer);
        }
    }

    /** A variable of a loop; it may hold an error, which reading it brings out. */
    static final class Local extends Path {
        final int slot;

        Local(int slot, Qualifier... qualifiers) {
            super(qualifiers);
            this.slot = slot;
        }

        @Override
        Object base(Frame frame) {
            Object value = frame.slots[slot];
            if (value instanceof CelException failure) {
                throw failure;
            }
            if (value == null) {
                throw new CelException("no such attribute(s)");
            }
            return value;
        }

        @Override
        Path extended(Qualifier[] longer) {
            return new Local(slot, longer);
        }
    }

    /** A path from any other value. */
    static final class Relative extends Path {
        private final Node operand;

        Relative(Node operand, Qualifier... qualifiers) {
            super(qualifiers);
            this.operand = operand;
        }

        @Override
        Object base(Frame frame) {
            return operand.eval(frame);
        }

        @Override
        Path extended(Qualifier[] longer) {
            return new Relative(operand, longer);
        }
    }

    /** One of two, and the same path from either. */
    static final class Conditional extends AttributeNode {
        private final Node condition;
        private final AttributeNode whenTrue;
        private final AttributeNode whenFalse;

        Conditional(Node condition, AttributeNode whenTrue, AttributeNode whenFalse) {
            this.condition = condition;
            this.whenTrue = whenTrue;
            this.whenFalse = whenFalse;
        }

        @Override
        Object eval(Frame frame) {
            return resolve(frame);
        }

        @Override
        Object resolve(Frame frame) {
            Object decision = condition.eval(frame);
            if (decision instanceof Boolean yes) {
                return (yes ? whenTrue : whenFalse).resolve(frame);
            }
            throw Errors.noSuchOverload();
        }

        @Override
        AttributeNode with(Qualifier qualifier) {
            return new Conditional(condition, whenTrue.with(qualifier), whenFalse.with(qualifier));
        }

        @Override
        Node test(Qualifier qualifier) {
            return new Presence(this, qualifier);
        }
    }

    /** Whether a field is there; reading the attribute it is looked up in costs nothing extra. */
    static final class Presence extends Node {
        private final AttributeNode operand;
        private final Qualifier qualifier;

        Presence(AttributeNode operand, Qualifier qualifier) {
            this.operand = operand;
            this.qualifier = qualifier;
        }

        @Override
        Object eval(Frame frame) {
            Object value = operand.resolve(frame);
            if (value instanceof CelOptional held) {
                if (held.value() == null) {
                    return false;
                }
                value = held.value();
            }
            return qualifier.has(frame, value);
        }
    }
}
