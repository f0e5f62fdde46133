package lavaflow.simulation;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

import lavaflow.batch.Batch;
import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.fail;

/** What must be true of gangs and queues is worth something if who does wrong is found out. */
class BrokenSchedulersTest {
    private static final long SEEDS = 60;

    /**
     * Runs until it is said what is wrong.
     *
     * @param first a seed that finds it, to save time; others after it do, too
     * @param who is broken
     */
    private static void expect(long first, String who, String verdict, Function<KubeApi, BrokenApi> broken)
            throws IOException {
        Set<String> others = new LinkedHashSet<>();
        for (long seed = first; seed < first + SEEDS; seed++) {
            try (Simulation simulation = new Simulation(
                    seed,
                    GangWorld.usual(),
                    (name, api) -> name.equals(who) ? broken.apply(api).api() : api)) {
                simulation.run();
            } catch (Violation e) {
                String said = String.valueOf(e.getMessage());
                if (Pattern.compile(verdict).matcher(said).find()) {
                    return;
                }
                others.add(said);
            }
        }
        fail("in %d runs nobody says \"%s\", but: %s", SEEDS, verdict, others);
    }

    @Test
    void nodesThatAreTakenForLargerThanTheyAre() throws IOException {
        expect(1, GangWorld.SCHEDULER, "sim-\\d is given \\d+ processors of 8", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Kinds.NODES) && Json.at(object, "status", "allocatable") instanceof ObjectNode has) {
                    has.put("cpu", "10");
                }
            }
        });
    }

    @Test
    void aLimitThatIsOverlooked() throws IOException {
        expect(1, GangWorld.SCHEDULER, "is given \\d+ processors and may have \\d", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Batch.QUEUES)) {
                    Json.ensureObject(object, "spec").remove("capability");
                }
            }
        });
    }

    @Test
    void aGangThatBeginsWithTooFew() throws IOException {
        expect(1, GangWorld.SCHEDULER, "begins with \\d pods and needs \\d", api -> seeingLeast(api, "Inqueue"));
    }

    @Test
    void aGangThatIsLeftWithTooFew() throws IOException {
        expect(1, GangWorld.SCHEDULER, "is left with \\d pods and needs \\d", api -> seeingLeast(api, "Running"));
    }

    /** Takes groups of a phase for content with one pod. */
    private static BrokenApi seeingLeast(KubeApi api, String phase) {
        return new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Batch.POD_GROUPS)
                        && Json.textAt(object, "status", "phase").equals(phase)) {
                    Json.ensureObject(object, "spec").put("minMember", 1).remove("minTaskMember");
                }
            }
        };
    }

    @Test
    void aNodeThatIsGivenTwice() throws IOException {
        expect(1, GangWorld.SCHEDULER, "a node again", api -> new BrokenApi(api) {
            @Override
            boolean repeated(KubeApi.Kind kind, String subresource) {
                return subresource.equals("binding");
            }
        });
    }

    @Test
    void aGroupThatSaysTooLittle() throws IOException {
        expect(1, GangWorld.SCHEDULER, "says Running, and 0 of its pods are on nodes", api -> new BrokenApi(api) {
            @Override
            void patched(KubeApi.Kind kind, String subresource, ObjectNode patch) {
                if (kind.equals(Batch.POD_GROUPS)
                        && Json.textAt(patch, "status", "phase").equals("Completed")) {
                    Json.ensureObject(patch, "status").put("phase", "Running");
                }
            }
        });
    }

    @Test
    void aGroupThatCountsWrong() throws IOException {
        expect(1, GangWorld.SCHEDULER, "says 0 pods are succeeded, and \\d", api -> new BrokenApi(api) {
            @Override
            void patched(KubeApi.Kind kind, String subresource, ObjectNode patch) {
                if (kind.equals(Batch.POD_GROUPS)) {
                    Json.ensureObject(patch, "status").remove("succeeded");
                }
            }
        });
    }

    @Test
    void aPodThatIsOverlooked() throws IOException {
        expect(1, GangWorld.SCHEDULER, "would fit and is not done", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Kinds.PODS)
                        && Json.textAt(object, "metadata", "labels", Order.MEMBER)
                                .equals("role0-0")) {
                    Json.ensureObject(object, "spec").put("schedulerName", "somebody-else");
                }
            }
        });
    }

    @Test
    void aQueueThatCountsWrong() throws IOException {
        expect(1, GangWorld.BATCH, "the queue .* says \\d groups are pending, and \\d are", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Batch.POD_GROUPS)) {
                    Json.ensureObject(object, "status").put("phase", "Pending");
                }
            }
        });
    }
}
