package lavaflow.training;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What counts of a service. */
record TrainingService(String namespace, String name, String uid, String owner, String type, int index) {
    static boolean mayBe(ObjectNode service) {
        return !Json.textAt(service, "metadata", "labels", Training.JOB_NAME).isEmpty();
    }

    static TrainingService of(ObjectNode service) {
        ObjectNode labels = Json.objectAt(service, "metadata", "labels");
        String index = Json.textAt(labels, Training.REPLICA_INDEX);
        return new TrainingService(
                Training.namespace(service),
                Training.name(service),
                Training.uid(service),
                Training.controllerUid(service),
                Json.textAt(labels, Training.REPLICA_TYPE),
                index.matches("\\d{1,9}") ? Integer.parseInt(index) : -1);
    }
}
