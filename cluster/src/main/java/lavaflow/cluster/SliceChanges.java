package lavaflow.cluster;

import java.util.ArrayList;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.controller.Plan;
import lavaflow.controller.Step;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What should become of the endpoint slices of one service and one family of addresses. */
record SliceChanges(
        List<SliceState> create, List<SliceState> update, List<SliceState> delete, List<SliceState> unchanged) {
    static final KubeApi.Kind SLICES = new KubeApi.Kind("discovery.k8s.io", "v1", "endpointslices", true);
    static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

    static SliceChanges nothing() {
        return new SliceChanges(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    void addAll(SliceChanges other) {
        create.addAll(other.create);
        update.addAll(other.update);
        delete.addAll(other.delete);
        unchanged.addAll(other.unchanged);
    }

    /** What is to be made takes the places of what is to go, as far as that is the owner's: fewer writes, fewer names. */
    SliceChanges recycled(String ownerUid) {
        List<SliceState> made = new ArrayList<>(create);
        List<SliceState> changed = new ArrayList<>(update);
        List<SliceState> gone = new ArrayList<>();
        for (SliceState old : delete) {
            boolean fits = !made.isEmpty()
                    && made.getLast().addressType().equals(old.addressType())
                    && old.isControlledBy(ownerUid);
            if (fits) {
                changed.add(made.removeLast().inPlaceOf(old));
            } else {
                gone.add(old);
            }
        }
        return new SliceChanges(made, changed, gone, unchanged);
    }

    /**
     * @param trigger when what happened first that is written now, empty for nothing known
     */
    SliceChanges triggered(String trigger) {
        return new SliceChanges(
                create.stream().map(slice -> triggered(slice, trigger)).toList(),
                update.stream().map(slice -> triggered(slice, trigger)).toList(),
                delete,
                unchanged);
    }

    private static SliceState triggered(SliceState slice, String trigger) {
        ObjectNode annotations = Objects.map(slice.metadata(), "annotations");
        if (trigger.isEmpty()) {
            annotations.remove(TRIGGER_TIME);
        } else {
            annotations.put(TRIGGER_TIME, trigger);
        }
        return annotations.isEmpty() ? slice.without("annotations") : slice.with("annotations", annotations);
    }

    /** Everything one after the other by sort: what is new first, so that no client is without an address in between. */
    Plan plan(String namespace) {
        List<Step> creations = new ArrayList<>();
        create.forEach(slice -> creations.add(new Step.Create(SLICES, namespace, slice.json())));
        List<Step> updates = new ArrayList<>();
        update.forEach(slice -> updates.add(new Step.Update(SLICES, "", slice.json())));
        List<Step> deletions = new ArrayList<>();
        delete.forEach(slice ->
                deletions.add(new Step.Delete(SLICES, namespace, slice.name(), KubeApi.Deletion.ofUid(slice.uid()))));
        return new Plan(List.of(creations, updates, deletions));
    }
}
