package lavaflow.kinds;

import java.util.Set;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Resource quotas. */
final class ResourceQuotaRules implements KindRules {
    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.RETURNS_DELETED);
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        object.putObject("status");
    }
}
