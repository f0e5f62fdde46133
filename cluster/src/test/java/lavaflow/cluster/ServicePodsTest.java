package lavaflow.cluster;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.cluster.TestingCluster.PODS;
import static lavaflow.cluster.TestingCluster.SERVICES;
import static lavaflow.cluster.TestingCluster.named;
import static org.assertj.core.api.Assertions.assertThat;

class ServicePodsTest {
    private static final List<String> LABELS = List.of("job", "role", "index");
    private static final int MANY = 6;

    private final TestingCluster cluster = new TestingCluster();
    private final TestingKubeApi api = cluster.api;
    private final ServicePods pods = new ServicePods(cluster.followers);
    private final Set<String> told = new TreeSet<>();

    private static void label(ObjectNode labels, Random random) {
        labels.removeAll();
        LABELS.stream()
                .filter(_ -> random.nextInt(3) > 0)
                .forEach(name -> labels.put(name, "v" + random.nextInt(name.equals("index") ? MANY : 2)));
    }

    private static ObjectNode labels(ObjectNode pod) {
        return Json.ensureObject(pod, "metadata", "labels");
    }

    private static ObjectNode selector(ObjectNode service) {
        return Json.ensureObject(service, "spec", "selector");
    }

    /** Makes, changes or takes away one of a few. */
    private void touch(KubeApi.Kind kind, String name, Random random, BiConsumer<ObjectNode, Random> change) {
        if (!api.has(kind, "team", name)) {
            ObjectNode object = named(name);
            change.accept(object, random);
            api.create(kind, "team", object);
        } else if (random.nextInt(3) == 0) {
            api.delete(kind, "team", name, KubeApi.Deletion.PLAIN);
        } else {
            api.edit(kind, "team", name, object -> {
                change.accept(object, random);
                return object;
            });
        }
    }

    private List<String> matching(ObjectNode service) {
        LabelSelector selector = LabelSelector.ofLabels(selector(service));
        return cluster.all(PODS, "team").stream()
                .filter(pod -> selector.matches(labels(pod)))
                .map(pod -> Json.textAt(pod, "metadata", "name"))
                .toList();
    }

    private void findsThePodsOfEveryService() {
        for (ObjectNode service : cluster.all(SERVICES, "team")) {
            if (ServicePods.selects(service)) {
                assertThat(pods.of(service).stream().map(PodAddress::name))
                        .as("pods of %s", service)
                        .containsExactlyElementsOf(matching(service));
            }
        }
    }

    private Set<String> servicesOf(ObjectNode pod) {
        Set<String> found = new TreeSet<>();
        for (ObjectNode service : cluster.all(SERVICES, "team")) {
            if (ServicePods.selects(service)
                    && LabelSelector.ofLabels(selector(service)).matches(labels(pod))) {
                found.add("team/" + Json.textAt(service, "metadata", "name"));
            }
        }
        return found;
    }

    @Test
    void findsPodsAndServicesWhateverLabelsTheyShare() {
        pods.whenDifferent(service -> told.add(service.namespace() + "/" + service.name()));
        cluster.namespace("team");
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            for (int step = 0; step < 60; step++) {
                touch(SERVICES, "s" + random.nextInt(MANY), random, (service, dice) -> label(selector(service), dice));
                cluster.settle();
                findsThePodsOfEveryService();
                String name = "p" + random.nextInt(MANY);
                Optional<ObjectNode> before = api.find(PODS, "team", name).map(ObjectNode::deepCopy);
                Set<String> concerned = before.map(this::servicesOf).orElseGet(TreeSet::new);
                told.clear();
                touch(PODS, name, random, (pod, dice) -> label(labels(pod), dice));
                cluster.settle();
                findsThePodsOfEveryService();
                Optional<ObjectNode> after = api.find(PODS, "team", name);
                after.map(this::servicesOf).ifPresent(concerned::addAll);
                if (before.map(ServicePodsTest::labels).equals(after.map(ServicePodsTest::labels))) {
                    concerned.clear();
                }
                assertThat(told).as("seed %d step %d", seed, step).isEqualTo(concerned);
            }
        }
    }

    @Test
    void tellsOfServicesWhosePodsComeChangeAndGo() {
        pods.whenDifferent(service -> told.add(service.name()));
        cluster.namespace("team");
        for (String job : List.of("a", "b")) {
            for (int index = 0; index < 3; index++) {
                ObjectNode service = named("s-" + job + "-" + index);
                selector(service)
                        .put("operator", "the-same-for-all")
                        .put("job", job)
                        .put("index", "" + index);
                api.create(SERVICES, "team", service);
            }
        }
        cluster.settle();
        ObjectNode pod = named("p");
        labels(pod)
                .put("operator", "the-same-for-all")
                .put("job", "a")
                .put("index", "1")
                .put("more", "x");
        api.create(PODS, "team", pod);
        cluster.settle();
        assertThat(told).containsExactly("s-a-1");
        told.clear();
        api.edit(PODS, "team", "p", each -> {
            labels(each).put("job", "b");
            return each;
        });
        cluster.settle();
        assertThat(told).containsExactly("s-a-1", "s-b-1");
        told.clear();
        api.edit(SERVICES, "team", "s-b-1", each -> {
            selector(each).put("index", "7");
            return each;
        });
        api.edit(SERVICES, "team", "s-b-2", each -> {
            selector(each).put("index", "1");
            return each;
        });
        cluster.settle();
        api.delete(PODS, "team", "p", KubeApi.Deletion.PLAIN);
        cluster.settle();
        assertThat(told).containsExactly("s-b-2");
    }
}
