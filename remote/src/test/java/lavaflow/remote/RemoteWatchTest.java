package lavaflow.remote;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(300)
class RemoteWatchTest {
    private static final Duration NOTHING = Duration.ZERO;

    /** A server under the test's hand. */
    private static final class TestingSource implements RemoteWatch.Source {
        private final List<Long> openedAfter = new ArrayList<>();
        private Streams.Listener listener;
        private int cancelled;
        private int askedForMore;

        @Override
        public Streams.Stream open(long after, Streams.Listener to) {
            openedAfter.add(after);
            listener = to;
            return new Streams.Stream() {
                @Override
                public void more() {
                    askedForMore++;
                }

                @Override
                public void cancel() {
                    cancelled++;
                }
            };
        }

        @Override
        public ObjectNode shown(ObjectNode object) {
            return object;
        }

        @Override
        public long currentRevision() {
            return 900;
        }

        boolean say(String type, long revision) {
            ObjectNode event = Json.object().put("type", type);
            ObjectNode metadata = event.putObject("object").putObject("metadata");
            metadata.put("name", "n" + revision).put("resourceVersion", String.valueOf(revision));
            return listener.bytes((Json.string(event) + "\n").getBytes(StandardCharsets.UTF_8));
        }

        void say(ApiException error) {
            ObjectNode event = Json.object().put("type", "ERROR");
            event.set("object", error.status());
            listener.bytes((Json.string(event) + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private final TestingSource source = new TestingSource();
    private long now = 1_000;
    private final RemoteWatch watch = new RemoteWatch(source, 10, () -> now);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static List<String> told(KubeApi.Progress progress) {
        return progress.events().stream()
                .map(event -> (event.deleted() ? "-" : "+") + Json.textAt(event.object(), "metadata", "name"))
                .toList();
    }

    @Test
    void eventsComeInOrderAndSayHowFarItGot() throws InterruptedException {
        assertThat(watch.next(NOTHING)).isEqualTo(new KubeApi.Progress(List.of(), 10));
        assertThat(source.openedAfter).containsExactly(10L);
        source.say("ADDED", 11);
        source.say("DELETED", 12);

        KubeApi.Progress progress = watch.next(NOTHING);
        assertThat(told(progress)).containsExactly("+n11", "-n12");
        assertThat(progress.revision()).isEqualTo(12);
    }

    @Test
    void eventsMayArriveInPieces() throws InterruptedException {
        watch.next(NOTHING);
        byte[] line = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"11\"}}}\n"
                .getBytes(StandardCharsets.UTF_8);
        for (byte each : line) {
            source.listener.bytes(new byte[] {each});
        }

        assertThat(told(watch.next(NOTHING))).containsExactly("+x");
    }

    @Test
    void bookmarksMoveItAlongWithoutEvents() throws InterruptedException {
        watch.next(NOTHING);
        source.say("BOOKMARK", 50);

        assertThat(watch.next(NOTHING)).isEqualTo(new KubeApi.Progress(List.of(), 50));
    }

    @Test
    void aWatchThatTheServerEndsGoesOnWhereItStopped() throws InterruptedException {
        watch.next(NOTHING);
        source.say("ADDED", 11);
        pass(Duration.ofMinutes(5));
        source.say("BOOKMARK", 20);
        source.listener.ended(null);
        watch.next(NOTHING);
        watch.next(NOTHING);

        assertThat(source.openedAfter).containsExactly(10L, 20L);
    }

    @Test
    void aServerThatIsDownIsAskedLessAndLessOften() throws InterruptedException {
        watch.next(NOTHING);
        List<Duration> waits = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            int before = source.openedAfter.size();
            source.listener.ended(ApiException.of(503, "ServiceUnavailable", "refused"));
            Duration waited = Duration.ZERO;
            while (source.openedAfter.size() == before) {
                pass(Duration.ofMillis(100));
                waited = waited.plusMillis(100);
                watch.next(NOTHING);
            }
            waits.add(waited);
        }

        assertThat(waits.getFirst())
                .isBetween(
                        RemoteWatch.FIRST_PAUSE,
                        RemoteWatch.FIRST_PAUSE.multipliedBy(2).plusMillis(100));
        assertThat(waits.getLast())
                .isBetween(
                        RemoteWatch.LAST_PAUSE,
                        RemoteWatch.LAST_PAUSE.multipliedBy(2).plusMillis(100));
        assertThat(source.openedAfter).as("nothing was missed").allMatch(after -> after == 10);
    }

    @Test
    void aServerThatEndsEveryWatchAtOnceIsNotAskedInALoop() throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            watch.next(NOTHING);
            if (source.openedAfter.size() > 1) {
                break;
            }
            source.listener.ended(null);
        }

        assertThat(source.openedAfter).hasSize(1);
    }

