package lavaflow.apiserver;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * How this server speaks to the kubelets of nodes.
 *
 * @param identity what it shows them; made when first needed
 * @param authority PEM, who must have signed theirs; null to believe every one, as kube-apiserver does unless it is told whom to believe
 */
public record NodeClient(
        Supplier<Identity> identity, @Nullable String authority) {
    /** Remembers who we are once somebody asked. */
    public static NodeClient lazily(Supplier<Identity> identity, @Nullable String authority) {
        return new NodeClient(
                new Supplier<>() {
                    private @Nullable Identity known;

                    @Override
                    public synchronized Identity get() {
                        Identity made = known == null ? identity.get() : known;
                        known = made;
                        return made;
                    }
                },
                authority);
    }
}
