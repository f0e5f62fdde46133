package lavaflow.training;

/** One job. */
record JobKey(String kind, String namespace, String name) {
    @Override
    public String toString() {
        return kind + " " + namespace + "/" + name;
    }
}
