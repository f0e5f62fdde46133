package lavaflow.kinds;

import java.util.Map;

/** Registers the rest: services, storage, configuration, access, networking, admission. */
final class PlatformKinds {
    private PlatformKinds() {}

    static void register(Map<String, KindRules> rules) {}
}
