package lavaflow.cli;

/**
 * Colours of a terminal.
 *
 * @param colour whether there are any
 */
public record Palette(boolean colour) {
    /** Those that can be told apart on light and dark ground; red is for what went wrong. */
    private static final String[] MANY = {"36", "33", "35", "32", "34", "96", "93", "95", "92", "94"};

    private String painted(String code, String text) {
        return colour && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    /** One of many colours, the same for the same number. */
    public String any(int index, String text) {
        return painted(MANY[Math.floorMod(index, MANY.length)], text);
    }

    public String bold(String text) {
        return painted("1", text);
    }

    public String dim(String text) {
        return painted("2", text);
    }

    public String green(String text) {
        return painted("32", text);
    }

    public String yellow(String text) {
        return painted("33", text);
    }

    public String red(String text) {
        return painted("31", text);
    }

    public String cyan(String text) {
        return painted("36", text);
    }
}
