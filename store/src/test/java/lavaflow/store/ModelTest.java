package lavaflow.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Random operations, compared with the {@link Model} at every revision that can be read or watched from. */
class ModelTest {

    private static final List<String> BUCKETS = List.of("pods", "nodes", "leases");

    private static Store open(SimulatedDisk disk) throws IOException {
        return Store.open(
                Path.of("/data"),
                StoreOptions.defaults()
                        .withDisk(disk)
                        .withFiles(2_048, 6_000)
                        .withHistory(Duration.ofDays(1), 1 << 20, 120),
                new SameThread());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agreesWithTheModel(long seed) throws Exception {
        Random random = new Random(seed);
        SimulatedDisk disk = new SimulatedDisk();
        Model model = new Model();
        Store store = open(disk);
        for (int step = 0; step < 120; step++) {
            switch (random.nextInt(12)) {
                case 0 -> {
                    Model.settle(store);
                    long oldest = store.compactedRevision();
                    long revision = oldest + random.nextLong(store.revision() - oldest + 1);
                    store.compact(revision);
                    assertThat(store.compactedRevision()).isEqualTo(revision);
                }
                case 1 -> {
                    store.close();
                    store = open(disk);
                    assertThat(store.revision()).isEqualTo(model.lastRevision());
                }
                default -> batch(store, model, random);
            }
            if (step % 10 == 9) {
                model.verify(store, store.revision(), BUCKETS);
            }
        }
        model.verify(store, store.revision(), BUCKETS);
        store.close();
    }

    private static void batch(Store store, Model model, Random random) {
        List<Mutation> mutations = new ArrayList<>();
        List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
        for (int i = random.nextInt(12); i >= 0; i--) {
            Mutation mutation = Model.random(random, BUCKETS, 0.2);
            mutations.add(mutation);
            outcomes.add(store.submit(mutation));
        }
        for (int i = 0; i < mutations.size(); i++) {
            Mutation mutation = mutations.get(i);
            switch (outcomes.get(i).join()) {
                case Outcome.Committed(StoredObject object) -> model.committed(mutation, object);
                case Outcome.Conflict(StoredObject current) -> {
                    boolean exists = !(mutation instanceof Mutation.Delete);
                    assertThat(current != null).isEqualTo(exists);
                }
            }
        }
        assertThat(store.revision()).isEqualTo(model.lastRevision());
    }
}
