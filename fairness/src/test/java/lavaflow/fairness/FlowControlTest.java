package lavaflow.fairness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** One level with all seats, whose clients are told apart by name. */
class FlowControlTest {
    private static final int SEATS = 4;

    private final AtomicLong time = new AtomicLong();
    private final LinkedBlockingQueue<Running> started = new LinkedBlockingQueue<>();

    private record Running(String user, Admission outcome) {
        void finish() {
            ((Admission.Admitted) outcome).ticket().close();
        }
    }

    private FlowControl control(String limitResponse, long maxWaitNanos) {
        FlowControl control = new FlowControl(SEATS, maxWaitNanos, time::get);
        ObjectNode level = Json.object();
        level.putObject("metadata").put("name", "own").put("uid", "uid-of-own");
        ObjectNode limited = level.putObject("spec").put("type", "Limited").putObject("limited");
        limited.put("nominalConcurrencyShares", 1_000_000);
        limited.set("limitResponse", Json.parse(limitResponse.replace('\'', '"')));
        control.configure(List.of(FlowSchemaTest.schema("own", 5, "own", "*")), List.of(level));
        return control;
    }

    private FlowControl queuing(int queueLength) {
        return control(
                "{'type':'Queue','queuing':{'queues':64,'handSize':4,'queueLengthLimit':" + queueLength + "}}",
                TimeUnit.MINUTES.toNanos(5));
    }

    private static FlowRequest from(String user, int seats) {
        FlowRequest one = FlowSchemaTest.request(user, "dev", "list", "pods", "x");
        return new FlowRequest(one.user(), one.groups(), true, "list", "", "pods", "", one.namespace(), "", seats);
    }

    private void start(FlowControl control, String user) {
        Thread.ofVirtual().start(() -> started.add(new Running(user, control.admit(from(user, 1)))));
    }

    private Running next() throws InterruptedException {
        Running running = started.poll(30, TimeUnit.SECONDS);
        assertThat(running).as("a request that runs").isNotNull();
        return running;
    }

