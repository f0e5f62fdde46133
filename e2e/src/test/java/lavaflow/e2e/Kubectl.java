package lavaflow.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Runs a script of kubectl commands in a namespace of its own and writes down what a person at the terminal would see. */
final class Kubectl {
    private static final int PATIENCE_SECONDS = 900;

    /** Prints the command before its output and the exit code where it is not 0, but never into a pipe. */
    private static final String WRAPPER = """
            #!/usr/bin/env bash
            echo "\\$ kubectl $*" >&2
            "$KUBECTL" "$@"
            code=$?
            [ $code = 0 ] || echo "exit $code" >&2
            exit $code
            """;

    private static final Pattern AGE = Pattern.compile("(?<=[ (])(\\d+[smhd]){1,2}(?=[ )]|$)", Pattern.MULTILINE);
    private static final Pattern TIME =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)");
    private static final Pattern DATE = Pattern.compile("\\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d [+-]\\d{4}");
    private static final Pattern UID = Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final Pattern REVISION = Pattern.compile("(resourceVersion\"?: \"?)\\d+");
    private static final Pattern TOKEN_VOLUME = Pattern.compile("kube-api-access-[a-z0-9]{5}");
    private static final Pattern CLUSTER_IP = Pattern.compile("10\\.96\\.\\d+\\.\\d+");
    private static final Pattern NODE_PORT = Pattern.compile("(?<=:)3[0-2]\\d{3}(?=/)");
    private static final Pattern LOG_LINE = Pattern.compile("(?m)^[EWI]\\d{4} .*\\n");
    /** The departure version-text of docs/compatibility.md. */
    private static final Pattern BUILD = Pattern.compile("\\+lavaflow\\.[0-9A-Za-z.-]+");

    private static final Pattern TRAILING = Pattern.compile("(?m) +$");
    private static final Pattern SPACES = Pattern.compile("(?<=\\S) {2,}");

    private final Path binary;
    private final Path kubeconfig;
    private final Path work;

    Kubectl(Path binary, Path kubeconfig, Path work) {
        this.binary = binary;
        this.kubeconfig = kubeconfig;
        this.work = work;
    }

    /** The kubectl that is built with the real server: what it prints is recorded, others word things differently. */
    static Optional<Path> binary() {
        String given = System.getProperty("kubectl.binary", "");
        return given.isEmpty()
                ? Servers.builtPrograms().map(programs -> programs.resolve("kubectl"))
                : Optional.of(Path.of(given));
    }

    /** The kubectl of the path, which is of any version. */
    static Optional<Path> ofThisMachine() {
        return Arrays.stream(System.getenv("PATH").split(":", -1))
                .map(directory -> Path.of(directory, "kubectl"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    String transcript(String namespace, String script) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(work, "case");
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Files.writeString(bin.resolve("kubectl"), WRAPPER);
        Files.setPosixFilePermissions(bin.resolve("kubectl"), PosixFilePermissions.fromString("rwx------"));
        Path config = Files.copy(kubeconfig, directory.resolve("kubeconfig"));
        Path prepare = directory.resolve("prepare.sh");
        Files.writeString(prepare, """
                set -e
                "$KUBECTL" config set-context --current --namespace="$NAMESPACE" >/dev/null
                "$KUBECTL" create namespace "$NAMESPACE" >/dev/null
                for _ in $(seq 600); do
                  "$KUBECTL" get serviceaccount/default configmap/kube-root-ca.crt >/dev/null 2>&1 && break
                  sleep 0.1
                done
                """);
        bash(prepare, directory, bin, config, namespace);
        Path file = directory.resolve("script.sh");
        Files.writeString(file, script);
        return normal(bash(file, directory, bin, config, namespace), namespace);
    }

    /** Takes a namespace and its pods away again, so that they are in nobody's way. */
    void remove(String namespace) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(work, "end");
        Path script = directory.resolve("end.sh");
        Files.writeString(script, "\"$KUBECTL\" delete namespace \"$NAMESPACE\" --timeout=300s\n");
        bash(script, directory, directory, kubeconfig, namespace);
    }

    private String bash(Path script, Path directory, Path bin, Path config, String namespace)
            throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder("bash", script.toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile());
        builder.environment().put("KUBECTL", binary.toString());
        builder.environment().put("KUBECONFIG", config.toString());
        builder.environment().put("NAMESPACE", namespace);
        builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
        builder.environment().put("HOME", work.toString());
        builder.environment().put("TZ", "UTC");
        builder.environment().put("LC_ALL", "C.UTF-8"); // for sort
        Process process = builder.start();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            return Files.readString(output, StandardCharsets.UTF_8) + "... did not end in " + PATIENCE_SECONDS + " s\n";
        }
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    /** Columns are as wide as what stands in them, so runs of spaces count as one where ages differ. */
    private static String normal(String said, String namespace) {
        String text = said.replace(namespace, "NAMESPACE");
        text = LOG_LINE.matcher(text).replaceAll("");
        text = BUILD.matcher(text).replaceAll("");
        text = UID.matcher(text).replaceAll("UID");
        text = TIME.matcher(text).replaceAll("TIME");
        text = DATE.matcher(text).replaceAll("DATE");
        text = REVISION.matcher(text).replaceAll("$1N");
        text = TOKEN_VOLUME.matcher(text).replaceAll("kube-api-access-X");
        text = CLUSTER_IP.matcher(text).replaceAll("ADDRESS");
        text = NODE_PORT.matcher(text).replaceAll("PORT");
        text = AGE.matcher(text).replaceAll("AGE");
        text = SPACES.matcher(text).replaceAll(" ");
        return TRAILING.matcher(text).replaceAll("");
    }
}
