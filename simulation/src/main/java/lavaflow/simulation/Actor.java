package lavaflow.simulation;

import java.util.function.Function;

import lavaflow.controller.KubeApi;

/** A process that is started again whenever it has crashed, with nothing remembered. */
final class Actor {
    private final String name;
    private final Stage stage;
    private final Function<KubeApi, Component> program;
    private Faults faults = Faults.NONE;
    private Life life;
    private Component component;
    private long earlierWrites;
    private int starts;
    private boolean troubled;

    Actor(String name, Stage stage, Function<KubeApi, Component> program) {
        this.name = name;
        this.stage = stage;
        this.program = program;
        this.life = new Life(name, stage);
        this.component = program.apply(new FaultyApi(stage, life));
    }

    void meet(Faults some) {
        faults = some;
        life.meet(some);
    }

    String name() {
        return name;
    }

    /** Whether nothing that was asked for in the last step was refused or lost. */
    boolean isUntroubled() {
        return !troubled;
    }

    /** Whether nothing goes wrong and it always hears of everything. */
    boolean isAtPeace() {
        return faults.equals(Faults.NONE);
    }

    void step() {
        life.begin();
        component.step(stage.random());
        restartIfOver();
    }

    boolean catchUp() {
        life.begin();
        boolean worked = component.catchUp();
        restartIfOver();
        return worked;
    }

    private void restartIfOver() {
        troubled = life.takeTroubles() > 0 || life.isOver();
        if (life.isOver()) {
            earlierWrites += life.writes();
            starts++;
            life = new Life(name, stage);
            life.meet(faults);
            component = program.apply(new FaultyApi(stage, life));
            stage.trace().add(name, "started again");
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
