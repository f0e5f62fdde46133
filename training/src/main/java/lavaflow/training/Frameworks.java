package lavaflow.training;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** The frameworks there are. */
final class Frameworks {
    /** All of {@code kubeflow.org/v1}. */
    static final List<Framework> ALL =
            List.of(new TensorFlow(), new PyTorch(), new XGBoost(), new Paddle(), new Jax(), new Mpi());

    private Frameworks() {}

    static @Nullable Framework ofKind(String kind) {
        return ALL.stream()
                .filter(each -> each.words().kind().equals(kind))
                .findFirst()
                .orElse(null);
    }
}
