package lavaflow.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import lavaflow.linux.Child;
import lavaflow.linux.OpenFile;

/** Programs of the machine. */
final class Programs {
    private static final List<String> PLACES = List.of(
            "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/libexec/podman");

    private Programs() {}

    static Optional<Path> find(String name) {
        return PLACES.stream()
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The last word of the first line that a program says about its version. */
    static String version(Path program) throws IOException {
        String first = output(program, "--version").lines().findFirst().orElse("");
        return first.substring(first.lastIndexOf(' ') + 1);
    }

    /** What a program says when it is asked for something; nothing where it does not know what is meant. */
    static String output(Path program, String argument) throws IOException {
        OpenFile[] out = OpenFile.pipe();
        Child child;
        try (OpenFile write = out[1]) {
            child = Child.start(
                    List.of(program.toString(), argument),
                    List.of(Bundle.USUAL_PATH),
                    Arrays.asList(null, write, null));
        }
        try (InputStream in = out[0].intoInput()) {
            String said = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            child.await();
            return said;
        }
    }
}
