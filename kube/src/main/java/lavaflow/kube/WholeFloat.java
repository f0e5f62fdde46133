package lavaflow.kube;

import com.fasterxml.jackson.databind.node.LongNode;

/**
 * A whole number that a request wrote with a fraction or an exponent: {@code 1000.0}. It is printed, stored and compared like any other
 * whole number; only the limits of a schema tell the two apart, as long as the request lasts, because Go decodes the one into an
 * integer and the other into a floating point number.
 */
public final class WholeFloat extends LongNode {
    private static final long serialVersionUID = 1L;

    WholeFloat(long value) {
        super(value);
    }

    @Override
    public boolean equals(Object other) {
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
