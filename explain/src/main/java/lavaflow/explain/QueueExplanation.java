package lavaflow.explain;

import java.util.List;
import java.util.Map;

import lavaflow.gang.Inquiry;

/**
 * Who waits in a queue and why.
 *
 * @param others how many gangs of it do not wait
 * @param waiting the first of those that do
 */
public record QueueExplanation(
        String name, String state, Inquiry.Account account, int others, int waiters, List<Explanation> waiting) {
    static QueueExplanation missing(String name, int waiters, List<Explanation> waiting) {
        return new QueueExplanation(
                name, "Missing", new Inquiry.Account(Map.of(), Map.of(), Map.of(), null, null), 0, waiters, waiting);
    }

    public String headline() {
        String what = "Queue " + name + " is " + state;
        return waiting.isEmpty()
                ? what + ", and nobody waits in it."
                : what + ", and " + Amount.count(waiters, "PodGroup") + (waiters == 1 ? " waits" : " wait") + " in it.";
    }
}
