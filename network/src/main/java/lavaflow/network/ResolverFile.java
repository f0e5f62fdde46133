package lavaflow.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a resolv.conf says. */
public record ResolverFile(List<String> nameServers, List<String> searches, List<String> options) {
    public static final ResolverFile EMPTY = new ResolverFile(List.of(), List.of(), List.of());

    private static final Path USUAL = Path.of("/etc/resolv.conf");
    /** Where systemd-resolved writes the servers it asks itself, being one that only this machine can ask. */
    private static final Path BEHIND_STUB = Path.of("/run/systemd/resolve/resolv.conf");

    private static final String STUB = "127.0.0.53";

    /** The machine's; empty where there is none. */
    public static ResolverFile ofMachine() {
        ResolverFile usual = read(USUAL);
        boolean stub = usual.nameServers().equals(List.of(STUB)) && Files.exists(BEHIND_STUB);
        return stub ? read(BEHIND_STUB) : usual;
    }

    private static ResolverFile read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            return EMPTY;
        }
    }

    /** The last search line and the last options line count, all name servers do. */
    public static ResolverFile parse(String text) {
        List<String> nameServers = new ArrayList<>();
        List<String> searches = List.of();
        List<String> options = List.of();
        for (String line : text.split("\n", -1)) {
            List<String> words = words(line);
            if (words.isEmpty()
                    || words.getFirst().startsWith("#")
                    || words.getFirst().startsWith(";")) {
                continue;
            }
            List<String> rest = words.subList(1, words.size());
            switch (words.getFirst()) {
                case "nameserver" -> rest.stream().findFirst().ifPresent(nameServers::add);
                case "search", "domain" ->
                    searches = rest.stream().map(ResolverFile::withoutDot).toList();
                case "options" -> options = List.copyOf(rest);
                default -> {
                    // Sort lists and what else there may be are of no use to pods.
                }
            }
        }
        return new ResolverFile(List.copyOf(nameServers), List.copyOf(searches), options);
    }

    private static List<String> words(String line) {
        return line.isBlank() ? List.of() : List.of(line.trim().split("\\s+"));
    }

    private static String withoutDot(String name) {
        return name.length() > 1 && name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    /** The same where servers on this machine's loopback, which pods cannot reach, are asked through another one. */
    public ResolverFile reachableThrough(List<String> relays) {
        List<String> reachable = new ArrayList<>();
        for (String server : nameServers) {
            boolean loopback = server.startsWith("127.") || server.equals("::1");
            for (String each : loopback ? relays : List.of(server)) {
                if (!reachable.contains(each)) {
                    reachable.add(each);
                }
            }
        }
        return new ResolverFile(List.copyOf(reachable), searches, options);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (!searches.isEmpty()) {
            text.append("search ").append(String.join(" ", searches)).append('\n');
        }
        nameServers.forEach(server -> text.append("nameserver ").append(server).append('\n'));
        if (!options.isEmpty()) {
            text.append("options ").append(String.join(" ", options)).append('\n');
        }
        return text.toString();
    }
}
