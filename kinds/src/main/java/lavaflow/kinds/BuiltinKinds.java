package lavaflow.kinds;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The one table of rules, by {@code group/resource} ({@code /pods} for the core group). */
public final class BuiltinKinds {
    /**
     * A served version that is stored as another one.
     *
     * @param group group of the stored version
     * @param version the stored version
     * @param bridge converts between the two
     */
    public record Conversion(String group, String version, VersionBridge bridge) {}

    private static final KindRules PLAIN = new KindRules() {};

    private static final Map<String, KindRules> RULES = new LinkedHashMap<>();
    /** By {@code group/version/resource} of the version that is not stored. */
    private static final Map<String, Conversion> CONVERSIONS = new LinkedHashMap<>();

    static {
        CoreKinds.register(RULES);
        WorkloadKinds.register(RULES);
        PlatformKinds.register(RULES);
        WorkloadKinds.registerConversions(CONVERSIONS);
        PlatformKinds.registerConversions(CONVERSIONS);
    }

    private BuiltinKinds() {}

    /**
     * The rules of a resource; kinds without special rules share one plain set. Rules of a version that differs from
     * the others are registered by {@code group/version/resource}.
     */
    public static KindRules rules(String group, String version, String resource) {
        KindRules versioned = RULES.get(group + "/" + version + "/" + resource);
        return versioned != null ? versioned : RULES.getOrDefault(group + "/" + resource, PLAIN);
    }

    /** How a version is stored, or null where it is stored as it is. */
    public static @Nullable Conversion conversion(String group, String version, String resource) {
        return CONVERSIONS.get(group + "/" + version + "/" + resource);
    }
}
