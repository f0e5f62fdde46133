package lavaflow.kinds;

import java.util.Set;

/** Classes of volume attributes: immutable but for metadata. */
final class VolumeAttributesClassRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }
}
