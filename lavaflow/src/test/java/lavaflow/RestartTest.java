package lavaflow;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;
import lavaflow.node.SimShape;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static lavaflow.TestingAllInOne.MAPS;
import static lavaflow.TestingAllInOne.named;
import static lavaflow.TestingAllInOne.owned;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Starting, stopping and starting again on one directory. */
@Timeout(600)
class RestartTest {
    @TempDir
    private Path directory;

    private TestingAllInOne testing;

    @BeforeEach
    void start() throws Exception {
        testing = new TestingAllInOne(directory.resolve("data"));
    }

    @AfterEach
    void stop() throws Exception {
        testing.close();
    }

    @Test
    void aNewClusterServesJobsBeforeItSaysThatItIsReadyAndALaterOneAtOnce(@TempDir Path other) throws Exception {
        Home home = Home.of(other.resolve("data"));
        for (Duration patience : List.of(Duration.ofMinutes(5), Duration.ZERO)) {
            try (AllInOne cluster = TestingAllInOne.start(home)) {
                assertThat(cluster.awaitKinds(patience)).isTrue();
                assertThat(cluster.api(NodesAndScheduler.ADMIN).kinds())
                        .extracting(kind -> kind.resource() + "." + kind.group())
                        .contains("tfjobs.kubeflow.org", "jobs.batch.volcano.sh", "trainjobs.trainer.kubeflow.org");
            }
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        int taken = URI.create(testing.cluster.url()).getPort();
        AllInOne.Options withNodes = AllInOne.Options.usual(true, List.of(SimShape.usual(2)));

        assertThatThrownBy(() ->
                        AllInOne.start(Home.of(directory.resolve("other")), TestingAllInOne.loopback(taken), withNodes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + taken);
    }

    @Test
    void aRestartChangesNothingAndGoesOn() throws Exception {
        ObjectNode owner = testing.create(named("owner"));
        testing.create(owned("child", owner));
        String kubeconfig = withoutServer(Files.readString(testing.home.kubeconfig()));
        List<ObjectNode> before = everything();
        long revision = testing.api.list(MAPS, "", KubeApi.View.METADATA, _ -> {});
        testing.restart();

        assertThat(testing.home.running().orElseThrow().url()).isEqualTo(testing.cluster.url());
        assertThat(everything()).containsAll(before);
        assertThat(withoutServer(Files.readString(testing.home.kubeconfig()))).isEqualTo(kubeconfig);
        assertThat(Long.parseLong(Json.textAt(testing.create(named("later")), "metadata", "resourceVersion")))
                .isGreaterThan(revision);
        testing.delete("owner", "Background");
        testing.awaitGone(MAPS, "default", "child");
    }

    /** What exists; of what components complete in the background after a start, only that it exists. */
    private List<ObjectNode> everything() {
        List<ObjectNode> objects = new ArrayList<>();
        for (KubeApi.Kind kind : testing.api.kinds()) {
            boolean completed = List.of(
                            "apiservices",
                            "clusterroles",
                            "clusterrolebindings",
                            "flowschemas",
                            "customresourcedefinitions",
                            "queues")
                    .contains(kind.resource());
            testing.api.list(
                    kind, "", KubeApi.View.WHOLE, object -> objects.add(completed ? identity(object) : object));
        }
        return objects;
    }

    private static ObjectNode identity(ObjectNode object) {
        ObjectNode identity = named(Json.textAt(object, "metadata", "name"));
        return identity.put("kind", Json.textAt(object, "kind")).put("uid", Json.textAt(object, "metadata", "uid"));
    }

    private static String withoutServer(String kubeconfig) {
        return kubeconfig.replaceAll("server: .*", "");
    }

    @Test
    void nothingSecretIsLoggedAndNoFileIsOpenToOthers() throws Exception {
        Logger program = (Logger) LoggerFactory.getLogger("lavaflow");
        Logger requests = (Logger) LoggerFactory.getLogger("lavaflow.requests");
        List<Level> levels = new ArrayList<>(java.util.Arrays.asList(program.getLevel(), requests.getLevel()));
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        program.addAppender(logged);
        program.setLevel(Level.TRACE);
        requests.setLevel(Level.TRACE);
        try {
            testing.restart();
            ObjectNode secret = named("password");
            secret.putObject("stringData").put("password", "open-sesame");
            AdminClient admin = AdminClient.of(testing.home);
            String path = "/api/v1/namespaces/default/secrets";
            assertThat(admin.send("POST", path, "application/json", Json.string(secret)))
                    .isEqualTo(201);
            assertThat(admin.send("POST", path, "application/json", Json.string(secret)))
                    .isEqualTo(409);
            assertThat(admin.send("POST", path, "application/json", "{" + Json.string(secret)))
                    .isEqualTo(400);
        } finally {
            program.detachAppender(logged);
            synchronized (logged) { // whoever is just about to add a line adds none
                logged.stop();
            }
            program.setLevel(levels.get(0));
            requests.setLevel(levels.get(1));
        }
        List<String> secrets = new ArrayList<>(List.of(
                "open-sesame", Base64.getEncoder().encodeToString("open-sesame".getBytes(StandardCharsets.UTF_8))));
        secrets.addAll(keyLines());
        assertThat(logged.list).as("something is logged").isNotEmpty();
        for (ILoggingEvent event : logged.list) {
            String line = event.getFormattedMessage()
                    + (event.getThrowableProxy() == null
                            ? ""
                            : event.getThrowableProxy().getMessage());
            assertThat(secrets).noneMatch(line::contains);
        }
    }

    /** Every line of every key; also checks who may read it. */
    private List<String> keyLines() throws Exception {
        List<String> lines = new ArrayList<>();
        for (Path file : files()) {
            boolean secret = file.toString().endsWith(".key") || file.equals(testing.home.kubeconfig());
            if (secret) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------");
            }
            if (file.toString().endsWith(".key")) {
                Files.readAllLines(file).stream()
                        .filter(line -> !line.startsWith("-----"))
                        .forEach(lines::add);
            }
        }
        assertThat(lines).isNotEmpty();
        return lines;
    }

    /** The server runs: some of its files come and go while they are listed. */
    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(testing.home.directory(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        return files;
    }
}
