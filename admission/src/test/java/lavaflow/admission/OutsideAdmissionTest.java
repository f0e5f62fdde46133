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
                new ApiServer.Settings(
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
}
