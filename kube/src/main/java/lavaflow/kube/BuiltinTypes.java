package lavaflow.kube;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The structs of Kubernetes' built-in kinds, read from a generated resource.
 *
 * <p>Loading only indexes lines, because start-up time counts and one run touches few of the six hundred structs; a
 * struct is parsed when it is first asked for. Safe for concurrent use.
 *
 * <p>The resource ({@code builtin-types.txt}, written by {@code tools/types/generate}) is text, one line per fact, parts
 * separated by tabs. Lines with an exclamation mark are the table of kinds:
 *
 * <pre>
 * !version  group  version                                    the kinds below belong to it
 * !kind     kind listKind resource singular scope verbs shortNames categories storageVersionHash struct
 * !sub      name group version kind scope verbs struct        a subresource of the kind above
 * !struct   group version kind struct                         any kind that may be sent or received
 * </pre>
 *
 * <p>Every other line is a struct: its name, its flags ({@code a} atomic), then one part per field, in the order of
 * declaration: {@code name type number [flags] [key=value]...}. Codes of types are in {@link StructLine}.
 */
public final class BuiltinTypes implements Types {
    private static final class Holder {
        private static final BuiltinTypes INSTANCE = load();
    }

    private final String text;
    private final Map<String, Integer> lineByName = new HashMap<>(2048);
    private final Map<String, Struct> parsed = new ConcurrentHashMap<>();
    private final KindTable kinds;

    /** Reads types in the format described above; every line ends with a line feed. */
    public BuiltinTypes(String text) {
        this.text = text;
        KindTable.Reader reader = new KindTable.Reader();
        for (int start = 0, end; start < text.length(); start = end + 1) {
            end = text.indexOf('\n', start);
            switch (text.charAt(start)) {
                case '#' -> {}
                case '!' -> reader.line(text.substring(start, end));
                default -> lineByName.put(text.substring(start, text.indexOf('\t', start)), start);
            }
        }
        kinds = reader.table();
    }

    /** The types of this version of Kubernetes, loaded once. */
    public static BuiltinTypes instance() {
        return Holder.INSTANCE;
    }

    private static BuiltinTypes load() {
        try (InputStream in = BuiltinTypes.class.getResourceAsStream("builtin-types.txt")) {
            if (in == null) {
                throw new IllegalStateException("builtin-types.txt is missing from the class path");
            }
            return new BuiltinTypes(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException("builtin-types.txt cannot be read", e);
        }
    }

    /** Another one for other types. */
    int fingerprint() {
        return text.hashCode();
    }

    /** The table of kinds. */
    public KindTable kinds() {
        return kinds;
    }

    /** Whether a struct of that name exists. */
    public boolean knows(String name) {
        return lineByName.containsKey(name);
    }

    @Override
    public Struct struct(String name) {
        Struct found = parsed.get(name);
        return found != null ? found : parsed.computeIfAbsent(name, this::parse);
    }

    private Struct parse(String name) {
        Integer start = lineByName.get(name);
        if (start == null) {
            throw new IllegalArgumentException("no built-in type is called " + name);
        }
        return StructLine.parse(text.substring(start, text.indexOf('\n', start)));
    }
}
