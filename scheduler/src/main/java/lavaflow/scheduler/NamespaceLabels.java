package lavaflow.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The labels of namespaces. */
@FunctionalInterface
interface NamespaceLabels {
    @Nullable
    JsonNode of(String namespace);
}
