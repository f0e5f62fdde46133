package lavaflow.cel;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The functions of a set of libraries, by name. Tables are made once for each set and shared. */
final class FunctionTable {
    private static final Map<Set<CelLibrary>, FunctionTable> TABLES = new ConcurrentHashMap<>();

    private final Map<String, List<Overload>> functions = new LinkedHashMap<>();

    private FunctionTable(Set<CelLibrary> libraries) {
        for (Overload overload : Signatures.ALL) {
            if (overload.library().equals("STANDARD") || libraries.contains(CelLibrary.valueOf(overload.library()))) {
                functions
                        .computeIfAbsent(overload.function(), name -> new ArrayList<>())
                        .add(overload);
            }
        }
    }

    static FunctionTable of(Set<CelLibrary> libraries) {
        return TABLES.computeIfAbsent(libraries, FunctionTable::new);
    }

    /** Names of all functions. */
    Set<String> functions() {
        return functions.keySet();
    }

    /** The overloads of a function, none if there is no such function. */
    List<Overload> overloads(String function) {
        return functions.getOrDefault(function, List.of());
    }

    /** Read when the first expression is compiled. */
    private static final class Signatures {
        static final List<Overload> ALL = read();

        private static List<Overload> read() {
            try (InputStream in = FunctionTable.class.getResourceAsStream("functions.txt")) {
                String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
                return text.lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(Signatures::signature)
                        .toList();
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }

        private static Overload signature(String line) {
            String[] words = line.split(" ", 5);
            int end = words[4].lastIndexOf(") ") + 1;
            TypeReader types = new TypeReader(words[4].substring(1, end - 1));
            List<CelType> args = types.list();
            CelType result = new TypeReader(words[4].substring(end + 1)).type();
            return new Overload(words[0], words[1], words[2], words[3].equals("member"), args, result);
        }
    }

    /** Reads types as signatures write them. */
    private static final class TypeReader {
        private static final Map<String, CelType> NAMED = Map.ofEntries(
                Map.entry("dyn", CelType.DYN),
                Map.entry("bool", CelType.BOOL),
                Map.entry("int", CelType.INT),
                Map.entry("uint", CelType.UINT),
                Map.entry("double", CelType.DOUBLE),
                Map.entry("string", CelType.STRING),
                Map.entry("bytes", CelType.BYTES),
                Map.entry("timestamp", CelType.TIMESTAMP),
                Map.entry("duration", CelType.DURATION),
                Map.entry("k.Quantity", CelType.QUANTITY),
                Map.entry("k.URL", CelType.URL),
                Map.entry("k.Semver", CelType.SEMVER),
                Map.entry("k.NamedFormat", CelType.NAMED_FORMAT),
                Map.entry("net.IP", CelType.IP),
                Map.entry("net.CIDR", CelType.CIDR),
                Map.entry("k.Authorizer", CelType.AUTHORIZER),
                Map.entry("k.PathCheck", CelType.PATH_CHECK),
                Map.entry("k.GroupCheck", CelType.GROUP_CHECK),
                Map.entry("k.ResourceCheck", CelType.RESOURCE_CHECK),
                Map.entry("k.Decision", CelType.DECISION));

        private final String text;
        private int at;

        TypeReader(String text) {
            this.text = text;
        }

        List<CelType> list() {
            List<CelType> types = new ArrayList<>();
            while (at < text.length() && text.charAt(at) != ')') {
                types.add(type());
                if (text.startsWith(", ", at)) {
                    at += 2;
                }
            }
            return types;
        }

        CelType type() {
            int start = at;
            while (at < text.length() && "(),".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String name = text.substring(start, at);
            if (at >= text.length() || text.charAt(at) != '(') {
                CelType named = NAMED.get(name);
                return named != null ? named : new CelType.Parameter(name);
            }
            at++;
            List<CelType> parts = list();
            at++;
            return switch (name) {
                case "list" -> CelType.list(parts.getFirst());
                case "map" -> CelType.map(parts.get(0), parts.get(1));
                case "type" -> CelType.type(parts.getFirst());
                default -> CelType.optional(parts.getFirst());
            };
        }
    }
}
