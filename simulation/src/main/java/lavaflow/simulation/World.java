package lavaflow.simulation;

import java.util.List;
import java.util.function.BiFunction;

import lavaflow.controller.KubeApi;

/** What kind of cluster a run is about: who takes part, what people do there, and what must be true. */
interface World {
    /**
     * What those who take part share.
     *
     * @param view how processes, by their names, see the API and what they do with it: a way to break them
     * @param gentle whether people leave pods and nodes alone
     */
    record Setting(
            long seed,
            Stage stage,
            SimulatedServer server,
            Workspace workspace,
            Faults faults,
            boolean gentle,
            BiFunction<String, KubeApi, KubeApi> view) {}

    /** What a person calls it who wants to see a run again. */
    String name();

    /** What is judged. */
    List<KubeApi.Kind> observed();

    /** Puts there what has to be there before anybody comes. */
    void prepare(SimulatedServer server);

    /** How many pieces of work are done while things go wrong. */
    int steps();

    /** How many things people do meanwhile, about. */
    int actions();

    /** Who takes part in a run, what people may do, and what is judged. */
    record Cast(List<Actor> processes, List<Ideas> topics, List<Invariant> invariants) {}

    Cast cast(Setting setting);
}
