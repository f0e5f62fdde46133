package lavaflow.kinds;

import java.util.LinkedHashMap;
import java.util.Map;

/** The one table of rules, by {@code group/resource} ({@code /pods} for the core group). */
public final class BuiltinKinds {
    private static final KindRules PLAIN = new KindRules() {};

    private static final Map<String, KindRules> RULES = new LinkedHashMap<>();

    static {
        CoreKinds.register(RULES);
        WorkloadKinds.register(RULES);
        PlatformKinds.register(RULES);
    }

    private BuiltinKinds() {}

    /** The rules of a resource; kinds without special rules share one plain set. */
    public static KindRules rules(String group, String resource) {
        return RULES.getOrDefault(group + "/" + resource, PLAIN);
    }
}
