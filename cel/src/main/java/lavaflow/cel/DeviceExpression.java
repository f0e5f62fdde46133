package lavaflow.cel;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** A selector of devices, as DeviceClasses and requests of ResourceClaims have them. May be shared by threads. */
public final class DeviceExpression {
    /** What one evaluation may cost. */
    public static final long MOST_COST = 1_000_000;

    /** An evaluation or a compilation went wrong; the message is upstream's. */
    public static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(String message) {
            super(message);
        }

        /** What went wrong. */
        public String text() {
            return String.valueOf(getMessage());
        }
    }

    private static final CelType.ObjectOf DEVICE = new CelType.ObjectOf("kubernetes.DRADevice", fields());

    /** Made when the first expression is, which most processes never see. */
    private static final class Environment {
        static final CelEnvironment DEVICES = CelEnvironment.kubernetes()
                .library(CelLibrary.BINDINGS)
                .variable("device", DEVICE)
                .build();

        private Environment() {}
    }

    private final @Nullable CelProgram program;
    private final String problem;

    private DeviceExpression(@Nullable CelProgram program, String problem) {
        this.program = program;
        this.problem = problem;
    }

    private static Map<String, CelType> fields() {
        Map<String, CelType> fields = new LinkedHashMap<>();
        fields.put("driver", CelType.STRING);
        fields.put("attributes", CelType.map(CelType.STRING, CelType.map(CelType.STRING, CelType.DYN)));
        fields.put("capacity", CelType.map(CelType.STRING, CelType.map(CelType.STRING, CelType.QUANTITY)));
        fields.put("allowMultipleAllocations", CelType.BOOL);
        return fields;
    }

    static CelType.ObjectOf type() {
        return DEVICE;
    }

    /** Never throws, whatever the source. */
    public static DeviceExpression of(String source) {
        return switch (Environment.DEVICES.compile(source)) {
            case CelCompilation.Failed failed -> new DeviceExpression(null, failed.detail());
            case CelCompilation.Compiled compiled -> {
                CelType result = compiled.program().resultType();
                boolean fits = result.equals(CelType.BOOL) || result.equals(CelType.DYN);
                yield fits
                        ? new DeviceExpression(compiled.program(), "")
                        : new DeviceExpression(null, "must evaluate to bool or the unknown type, not " + result);
            }
        };
    }

    /** Why it cannot be evaluated; null if it can. */
    public @Nullable String problem() {
        return program == null ? problem : null;
    }

    /** Whether a device is selected. */
    public boolean selects(DeviceValue device) throws Failure {
        if (program == null) {
            throw new Failure(problem);
        }
        CelResult result = program.evaluate(Bindings.of("device", device.value()), new CelBudget(MOST_COST));
        return switch (result) {
            case CelResult.Failure failure -> throw new Failure(failure.message());
            case CelResult.Value(Object value, long _) -> {
                if (value instanceof Boolean answer) {
                    yield answer;
                }
                throw new Failure("CEL result of type " + Types.name(value) + " could not be converted to bool: "
                        + conversion(value));
            }
        };
    }

    /** What the language's conversions say of each type, not all in the same words. */
    private static String conversion(Object value) {
        return switch (value) {
            case Long _ -> "unsupported type conversion from 'int' to bool";
            case UnsignedLong _ -> "unsupported type conversion from 'uint' to bool";
            case String _ -> "unsupported native conversion from string to 'bool'";
            case Double _ -> "type conversion error from Double to 'bool'";
            case CelList _ -> "type conversion error from list to 'bool'";
            case CelMap _ -> "type conversion error from map to 'bool'";
            case SemanticVersion _ -> "type conversion error from 'Semver' to 'bool'";
            case QuantityFunctions.QuantityValue _ -> "type conversion error from 'Quantity' to 'bool'";
            default -> "type conversion error from '" + Types.name(value) + "' to 'bool'";
        };
    }
}
