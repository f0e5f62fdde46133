package lavaflow.linux;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(600)
class PipeEndTest {
    private static final Executor VIRTUAL = task -> Thread.ofVirtual().start(task);

    @Test
    void whoWaitsForManyPipesLeavesRoomForOthers() throws Exception {
        int count = Runtime.getRuntime().availableProcessors() * 2 + 20;
        List<OutputStream> writers = new ArrayList<>();
        List<CompletableFuture<Integer>> readers = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            OpenFile[] pipe = OpenFile.pipe();
            InputStream in = pipe[0].intoInput();
            writers.add(pipe[1].intoOutput());
            readers.add(CompletableFuture.supplyAsync(
                    () -> {
                        begun.countDown();
                        try (in) {
                            return in.read();
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    VIRTUAL));
        }
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(CompletableFuture.supplyAsync(() -> "here", VIRTUAL).get(60, TimeUnit.SECONDS))
                .isEqualTo("here");
        for (int i = 0; i < count; i++) {
            writers.get(i).write(i);
            writers.get(i).close();
        }
        for (int i = 0; i < count; i++) {
            assertThat(readers.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i & 0xff);
        }
    }

    @Test
    void everythingArrivesAndThenTheEnd() throws Exception {
        byte[] sent = new byte[3_000_000];
        new Random(1).nextBytes(sent);
        OpenFile[] pipe = OpenFile.pipe();
        CompletableFuture<Void> writing = CompletableFuture.runAsync(
                () -> {
                    try (OutputStream out = pipe[1].intoOutput()) {
                        out.write(sent);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                VIRTUAL);
        try (InputStream in = pipe[0].intoInput()) {
            assertThat(in.readAllBytes()).isEqualTo(sent);
        }
        writing.get(60, TimeUnit.SECONDS);
    }

    @Test
    void closingWakesWhoReads() throws Exception {
        OpenFile[] pipe = OpenFile.pipe();
        InputStream in = pipe[0].intoInput();
        try (OpenFile writer = pipe[1]) {
            CompletableFuture<Integer> reading = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return in.read();
                        } catch (IOException e) {
                            return -2;
                        }
                    },
                    VIRTUAL);
            in.close();
            assertThat(reading.get(60, TimeUnit.SECONDS)).isEqualTo(-2);
            assertThat(writer.number()).isPositive();
        }
    }

    @Test
    void nobodyAtTheOtherEndIsAnError() throws Exception {
        OpenFile[] pipe = OpenFile.pipe();
        pipe[0].close();
        try (OutputStream out = pipe[1].intoOutput()) {
            assertThatThrownBy(() -> out.write(new byte[10])).isInstanceOf(IOException.class);
        }
    }
}
