package lavaflow.trainer;

/** A runtime of no framework that is known: as many pods as are wanted, and nothing else. */
record PlainPolicy() implements Policy {
    @Override
    public void wire(Blueprint blueprint) {
        Policy.setCount(blueprint);
    }
}
