package lavaflow.sandbox;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import lavaflow.linux.UserNamespace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Containers of somebody who is root in his own namespaces only. A program with threads cannot enter those, so another does it. */
@Timeout(900)
class OrdinaryUserTest {
    @Test
    void rootOfAUserNamespaceHasContainersWithoutControlGroups() throws Exception {
        String said = run(List.of(), List.of());

        assertThat(lines(said))
                .containsEntry("host", "0;host-a;sh;programs;nothing private;mine;1")
                .containsEntry("image", "kept;nothing")
                .containsEntry("other user", "cannot run as user 1000")
                .containsEntry("seen by the second", "3")
                .containsEntry("left of the first", "0")
                .containsEntry("late", "true 0")
                .containsEntry("containers left", "0")
                .containsEntry("after a restart", "RUNNING")
                .containsEntry("its end", "137")
                .containsEntry("notices", "3")
                .containsEntry("made by the runtime", "ran")
                .containsEntry("groups left", "0")
                .containsEntry("left over", "true");
        assertThat(lines(said).get("read-only"))
                .contains("Read-only file system")
                .doesNotContain("written");
    }

    @Test
    void whereSomethingIsMountedAmongTheProgramsNoneOfThemIsMissing() throws Exception {
        Path library = Path.of("/usr/lib");
        assumeTrue(Files.isDirectory(library, LinkOption.NOFOLLOW_LINKS), "there is no /usr/lib");
        Path place = Stream.of("modules", "tmpfiles.d", "sysusers.d", "systemd", "apt")
                .map(library::resolve)
                .filter(Files::isDirectory)
                .findFirst()
                .orElse(null);
        assumeTrue(place != null, "nothing in /usr/lib to mount over");
        String mount = "mount --bind /usr/share " + place + " && mount --bind /etc/passwd /etc/passwd && exec \"$@\"";

        String said = run(List.of("unshare", "--mount", "sh", "-c", mount, "sh"), List.of("divided"));

        try (Stream<Path> entries = Files.list(library)) {
            assertThat(lines(said))
                    .containsEntry("library", entries.count() + ";not written;mine;root")
                    .containsEntry("still mounted", "0")
                    .containsEntry("left over", "true");
        }
    }

    /** What the scenario tells, in namespaces of its own. */
    private static String run(List<String> before, List<String> arguments) throws Exception {
        assumeTrue(UserNamespace.own().isInitial(), "already in a user namespace");
        Optional<String> obstacle = RuncRuntime.obstacle();
        assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                OrdinaryUserScenario.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assumeTrue(!said.startsWith("unshare: ") && !said.startsWith("mount: "), said);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    /** Whoever runs tests may load them from elsewhere than the class path of its own. */
    private static String classPath() throws ClassNotFoundException {
        StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
        for (String name : List.of(
                "lavaflow.sandbox.OrdinaryUserScenario",
                "lavaflow.sandbox.RuncRuntime",
                "lavaflow.linux.UserNamespace",
                "lavaflow.kube.Json",
                "com.fasterxml.jackson.databind.JsonNode",
                "com.fasterxml.jackson.core.JsonFactory",
                "com.fasterxml.jackson.annotation.JsonProperty",
                "org.slf4j.LoggerFactory",
                "org.junit.jupiter.api.Assumptions",
                "org.junit.platform.commons.util.ExceptionUtils",
                "org.opentest4j.TestAbortedException")) {
            path.append(':')
                    .append(Class.forName(name)
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath());
        }
        return path.toString();
    }

    private static Map<String, String> lines(String said) {
        Map<String, String> lines = new LinkedHashMap<>();
        for (String line : said.lines().toList()) {
            int colon = line.indexOf(": ");
            if (colon > 0) {
                lines.put(line.substring(0, colon), line.substring(colon + 2));
            }
        }
        return lines;
    }

    private static final UserNamespace ONE = UserNamespace.parse("0 1001 1", "0 1001 1", "deny");
    private static final UserNamespace MANY =
            UserNamespace.parse("0 1001 1\n1 100000 65536", "0 1001 1\n1 100000 65536", "allow");

    @Test
    void aUserThatTheNamespaceDoesNotHaveIsRefusedWithWhatToDo() throws SandboxException {
        Users app = new Users(1000, 1000, List.of(1000L, 70L, 1_000_000L), "/");

        assertThat(app.within(MANY).groups()).containsExactly(1000L, 70L);
        assertThat(new Users(0, 0, List.of(0L, 70L), "/").within(ONE).groups()).isEmpty();
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> app.within(ONE))
                .hasMessageStartingWith("cannot run as user 1000: this node was started by an ordinary user")
                .hasMessageContaining("usermod --add-subuids");
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> new Users(1_000_000, 0, List.of(), "/").within(MANY))
                .hasMessageContaining("has 65537 users for containers");
    }

    @Test
    void rangesOfUsersAreThoseOfTheUsersNameOrNumber() {
        List<String> file = List.of("other:1:2", "anna:100000:65536", "# comment", "1001:300000:10", "anna:x:y");

        assertThat(SubordinateIds.parse(file, List.of("1001", "anna")))
                .containsExactly(
                        new UserNamespace.Range(1, 100_000, 65_536), new UserNamespace.Range(65_537, 300_000, 10));
        assertThat(SubordinateIds.parse(file, List.of("nobody"))).isEmpty();
        SubordinateIds ids = new SubordinateIds(
                SubordinateIds.parse(file, List.of("anna")), SubordinateIds.parse(file, List.of("anna")));
        assertThat(ids.arguments(Path.of("/usr/bin/newuidmap"), 7, 1001, ids.users()))
                .containsExactly("/usr/bin/newuidmap", "7", "0", "1001", "1", "1", "100000", "65536");
    }
}
