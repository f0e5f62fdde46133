package lavaflow.network;

/** A script for nft about one table. */
final class Script {
    private final String table;
    private final StringBuilder text = new StringBuilder();

    Script(String table) {
        this.table = table;
    }

    String table() {
        return table;
    }

    Script line(String line) {
        text.append(line).append('\n');
        return this;
    }

    void map(String name, String types) {
        line("add map " + table + " " + name + " { type " + types + " ; }");
    }

    void set(String name, String types) {
        line("add set " + table + " " + name + " { type " + types + " ; }");
    }

    void elements(String set, String elements) {
        line("add element " + table + " " + set + " { " + elements + " }");
    }

    /** A chain without rules, whether it was there or not; the hook is empty for one that is jumped to. */
    void chain(String name, String hook) {
        line("add chain " + table + " " + name + (hook.isEmpty() ? "" : " { " + hook + " ; }"));
        line("flush chain " + table + " " + name);
    }

    /** A chain as it is, or an empty one. */
    void declare(String name) {
        line("add chain " + table + " " + name);
    }

    void rule(String chain, String rule) {
        line("add rule " + table + " " + chain + " " + rule);
    }

    boolean isEmpty() {
        return text.isEmpty();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
