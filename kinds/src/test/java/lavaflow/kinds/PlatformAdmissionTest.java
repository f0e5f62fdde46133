package lavaflow.kinds;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import lavaflow.kube.BuiltinTypes;
import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.TypedDecoder;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Admission decides and changes what a real server decided and changed. */
class PlatformAdmissionTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    @TestFactory
    Stream<DynamicTest> answersOfARealServer() throws IOException {
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("admission.jsonl"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .map(line -> (ObjectNode) Json.parse(line))
                            .map(line -> DynamicTest.dynamicTest(
                                    Json.textAt(line, "kind") + ": " + Json.textAt(line, "name"), () -> replay(line)))
                            .toList()
                            .stream();
        }
    }

    private static void replay(ObjectNode line) throws DecodingException {
        String kind = Json.textAt(line, "object", "kind");
        String resource = resource(kind);
        ObjectNode object = decoded(kind, (ObjectNode) line.get("object"));
        Sample.rules("/" + resource).applyDefaults(object);
        String problem = switch (Json.textAt(line, "kind")) {
            case "pod" -> admitPod(object, line);
            case "limit" -> limited(object, resource, (ObjectNode) line.get("limitRange"));
            case "quota" ->
                QuotaAdmission.check(
                                List.of((ObjectNode) line.get("quota")),
                                new QuotaAdmission.Request("", resource, "", object, null, NOW))
                        .refusal();
            default -> throw new IllegalArgumentException(line.toString());
        };
        String expected = Json.textAt(line, "message").replaceFirst("^[a-z]+ \"[a-z]\" is forbidden: ", "");
        assertThat(problem).isEqualTo(expected);
        if (line.get("result") instanceof ObjectNode result && kind.equals("Pod")) {
            assertSamePod(object, result, Json.textAt(line, "kind"));
        }
    }

    private static String resource(String kind) {
        return switch (kind) {
            case "Pod" -> "pods";
            case "Service" -> "services";
            case "ConfigMap" -> "configmaps";
            default -> "persistentvolumeclaims";
        };
    }

    private static ObjectNode decoded(String kind, ObjectNode object) throws DecodingException {
        return TypedDecoder.decode(BuiltinTypes.instance(), "io.k8s.api.core.v1." + kind, object)
                .object();
    }

    private static String admitPod(ObjectNode pod, ObjectNode line) {
        String name = ServiceAccountAdmission.accountOf(pod);
        ObjectNode account = Json.objectAt(line, "accounts", name);
        if (account == null) {
            return "error looking up service account adm/" + name + ": serviceaccount \"" + name + "\" not found";
        }
        ServiceAccountAdmission.apply(pod, account, "abcde");
        String problem = ServiceAccountAdmission.secretProblem(pod, account);
        if (!problem.isEmpty()) {
            return problem;
        }
        List<ObjectNode> classes = new ArrayList<>();
        Json.listAt(line, "classes").forEach(each -> classes.add((ObjectNode) each));
        DefaultTolerations.apply(pod);
        return PriorityAdmission.create(pod, classes);
    }

    private static String limited(ObjectNode object, String resource, ObjectNode limitRange) {
        if (resource.equals("pods")) {
            LimitRangeAdmission.applyDefaults(object, limitRange);
        }
        return LimitRangeAdmission.problem(resource, object, limitRange);
    }

    private static void assertSamePod(ObjectNode pod, ObjectNode result, String what) throws DecodingException {
        if (what.equals("pod")) {
            String spec = Json.string(Json.ensureObject(decoded("Pod", pod), "spec"));
            String expected = Json.string(Json.ensureObject(result, "spec"));
            assertThat(Json.parse(spec))
                    .isEqualTo(Json.parse(
                            expected.replaceAll("kube-api-access-(?!own)[a-z0-9]{5}", "kube-api-access-abcde")));
        } else if (what.equals("limit")) {
            assertThat(Json.at(pod, "metadata", "annotations")).isEqualTo(Json.at(result, "metadata", "annotations"));
            for (String list : new String[] {"containers", "initContainers"}) {
                List<ObjectNode> containers = Nodes.objects(pod, "spec", list);
                for (int i = 0; i < containers.size(); i++) {
                    assertThat(containers.get(i).get("resources"))
                            .isEqualTo(
                                    Nodes.objects(result, "spec", list).get(i).get("resources"));
                }
            }
        }
    }

    @Test
    void quotaTellsWhatIsUsedAfterwards() {
        ObjectNode quota = Sample.object("{'metadata':{'name':'q'},'status':{'hard':{'cpu':'2','pods':'5'},"
                + "'used':{'cpu':'500m','pods':'1'}}}");
        ObjectNode pod = Sample.object("{'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
        QuotaAdmission.Verdict verdict =
                QuotaAdmission.check(List.of(quota), new QuotaAdmission.Request("", "pods", "", pod, null, NOW));
        assertThat(verdict.refusal()).isEmpty();
        assertThat(verdict.used().get("q")).isEqualTo(Sample.object("{'cpu':'1500m','pods':'2'}"));
    }

    @Test
    void quotaCountsOnlyWhatAnUpdateAdds() {
        ObjectNode quota = Sample.object("{'metadata':{'name':'q'},'status':{'hard':{'services.nodeports':'3'},"
                + "'used':{'services.nodeports':'2'}}}");
        ObjectNode two = Sample.object("{'spec':{'type':'NodePort','ports':[{},{}]}}");
        ObjectNode three = Sample.object("{'spec':{'type':'NodePort','ports':[{},{},{}]}}");
        ObjectNode four = Sample.object("{'spec':{'type':'NodePort','ports':[{},{},{},{}]}}");
        assertThat(QuotaAdmission.check(List.of(quota), new QuotaAdmission.Request("", "services", "", three, two, NOW))
                        .used()
                        .get("q"))
                .isEqualTo(Sample.object("{'services.nodeports':'3'}"));
        assertThat(QuotaAdmission.check(List.of(quota), new QuotaAdmission.Request("", "services", "", four, two, NOW))
                        .refusal())
                .isEqualTo("exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=2,"
                        + " limited: services.nodeports=3");
        assertThat(QuotaAdmission.check(List.of(quota), new QuotaAdmission.Request("", "services", "", two, three, NOW))
                        .used())
                .isEmpty();
    }

    @Test
    void quotaCountsDevicesByClass() {
        ObjectNode claim = Sample.object("{'spec':{'devices':{'requests':["
                + "{'name':'a','exactly':{'deviceClassName':'gpu','allocationMode':'ExactCount','count':2}},"
                + "{'name':'b','firstAvailable':["
                + "{'name':'x','deviceClassName':'gpu','allocationMode':'ExactCount','count':1},"
                + "{'name':'y','deviceClassName':'gpu','allocationMode':'ExactCount','count':3},"
                + "{'name':'z','deviceClassName':'nic','allocationMode':'All'}]}]}}}");
        String gpu = "gpu.deviceclass.resource.k8s.io/devices";
        assertThat(QuotaUsage.of("resource.k8s.io", "resourceclaims", claim, NOW))
                .hasToString("{count/resourceclaims.resource.k8s.io=1, gpu.deviceclass.resource.k8s.io/devices=5,"
                        + " nic.deviceclass.resource.k8s.io/devices=32}");
        ObjectNode quota = Sample.object(
                "{'metadata':{'name':'q'},'status':{'hard':{'" + gpu + "':'6'},'used':{'" + gpu + "':'2'}}}");
        assertThat(QuotaAdmission.check(
                                List.of(quota),
                                new QuotaAdmission.Request("resource.k8s.io", "resourceclaims", "", claim, null, NOW))
                        .refusal())
                .isEqualTo("exceeded quota: q, requested: " + gpu + "=5, used: " + gpu + "=2, limited: " + gpu + "=6");
        assertThat(QuotaUsage.concerns("resource.k8s.io", "resourceclaimtemplates", gpu))
                .isFalse();
    }

    @Test
    void quotaForgetsPodsThatAreDone() {
        ObjectNode done = Sample.object("{'status':{'phase':'Succeeded'}}");
        assertThat(QuotaUsage.of("", "pods", done, NOW)).containsOnlyKeys("count/pods");
        ObjectNode overdue = Sample.object(
                "{'metadata':{'deletionTimestamp':'2026-01-02T03:03:00Z','deletionGracePeriodSeconds':30}}");
        assertThat(QuotaUsage.of("", "pods", overdue, NOW)).containsOnlyKeys("count/pods");
        ObjectNode ending = Sample.object(
                "{'metadata':{'deletionTimestamp':'2026-01-02T03:04:00Z','deletionGracePeriodSeconds':30}}");
        assertThat(QuotaUsage.of("", "pods", ending, NOW)).containsKey("pods");
        assertThat(QuotaUsage.of("apps", "deployments", done, NOW)).containsOnlyKeys("count/deployments.apps");
    }

    @Test
    void storageIsProtected() {
        ObjectNode claim = Sample.object("{'metadata':{'finalizers':['a']}}");
        ProtectionFinalizers.apply("", "persistentvolumeclaims", claim);
        ProtectionFinalizers.apply("", "persistentvolumeclaims", claim);
        assertThat(Nodes.strings(claim, "metadata", "finalizers")).containsExactly("a", "kubernetes.io/pvc-protection");
        ObjectNode other = Sample.object("{}");
        ProtectionFinalizers.apply("", "pods", other);
        assertThat(other).isEmpty();
    }

    @Test
    void onlyOnePriorityClassIsTheDefault() {
        ObjectNode standing = Sample.object("{'metadata':{'name':'a'},'globalDefault':true,'value':5}");
        ObjectNode next = Sample.object("{'metadata':{'name':'b'},'globalDefault':true}");
        assertThat(PriorityAdmission.globalDefault(next, List.of(standing), true))
                .isEqualTo("PriorityClass a is already marked as default. Only one default can exist");
        assertThat(PriorityAdmission.globalDefault(standing, List.of(standing), false))
                .isEmpty();
        ObjectNode pod = Sample.object("{'spec':{}}");
        assertThat(PriorityAdmission.create(pod, List.of(standing))).isEmpty();
        assertThat(pod).isEqualTo(Sample.object("{'spec':{'priorityClassName':'a','priority':5}}"));
        ObjectNode again = Sample.object("{'spec':{}}");
        PriorityAdmission.update(again, pod);
        assertThat(again).isEqualTo(Sample.object("{'spec':{'priority':5}}"));
    }
}
