package lavaflow.kube;

import java.util.Arrays;

import lavaflow.kube.Struct.Field;

import org.jspecify.annotations.Nullable;

/** Where each protobuf field number of a struct's message leads: to a field, or into a message that JSON flattens. */
final class WirePlan {
    private static final int NONE = -1;

    private int[] positions = new int[0];
    private @Nullable WirePlan[] flattened = new @Nullable WirePlan[0];

    static WirePlan of(Struct struct) {
        WirePlan plan = new WirePlan();
        for (int i = 0; i < struct.size(); i++) {
            Field field = struct.at(i);
            if (field.number() > 0) {
                WirePlan owner = plan;
                for (int step : field.wirePath()) {
                    owner = owner.into(step);
                }
                owner.grow(field.number());
                owner.positions[field.number()] = i;
            }
        }
        return plan;
    }

    private WirePlan into(int number) {
        grow(number);
        WirePlan inner = flattened[number];
        if (inner == null) {
            inner = new WirePlan();
            flattened[number] = inner;
        }
        return inner;
    }

    private void grow(int number) {
        int size = positions.length;
        if (number >= size) {
            positions = Arrays.copyOf(positions, number + 1);
            Arrays.fill(positions, size, number + 1, NONE);
            flattened = Arrays.copyOf(flattened, number + 1);
        }
    }

    /** The position of the field with a number in its struct, or -1. */
    int position(int number) {
        return number < positions.length ? positions[number] : NONE;
    }

    /** The plan of the message that JSON flattens, or null. */
    @Nullable
    WirePlan flattened(int number) {
        return number < flattened.length ? flattened[number] : null;
    }
}
