package lavaflow.placement;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The labels of namespaces. */
@FunctionalInterface
public interface NamespaceLabels {
    @Nullable
    JsonNode of(String namespace);
}
