package lavaflow.placement;

import java.util.Set;

import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Pods somebody speaks of: those of some namespaces whose labels fit.
 *
 * @param namespaces by name
 * @param namespaceSelector more of them by their labels
 * @param source what the selectors were made of, which tells equal ones
 */
public record PodSet(
        Set<String> namespaces, LabelSelector namespaceSelector, LabelSelector selector, ObjectNode source) {
    boolean contains(String namespace, NamespaceLabels labelsOf, JsonNode labels) {
        return (namespaces.contains(namespace)
                        || (!namespaceSelector.isNothing() && namespaceSelector.matches(labelsOf.of(namespace))))
                && selector.matches(labels);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodSet set && set.source.equals(source);
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }
}
