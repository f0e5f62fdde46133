package lavaflow.placement;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

import lavaflow.cel.DeviceExpression;

/** Which devices are selected by which expressions; answers are kept as long as the device is known. */
final class DeviceSelectors {
    private static final int EXPRESSIONS = 128;

    /** An expression with its answers until now. */
    private static final class Known {
        private final DeviceExpression expression;
        private final Map<Device, Boolean> answers = new WeakHashMap<>();

        Known(String source) {
            this.expression = DeviceExpression.of(source);
        }
    }

    private final Map<String, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > EXPRESSIONS;
        }
    };

    /**
     * Whether all of some expressions select a device.
     *
     * @param of whose they are, for errors
     */
    boolean select(List<String> expressions, Device device, String of) throws DeviceTrouble {
        for (int i = 0; i < expressions.size(); i++) {
            Known each = known.computeIfAbsent(expressions.get(i), Known::new);
            Boolean answer = each.answers.get(device);
            if (answer == null) {
                answer = ask(each.expression, device, of + ": selector #" + i);
                each.answers.put(device, answer);
            }
            if (!answer) {
                return false;
            }
        }
        return true;
    }

    private static boolean ask(DeviceExpression expression, Device device, String where) throws DeviceTrouble {
        String problem = expression.problem();
        if (problem != null) {
            throw new DeviceTrouble(where + ": CEL compile error: " + problem);
        }
        try {
            return expression.selects(device.value());
        } catch (DeviceExpression.Failure failure) {
            throw new DeviceTrouble(where + ": CEL runtime error: " + failure.text());
        }
    }
}
