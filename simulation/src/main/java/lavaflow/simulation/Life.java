package lavaflow.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;

/** One life of a process: whether it lives, what may happen to it, and how much it has heard of. */
final class Life {
    private final String name;
    private final Stage stage;
    private final Map<KubeApi.Kind, Long> heard = new HashMap<>();
    private final List<LaggingWatch> watches = new ArrayList<>();
    private Faults faults = Faults.NONE;
    private boolean crashed;
    private long writes;
    private int troubles;
    private long began = -1;

    Life(String name, Stage stage) {
        this.name = name;
        this.stage = stage;
    }

    void meet(Faults some) {
        faults = some;
    }

    Faults faults() {
        return faults;
    }

    /** From now on it can ask for things; nothing it is shown is older than this. */
    void begin() {
        if (began < 0) {
            began = stage.observer().history().newest();
        }
    }

    void crash(Fault how) {
        tell(how, how == Fault.CRASH_BEFORE ? "crashed before the next request" : "crashed");
        crashed = true;
        live();
    }

    boolean isOver() {
        return crashed;
    }

    void live() {
        if (crashed) {
            throw ApiException.of(503, "ServiceUnavailable", "the process has crashed");
        }
    }

    /** How many objects were changed. */
    long writes() {
        return writes;
    }

    void wrote() {
        writes++;
    }

    /** A change that was asked for was not made, or nobody knows. */
    void failed() {
        troubles++;
    }

    /** How many changes failed since the last call. */
    int takeTroubles() {
        int taken = troubles;
        troubles = 0;
        return taken;
    }

    boolean happens(double probability) {
        return probability > 0 && stage.random().nextDouble() < probability;
    }

    /** Something went wrong that is worth a line. */
    void tell(Fault fault, String what) {
        stage.faults().add(fault);
        stage.trace().add(name, what);
    }

    String name() {
        return name;
    }

    void trace(String what) {
        stage.trace().add(name, what);
    }

    void count(Fault fault) {
        stage.faults().add(fault);
    }

    Stage stage() {
        return stage;
    }

    // ---- what it has heard of

    void heard(KubeApi.Kind kind, long revision) {
        heard.put(kind, revision);
    }

    /** A list that was made a while ago: after the process began, and after all it has heard of the kind. */
    Optional<History.Moment> staleList(KubeApi.Kind kind) {
        if (began < 0 || !happens(faults.stale())) {
            return Optional.empty();
        }
        long since = Math.max(began, heard.getOrDefault(kind, 0L));
        return stage.observer().history().earlier(kind, since, stage.random());
    }

    void open(LaggingWatch watch) {
        watches.add(watch);
    }

    void close(LaggingWatch watch) {
        watches.remove(watch);
    }

    /** Whether some other watch has not told yet what happened before. */
    boolean isAheadOfOthers(LaggingWatch watch, long revision) {
        for (LaggingWatch other : watches) {
            if (other != watch && other.oldestUntold() < revision) {
                return true;
            }
        }
        return false;
    }
}
