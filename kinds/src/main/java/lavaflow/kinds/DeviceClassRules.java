package lavaflow.kinds;

import java.util.Set;

/** Classes of devices. */
final class DeviceClassRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION, Trait.RETURNS_DELETED);
    }
}
