package lavaflow.kinds;

import java.util.Set;

/** networking.k8s.io/v1 Ingress. */
final class IngressRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.GENERATION);
    }
}
