package lavaflow.cel;

/** A step of a program. Steps have no state: one program runs in many threads. */
abstract class Node {
    /** The value; throws {@link CelException} for errors of the expression. */
    abstract Object eval(Frame frame);

    /** A value known beforehand. */
    static final class Constant extends Node {
        final Object value;

        Constant(Object value) {
            this.value = value;
        }

        @Override
        Object eval(Frame frame) {
            return value;
        }
    }
}
