package lavaflow.simulation;

import java.util.function.Function;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;

/** A process that is started again whenever it has crashed, with nothing remembered. */
final class Actor {
    private final String name;
    private final KubeApi real;
    private final Function<KubeApi, Component> program;
    private final RandomGenerator random;
    private final Trace trace;
    private Faults faults = Faults.NONE;
    private FaultyApi.Life life;
    private Component component;
    private long earlierWrites;
    private int starts;

    Actor(String name, KubeApi real, Function<KubeApi, Component> program, RandomGenerator random, Trace trace) {
        this.name = name;
        this.real = real;
        this.program = program;
        this.random = random;
        this.trace = trace;
        this.life = new FaultyApi.Life(name, random, trace);
        this.component = program.apply(new FaultyApi(real, life));
    }

    void meet(Faults some) {
        faults = some;
        life.meet(some);
    }

    void step() {
        component.step(random);
        restartIfOver();
    }

    boolean catchUp() {
        boolean worked = component.catchUp();
        restartIfOver();
        return worked;
    }

    void crash() {
        trace.add(name, "killed");
        life.crash();
        restartIfOver();
    }

    private void restartIfOver() {
        if (life.isOver()) {
            earlierWrites += life.writes();
            starts++;
            life = new FaultyApi.Life(name, random, trace);
            life.meet(faults);
            component = program.apply(new FaultyApi(real, life));
            trace.add(name, "started again");
        }
    }

    /** How often it was started again. */
    int restarts() {
        return starts;
    }

    /** Changes it has made, over all its lives. */
    long writes() {
        return earlierWrites + life.writes();
    }
}
