package lavaflow.simulation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

import lavaflow.controller.KubeApi;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;
import lavaflow.node.SimShape;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A whole cluster on one thread in which nothing goes wrong but what its users ask for. What the controllers ask of the API is
 * counted; a minute here is one of the cluster's, whatever the machine does.
 */
final class TestingWorld implements AutoCloseable {
    static final KubeApi.Kind DAEMON_SETS = new KubeApi.Kind("apps", "v1", "daemonsets", true);
    static final KubeApi.Kind EVENTS = KubeApi.Kind.core("events");
    static final KubeApi.Kind MAPS = KubeApi.Kind.core("configmaps");
    static final KubeApi.Kind ENDPOINTS = KubeApi.Kind.core("endpoints");
    static final KubeApi.Kind AUTOSCALERS = new KubeApi.Kind("autoscaling", "v2", "horizontalpodautoscalers", true);
    static final String HOME = "home";

    /** As short as the first waits of those who try again; later ones are longer. */
    private static final Duration SHORT = Duration.ofMillis(50);

    private static final Duration LONG = Duration.ofSeconds(1);
    private static final Duration BEGINNING = Duration.ofSeconds(2);

    private static final int ROUNDS = 1_000;

    final KubeApi api;
    private final VirtualClock clock = new VirtualClock();
    private final SimulatedServer server;
    private final CountedApi controllers;
    private final List<Component> components = new ArrayList<>();

    TestingWorld(int nodes) throws IOException {
        server = new SimulatedServer(clock, new SplittableRandom(1));
        api = server.api();
        controllers = new CountedApi(api);
        KubeApi quiet = CountedApi.withoutEvents(api);
        components.add(new ControllersComponent(controllers.api(), server, clock, _ -> true));
        components.add(new SchedulerComponent(quiet, clock, null));
        if (nodes > 0) {
            components.add(new NodesComponent(quiet, clock, SimShape.usual(nodes), 3));
        }
        api.create(Kinds.NAMESPACES, "", object("metadata: {name: home}"));
        settle();
        controllers.take();
    }

    /** An object written as YAML. */
    static ObjectNode object(String yaml) {
        try {
            return (ObjectNode)
                    Yaml.parse(yaml.getBytes(StandardCharsets.UTF_8)).root();
        } catch (DecodingException e) {
            throw new IllegalArgumentException(yaml, e);
        }
    }

    /**
     * A workload named {@code web} that selects its pods by a label.
     *
     * @param more lines of its spec, of annotations of its pods
     */
    static String workload(String more, String annotations) {
        return """
                metadata: {name: web}
                spec:
                  %s
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}, annotations: {%s}}
                    spec:
                      containers: [{name: main, image: "example.com/app:1"}]
                """.formatted(more, annotations);
    }

    /** Makes an object in the namespace everything happens in. */
    ObjectNode create(KubeApi.Kind kind, String yaml) {
        return api.create(kind, kind.namespaced() ? HOME : "", object(yaml));
    }

    /** Lets somebody else take part, who tells each time whether there was anything to do. */
    void joinedBy(BooleanSupplier other) {
        components.add(new Component() {
            @Override
            public void step(RandomGenerator random) {
                catchUp();
            }

            @Override
            public boolean catchUp() {
                return other.getAsBoolean();
            }
        });
    }

    /** Does all that can be done without waiting; fails where that has no end. */
    void settle() {
        boolean worked = true;
        for (int round = 0; worked; round++) {
            Violation.unless(round < ROUNDS, () -> "somebody works and works without a pause: " + controllers.take());
            worked = false;
            for (Component component : components) {
                worked |= component.catchUp();
            }
        }
    }

    /** Lets time pass; what the controllers asked of the API meanwhile. */
    Map<String, Integer> pass(Duration time) {
        controllers.take();
        settle();
        Duration gone = Duration.ZERO;
        while (gone.compareTo(time) < 0) {
            Duration beat = gone.compareTo(BEGINNING) < 0 ? SHORT : LONG;
            clock.pass(beat);
            gone = gone.plus(beat);
            settle();
        }
        return controllers.take();
    }

    /** What controllers ask of the API in each of the coming minutes. */
    List<Integer> minutes(int count) {
        List<Integer> sums = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sums.add(sum(pass(Duration.ofMinutes(1))));
        }
        return sums;
    }

    Instant now() {
        return clock.instant();
    }

    static int sum(Map<String, Integer> requests) {
        return requests.values().stream().mapToInt(Integer::intValue).sum();
    }

    List<ObjectNode> all(KubeApi.Kind kind) {
        return api.list(kind, HOME, KubeApi.View.WHOLE).items();
    }

    ObjectNode get(KubeApi.Kind kind, String name) {
        return api.find(kind, HOME, name).orElseThrow();
    }

    /** Events with a reason: how often what was said. */
    Map<String, Long> said(String reason) {
        Map<String, Long> said = new LinkedHashMap<>();
        for (ObjectNode event : all(EVENTS)) {
            if (Json.textAt(event, "reason").equals(reason)) {
                said.merge(Json.textAt(event, "message"), Json.longAt(event, 0, "count"), Long::sum);
            }
        }
        return said;
    }

    /** A policy that lets nobody make objects of a kind. */
    void deny(String resource, String message) {
        admit(
                "validating",
                resource,
                "validationActions: [Deny]",
                "validations: [{expression: \"false\", message: \"" + message + "\"}]");
    }

    /** A policy that changes objects of a kind whenever they are written. */
    void alter(String resource, String expression) {
        admit("mutating", resource, "matchResources: {}", """
                reinvocationPolicy: Never
                  mutations:
                  - {patchType: ApplyConfiguration, applyConfiguration: {expression: '%s'}}
                """.formatted(expression));
    }

    /** Has a program asked about every object of a kind that is made; without its answer nothing is. */
    void review(String resource, String address, int timeoutSeconds) {
        create(policies("validatingwebhookconfigurations"), """
                metadata: {name: review}
                webhooks:
                - name: review.example.com
                  clientConfig: %s
                  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["%s"]}]
                  failurePolicy: Fail
                  timeoutSeconds: %d
                  sideEffects: None
                  admissionReviewVersions: [v1]
                """.formatted(address, resource, timeoutSeconds));
    }

    /** Ends what {@link #review} began. */
    void reviewNoMore() {
        api.delete(policies("validatingwebhookconfigurations"), "", "review", KubeApi.Deletion.PLAIN);
    }

    private void admit(String how, String resource, String binding, String rules) {
        create(policies(how + "admissionpolicies"), """
                metadata: {name: policy}
                spec:
                  matchConstraints:
                    resourceRules:
                    - {apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: ["%s"]}
                  %s
                """.formatted(resource, rules));
        create(
                policies(how + "admissionpolicybindings"),
                "metadata: {name: policy}\nspec: {policyName: policy, " + binding + "}");
    }

    private static KubeApi.Kind policies(String resource) {
        return new KubeApi.Kind("admissionregistration.k8s.io", "v1", resource, false);
    }

    /** Ends what {@link #deny} began. */
    void permit() {
        api.delete(policies("validatingadmissionpolicybindings"), "", "policy", KubeApi.Deletion.PLAIN);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
