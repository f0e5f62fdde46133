package lavaflow.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The namespaces there are. */
@FunctionalInterface
interface Namespaces {
    @Nullable
    ObjectNode find(String name);
}
