package lavaflow.kinds;

/** The health of parts of the control plane; read-only and long deprecated. */
final class ComponentStatusRules implements KindRules {
    @Override
    public String deprecation() {
        return "v1 ComponentStatus is deprecated in v1.19+";
    }
}
