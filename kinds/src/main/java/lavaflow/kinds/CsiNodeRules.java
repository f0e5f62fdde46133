package lavaflow.kinds;

import java.util.Set;

/** Which drivers of volumes a node has. */
final class CsiNodeRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.RETURNS_DELETED);
    }
}
