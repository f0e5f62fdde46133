package lavaflow.controller;

import java.util.ArrayList;
import java.util.List;

/**
 * What a controller has decided to do: waves of steps, one wave after the other, the steps of a wave in any order. The
 * deciding is a function of what was observed; a {@link PlanExecutor} does it.
 */
public record Plan(List<List<Step>> waves) {
    public static final Plan NOTHING = new Plan(List.of());

    public Plan {
        waves = waves.stream().filter(wave -> !wave.isEmpty()).map(List::copyOf).toList();
    }

    /** One step after the other. */
    public static Plan inOrder(List<? extends Step> steps) {
        return new Plan(steps.stream().map(List::<Step>of).toList());
    }

    public static Plan inOrder(Step... steps) {
        return inOrder(List.of(steps));
    }

    /** All steps side by side. */
    public static Plan together(List<? extends Step> steps) {
        return new Plan(List.of(List.copyOf(steps)));
    }

    public Plan then(Plan next) {
        List<List<Step>> all = new ArrayList<>(waves);
        all.addAll(next.waves);
        return new Plan(all);
    }

    public boolean isEmpty() {
        return waves.isEmpty();
    }

    public List<Step> steps() {
        return waves.stream().flatMap(List::stream).toList();
    }
}