    @Test
    void aPastThatIsGoneIsToldAfterWhatWasHeardBefore() throws InterruptedException {
        watch.next(NOTHING);
        source.say("ADDED", 11);
        source.say(ApiException.expired("too old resource version: 10 (700)"));

        assertThat(told(watch.next(NOTHING))).containsExactly("+n11");
        assertThatThrownBy(() -> watch.next(NOTHING))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(410));
    }

    @Test
    void aServerThatLostItsStateIsNotWaitedFor() throws InterruptedException {
        watch.next(NOTHING);
        source.listener.ended(ApiException.of(504, "Timeout", "Too large resource version: 10, current: 3")
                .cause("ResourceVersionTooLarge", "Too large resource version", ""));

        assertThatThrownBy(() -> watch.next(NOTHING)).hasMessageContaining("Too large resource version");
    }

    @Test
    void refusalsThatWillNotPassAreTold() throws InterruptedException {
        watch.next(NOTHING);
        source.listener.ended(ApiException.of(403, "Forbidden", "no"));

        assertThatThrownBy(() -> watch.next(NOTHING)).hasMessage("no");
    }

    @Test
    void aConnectionThatFellSilentIsReplaced() throws InterruptedException {
        watch.next(NOTHING);
        Streams.Listener first = source.listener;
        pass(RemoteWatch.SILENCE.minusMillis(1));
        watch.next(NOTHING);
        assertThat(source.openedAfter).hasSize(1);
        pass(Duration.ofMillis(2));
        watch.next(NOTHING);

        assertThat(source.openedAfter).containsExactly(10L, 10L);
        assertThat(source.cancelled).isEqualTo(1);
        first.ended(ApiException.of(403, "Forbidden", "late"));
        assertThat(watch.next(NOTHING).events())
                .as("what the old one says is not heard")
                .isEmpty();
    }

    @Test
    void theServerWaitsForASlowReader() throws InterruptedException {
        watch.next(NOTHING);
        long revision = 11;
        while (source.say("ADDED", revision)) {
            revision++;
        }
        assertThat(source.askedForMore).isZero();

        assertThat(watch.next(NOTHING).events()).hasSize(RemoteWatch.READ_AHEAD);
        assertThat(source.askedForMore).isEqualTo(1);
    }

    @Test
    void somethingThatIsNoEventEndsTheConnectionOnly() throws InterruptedException {
        watch.next(NOTHING);
        source.listener.bytes("<html>\n".getBytes(StandardCharsets.UTF_8));
        pass(Duration.ofSeconds(2));
        watch.next(NOTHING);

        assertThat(source.openedAfter).containsExactly(10L, 10L);
    }

    @Test
    void whoIsWokenReturnsAtOnce() throws InterruptedException {
        watch.next(NOTHING);
        watch.wake();

        assertThat(watch.next(Duration.ofDays(1))).isEqualTo(new KubeApi.Progress(List.of(), 10));
    }

    @Test
    void aQuietWatchFindsOutHowFarTheServerIs() throws InterruptedException {
        watch.next(NOTHING);
        source.listener.opened();
        assertThat(watch.next(NOTHING).revision()).isEqualTo(10);
        awaitRevision(900);
        source.listener.ended(null);
        pass(Duration.ofSeconds(2));
        watch.next(NOTHING);
        assertThat(source.openedAfter)
                .as("what may still be under way is not skipped")
                .containsExactly(10L, 10L);
    }

    @Test
    void howFarTheServerIsMeansNothingBeforeItIsConnected() throws InterruptedException {
        watch.next(NOTHING);
        Thread.ofVirtual().start(() -> {
            // For as long as it takes to be asked a few times.
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
            source.say("ADDED", 11);
            source.listener.opened();
        });

        KubeApi.Progress progress = wakened();
        while (progress.events().isEmpty()) {
            assertThat(progress.revision()).as("before it is connected").isEqualTo(10);
            progress = wakened();
        }
        assertThat(told(progress)).containsExactly("+n11");
        awaitRevision(900);
    }

    private KubeApi.Progress wakened() throws InterruptedException {
        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        watch.wake();
        return watch.next(Duration.ofDays(1));
    }

    /** It is found out behind the back of who asks, sooner or later. */
    private void awaitRevision(long wanted) throws InterruptedException {
        KubeApi.Progress progress = wakened();
        while (progress.revision() != wanted) {
            assertThat(progress.events()).isEmpty();
            progress = wakened();
        }
    }

    @Test
    void aClosedWatchTellsNothing() throws InterruptedException {
        watch.next(NOTHING);
        source.say("ADDED", 11);
        watch.close();

        assertThat(source.cancelled).isEqualTo(1);
        assertThatThrownBy(() -> watch.next(NOTHING)).isInstanceOf(ApiException.class);
    }
}
