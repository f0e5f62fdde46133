package lavaflow.e2e;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Holds cases side by side: most of a case's time is waiting, and each has a namespace and names of its own. Those that
 * look at or change what all share say so and are held first, one by one, while nothing else happens.
 *
 * @param <T> what comes of a case
 */
final class SideBySide<T> {
    private static final int WIDTH = Integer.getInteger("contract.width", 4);
    private static final Duration PATIENCE = Duration.ofMinutes(40);

    /** A case, its own word for names, and what comes of it. */
    record Held<T>(ContractCase contract, String id, CompletableFuture<T> outcome) {
        Held(ContractCase contract, String id) {
            this(contract, id, new CompletableFuture<>());
        }

        /** Waits for the case's turn and its end. */
        T await() throws InterruptedException, ExecutionException, TimeoutException {
            return outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private final Function<Held<T>, T> holding;

    SideBySide(Function<Held<T>, T> holding) {
        this.holding = holding;
    }

    /** Starts to hold the cases and returns; whoever wants to know asks each. */
    void hold(List<Held<T>> cases) {
        List<Held<T>> alone =
                cases.stream().filter(each -> each.contract().alone()).toList();
        Queue<Held<T>> rest = new ConcurrentLinkedQueue<>(cases);
        rest.removeAll(alone);
        Thread.ofVirtual().start(() -> {
            alone.forEach(this::hold);
            for (int i = 0; i < WIDTH; i++) {
                Thread.ofVirtual().start(() -> {
                    for (Held<T> next = rest.poll(); next != null; next = rest.poll()) {
                        hold(next);
                    }
                });
            }
        });
    }

    private void hold(Held<T> each) {
        each.outcome().completeAsync(() -> holding.apply(each), Runnable::run);
    }
}
