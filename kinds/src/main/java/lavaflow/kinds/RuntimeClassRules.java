package lavaflow.kinds;

import java.util.Set;

/** node.k8s.io/v1 RuntimeClass. */
final class RuntimeClassRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.NO_UNCONDITIONAL_UPDATE, Trait.CREATE_ON_UPDATE);
    }
}
