package lavaflow.simulation;

import java.util.random.RandomGenerator;

/** People who see to it that queues are open when all is to end well. */
final class Insistence implements Component {
    private final QueueIdeas queues;

    Insistence(QueueIdeas queues) {
        this.queues = queues;
    }

    @Override
    public void step(RandomGenerator random) {}

    @Override
    public boolean catchUp() {
        return queues.insist();
    }
}
