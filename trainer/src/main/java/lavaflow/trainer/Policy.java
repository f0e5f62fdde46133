package lavaflow.trainer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What one framework's runtimes need that others' do not. Pure functions. */
sealed interface Policy permits TorchPolicy, MpiPolicy, JaxPolicy, XGBoostPolicy, PlainPolicy {
    FieldPath ENV = FieldPath.of("spec", "trainer", "env");

    /** The one a runtime names. */
    static Policy of(@Nullable ObjectNode policy) {
        if (Json.at(policy, "torch") != null) {
            return new TorchPolicy();
        }
        if (Json.at(policy, "mpi") != null) {
            return new MpiPolicy();
        }
        if (Json.at(policy, "jax") != null) {
            return new JaxPolicy();
        }
        return Json.at(policy, "xgboost") != null ? new XGBoostPolicy() : new PlainPolicy();
    }

    /** Puts in what pods need to find each other. */
    void wire(Blueprint blueprint);

    /** What is wrong with a job of such a runtime. */
    default void check(Blueprint blueprint, FieldErrors errors) {}

    /** What has to be there beside the JobSet. */
    default List<ObjectNode> beside(Blueprint blueprint) {
        return List.of();
    }

    /** As many pods as the job says, else as the runtime says. */
    static void setCount(Blueprint blueprint) {
        PodSet set = blueprint.trainerSet();
        if (set != null && Json.at(blueprint.trainer(), "numNodes") != null) {
            set.count(blueprint.numNodes());
        }
    }

    static void addPort(ObjectNode container) {
        Trainer.upsert(container, "ports", "containerPort", Json.object().put("containerPort", Trainer.PORT));
    }

    /** Which of some names a job's variables have. */
    static Collection<String> taken(Blueprint blueprint, Collection<String> reserved) {
        Collection<String> names = new TreeSet<>();
        for (JsonNode variable : Json.listAt(blueprint.trainer(), "env")) {
            names.add(Json.textAt(variable, "name"));
        }
        names.retainAll(reserved);
        return names;
    }

    static void refuseReserved(Blueprint blueprint, Collection<String> reserved, FieldErrors errors) {
        List<String> taken = new ArrayList<>(taken(blueprint, reserved));
        if (!taken.isEmpty()) {
            errors.invalid(
                    ENV,
                    Json.listAt(blueprint.trainer(), "env"),
                    "must not have reserved envs, invalid envs configured: [" + String.join(" ", taken) + "]");
        }
    }
}
