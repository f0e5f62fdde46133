package lavaflow.plugins;

import java.util.ArrayList;
import java.util.List;

import lavaflow.gang.Decision;
import lavaflow.kube.Json;
import lavaflow.kube.MalformedException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Cards of nodes that pods share. */
class DeviceShareTest {
    private static TestingGangs with(String arguments) {
        return new TestingGangs().configured("""
                actions: "enqueue, allocate, backfill"
                tiers:
                - plugins:
                  - name: gang
                  - name: predicates
                  - name: deviceshare
                    arguments: {%s}
                """.formatted(arguments));
    }

    private static String virtual(String... more) {
        return String.join(", ", "deviceshare.VGPUEnable: true", String.join(", ", more))
                .replaceAll(", $", "");
    }

    /** Cards with four users and 1000 MiB each. */
    private static String cards(String... names) {
        StringBuilder register = new StringBuilder();
        for (String name : names) {
            register.append(name).append(",4,1000,NVIDIA-").append(name).append(",true,hami-core:");
        }
        return """
                {"metadata":{"annotations":{"volcano.sh/node-vgpu-register":"%s"}},
                 "status":{"allocatable":{"volcano.sh/vgpu-number":"%d"}}}""".formatted(register, 4 * names.length);
    }

    private static String wants(int number, int memory, int cores) {
        return """
                {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","volcano.sh/vgpu-number":"%d",
                 "volcano.sh/vgpu-memory":"%d","volcano.sh/vgpu-cores":"%d"}}}]}}""".formatted(number, memory, cores);
    }

    private static String note(String key, String value) {
        return "{\"metadata\":{\"annotations\":{\"" + key + "\":\"" + value + "\"}}}";
    }

    /** What is written about cards on each pod that got its node. */
    private static List<String> granted(TestingGangs gangs, String key) {
        List<String> granted = new ArrayList<>();
        for (Decision decision : gangs.decide()) {
            if (decision instanceof Decision.Bind bind) {
                granted.add(Json.textAt(bind.annotations(), key));
            }
        }
        return granted;
    }

    private static List<String> granted(TestingGangs gangs) {
        return granted(gangs, DeviceSharePlugin.IDS);
    }

    @Test
    void aPodGetsACardAndItIsWrittenOnIt() {
        TestingGangs gangs = with(virtual()).node("n1", 8, cards("a"));
        gangs.group("g", 1).pod("g-0", "g", wants(1, 300, 20));
        Decision.Bind bind = (Decision.Bind) gangs.decide().stream()
                .filter(Decision.Bind.class::isInstance)
                .findFirst()
                .orElseThrow();

        assertThat(bind.annotations().properties())
                .extracting(each -> each.getKey() + "=" + each.getValue().asText())
                .contains(
                        "volcano.sh/vgpu-node=n1",
                        "volcano.sh/vgpu-ids-new=a,NVIDIA-a,300,20:",
                        "volcano.sh/devices-to-allocate=a,NVIDIA-a,300,20:",
                        "volcano.sh/bind-phase=allocating");
    }

    @Test
    void noCardIsGivenMoreThanItHas() {
        TestingGangs gangs = with(virtual()).node("n1", 8, cards("a", "b")).group("g", 0);
        for (int i = 0; i < 6; i++) {
            gangs.pod("g-" + i, "g", wants(1, 400, 10));
        }
        assertThat(granted(gangs))
                .as("two of 400 MiB on each card")
                .hasSize(4)
                .allMatch(each -> each.contains(",400,"));
    }

    @Test
    void coresAndUsersAreLimitedToo() {
        TestingGangs cores = with(virtual()).node("n1", 8, cards("a")).group("g", 0);
        cores.pod("g-0", "g", wants(1, 10, 60)).pod("g-1", "g", wants(1, 10, 60));
        assertThat(granted(cores)).hasSize(1);

        TestingGangs users = with(virtual()).node("n1", 8, cards("a")).group("g", 0);
        for (int i = 0; i < 6; i++) {
            users.pod("g-" + i, "g", wants(1, 10, 10));
        }
        assertThat(granted(users)).hasSize(4);

        TestingGangs alone = with(virtual()).node("n1", 8, cards("a")).group("g", 0);
        alone.pod("g-0", "g", wants(1, 10, 0)).pod("g-1", "g", wants(1, 10, 100));
        assertThat(granted(alone)).as("all cores only of a card nobody uses").hasSize(1);
    }

    @Test
    void whatRunningPodsHaveIsReadFromThem() {
        TestingGangs gangs = with(virtual()).node("n1", 8, cards("a"));
        gangs.group("r", 1)
                .pod(
                        "r-0",
                        "r",
                        wants(1, 800, 0),
                        TestingGangs.running("n1"),
                        note("volcano.sh/vgpu-ids-new", "a,NVIDIA-a,800,0:"));
        gangs.group("g", 0).pod("g-0", "g", wants(1, 300, 0));
        assertThat(granted(gangs)).isEmpty();

        gangs.pod("g-1", "g", wants(1, 200, 0));
        assertThat(granted(gangs)).containsExactly("a,NVIDIA-a,200,0:");
    }

    @Test
    void aGangThatIsNotWholeLeavesNoTraceOnCards() {
        TestingGangs gangs = with(virtual()).node("n1", 8, cards("a")).group("large", 3);
        for (int i = 0; i < 3; i++) {
            gangs.pod("large-" + i, "large", wants(1, 400, 0));
        }
        gangs.group("g", 1).pod("g-0", "g", wants(1, 1000, 0));

        assertThat(granted(gangs)).containsExactly("a,NVIDIA-a,1000,0:");
    }

