package lavaflow.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

import lavaflow.kube.Json;
import lavaflow.placement.ClusterState;
import lavaflow.placement.NodeTable;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What a plan changed is as before once the plan is taken back. */
class PlanTest {
    private final GangState state = new GangState(new ClusterState());
    private final List<Member> members = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    private static ObjectNode json(String text) {
        return (ObjectNode) Json.parse(text);
    }

    private void fill(Random random) {
        state.placements.listen(new Placements.Listener() {
            @Override
            public void roomTaken(Member member) {
                told.add(member.uid());
            }

            @Override
            public void roomGiven(Member member) {
                assertThat(told.remove(member.uid())).as("%s had room", member).isTrue();
            }
        });
        for (int i = 0; i < 5; i++) {
            state.putNode(NodeTable.Node.of(json("""
                    {"metadata":{"name":"n%d"},"status":{"allocatable":{"cpu":"64","memory":"64Gi","pods":"100","gpu":"8"}}}""".formatted(i))));
        }
        for (int i = 0; i < 3; i++) {
            state.putQueue(QueueSpec.of(
                    json("{\"metadata\":{\"name\":\"q%1$d\",\"uid\":\"q%1$d\"},\"spec\":{}}".formatted(i))));
        }
        for (int i = 0; i < 8; i++) {
            state.putGroup(
                    GroupSpec.of(json("""
                    {"metadata":{"namespace":"ns","name":"g%1$d","uid":"g%1$d"},"spec":{"minMember":2,"queue":"q%2$d",
                     "minResources":{"cpu":"%3$d"}},"status":{"phase":"%4$s"}}""".formatted(i, i % 3, random.nextInt(6), i % 2 == 0 ? "Inqueue" : "Running"))));
            int pods = 1 + random.nextInt(5);
            for (int k = 0; k < pods; k++) {
                members.add(pod("g" + i, k, random));
            }
        }
    }

    private Member pod(String group, int index, Random random) {
        boolean runs = random.nextBoolean();
        String node = runs ? "n" + random.nextInt(5) : "";
        String pod = """
                {"metadata":{"namespace":"ns","name":"%1$s-%2$d","uid":"%1$s-%2$d",
                  "annotations":{"scheduling.k8s.io/group-name":"%1$s","volcano.sh/task-spec":"role%3$d"}},
                 "spec":{"schedulerName":"volcano","nodeName":"%4$s","containers":[{"name":"c",
                  "resources":{"requests":{"cpu":"%5$d","gpu":"%6$d"}}}]},"status":{"phase":"%7$s"}}""".formatted(
                        group,
                        index,
                        random.nextInt(2),
                        node,
                        random.nextInt(4),
                        random.nextInt(2),
                        runs ? "Running" : "Pending");
        state.members.put(MemberSpec.of(json(pod), Set.of("volcano")));
        return Objects.requireNonNull(state.member(group + "-" + index));
    }

    /** Everything that decisions depend on. */
    private String seen() {
        StringBuilder text = new StringBuilder();
        for (Queue queue : state.queues()) {
            text.append(queue)
                    .append(queue.allocated)
                    .append(queue.request)
                    .append(queue.inqueue)
                    .append(queue.elastic);
        }
        for (Gang gang : state.gangs()) {
            text.append('\n').append(gang).append(gang.allocated).append(gang.request);
            text.append(gang.isReady())
                    .append(gang.areRolesReady())
                    .append(gang.isPipelined())
                    .append(gang.isStarving());
            gang.members()
                    .forEach(each ->
                            text.append(each).append('@').append(each.slot).append(' '));
        }
        NodeTable nodes = state.cluster.nodes();
        for (int slot = 0; slot < nodes.slots(); slot++) {
            text.append('\n').append(nodes.node(slot).name()).append(state.outlook.concerns(slot));
            nodes.pods(slot).stream().map(each -> each.pod().uid()).sorted().forEach(text::append);
            for (int column = 0; column < state.cluster.columns().size(); column++) {
                text.append(' ').append(nodes.requested(column, slot));
            }
            for (Member each : members) {
                text.append(state.outlook.willHaveRoom(each.type, slot) ? '1' : '0');
            }
        }
        return text.append('\n')
                .append(state.used())
                .append(told.stream().sorted().toList())
                .toString();
    }

    private void step(Plan plan, Random random) {
        Member member = members.get(random.nextInt(members.size()));
        switch (member.stage) {
            case PENDING -> {
                if (random.nextInt(3) == 0) {
                    List<Member> alike = members.stream()
                            .filter(other -> other.stage == Stage.PENDING
                                    && other.role == member.role
                                    && other.type == member.type)
                            .toList();
                    int[] left = {random.nextInt(alike.size() + 1)};
                    plan.allocate(alike, () -> left[0]-- > 0 ? random.nextInt(5) : -1);
                } else if (random.nextBoolean()) {
                    plan.allocate(member, random.nextInt(5));
                } else {
                    plan.pipeline(member, random.nextInt(5));
                }
            }
            case BOUND, RUNNING -> plan.evict(member, "test");
            default -> {}
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whatIsTakenBackHasNeverBeen(int seed) {
        Random random = new Random(seed);
        fill(random);
        for (int round = 0; round < 20; round++) {
            String before = seen();
            Plan plan = new Plan(state);
            int steps = random.nextInt(30);
            for (int i = 0; i < steps; i++) {
                step(plan, random);
            }
            if (random.nextBoolean()) {
                plan.settle();
            }
            int mark = plan.mark();
            String between = seen();
            for (int i = 0; i < 5; i++) {
                step(plan, random);
            }
            plan.undoTo(mark);
            assertThat(seen()).isEqualTo(between);
            if (random.nextBoolean()) {
                plan.settle();
            }
            plan.undo();
            assertThat(seen()).isEqualTo(before);
        }
    }
}
