package lavaflow.controller;

import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Does what plans say and remembers what was written for whom. After a wave with a refusal no further wave begins; within a
 * wave, creations go out in batches that double, so that a server which refuses all of them is asked once and not five
 * hundred times.
 */
public final class PlanExecutor<K> {
    private final KubeApi api;
    private final OwnWrites<K> writes;
    private final Fanout fanout;

    public PlanExecutor(KubeApi api, OwnWrites<K> writes, Fanout fanout) {
        this.api = api;
        this.writes = writes;
        this.fanout = fanout;
    }

    /** What became of one step; exactly one of the two is there, or neither when it was not tried. */
    private static final class Slot {
        final Step step;
        private volatile Outcome.@Nullable Done done;
        private volatile Outcome.@Nullable Refused refused;

        Slot(Step step) {
            this.step = step;
        }
    }

    public Outcome run(K key, Plan plan) {
        List<Slot> all = new ArrayList<>();
        boolean stopped = false;
        for (List<Step> wave : plan.waves()) {
            List<Slot> slots = wave.stream().map(Slot::new).toList();
            all.addAll(slots);
            if (!stopped) {
                stopped = !runWave(key, slots);
            }
        }
        List<Outcome.Done> done = new ArrayList<>();
        List<Outcome.Refused> refused = new ArrayList<>();
        for (Slot slot : all) {
            Outcome.Done success = slot.done;
            Outcome.Refused failure = slot.refused;
            if (success != null) {
                done.add(success);
            } else if (failure != null) {
                refused.add(failure);
            }
        }
        return new Outcome(done, refused, all.size() - done.size() - refused.size());
    }

    /** False if a step was refused. */
    private boolean runWave(K key, List<Slot> wave) {
        boolean creates = wave.stream().anyMatch(slot -> slot.step instanceof Step.Create);
        int size = creates ? 1 : wave.size();
        int from = 0;
        while (from < wave.size()) {
            List<Slot> batch = wave.subList(from, Math.min(from + size, wave.size()));
            fanout.run(batch.stream()
                    .map(slot -> (Runnable) () -> attempt(key, slot))
                    .toList());
            if (batch.stream().anyMatch(slot -> slot.refused != null)) {
                return false;
            }
            from += size;
            size *= 2;
        }
        return true;
    }

    private void attempt(K key, Slot slot) {
        try {
            slot.done = new Outcome.Done(slot.step, perform(key, slot.step));
        } catch (ApiException e) {
            slot.refused = new Outcome.Refused(slot.step, e);
        }
    }

    private @Nullable ObjectNode perform(K key, Step step) {
        return switch (step) {
            case Step.Create create -> noted(key, step, api.create(create.kind(), create.namespace(), create.object()));
            case Step.Update update ->
                noted(key, step, api.update(update.kind(), update.subresource(), update.object()));
            case Step.Patch patch ->
                noted(
                        key,
                        step,
                        api.patch(
                                patch.kind(),
                                patch.namespace(),
                                patch.name(),
                                patch.subresource(),
                                patch.merge(),
                                patch.patch()));
            case Step.Delete delete -> {
                api.delete(delete.kind(), delete.namespace(), delete.name(), delete.deletion());
                String uid = delete.deletion().uid();
                if (uid != null) {
                    writes.deleted(key, uid);
                }
                yield null;
            }
        };
    }

    private ObjectNode noted(K key, Step step, ObjectNode answer) {
        writes.wrote(key, step.kind(), answer);
        return answer;
    }
}
