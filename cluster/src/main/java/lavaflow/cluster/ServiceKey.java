package lavaflow.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** One service, or whatever else has its name. */
record ServiceKey(String namespace, String name) {
    static ServiceKey of(ObjectNode object) {
        return new ServiceKey(Objects.namespace(object), Objects.name(object));
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
