package lavaflow.kinds;

import java.util.Set;

/** How much room a driver has left for volumes of a class somewhere. */
final class CsiStorageCapacityRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.RETURNS_DELETED);
    }
}
