package lavaflow.cluster;

import java.util.Comparator;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** One service, or whatever else has its name. */
record ServiceKey(String namespace, String name) implements Comparable<ServiceKey> {
    private static final Comparator<ServiceKey> ORDER =
            Comparator.comparing(ServiceKey::namespace).thenComparing(ServiceKey::name);

    static ServiceKey of(ObjectNode object) {
        return new ServiceKey(Objects.namespace(object), Objects.name(object));
    }

    @Override
    public int compareTo(ServiceKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