    private static void awaitQueued(FlowControl control, int requests) {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> control.metrics()
                        .contains("apiserver_flowcontrol_current_inqueue_requests{flow_schema=\"own\","
                                + "priority_level=\"own\"} " + requests + "\n"));
    }

    @Test
    void whoIsGoneStopsWaitingAndTheNextMovesUp() throws Exception {
        FlowControl control = queuing(50);
        List<Admission> running = new ArrayList<>();
        for (int i = 0; i < SEATS; i++) {
            running.add(control.admit(from("jane", 1)));
        }
        AtomicBoolean gone = new AtomicBoolean();
        Thread waiting = Thread.ofVirtual()
                .start(() -> started.add(new Running("left", control.admit(from("left", SEATS), gone::get))));
        awaitQueued(control, 1);
        start(control, "stays");
        awaitQueued(control, 2);

        gone.set(true);
        LockSupport.unpark(waiting);

        assertThat(next().outcome())
                .isInstanceOfSatisfying(
                        Admission.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Admission.Reason.CANCELLED));
        awaitQueued(control, 1);
        ((Admission.Admitted) running.getFirst()).ticket().close();
        assertThat(next().user()).isEqualTo("stays");
    }

    @Test
    void requestsRunAtOnceWhileThereAreSeats() {
        FlowControl control = queuing(50);

        for (int i = 0; i < SEATS; i++) {
            Admission admission = control.admit(from("jane", 1));
            assertThat(admission).isInstanceOf(Admission.Admitted.class);
            assertThat(admission.schemaUid()).isEqualTo("uid-of-own");
            assertThat(admission.levelUid()).isEqualTo("uid-of-own");
        }
    }

    @Test
    void aNoisyClientDoesNotStarveAQuietOne() throws Exception {
        FlowControl control = queuing(100);
        for (int i = 0; i < 204; i++) {
            start(control, "noisy");
        }
        awaitQueued(control, 200);
        start(control, "quiet");
        awaitQueued(control, 201);

        int before = 0;
        while (!quietRuns()) {
            before++;
            time.addAndGet(1_000_000);
            next().finish();
        }

        // At most each of the noisy one's four queues has a turn before the quiet one's.
        assertThat(before).isLessThanOrEqualTo(SEATS + 4);
    }

    /** Whether the quiet client is among those that run, once all of them have said so. */
    private boolean quietRuns() {
        await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(1)).until(() -> started.size() == SEATS);
        return started.stream().anyMatch(running -> running.user().equals("quiet"));
    }

    @Test
    void manyQuietClientsAreServedInTurnWithTheNoisyOne() throws Exception {
        FlowControl control = queuing(100);
        for (int i = 0; i < 154; i++) {
            start(control, "noisy");
        }
        awaitQueued(control, 150);
        for (int i = 0; i < 20; i++) {
            start(control, "quiet-" + i);
        }
        awaitQueued(control, 170);

        List<String> order = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            Running running = next();
            order.add(running.user());
            time.addAndGet(1_000_000);
            running.finish();
        }

        assertThat(order.stream().filter(user -> user.startsWith("quiet"))).hasSizeGreaterThanOrEqualTo(18);
    }

    @Test
    void aFullQueueRefuses() {
        FlowControl control = queuing(1);
        for (int i = 0; i < SEATS; i++) {
            control.admit(from("noisy", 1));
        }
        for (int i = 0; i < 4; i++) {
            start(control, "noisy");
        }
        awaitQueued(control, 4);

        assertThat(control.admit(from("noisy", 1)))
                .isEqualTo(new Admission.Refused("uid-of-own", "uid-of-own", Admission.Reason.QUEUE_FULL));
        assertThat(control.metrics())
                .contains("apiserver_flowcontrol_rejected_requests_total{flow_schema=\"own\",priority_level=\"own\","
                        + "reason=\"queue-full\"} 1");
    }

    @Test
    void aLevelWithoutQueuesRefusesBeyondItsLimit() {
        FlowControl control = control("{'type':'Reject'}", 0);
        for (int i = 0; i < SEATS; i++) {
            control.admit(from("jane", 1));
        }

        assertThat(control.admit(from("jane", 1)))
                .isEqualTo(new Admission.Refused("uid-of-own", "uid-of-own", Admission.Reason.CONCURRENCY_LIMIT));
    }

    @Test
    void whoWaitsTooLongIsRefused() {
        FlowControl control =
                control("{'type':'Queue','queuing':{'queues':1,'handSize':1,'queueLengthLimit':9}}", 1_000_000);
        for (int i = 0; i < SEATS; i++) {
            control.admit(from("jane", 1));
        }

        assertThat(control.admit(from("jane", 1)))
                .isEqualTo(new Admission.Refused("uid-of-own", "uid-of-own", Admission.Reason.TIME_OUT));
    }

    @Test
    void aWideRequestWaitsForAllItsSeatsAndIsNotOvertaken() throws Exception {
        FlowControl control = queuing(50);
        Admission.Admitted narrow = (Admission.Admitted) control.admit(from("jane", 1));
        Thread.ofVirtual().start(() -> started.add(new Running("wide", control.admit(from("wide", SEATS)))));
        awaitQueued(control, 1);
        time.addAndGet(TimeUnit.SECONDS.toNanos(1));
        start(control, "joe");
        awaitQueued(control, 2);

        narrow.ticket().close();

        assertThat(next().user()).isEqualTo("wide");
    }

    @Test
    void aRequestWiderThanTheLevelRunsAlone() {
        FlowControl control = queuing(50);

        assertThat(control.admit(from("jane", 10 * SEATS))).isInstanceOf(Admission.Admitted.class);
    }

    @Test
    void seatsAreGivenBackOnce() {
        FlowControl control = control("{'type':'Reject'}", 0);
        Admission.Admitted first = (Admission.Admitted) control.admit(from("jane", SEATS));
        first.ticket().close();
        first.ticket().close();

        assertThat(control.admit(from("jane", SEATS))).isInstanceOf(Admission.Admitted.class);
        assertThat(control.admit(from("jane", 1))).isInstanceOf(Admission.Refused.class);
    }

    @Test
    void exemptRequestsAlwaysRun() {
        FlowControl control = FlowSchemaTest.suggested();
        for (int i = 0; i < 2_000; i++) {
            assertThat(control.admit(FlowSchemaTest.request("admin", "system:masters", "get", "pods", "x")))
                    .isInstanceOf(Admission.Admitted.class);
        }
    }

    @Test
    void anInterruptedRequestStopsWaiting() throws Exception {
        FlowControl control = queuing(50);
        for (int i = 0; i < SEATS; i++) {
            control.admit(from("jane", 1));
        }
        Thread waiting = Thread.ofVirtual().start(() -> started.add(new Running("x", control.admit(from("x", 1)))));
        awaitQueued(control, 1);
        waiting.interrupt();

        assertThat(next().outcome()).isInstanceOf(Admission.Refused.class);
        awaitQueued(control, 0);
    }

    @Test
    void limitsChangeWhileRequestsWait() throws Exception {
        FlowControl control = queuing(50);
        for (int i = 0; i < SEATS; i++) {
            control.admit(from("jane", 1));
        }
        start(control, "jane");
        awaitQueued(control, 1);
        ObjectNode level = Json.object();
        level.putObject("metadata").put("name", "own");
        level.set(
                "spec",
                Json.parse("{\"type\":\"Limited\",\"limited\":{\"nominalConcurrencyShares\":1,"
                        + "\"limitResponse\":{\"type\":\"Queue\",\"queuing\":{\"queues\":64}}}}"));
        control.configure(List.of(), List.of(level));

        assertThat(control.nominalSeats("own")).isEqualTo(1);
        assertThat(started).isEmpty();
    }

    private int admitted(ObjectNode busy, int tries) {
        FlowControl control = new FlowControl(100, 1, time::get);
        control.configure(List.of(FlowSchemaTest.schema("busy", 5, "busy", "*")), List.of(busy, level("idle", 50, 80)));
        int admitted = 0;
        for (int i = 0; i < tries; i++) {
            time.addAndGet(TimeUnit.SECONDS.toNanos(1));
            admitted += control.admit(from("jane", 1)) instanceof Admission.Admitted ? 1 : 0;
        }
        return admitted;
    }

    @Test
    void aLevelInNeedBorrowsFromIdleOnes() {
        // 48 seats are its own, the idle one keeps 10 of its 48.
        assertThat(admitted(level("busy", 50, 0), 200)).isBetween(80, 92);
    }

    @Test
    void aLevelBorrowsNoMoreThanItMay() {
        ObjectNode busy = level("busy", 50, 0);
        Json.ensureObject(busy, "spec", "limited").put("borrowingLimitPercent", 25);

        assertThat(admitted(busy, 200)).isEqualTo(60);
    }

    private static ObjectNode level(String name, int shares, int lendable) {
        ObjectNode level = Json.object();
        level.putObject("metadata").put("name", name);
        ObjectNode limited = level.putObject("spec").put("type", "Limited").putObject("limited");
        limited.put("nominalConcurrencyShares", shares).put("lendablePercent", lendable);
        limited.putObject("limitResponse").put("type", "Reject");
        return level;
    }

    @Test
    void handsHaveDifferentQueues() {
        for (int flow = 0; flow < 1_000; flow++) {
            int[] hand = ShuffleSharding.hand("schema", "flow-" + flow, 16, 6);
            assertThat(Arrays.stream(hand).distinct()).hasSize(6).allMatch(queue -> queue >= 0 && queue < 16);
        }
    }

    @Test
    void fewFlowsShareAWholeHand() {
        int[] mine = ShuffleSharding.hand("schema", "me", 64, 4);
        int clashes = 0;
        for (int flow = 0; flow < 10_000; flow++) {
            clashes += Arrays.equals(mine, ShuffleSharding.hand("schema", "flow-" + flow, 64, 4)) ? 1 : 0;
        }

        assertThat(clashes).isLessThan(3);
    }

    @Test
    void seatsAreDividedWithinBounds() {
        double[] divided = SeatAllocation.divide(
                100,
                List.of(
                        new SeatAllocation.Claim(10, 100, 80),
                        new SeatAllocation.Claim(30, 100, 30),
                        new SeatAllocation.Claim(0, 5, 50)));

        assertThat(Arrays.stream(divided).sum()).isCloseTo(100, org.assertj.core.data.Offset.offset(0.01));
        assertThat(divided[1]).isGreaterThanOrEqualTo(30);
        assertThat(divided[2]).isLessThanOrEqualTo(5.001);
    }

    @Test
    void manyThreadsLeaveNothingBehind() throws Exception {
        FlowControl control = queuing(1_000);
        List<Thread> threads = new ArrayList<>();
        List<Admission> refused = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 500; i++) {
            String user = "user-" + i % 7;
            threads.add(Thread.ofVirtual().start(() -> {
                Admission admission = control.admit(from(user, 1));
                if (admission instanceof Admission.Admitted admitted) {
                    LockSupport.parkNanos(10_000);
                    admitted.ticket().close();
                } else {
                    refused.add(admission);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(refused).isEmpty();
        assertThat(control.metrics())
                .contains("apiserver_flowcontrol_current_executing_seats{flow_schema=\"own\",priority_level=\"own\"} 0")
                .contains(
                        "apiserver_flowcontrol_dispatched_requests_total{flow_schema=\"own\",priority_level=\"own\"} 500");
    }
}
