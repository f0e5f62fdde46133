package lavaflow.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import lavaflow.controller.Followers;
import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.gang.Configuration;
import lavaflow.kube.Json;
import lavaflow.placement.ClusterState;
import lavaflow.placement.ScheduledPod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.scheduler.TestingCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Where the configuration of gangs comes from, and what becomes of one that cannot be read. */
@Timeout(120)
class GangConfigurationTest {
    private static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    private static final String PREEMPTING = "actions: \"enqueue, allocate, preempt\"\ntiers: []\n";
    private static final String BACKFILLING = "actions: \"allocate, backfill\"\ntiers: []\n";
    private static final String BROKEN = "actions: \"fly\"\n";

    private final TestingKubeApi api = new TestingKubeApi()
            .serve(EVENTS, "Event")
            .serve(GangKinds.QUEUES, "Queue")
            .serve(GangConfiguration.MAPS, "ConfigMap");
    private final GangWriter writer = new GangWriter(
            api,
            () -> Instant.EPOCH,
            Writer.Threads.callers(),
            new ClaimWriter(api, () -> Instant.EPOCH, new ClusterState(), ClaimWriter.Told.NOBODY),
            new GangMetrics(() -> 0),
            new IgnoredTroubles());
    private final BlockingQueue<List<String>> actions = new LinkedBlockingQueue<>();

    /** Nothing is written that could fail. */
    private static final class IgnoredTroubles implements GangWriter.Troubles {
        @Override
        public void bindingFailed(String uid) {}

        @Override
        public void gone(String uid) {}

        @Override
        public void bindingUnknown(ScheduledPod pod, String node) {}

        @Override
        public void evictionFailed(String uid, boolean busy) {}

        @Override
        public void statusFailed(String group) {}

        @Override
        public void waitFailed(String uid) {}

        @Override
        public void queueFailed(String queue) {}
    }

    private GangConfiguration configuration(@Nullable Path file) {
        return new GangConfiguration(api, file, read -> actions.add(read.actions()), writer);
    }

    private List<String> next() throws InterruptedException {
        List<String> next = actions.poll(60, TimeUnit.SECONDS);
        assertThat(next).as("a configuration in time").isNotNull();
        return next;
    }

    private static void write(Path file, String text) throws IOException {
        Path made = file.resolveSibling("new");
        Files.writeString(made, text);
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static ObjectNode map(String text) {
        ObjectNode map = json("{\"metadata\":{\"name\":\"" + GangConfiguration.NAME + "\"}}");
        map.putObject("data").put(GangConfiguration.KEY, text);
        return map;
    }

    private void change(String text) {
        api.edit(GangConfiguration.MAPS, GangConfiguration.NAMESPACE, GangConfiguration.NAME, object -> {
            Json.ensureObject(object, "data").put(GangConfiguration.KEY, text);
            return object;
        });
    }

    private List<String> complaints() throws InterruptedException {
        List<String> found = new ArrayList<>();
        try (KubeApi.Watch watch = api.watch(EVENTS, 0, KubeApi.View.WHOLE)) {
            for (KubeApi.Event event : watch.next(Duration.ofSeconds(60)).events()) {
                ObjectNode told = event.object();
                found.add(Json.textAt(told, "involvedObject", "name") + ": " + Json.textAt(told, "reason") + ": "
                        + Json.textAt(told, "message"));
            }
        }
        return found;
    }

    @Test
    void theMapIsFollowedAndABrokenOneChangesNothing() throws Exception {
        Followers followers = new Followers(api);
        configuration(null).follow(followers);
        followers.pump();
        followers.pump();
        assertThat(actions).as("without a map the usual one holds").isEmpty();

        api.createAnywhere(GangConfiguration.MAPS, GangConfiguration.NAMESPACE, map(PREEMPTING));
        followers.pump();
        assertThat(next()).containsExactly("enqueue", "allocate", "preempt");

        change(BROKEN);
        followers.pump();
        assertThat(actions).isEmpty();
        assertThat(complaints())
                .containsExactly("volcano-scheduler-configmap: InvalidConfiguration: the scheduler keeps its "
                        + "configuration: failed to find Action fly");

        change(BACKFILLING);
        followers.pump();
        assertThat(next()).containsExactly("allocate", "backfill");
        api.delete(GangConfiguration.MAPS, GangConfiguration.NAMESPACE, GangConfiguration.NAME, KubeApi.Deletion.PLAIN);
        followers.pump();
        assertThat(next()).isEqualTo(Configuration.usual().actions());
    }

    @Test
    void theFileIsFollowed(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("volcano-scheduler.conf");
        write(file, PREEMPTING);
        try (GangConfiguration configuration = configuration(file)) {
            configuration.start();
            assertThat(next()).containsExactly("enqueue", "allocate", "preempt");
            write(file, BACKFILLING);
            assertThat(next()).containsExactly("allocate", "backfill");
        }
    }

    @Test
    void aFileThatIsMissingAtFirstIsToldAndReadOnceItIsThere(@TempDir Path directory) throws Exception {
        api.create(GangKinds.QUEUES, "", json("{\"metadata\":{\"name\":\"root\"}}"));
        Path file = directory.resolve("volcano-scheduler.conf");
        try (GangConfiguration configuration = configuration(file)) {
            configuration.start();
            assertThat(complaints())
                    .singleElement()
                    .asString()
                    .startsWith("root: InvalidConfiguration: the scheduler keeps its configuration: " + file);
            write(file, PREEMPTING);
            assertThat(next()).containsExactly("enqueue", "allocate", "preempt");
        }
    }

    /** As on file systems that tell of nothing. */
    @Test
    void aFileInADirectoryThatIsMissingAtFirstIsReadOnceItIsThere(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("later").resolve("volcano-scheduler.conf");
        Duration moment = Duration.ofMillis(20);
        try (GangConfiguration configuration =
                new GangConfiguration(api, file, read -> actions.add(read.actions()), writer, moment)) {
            configuration.start();
            Files.createDirectory(file.getParent());
            write(file, PREEMPTING);
            assertThat(next()).containsExactly("enqueue", "allocate", "preempt");
            write(file, BACKFILLING);
            assertThat(next()).containsExactly("allocate", "backfill");
        }
    }
}