    @Test
    void podsSayWhichCardsTheyLike() {
        for (String[] each : new String[][] {
            {"nvidia.com/use-gputype", "nvidia-b", "b"},
            {"nvidia.com/nouse-gputype", "NVIDIA-b,NVIDIA-c", "a"},
            {"volcano.sh/vgpu-use-gpuuuid", "b", "b"},
            {"volcano.sh/vgpu-nouse-gpuuuid", "b,c", "a"},
            {"volcano.sh/vgpu-mode", "hami-core", "c"},
            {"volcano.sh/vgpu-mode", "mig", ""}
        }) {
            TestingGangs gangs =
                    with(virtual()).node("n1", 8, cards("a", "b", "c")).group("g", 1);
            gangs.pod("g-0", "g", wants(1, 100, 0), note(each[0], each[1]));

            assertThat(granted(gangs))
                    .as(String.join(" ", each))
                    .isEqualTo(each[2].isEmpty() ? List.of() : List.of(each[2] + ",NVIDIA-" + each[2] + ",100,0:"));
        }
    }

    @Test
    void cardsAreFilledOrSpared() {
        String weight = "deviceshare.ScheduleWeight: 10";
        for (String policy : List.of("binpack", "spread")) {
            TestingGangs gangs = with(virtual("deviceshare.SchedulePolicy: " + policy, weight));
            gangs.node("n1", 8, cards("a")).node("n2", 8, cards("b")).group("r", 1);
            gangs.pod(
                    "r-0",
                    "r",
                    wants(1, 100, 0),
                    TestingGangs.running("n2"),
                    note("volcano.sh/vgpu-ids-new", "b,NVIDIA-b,100,0:"));
            gangs.group("g", 1).pod("g-0", "g", wants(1, 100, 0));

            assertThat(granted(gangs).getFirst()).startsWith(policy.equals("binpack") ? "b," : "a,");
        }
    }

    @Test
    void podsOfAGangOrOfARuleMayAvoidEachOther() {
        TestingGangs spread = with(virtual()).node("n1", 8, cards("a", "b")).group("g", 0);
        for (int i = 0; i < 3; i++) {
            spread.pod("g-" + i, "g", wants(1, 100, 0), note("volcano.sh/vgpu-podgroup-policy", "spread"));
        }
        assertThat(granted(spread)).hasSize(2);

        TestingGangs ruled = with(virtual("deviceshare.GPUExclusiveRules: [{app: x}]"))
                .node("n1", 8, cards("a", "b"))
                .group("g", 0);
        for (int i = 0; i < 3; i++) {
            ruled.pod("g-" + i, "g", wants(1, 100, 0), "{\"metadata\":{\"labels\":{\"app\":\"x\"}}}");
        }
        assertThat(granted(ruled)).hasSize(2);
    }

    @Test
    void aPercentageOfTheMemoryOfACardWillDo() {
        TestingGangs gangs = with(virtual()).node("n1", 8, cards("a")).group("g", 0);
        String half = """
                {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","volcano.sh/vgpu-number":"1",
                 "volcano.sh/vgpu-memory-percentage":"50"}}}]}}""";
        gangs.pod("g-0", "g", half).pod("g-1", "g", half).pod("g-2", "g", half);

        assertThat(granted(gangs)).containsExactly("a,NVIDIA-a,500,0:", "a,NVIDIA-a,500,0:");
    }

    // ---- gpu-share ----

    private static String gpus(int number, int memory, String... unhealthy) {
        return """
                {"metadata":{"annotations":{"volcano.sh/gpu-unhealthy-ids":"%s"}},
                 "status":{"allocatable":{"volcano.sh/gpu-number":"%d","volcano.sh/gpu-memory":"%d"}}}""".formatted(String.join(",", unhealthy), number, memory);
    }

    private static String asks(String resource, int amount) {
        return """
                {"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","%s":"%d"}}}]}}""".formatted(resource, amount);
    }

    @Test
    void memoryHasToBeFreeOnOneCard() {
        TestingGangs gangs = with("deviceshare.GPUSharingEnable: true")
                .node("n1", 8, gpus(2, 2000))
                .group("g", 0);
        for (int i = 0; i < 4; i++) {
            gangs.pod("g-" + i, "g", asks("volcano.sh/gpu-memory", 600));
        }
        assertThat(granted(gangs, SharedGpus.INDEX)).containsExactly("0", "1");
    }

    @Test
    void wholeCardsAreThoseNobodyUsesAndThatWork() {
        TestingGangs gangs = with("deviceshare.GPUNumberEnable: true")
                .node("n1", 8, gpus(4, 4000, "1"))
                .group("g", 0);
        gangs.pod("g-0", "g", asks("volcano.sh/gpu-number", 2)).pod("g-1", "g", asks("volcano.sh/gpu-number", 2));

        assertThat(granted(gangs, SharedGpus.INDEX)).containsExactly("0,2");
    }

    @Test
    void onlyOneWayOfSharingAtATime() {
        assertThatThrownBy(() -> with("deviceshare.GPUSharingEnable: true, deviceshare.GPUNumberEnable: true"))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> with("deviceshare.GPUSharingEnable: true, deviceshare.VGPUEnable: true"))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void podsWithoutCardsGoAnywhere() {
        assertThat(with(virtual()).node("n1", 8).gang("g", 2).bindings()).hasSize(2);
    }
}
