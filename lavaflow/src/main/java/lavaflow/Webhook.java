package lavaflow;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import lavaflow.apiserver.Admission.Operation;
import lavaflow.controller.KubeApi;
import lavaflow.jobs.ResourceGroups;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A webhook of upstream's: what it is asked about, and what it answers, wherever it runs. */
sealed interface Webhook permits VolcanoWebhook, TrainingWebhook, TrainerWebhook {
    /**
     * What a webhook is asked about.
     *
     * @param resource in the plural
     */
    record Target(String group, String version, String resource) {
        /** What the store calls the objects of all versions of it. */
        String bucket() {
            return group.isEmpty() ? resource : group + "/" + resource;
        }
    }

    /** What webhooks know of the cluster. */
    interface Cluster {
        List<ObjectNode> queues();

        /**
         * An object, or null.
         *
         * @param namespace empty for those of the whole cluster
         */
        @Nullable
        ObjectNode find(KubeApi.Kind kind, String namespace, String name);

        Instant now();

        /** Whose pods belong to gangs. */
        Set<String> schedulers();

        /** Who places the pods of Jobs that do not say it. */
        String scheduler();

        ResourceGroups resourceGroups();
    }

    /**
     * A question.
     *
     * @param object what is to be; null for a deletion
     * @param old what was; null for a creation
     */
    record Review(
            Operation operation,
            String namespace,
            @Nullable ObjectNode object,
            @Nullable ObjectNode old,
            Cluster cluster) {
        ObjectNode present() {
            return object == null ? Json.object() : object;
        }

        String name() {
            return Json.textAt(object == null ? old : object, "metadata", "name");
        }
    }

    /**
     * What is said to a question.
     *
     * @param refusal why not; empty if so
     * @param warnings what whoever asks should know, whether or not he gets his will
     */
    record Answer(String refusal, List<String> warnings) {
        static Answer of(String refusal) {
            return new Answer(refusal, List.of());
        }

        boolean isYes() {
            return refusal.isEmpty();
        }
    }

    /** Judges an object. One that mutates changes the object instead. */
    Answer answer(Review review);

    /** Tells a refusal apart from others in its status, which already has its message. */
    void tellRefusal(ObjectNode status);

    boolean isMutating();

    /** Where upstream's server listens for it. */
    String path();

    /** Its name in messages and configurations. */
    String title();

    /** The name of the configuration that lists it. */
    String configuration();

    /** Whether API servers leave the namespace of the webhooks and that of the system alone. */
    boolean sparesSystem();

    /** The label with which, if its value is {@code disabled}, API servers leave an object alone; empty for none. */
    default String exemption() {
        return "";
    }

    Target target();

    /** In the order in which they are declared. */
    List<Operation> operations();

    static Stream<Webhook> all() {
        return Stream.of(VolcanoWebhook.values(), TrainingWebhook.values(), TrainerWebhook.values())
                .flatMap(Stream::of);
    }

    static Optional<Webhook> at(String path) {
        return all().filter(each -> each.path().equals(path)).findFirst();
    }
}
