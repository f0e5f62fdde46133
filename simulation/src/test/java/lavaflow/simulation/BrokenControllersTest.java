package lavaflow.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

import lavaflow.controller.KubeApi;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.fail;

/** An invariant is worth something if a controller that is broken fails it. Each of these breaks one, and waits for the verdict. */
class BrokenControllersTest {
    /** Fewer than a build runs. */
    private static final long SEEDS = 60;

    /**
     * Runs until it is said what is wrong. What is broken may also be found for what comes of it.
     *
     * @param first a seed that finds it, to save time; others after it do, too
     */
    private static void expect(long first, String verdict, Function<KubeApi, BrokenApi> broken) throws IOException {
        Set<String> others = new LinkedHashSet<>();
        for (long seed = first; seed < first + SEEDS; seed++) {
            try (Simulation simulation = new Simulation(
                    seed, new WorkloadWorld(), (_, api) -> broken.apply(api).api())) {
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
    void aServiceThatLeadsToNobody() throws IOException {
        expect(2, "Service .*: leads to \\[] and not to ", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Kinds.SERVICES) && Json.at(object, "spec", "selector") instanceof ObjectNode selector) {
                    selector.put("somebody", "else");
                }
            }
        });
    }

    @Test
    void aPodInTwoSlices() throws IOException {
        expect(5, "Service .*: leads to .* (twice|and not to)", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                if (kind.equals(Kinds.SLICES)
                        && !Json.textAt(object, "metadata", "generateName").isEmpty()) {
                    ObjectNode twin = object.deepCopy();
                    real.create(kind, Workspace.namespace(twin), twin);
                }
            }
        });
    }

    @Test
    void aNamespaceThatGoesBeforeWhatIsInIt() throws IOException {
        expect(1, "configmaps .* is in no namespace", api -> new BrokenApi(api) {
            @Override
            boolean hidden(KubeApi.Kind kind) {
                return kind.equals(Kinds.CONFIG_MAPS);
            }
        });
    }

    @Test
    void aNamespaceThatStays() throws IOException {
        expect(1, "the namespace .* does not go", api -> new BrokenApi(api) {
            @Override
            void written(KubeApi.Kind kind, String subresource, ObjectNode object) {
                if (kind.equals(Kinds.NAMESPACES) && subresource.equals("finalize")) {
                    Json.ensureObject(object, "spec").putArray("finalizers").add("kubernetes");
                }
            }
        });
    }

    @Test
    void aJobThatIsCompleteWithoutTheIndexItNeeds() throws IOException {
        expect(
                9,
                "is complete with \\d of \\d",
                api -> seeingJobs(api, spec -> {
                    for (JsonNode rule : Json.listAt(spec, "successPolicy", "rules")) {
                        ((ObjectNode) rule).remove("succeededIndexes");
                    }
                }));
    }

    @Test
    void aJobThatGoesOnAlthoughItHasWhatItNeeds() throws IOException {
        expect(
                2,
                "has met its success policy and does not say so",
                api -> seeingJobs(api, spec -> spec.remove("successPolicy")));
    }

    @Test
    void anAccountThatIsNotMadeAgain() throws IOException {
        expect(3, "has no account or no certificate", api -> madeOnce(api, Kinds.ACCOUNTS));
    }

    @Test
    void aCertificateThatIsNotMadeAgain() throws IOException {
        expect(3, "has no account or no certificate", api -> madeOnce(api, Kinds.CONFIG_MAPS));
    }

    private static BrokenApi madeOnce(KubeApi api, KubeApi.Kind which) {
        return new BrokenApi(api) {
            private final Set<String> made = new HashSet<>();

            @Override
            boolean imagined(KubeApi.Kind kind, String namespace, ObjectNode object) {
                return kind.equals(which) && !made.add(namespace);
            }
        };
    }

    @Test
    void aTokenThatOutlivesItsAccount() throws IOException {
        expect(16, "its account is gone", api -> new BrokenApi(api) {
            @Override
            boolean kept(KubeApi.Kind kind, String namespace, String name) {
                return kind.equals(Kinds.SECRETS)
                        && real.find(Kinds.NAMESPACES, "", namespace)
                                .filter(each -> !Observer.isDeleting(each))
                                .isPresent();
            }
        });
    }

    @Test
    void aJobThatStaysLongAfterItsEnd() throws IOException {
        expect(
                1,
                "has ended and is still there",
                api -> seeingJobs(api, spec -> spec.remove("ttlSecondsAfterFinished")));
    }

    @Test
    void aJobThatGivesAnIndexUpTooEarly() throws IOException {
        expect(33, "gives index \\d up after 1 failures", api -> withLimit(api, 0));
    }

    @Test
    void aJobThatTriesAnIndexTooOften() throws IOException {
        expect(2, "tries index \\d again after \\d failures", api -> withLimit(api, 5));
    }

    private static BrokenApi withLimit(KubeApi api, long limit) {
        return seeingJobs(api, spec -> {
            if (spec.has("backoffLimitPerIndex")) {
                spec.put("backoffLimitPerIndex", limit);
            }
        });
    }

    /** Lets jobs be seen with another spec than they have. */
    private static BrokenApi seeingJobs(KubeApi api, Consumer<ObjectNode> otherwise) {
        return new BrokenApi(api) {
            @Override
            List<KubeApi.Kind> disguised() {
                return List.of(Kinds.JOBS);
            }

            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Kinds.JOBS)) {
                    otherwise.accept(Json.ensureObject(object, "spec"));
                }
            }
        };
    }

    @Test
    void aRolloutThatTakesMoreThanItMay() throws IOException {
        expect(31, " has only [0-9] of [0-9] available", api -> new BrokenApi(api) {
            @Override
            void seen(KubeApi.Kind kind, ObjectNode object) {
                if (kind.equals(Kinds.DEPLOYMENTS)
                        && Json.at(object, "spec", "strategy", "rollingUpdate") instanceof ObjectNode limits) {
                    limits.put("maxUnavailable", "100%");
                }
            }
        });
    }

    @Test
    void aDirectoryThatOutlivesItsVolume() throws IOException {
        expect(6, "there are directories for .* and volumes ", api -> new BrokenApi(api) {
            @Override
            boolean kept(KubeApi.Kind kind, String namespace, String name) {
                if (kind.equals(Kinds.VOLUMES)) {
                    real.find(kind, "", name)
                            .map(volume -> Json.textAt(volume, "spec", "hostPath", "path"))
                            .filter(path -> !path.isEmpty())
                            .ifPresent(path -> make(Path.of(path)));
                }
                return false;
            }

            private static void make(Path directory) {
                try {
                    Files.createDirectories(directory);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }
}
