package lavaflow.kube;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import lavaflow.kube.Struct.Field;
import lavaflow.kube.Struct.ListKind;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BuiltinTypesTest {
    private static final String CORE = "io.k8s.api.core.v1.";
    private final BuiltinTypes types = BuiltinTypes.instance();

    private Field field(String struct, String name) {
        return Objects.requireNonNull(types.struct(struct).field(name));
    }

    @Test
    void fieldsComeInTheOrderOfDeclaration() {
        assertThat(types.struct(CORE + "Pod").fields().keySet())
                .containsExactly("kind", "apiVersion", "metadata", "spec", "status");
    }

    @Test
    void listsKnowTheirKeysForApplyAndForPatch() {
        Field ports = field(CORE + "ServiceSpec", "ports");
        assertThat(ports.listKind()).isEqualTo(ListKind.MAP);
        assertThat(ports.listKeys()).containsExactly("port", "protocol");
        assertThat(ports.patchMerge()).isTrue();
        assertThat(ports.patchMergeKey()).isEqualTo("port");
        assertThat(field(CORE + "ServicePort", "protocol").defaultValue()).isEqualTo(Json.text("TCP"));
        assertThat(field(CORE + "Container", "command").listKind()).isEqualTo(ListKind.ATOMIC);
        assertThat(field("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "finalizers")
                        .listKind())
                .isEqualTo(ListKind.SET);
    }

    @Test
    void retainKeysIsKnownOfVolumesAndStrategies() {
        assertThat(field(CORE + "PodSpec", "volumes").patchRetainKeys()).isTrue();
        assertThat(field(CORE + "PodSpec", "volumes").patchMerge()).isTrue();
        assertThat(field("io.k8s.api.apps.v1.DeploymentSpec", "strategy").patchRetainKeys())
                .isTrue();
        assertThat(field("io.k8s.api.apps.v1.DeploymentSpec", "strategy").patchMerge())
                .isFalse();
    }

    @Test
    void atomicStructsAndMapsAreMarked() {
        assertThat(types.struct("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector")
                        .atomic())
                .isTrue();
        assertThat(types.struct(CORE + "PodSpec").atomic()).isFalse();
        assertThat(field(CORE + "PodSpec", "nodeSelector").atomicMap()).isTrue();
    }

    @Test
    void presenceFollowsTheGoType() {
        Field replicas = field("io.k8s.api.apps.v1.DeploymentSpec", "replicas");
        assertThat(replicas.pointer()).isTrue();
        assertThat(replicas.omitEmpty()).isTrue();
        Field containers = field(CORE + "PodSpec", "containers");
        assertThat(containers.omitEmpty()).isFalse();
        assertThat(containers.required()).isTrue();
        assertThat(field("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp")
                        .omitZero())
                .isTrue();
    }

    @Test
    void messagesThatJsonFlattensAreInTheWirePath() {
        assertThat(field(CORE + "Volume", "emptyDir").wirePath()).containsExactly(2);
        assertThat(field(CORE + "Volume", "emptyDir").number()).isEqualTo(2);
        assertThat(field("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations", "apiGroups")
                        .wirePath())
                .containsExactly(2, 2);
        assertThat(field(CORE + "PodSpec", "tolerations").wirePath()).isEmpty();
        assertThat(field(CORE + "Pod", "kind").number()).isZero();
    }

    @Test
    void decodingErrorsGetGoNames() {
        Struct pod = types.struct(CORE + "PodSpec");
        assertThat(pod.goType(field(CORE + "PodSpec", "restartPolicy"))).isEqualTo("v1.RestartPolicy");
        assertThat(pod.goType(field(CORE + "PodSpec", "containers"))).isEqualTo("[]v1.Container");
        assertThat(pod.goType(field(CORE + "PodSpec", "nodeSelector"))).isEqualTo("map[string]string");
        assertThat(pod.goType(field(CORE + "PodSpec", "priority"))).isEqualTo("int32");
        assertThat(pod.goName()).isEqualTo("PodSpec");
    }

    @Test
    void schemasMayBeGivenInSeveralForms() {
        Struct props = types.struct("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
        assertThat(Objects.requireNonNull(props.field("additionalProperties")).type())
                .isEqualTo(new Type.OneOf(
                        "v1.JSONSchemaPropsOrBool", List.of(new Type.Ref(props.name()), Type.Scalar.BOOL)));
        assertThat(Objects.requireNonNull(props.field("properties")).type())
                .isEqualTo(new Type.MapOf(new Type.Ref(props.name())));
    }

    @Test
    void everyStructParsesAndEveryReferenceResolves() {
        ArrayDeque<String> open = new ArrayDeque<>();
        KindTable.builtin().versions().forEach(version -> version.kinds().forEach(kind -> open.add(kind.struct())));
        Set<String> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            for (Field field : types.struct(open.remove()).fields().values()) {
                references(field.type()).stream().filter(seen::add).forEach(open::add);
            }
        }
        assertThat(seen).hasSizeGreaterThan(450);
    }

    private static List<String> references(Type type) {
        return switch (type) {
            case Type.Scalar _ -> List.of();
            case Type.Ref ref -> List.of(ref.struct());
            case Type.ListOf list -> references(list.element());
            case Type.MapOf map -> references(map.value());
            case Type.OneOf either ->
                either.choices().stream()
                        .flatMap(choice -> references(choice).stream())
                        .toList();
        };
    }

    @Test
    void unknownStructsAreRefused() {
        assertThat(types.knows("io.k8s.api.core.v1.Nonsense")).isFalse();
        assertThatThrownBy(() -> types.struct("io.k8s.api.core.v1.Nonsense")).hasMessageContaining("Nonsense");
    }
}
