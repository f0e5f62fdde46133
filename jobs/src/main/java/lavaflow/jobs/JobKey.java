package lavaflow.jobs;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Which Job. */
record JobKey(String namespace, String name) {
    static JobKey of(ObjectNode job) {
        return new JobKey(Json.textAt(job, "metadata", "namespace"), Json.textAt(job, "metadata", "name"));
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
