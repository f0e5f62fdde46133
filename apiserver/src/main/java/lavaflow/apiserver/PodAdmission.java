package lavaflow.apiserver;

import java.util.List;
import java.util.random.RandomGenerator;

import lavaflow.kinds.DefaultTolerations;
import lavaflow.kinds.PriorityAdmission;
import lavaflow.kinds.RuntimeClassAdmission;
import lavaflow.kinds.ServiceAccountAdmission;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.GeneratedName;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** What admission does to pods: identity, priority, patience with troubled nodes, the class of its runtime. */
final class PodAdmission implements Admission.Plugin {
    private static final String PRIORITY_CLASSES = "scheduling.k8s.io/priorityclasses";
    private static final String RUNTIME_CLASSES = "node.k8s.io/runtimeclasses";
    private static final int SUFFIX_LENGTH = 5;
    /** A namespace's default account is made a moment after the namespace; upstream is as patient. */
    private static final int ACCOUNT_TRIES = 50;

    private static final long ACCOUNT_PAUSE_MILLIS = 20;

    private final Stored stored;
    private final RandomGenerator random;
    private final boolean accounts;
    private final boolean priorities;
    private final boolean tolerations;
    private final boolean runtimeClasses;

    PodAdmission(Stored stored, RandomGenerator random, AdmissionSwitches on) {
        this.stored = stored;
        this.random = random;
        this.accounts = on.has("ServiceAccount");
        this.priorities = on.has("Priority");
        this.tolerations = on.has("DefaultTolerationSeconds");
        this.runtimeClasses = on.has("RuntimeClass");
    }

    @Override
    public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        String bucket = call.resource().bucket();
        if (!bucket.equals("pods") || !call.subresource().isEmpty()) {
            return;
        }
        boolean create = operation == Admission.Operation.CREATE;
        if (create && accounts) {
            identity(call, object);
        }
        if (priorities) {
            priority(call, create, object, old);
        }
        if (tolerations) {
            DefaultTolerations.apply(object);
        }
        ObjectNode runtimeClass = create && runtimeClasses ? runtimeClass(call, object) : null;
        if (runtimeClass != null) {
            refuse(call, object, RuntimeClassAdmission.apply(object, runtimeClass));
        }
    }

    private void priority(Call call, boolean create, ObjectNode object, @Nullable ObjectNode old) {
        if (create) {
            List<ObjectNode> classes = stored.all(PRIORITY_CLASSES, "");
            refuse(call, object, PriorityAdmission.create(object, classes));
        } else if (old != null) {
            PriorityAdmission.update(object, old);
        }
    }

    private @Nullable ObjectNode runtimeClass(Call call, ObjectNode pod) {
        String name = Json.textAt(pod, "spec", "runtimeClassName");
        ObjectNode found = name.isEmpty() ? null : stored.find(RUNTIME_CLASSES, name);
        if (found == null && !name.isEmpty()) {
            refuse(call, pod, "pod rejected: RuntimeClass " + FieldErrors.quoted(name) + " not found");
        }
        return found;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        boolean newPod = operation == Admission.Operation.CREATE
                && call.resource().bucket().equals("pods")
                && call.subresource().isEmpty();
        if (object != null && newPod && runtimeClasses) {
            refuse(call, object, RuntimeClassAdmission.problem(object, runtimeClass(call, object)));
        }
        if (object == null || !priorities || !call.resource().bucket().equals(PRIORITY_CLASSES)) {
            return;
        }
        List<ObjectNode> classes = stored.all(PRIORITY_CLASSES, "");
        refuse(call, object, PriorityAdmission.globalDefault(object, classes, operation == Admission.Operation.CREATE));
    }

    private void identity(Call call, ObjectNode pod) {
        if (ServiceAccountAdmission.isMirror(pod)) {
            refuse(call, pod, ServiceAccountAdmission.mirrorProblem(pod));
            return;
        }
        String name = ServiceAccountAdmission.accountOf(pod);
        ObjectNode account = account(call.namespace(), name);
        if (account == null) {
            refuse(
                    call,
                    pod,
                    "error looking up service account " + call.namespace() + "/" + name + ": serviceaccount \"" + name
                            + "\" not found");
            return;
        }
        refuse(call, pod, ServiceAccountAdmission.secretProblem(pod, account));
        ServiceAccountAdmission.apply(pod, account, GeneratedName.suffix(SUFFIX_LENGTH, random::nextInt));
    }

    private @Nullable ObjectNode account(String namespace, String name) {
        int tries = name.equals("default") ? ACCOUNT_TRIES : 1;
        for (int attempt = 1; ; attempt++) {
            ObjectNode account = stored.find("serviceaccounts", namespace + "/" + name);
            if (account != null || attempt >= tries) {
                return account;
            }
            try {
                Thread.sleep(ACCOUNT_PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
    }

    static void refuse(Call call, ObjectNode object, String why) {
        if (!why.isEmpty()) {
            throw call.resource().forbidden(Metadata.knownAs(object), why);
        }
    }
}
