package lavaflow;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

import lavaflow.apiserver.Explanations;
import lavaflow.explain.Explainer;
import lavaflow.explain.Explanation;
import lavaflow.explain.ExplanationForm;
import lavaflow.gang.Snapshot;
import lavaflow.kube.ApiException;
import lavaflow.plugins.Plugins;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Explains what the scheduler of this process decided. The scheduler is asked for its state only, which takes it milliseconds; what is tried with that
 * runs on the thread of the request, one at a time lest it take all processors.
 */
final class SchedulerExplanations implements Explanations {
    private static final long PATIENCE_SECONDS = 10;
    private static final long TURN_SECONDS = 50;

    private final Supplier<CompletableFuture<@Nullable Snapshot>> snapshots;
    private final Semaphore turn = new Semaphore(1, true);

    SchedulerExplanations(Supplier<CompletableFuture<@Nullable Snapshot>> snapshots) {
        this.snapshots = snapshots;
    }

    @Override
    public Optional<ObjectNode> ofGroup(String namespace, String name, boolean all) {
        return explain(explainer -> explainer
                .group(namespace + "/" + name)
                .map(each -> all ? each : each.seenFrom(namespace))
                .map((Explanation each) -> ExplanationForm.of(each)));
    }

    @Override
    public Optional<ObjectNode> ofQueue(String name) {
        return explain(explainer -> explainer.queue(name).map(ExplanationForm::of));
    }

    private Optional<ObjectNode> explain(Function<Explainer, Optional<ObjectNode>> question) {
        try {
            Snapshot snapshot = snapshots.get().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (snapshot == null) {
                throw unavailable("the scheduler does not know the cluster yet");
            }
            if (!turn.tryAcquire(TURN_SECONDS, TimeUnit.SECONDS)) {
                throw ApiException.of(429, "TooManyRequests", "others are asking for explanations, try again later");
            }
            try {
                return question.apply(new Explainer(snapshot, Plugins::make));
            } finally {
                turn.release();
            }
        } catch (TimeoutException | ExecutionException e) {
            throw unavailable("the scheduler does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("the server stops");
        }
    }

    private static ApiException unavailable(String why) {
        return ApiException.of(503, "ServiceUnavailable", why);
    }
}
