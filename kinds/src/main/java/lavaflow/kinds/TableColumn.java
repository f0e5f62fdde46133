package lavaflow.kinds;

/**
 * A column of a server-side table.
 *
 * @param name the heading
 * @param type what its cells hold, in OpenAPI's words; upstream does not always keep to it
 * @param format {@code name} for the column that identifies the row, or empty
 * @param priority zero for columns that are always shown, one for those of the wide form
 */
public record TableColumn(String name, String type, String format, int priority) {
    /** Upstream's descriptions are prose, which is not repeated here. */
    public String description() {
        return "";
    }

    /** Reads {@code Name/name}, {@code Ready}, {@code Desired:integer}, {@code Images*}: see the parameters above. */
    static TableColumn of(String text) {
        boolean wide = text.endsWith("*");
        String rest = wide ? text.substring(0, text.length() - 1) : text;
        int slash = rest.indexOf('/');
        String format = slash < 0 ? "" : rest.substring(slash + 1);
        String typed = slash < 0 ? rest : rest.substring(0, slash);
        int colon = typed.indexOf(':');
        String type = colon < 0 ? "string" : typed.substring(colon + 1);
        return new TableColumn(colon < 0 ? typed : typed.substring(0, colon), type, format, wide ? 1 : 0);
    }
}
