package lavaflow;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import lavaflow.apiserver.Admission.Operation;
import lavaflow.jobs.ResourceGroups;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** A webhook of upstream's: what it is asked about, and what it answers, wherever it runs. */
sealed interface Webhook permits VolcanoWebhook, TrainingWebhook {
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

        @Nullable
        ObjectNode queue(String name);

        @Nullable
        ObjectNode namespace(String name);

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

    /** Why not; empty if so. One that mutates changes the object instead. */
    String answer(Review review);

    /** What whoever asks should know although he gets his will. */
    List<String> warnings(Review review);

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

    Target target();

    /** In the order in which they are declared. */
    List<Operation> operations();

    static Stream<Webhook> all() {
        return Stream.concat(Stream.of(VolcanoWebhook.values()), Stream.of(TrainingWebhook.values()));
    }

    static Optional<Webhook> at(String path) {
        return all().filter(each -> each.path().equals(path)).findFirst();
    }
}
