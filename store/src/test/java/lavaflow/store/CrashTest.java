package lavaflow.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static lavaflow.store.Contents.add;
import static lavaflow.store.Contents.committed;
import static lavaflow.store.Contents.put;
import static lavaflow.store.Contents.relaxedPut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a store keeps when the power or the disk fails, at every single moment. */
class CrashTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final List<String> BUCKETS = List.of("pods", "leases");

    private static StoreOptions options(SimulatedDisk disk) {
        return StoreOptions.defaults()
                .withDisk(disk)
                .withFiles(1_024, 3_000)
                .withRelaxedSyncInterval(Duration.ofHours(1))
                .withClock(InstantSource.fixed(Instant.EPOCH));
    }

    private static Store open(SimulatedDisk disk) throws IOException {
        return Store.open(DIRECTORY, options(disk), new SameThread());
    }

    /** One life of a store up to the failure of its disk: what was acknowledged, and what may have been. */
    private static final class Life {
        final Model model = new Model();
        long durable;
        long seen;
        private Store store;

        /** Ends the threads; what they write is of no interest any more. */
        void end() throws IOException {
            if (store != null) {
                store.close();
            }
        }

        void live(SimulatedDisk disk, long seed, int mutations) {
            Random random = new Random(seed);
            try {
                store = open(disk);
            } catch (IOException e) {
                return;
            }
            for (int i = 0; i < mutations; i++) {
                Mutation mutation = Model.random(random, BUCKETS, 0.4);
                seen = store.revision();
                try {
                    if (store.commit(mutation) instanceof Outcome.Committed(StoredObject object)) {
                        model.committed(mutation, object);
                        durable = mutation.relaxed() ? durable : object.revision();
                        seen = object.revision();
                    }
                } catch (StoreUnavailableException e) {
                    // In flight when the disk failed: it may be found after the restart.
                    model.committed(
                            mutation,
                            new StoredObject(
                                    mutation.key(),
                                    mutation.content().at(seen + 1),
                                    seen + 1,
                                    createRevision(mutation, seen + 1),
                                    false,
                                    null));
                    return;
                }
            }
        }

        private long createRevision(Mutation mutation, long revision) {
            StoredObject current = store.get(mutation.bucket(), mutation.key());
            return current == null ? revision : current.createRevision();
        }

        void verify(SimulatedDisk disk) throws Exception {
            try (Store store = open(disk)) {
                List<Long> matching = LongStream.rangeClosed(durable, model.lastRevision())
                        .filter(revision -> model.isAt(store, revision, BUCKETS))
                        .boxed()
                        .toList();
                assertThat(matching)
                        .as("the state after a revision from %d to %d", durable, model.lastRevision())
                        .isNotEmpty();
                assertThat(store.revision()).isGreaterThanOrEqualTo(seen);
                if (store.revision() == matching.getLast()) {
                    model.verify(store, store.revision(), BUCKETS);
                }
                long before = store.revision();
                assertThat(committed(store.commit(put("pods", "ns/new", "1"))).revision())
                        .isEqualTo(before + 1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void aPowerFailureAtAnyOperationLosesNothingAcknowledged(long seed) throws Exception {
        SimulatedDisk whole = new SimulatedDisk();
        Life complete = new Life();
        complete.live(whole, seed, 45);
        int operations = whole.operations();
        complete.end();
        assertThat(whole.files().toString())
                .as("the run is long enough for snapshots")
                .contains("snapshot-");
        for (int operation = 1; operation <= operations + 1; operation++) {
            SimulatedDisk disk = new SimulatedDisk();
            disk.powerOffAt(operation);
            Life life = new Life();
            life.live(disk, seed, 45);
            life.verify(disk.afterKill());
            for (int outcome = 0; outcome < 2; outcome++) {
                SimulatedDisk survived =
                        disk.afterPowerFailure(new Random(seed * 1_000_000 + operation * 10L + outcome));
                life.verify(survived.afterKill());
                life.verify(survived);
            }
            life.end();
        }
    }

    @Test
    void aPowerFailureDuringRecoveryLosesNothingEither() throws Exception {
        SimulatedDisk disk = new SimulatedDisk();
        Life life = new Life();
        life.live(disk, 4, 50);
        for (int outcome = 0; outcome < 10; outcome++) {
            SimulatedDisk survived = disk.afterPowerFailure(new Random(outcome));
            int before = survived.operations();
            SimulatedDisk probe = survived.afterKill();
            open(probe).close();
            for (int operation = before + 1; operation <= probe.operations() + 1; operation++) {
                SimulatedDisk again = survived.afterKill();
                again.powerOffAt(operation);
                try (Store recovered = open(again)) {
                    assertThat(recovered.revision()).isGreaterThanOrEqualTo(life.seen);
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("power");
                }
                life.verify(again.afterPowerFailure(new Random(operation)));
            }
        }
    }

    @Test
    void aWriteTornAtAnyByteIsThereCompletelyOrNotAtAll() throws IOException {
        SimulatedDisk prepared = new SimulatedDisk();
        verifyTornWrite(prepared, 2);
        SimulatedDisk growing = prepared.afterTornWrite(10); // is cut, so that the file ends where the log does
        verifyTornWrite(growing, 4);
    }

    private static void verifyTornWrite(SimulatedDisk disk, long revision) throws IOException {
        StoreOptions large = options(disk).withFiles(1 << 14, 1 << 20); // nothing but the log is written
        Store store = Store.open(DIRECTORY, large, new SameThread());
        store.commit(put("pods", "ns/a", "1"));
        store.commit(put("pods", "ns/a", "2"));
        disk.failForceAt(disk.forces() + 1);
        assertThatThrownBy(() -> store.commit(add("pods", "ns/b", "torn")))
                .isInstanceOf(StoreUnavailableException.class);
        int bytes = disk.lastWriteBytes();
        for (int arrived = 0; arrived <= bytes; arrived++) {
            SimulatedDisk torn = disk.afterTornWrite(arrived);
            try (Store next = open(torn)) {
                assertThat(next.revision()).isEqualTo(arrived == bytes ? revision + 1 : revision);
                assertThat(next.get("pods", "ns/b") != null).isEqualTo(arrived == bytes);
                String log = new String(torn.content(torn.files().getFirst()), StandardCharsets.ISO_8859_1);
                assertThat(log.contains("ns/b"))
                        .as("what arrived in part is gone from the disk")
                        .isEqualTo(arrived == bytes);
                next.commit(put("pods", "ns/c", "goes on"));
            }
        }
        store.close();
    }

    @Test
    void aDiskThatIsFullAtAnyByteStopsWritesAndNothingElse() throws Exception {
        SimulatedDisk whole = new SimulatedDisk();
        Life complete = new Life();
        complete.live(whole, 5, 40);
        complete.end();
        int refusals = 0;
        for (long capacity = 1_100; capacity < whole.used() + 600; capacity += 17) {
            SimulatedDisk disk = new SimulatedDisk();
            disk.capacity(capacity);
            Store store = open(disk);
            Model model = new Model();
            Random random = new Random(5);
            List<Mutation> refused = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Mutation mutation = Model.random(random, BUCKETS, 0.4);
                try {
                    if (store.commit(mutation) instanceof Outcome.Committed(StoredObject object)) {
                        model.committed(mutation, object);
                    }
                } catch (StoreUnavailableException e) {
                    assertThat(e).hasMessageContaining("is full");
                    refused.add(mutation);
                    refusals++;
                }
            }
            model.verify(store, store.revision(), BUCKETS);
            assertThat(model.isAt(store, model.lastRevision(), BUCKETS)).isTrue();
            disk.capacity(Long.MAX_VALUE);
            for (Mutation mutation : refused) {
                if (store.commit(mutation) instanceof Outcome.Committed(StoredObject object)) {
                    model.committed(mutation, object);
                }
            }
            try (Store next = open(disk.afterKill())) {
                assertThat(model.isAt(next, model.lastRevision(), BUCKETS)).isTrue();
            }
            store.close();
        }
        assertThat(refusals).isPositive();
    }

    @Test
    void afterAFailedFsyncNothingIsWrittenUntilARestart() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        Store store = open(disk);
        store.commit(add("pods", "ns/a", "1"));
        disk.failForceAt(disk.forces() + 1);

        assertThatThrownBy(() -> store.commit(put("pods", "ns/a", "2")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Input/output error")
                .hasMessageContaining("restarted");
        assertThatThrownBy(() -> store.commit(put("pods", "ns/a", "3")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("restarted");
        assertThat(store.get("pods", "ns/a").revision()).as("reads go on").isEqualTo(1);
        assertThat(store.revision()).isEqualTo(1);
        store.close();

        try (Store next = open(disk)) {
            assertThat(next.get("pods", "ns/a").revision()).isBetween(1L, 2L);
            next.commit(put("pods", "ns/a", "4"));
        }
    }

    @Test
    void aFailedWriteIsTakenBackEvenIfItWasMade() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        Store store = open(disk);
        store.commit(add("pods", "ns/a", "1"));
        disk.failAfterOperation(disk.operations() + 1);

        assertThatThrownBy(() -> store.commit(put("pods", "ns/a", "2")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Nothing was changed");
        for (SimulatedDisk survived : List.of(disk.afterKill(), disk.afterPowerFailure(new Random(1)))) {
            try (Store next = open(survived)) {
                assertThat(next.get("pods", "ns/a").revision()).isEqualTo(1);
            }
        }
        assertThat(committed(store.commit(put("pods", "ns/a", "3"))).revision()).isEqualTo(2);
        store.close();
    }

    @Test
    void lostRelaxedRevisionsAreNotUsedAgainAndWatchersMustListAgain() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        Store store = open(disk);
        store.commit(add("pods", "ns/a", "1"));
        store.commit(relaxedPut("leases", "ns/a", "reserves"));
        SimulatedDisk reserved = disk.afterKill();
        store.commit(relaxedPut("leases", "ns/a", "lost"));
        long lost =
                committed(store.commit(relaxedPut("leases", "ns/a", "lost"))).revision();

        try (Store next = open(reserved)) {
            assertThat(next.revision()).isGreaterThanOrEqualTo(lost);
            assertThatThrownBy(() -> next.watch("leases", "", null, lost)).isInstanceOf(CompactedException.class);
            assertThat(next.get("pods", "ns/a")).isNotNull();
        }
        store.close();
    }

    @Test
    void whatARestartServesIsDurable() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        Store killed = open(disk);
        killed.commit(relaxedPut("leases", "ns/a", "reserves"));
        long relaxed =
                committed(killed.commit(relaxedPut("leases", "ns/a", "1"))).revision();
        disk.kill();
        Store served = open(disk);
        assertThat(served.get("leases", "ns/a").revision()).isEqualTo(relaxed);

        for (int outcome = 0; outcome < 10; outcome++) {
            try (Store next = open(disk.afterPowerFailure(new Random(outcome)))) {
                assertThat(next.get("leases", "ns/a").revision()).isEqualTo(relaxed);
            }
        }
        served.close();
        killed.close();
    }

    @Test
    void closingInOrderLeavesNoGap() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        Store store = open(disk);
        store.commit(add("pods", "ns/a", "1"));
        store.commit(relaxedPut("leases", "ns/a", "1"));
        store.close();

        try (Store next = open(disk.afterPowerFailure(new Random(1)))) {
            assertThat(next.revision()).isEqualTo(2);
            assertThat(next.compactedRevision()).as("the history is there").isZero();
        }
    }

    @Test
    void relaxedMutationsNeedNoFsyncButGetOneInTime() throws Exception {
        SimulatedDisk disk = new SimulatedDisk();
        StoreOptions options = options(disk).withRelaxedSyncInterval(Duration.ofMillis(20));
        try (Store store = Store.open(DIRECTORY, options, new SameThread())) {
            store.commit(relaxedPut("leases", "ns/a", "1"));
            int reserved = disk.forces();
            store.commit(relaxedPut("leases", "ns/a", "2"));
            long last = store.revision();
            SimulatedDisk survived;
            do {
                Thread.onSpinWait();
                survived = disk.afterPowerFailure(new Random(3));
            } while (disk.forces() == reserved);
            survived = disk.afterPowerFailure(new Random(3));
            try (Store next = open(survived)) {
                assertThat(next.get("leases", "ns/a").revision()).isEqualTo(last);
            }
        }
    }
}
