package lavaflow.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which directories containers use now, as the mounts of all processes tell. */
final class MountedLayers {
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    private static final Pattern LOWER = Pattern.compile("[ ,]lowerdir=((?:\\\\.|[^,\\\\])*)");
    private static final Pattern COLON = Pattern.compile("(?<!\\\\):");

    private final List<String> tables = new ArrayList<>();
    /** The directories of every overlay, the lowest first. */
    private final List<List<Path>> overlays = new ArrayList<>();

    /** The mounts of this moment. */
    static MountedLayers now() throws IOException {
        MountedLayers mounted = new MountedLayers();
        Set<String> seen = new HashSet<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                try {
                    // Processes of one container have the same mounts.
                    if (seen.add(
                            Files.readSymbolicLink(process.resolve("ns/mnt")).toString())) {
                        mounted.add(Files.readString(process.resolve("mountinfo"), StandardCharsets.ISO_8859_1));
                    }
                } catch (IOException e) {
                    // The process is gone, or somebody else's.
                }
            }
        }
        return mounted;
    }

    static MountedLayers of(String table) {
        MountedLayers mounted = new MountedLayers();
        mounted.add(table);
        return mounted;
    }

    private void add(String table) {
        tables.add(table);
        table.lines().filter(line -> line.contains(" - overlay ")).forEach(line -> {
            String plain = OCTAL.matcher(line)
                    .replaceAll(octal ->
                            Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(octal.group(1), 8))));
            Matcher lower = LOWER.matcher(plain);
            if (lower.find()) {
                List<Path> directories = new ArrayList<>();
                for (String each : COLON.splitAsStream(lower.group(1)).toList()) {
                    directories.addFirst(real(each.replace("\\:", ":").replace("\\,", ",")));
                }
                overlays.add(directories);
            }
        });
    }

    /** Where there are many layers they go by short names, which are links. */
    private static Path real(String written) {
        Path path = Path.of(written);
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path;
        }
    }

    /** Whether a directory, or one in it, is part of what somebody has mounted. */
    boolean uses(Path directory) {
        Path real = real(directory.toString());
        return tables.stream().anyMatch(table -> table.contains(directory.toString()))
                || overlays.stream().flatMap(List::stream).anyMatch(lower -> lower.startsWith(real));
    }

    /** Whether somebody has mounted just these directories, or what is in them, over one another. */
    boolean hasOverlayOf(List<Path> lowestFirst) {
        List<Path> real =
                lowestFirst.stream().map(path -> real(path.toString())).toList();
        return overlays.stream().anyMatch(overlay -> isOf(overlay, real));
    }

    private static boolean isOf(List<Path> overlay, List<Path> wanted) {
        if (overlay.size() != wanted.size()) {
            return false;
        }
        for (int i = 0; i < wanted.size(); i++) {
            if (!overlay.get(i).startsWith(wanted.get(i))) {
                return false;
            }
        }
        return !wanted.isEmpty();
    }
}
