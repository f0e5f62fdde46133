package lavaflow.admission;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import lavaflow.access.User;
import lavaflow.apiserver.AccessSettings;
import lavaflow.apiserver.ApiServer;
import lavaflow.apiserver.CertificateAuthority;
import lavaflow.apiserver.LocalApi;
import lavaflow.apiserver.ServerSettings;
import lavaflow.apiserver.ServerVersion;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;
import lavaflow.store.Store;
import lavaflow.store.StoreOptions;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Configuration counts at once, can always be taken back, and cannot cost more than its budget. */
final class OutsideAdmissionTest {
    private static final String GROUP = "admissionregistration.k8s.io";
    private static final User ADMIN = new User("admin", List.of(User.MASTERS));
    private static final LocalApi.Path MAPS = new LocalApi.Path("", "v1", "configmaps");

    @TempDir
    private Path directory;

    private Store store;
    private ApiServer server;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(directory, StoreOptions.defaults());
        CertificateAuthority authority = CertificateAuthority.create("testing", Instant.now());
        server = new ApiServer(
                new ServerSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        authority.issueServer("testing", List.of("localhost"), List.of("127.0.0.1"), Instant.now()),
                        authority.certificate(),
                        ServerVersion.of("testing"),
                        InstantSource.system(),
                        new OutsideAdmission(),
                        AccessSettings.ofProcess()),
                store);
        create(new LocalApi.Path("", "v1", "namespaces"), "", "{metadata: {name: ns}}");
    }

    @AfterEach
    void close() throws Exception {
        server.close();
        store.close();
    }

    private ObjectNode create(LocalApi.Path path, String namespace, String yaml) throws Exception {
        ObjectNode object =
                (ObjectNode) Yaml.parse(yaml.getBytes(StandardCharsets.UTF_8)).root();
        return server.local().create(ADMIN, path, namespace, object);
    }

    private void configure(String resource, String yaml) throws Exception {
        create(new LocalApi.Path(GROUP, "v1", resource), "", yaml);
    }

    private boolean remove(String resource, String name) {
        return server.local()
                .delete(ADMIN, new LocalApi.Path(GROUP, "v1", resource), "", name, LocalApi.Deletion.PLAIN);
    }

    private void bindPolicy(String validation) throws Exception {
        configure(
                "validatingadmissionpolicies",
                "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{operations: ['*'], apiGroups: [''],"
                        + " apiVersions: [v1], resources: [configmaps]}]}, validations: [" + validation + "]}}");
        configure(
                "validatingadmissionpolicybindings",
                "{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}");
    }

    @Test
    void aWebhookThatRefusesEverythingCanBeRemoved() throws Exception {
        configure(
                "validatingwebhookconfigurations",
                "{metadata: {name: lock}, webhooks: [{name: a.b.c, sideEffects: None, admissionReviewVersions: [v1],"
                        + " clientConfig: {url: 'https://127.0.0.1:1/'}, rules: [{operations: ['*'], apiGroups: ['*'],"
                        + " apiVersions: ['*'], resources: ['*/*']}]}]}");
        assertThatThrownBy(() -> create(MAPS, "ns", "{metadata: {name: x}}"))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("failed calling webhook \"a.b.c\": failed to call webhook: Post")
                .hasMessageContaining("connection refused");
        assertThat(remove("validatingwebhookconfigurations", "lock")).isTrue();
        assertThat(create(MAPS, "ns", "{metadata: {name: x}}")).isNotNull();
    }

    @Test
    void aPolicyCountsAtOnceAndIsGoneAtOnce() throws Exception {
        bindPolicy("{expression: 'false', message: never}");
        assertThatThrownBy(() -> create(MAPS, "ns", "{metadata: {name: x}}"))
                .hasMessage("configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied"
                        + " request: never");
        remove("validatingadmissionpolicybindings", "b");
        assertThat(create(MAPS, "ns", "{metadata: {name: x}}")).isNotNull();
    }

    @Test
    void anExpressionThatCostsTooMuchIsCutOff() throws Exception {
        bindPolicy("{expression: \"object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != 'x')))\"}");
        ObjectNode data = Json.object();
        for (int i = 0; i < 400; i++) {
            data.put("key-" + i, "value");
        }
        assertThatThrownBy(() -> create(MAPS, "ns", "{metadata: {name: x}, data: " + Json.string(data) + "}"))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("actual cost limit exceeded");
    }

    @Test
    void anObjectWithoutConfigurationIsLeftAlone() throws Exception {
        assertThat(Json.textAt(create(MAPS, "ns", "{metadata: {name: x}, data: {a: b}}"), "data", "a"))
                .isEqualTo("b");
    }

    @Test
    void aMutatingPolicyChangesWhatIsStored() throws Exception {
        configure(
                "mutatingadmissionpolicies",
                "{metadata: {name: p}, spec: {reinvocationPolicy: Never, failurePolicy: Fail, matchConstraints:"
                        + " {resourceRules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources:"
                        + " [configmaps]}]}, mutations: [{patchType: ApplyConfiguration, applyConfiguration:"
                        + " {expression: \"Object{metadata: Object.metadata{labels: {'by': request.userInfo.username}}}\"}}]}}");
        configure("mutatingadmissionpolicybindings", "{metadata: {name: b}, spec: {policyName: p}}");
        ObjectNode created = create(MAPS, "ns", "{metadata: {name: x}}");
        assertThat(Json.textAt(created, "metadata", "labels", "by")).isEqualTo("admin");
    }

    private void mutate(String name, String spec) throws Exception {
        configure(
                "mutatingadmissionpolicies",
                "{metadata: {name: " + name + "}, spec: {reinvocationPolicy: Never, matchConstraints: {resourceRules:"
                        + " [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [configmaps]}]}, "
                        + spec + "}}");
    }

    private static String patch(String operation) {
        return "{patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{" + operation + "}]\"}}";
    }

    private static String apply(String configuration) {
        return "{patchType: ApplyConfiguration, applyConfiguration: {expression: \"" + configuration + "\"}}";
    }

    private void bind(String policy, String more) throws Exception {
        configure(
                "mutatingadmissionpolicybindings",
                "{metadata: {name: " + policy + "}, spec: {policyName: " + policy + more + "}}");
    }

    private ObjectNode refusal() {
        return catchThrowableOfType(ApiException.class, () -> create(MAPS, "ns", "{metadata: {name: x}, data: {a: b}}"))
                .status();
    }

    @Test
    void everyMutatingPolicyThatFailsIsToldOfTheFirstByNameAloud() throws Exception {
        mutate("b", "mutations: [" + patch("op: 'remove', path: '/data/y'") + "]");
        mutate(
                "a",
                "mutations: [" + patch("op: 'remove', path: '/data/x'") + ", "
                        + patch("op: 'add', path: '/data/z', value: object.data.none") + "]");
        mutate("c", "failurePolicy: Ignore, mutations: [" + patch("op: 'remove', path: '/data/y'") + "]");
        for (String policy : List.of("a", "b", "c")) {
            bind(policy, "");
        }
        ObjectNode status = refusal();
        assertThat(status.path("message").textValue())
                .isEqualTo(
                        "policy 'a' with binding 'a' denied request: JSON Patch: error in remove for path: '/data/x':"
                                + " Unable to remove nonexistent key: x: missing value");
        assertThat(status.path("reason").textValue()).isEqualTo("Invalid");
        assertThat(status.at("/details/causes").valueStream().map(each -> Json.textAt(each, "message")))
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo(Json.textAt(status, "message")),
                        second -> assertThat(second)
                                .startsWith("policy 'a' with binding 'a' denied request: expression")
                                .endsWith("no such key: none"),
                        third ->
                                assertThat(third).startsWith("policy 'b' with binding 'b' denied request: JSON Patch"));
    }

    @Test
    void whatAPatchOfAPolicyMakesMustStillBeTheObjectWhateverTheFailurePolicy() throws Exception {
        mutate("a", "failurePolicy: Ignore, mutations: [" + patch("op: 'add', path: '/zz', value: '1'") + "]");
        bind("a", "");
        assertThat(refusal().path("message").textValue())
                .isEqualTo("Internal error occurred: strict decoding error: unknown field \"zz\"");
        remove("mutatingadmissionpolicies", "a");
        mutate("a", "mutations: [" + patch("op: 'replace', path: '/kind', value: 'Zz'") + "]");
        assertThat(refusal().path("message").textValue())
                .isEqualTo("Internal error occurred: no kind \"Zz\" is registered for version \"v1\" in scheme"
                        + " \"pkg/runtime/scheme.go:111\"");
        remove("mutatingadmissionpolicies", "a");
        mutate(
                "a",
                "mutations: [{patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{op: 'remove', path: '/data'},"
                        + " JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]\"}}]");
        assertThat(refusal().path("message").textValue())
                .isEqualTo("Internal error occurred: failed to convert object: converting (v1.Secret) to"
                        + " (core.ConfigMap): unknown conversion");
    }

    @Test
    void aConfigurationOfAPolicyMustFitTheSchema() throws Exception {
        mutate("a", "mutations: [" + apply("Object{zz: 1}") + "]");
        bind("a", "");
        assertThat(refusal().path("message").textValue())
                .isEqualTo("policy 'a' with binding 'a' denied request: error applying patch: failed to convert patch"
                        + " object to typed object: .zz: field not declared in schema");
        remove("mutatingadmissionpolicies", "a");
        mutate("a", "mutations: [" + apply("Object{data: {'a': b'xy\\\\x01'}}") + "]");
        assertThat(refusal().path("message").textValue())
                .isEqualTo("policy 'a' with binding 'a' denied request: error applying patch: failed to convert patch"
                        + " object to typed object: .data.a: expected string, got"
                        + " &value.valueUnstructured{Value:[]uint8{0x78, 0x79, 0x1}}");
    }

    @Test
    void aPolicyWhoseParametersAreOfAnUnknownKindRefusesEverything() throws Exception {
        mutate(
                "a",
                "paramKind: {apiVersion: no.such/v1, kind: Zz}, mutations: ["
                        + patch("op: 'add', path: '/data/x', value: '1'") + "]");
        bind("a", ", paramRef: {name: x, parameterNotFoundAction: Deny}");
        ObjectNode status = refusal();
        assertThat(status.path("message").textValue())
                .startsWith(
                        "policy \"a\" denied request: failed to configure policy: failed to find resource referenced"
                                + " by paramKind: 'no.such/v1, Kind=Zz'");
        assertThat(status.path("code").intValue()).isEqualTo(403);
        assertThat(status.path("reason").textValue()).isEqualTo("Forbidden");
    }

    @Test
    void aValidatingPolicyWhoseParametersAreOfAnUnknownKindRefusesEverything() throws Exception {
        configure(
                "validatingadmissionpolicies",
                "{metadata: {name: p}, spec: {paramKind: {apiVersion: no.such/v1, kind: Zz}, matchConstraints:"
                        + " {resourceRules: [{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources:"
                        + " [configmaps]}]}, validations: [{expression: 'true'}]}}");
        configure(
                "validatingadmissionpolicybindings",
                "{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny], paramRef: {name: x,"
                        + " parameterNotFoundAction: Allow}}}");
        assertThat(refusal().path("message").textValue())
                .contains("failed to configure policy: failed to find resource referenced by paramKind:"
                        + " 'no.such/v1, Kind=Zz'");
    }
}
