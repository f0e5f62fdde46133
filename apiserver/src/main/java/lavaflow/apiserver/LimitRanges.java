package lavaflow.apiserver;

import lavaflow.kinds.LimitRangeAdmission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Fills in and enforces what the limit ranges of a namespace say. */
final class LimitRanges implements Admission.Plugin {
    private final Stored stored;

    LimitRanges(Stored stored) {
        this.stored = stored;
    }

    private static boolean handles(Call call, Admission.Operation operation) {
        return operation != Admission.Operation.DELETE
                && LimitRangeAdmission.handles(
                        call.resource().group(),
                        call.resource().name(),
                        call.subresource(),
                        operation == Admission.Operation.CREATE);
    }

    @Override
    public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
        boolean newPod = operation == Admission.Operation.CREATE
                && call.resource().bucket().equals("pods")
                && handles(call, operation);
        if (newPod) {
            stored.all("limitranges", call.namespace())
                    .forEach(range -> LimitRangeAdmission.applyDefaults(object, range));
        }
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        if (object == null || !handles(call, operation)) {
            return;
        }
        for (ObjectNode range : stored.all("limitranges", call.namespace())) {
            PodAdmission.refuse(
                    call, object, LimitRangeAdmission.problem(call.resource().name(), object, range));
        }
    }
}
