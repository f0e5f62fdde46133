package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

import lavaflow.kube.BodyDecoder.Format;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The expectations are what kube-apiserver 1.36.3 answered. */
class BodyDecoderTest {
    private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");
    private static final GroupVersionKind CONFIG_MAP = new GroupVersionKind("", "v1", "ConfigMap");
    private static final GroupVersionKind FOO = new GroupVersionKind("example.com", "v1", "Foo");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static BodyDecoder.Body builtin(GroupVersionKind kind, String body) {
        return BodyDecoder.builtin(Format.JSON, bytes(body.replace('\'', '"')), kind);
    }

    private static BodyDecoder.Body custom(String body) {
        return BodyDecoder.custom(Format.JSON, bytes(body.replace('\'', '"')), FOO);
    }

    @Test
    void kindAndVersionMayBeLeftOut() {
        String complete = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}";
        assertThat(builtin(CONFIG_MAP, "{'metadata':{'name':'a'}}").object().toString())
                .isEqualTo(complete);
        assertThat(builtin(CONFIG_MAP, "{'apiVersion':'v1','metadata':{'name':'a'}}")
                        .object()
                        .toString())
                .isEqualTo(complete);
        assertThat(builtin(CONFIG_MAP, "null").object().toString())
                .isEqualTo("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
                "{'a':1 | the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: unexpected end of JSON input ({\"a\":1)",
                "[1 | the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: unexpected end of JSON input (5b31)",
                "{'apiVersion':'v1','kind':'Pod'} x | the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: invalid character 'x' after top-level value ({\"apiVersion\":\"v1\",\"kind\":\"Pod ...)",
                "{'apiVersion':'v1','kind':2} | the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({\"apiVersion\":\"v1\",\"kind\":2})",
                "{'apiVersion':'a/b/c','kind':'Pod'} | the object provided is unrecognized (must be of type Pod): unexpected GroupVersion string: a/b/c ({\"apiVersion\":\"a/b/c\",\"kind\":\" ...)",
                "{'apiVersion':'v1','kind':'Nope'} | Nope in version \"v1\" cannot be handled as a Pod: no kind \"Nope\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"",
                "{'apiVersion':'apps/v1','metadata':{}} | Pod in version \"v1\" cannot be handled as a Pod: no kind \"Pod\" is registered for version \"apps/v1\" in scheme \"pkg/runtime/scheme.go:111\"",
                "{'apiVersion':'v1','kind':'Service'} | Service in version \"v1\" cannot be handled as a Pod: converting (v1.Service) to (core.Pod): unknown conversion",
                "{'spec':{'priority':'1'}} | Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32",
            })
    void badBodiesAreAnsweredAsUpstreamDoes(String body, String message) {
        assertThatThrownBy(() -> builtin(POD, body))
                .isInstanceOf(ApiException.class)
                .hasMessage(message)
                .matches(e -> ((ApiException) e).code() == 400);
    }

    @Test
    void arraysAreNoObjects() {
        assertThatThrownBy(() -> builtin(POD, "[]"))
                .hasMessageStartingWith(
                        "the object provided is unrecognized (must be of type Pod): couldn't get version/kind;")
                .hasMessageContaining("json: cannot unmarshal array into Go value of type struct { APIVersion string")
                .hasMessageEndingWith("(5b5d)");
    }

    @Test
    void otherVersionsOfTheSameKindAreTold() {
        GroupVersionKind autoscaler = new GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler");
        assertThatThrownBy(
                        () -> builtin(autoscaler, "{'apiVersion':'autoscaling/v2','kind':'HorizontalPodAutoscaler'}"))
                .hasMessage(
                        "the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)");
        GroupVersionKind deployment = new GroupVersionKind("apps", "v1", "Deployment");
        assertThatThrownBy(() -> builtin(deployment, "{'apiVersion':'apps/v1beta1','kind':'Deployment'}"))
                .hasMessage(
                        "the API version in the data (apps/v1beta1) does not match the expected API version (apps/v1)");
    }

    @Test
    void problemsBecomeWarningsOrARefusal() {
        BodyDecoder.Body body = builtin(CONFIG_MAP, "{'foo':1,'data':{'a':'1','a':'2'}}");
        assertThat(body.warnings()).containsExactly("unknown field \"foo\"", "duplicate field \"data.a\"");
        assertThat(Objects.requireNonNull(body.strictRefusal(CONFIG_MAP)).getMessage())
                .isEqualTo("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
                        + "unknown field \"foo\", duplicate field \"data.a\"");
        assertThat(builtin(CONFIG_MAP, "{}").strictRefusal(CONFIG_MAP)).isNull();
    }

    @Test
    void yamlTellsRepeatedKeysByLine() {
        byte[] yaml = bytes("kind: ConfigMap\ndata:\n  a: x\n  a: z\nfoo: 1\ndata:\n  q: r\n");
        BodyDecoder.Body body = BodyDecoder.builtin(Format.YAML, yaml, CONFIG_MAP);
        assertThat(body.object().at("/data/q").textValue()).isEqualTo("r");
        assertThat(body.warnings())
                .containsExactly(
                        "line 4: key \"a\" already set in map",
                        "line 7: key \"data\" already set in map",
                        "unknown field \"foo\"");
        assertThat(Objects.requireNonNull(body.strictRefusal(CONFIG_MAP)).getMessage())
                .endsWith("strict decoding error: yaml: unmarshal errors:\n  line 4: key \"a\" already set in map\n"
                        + "  line 7: key \"data\" already set in map, unknown field \"foo\"");
        assertThatThrownBy(() -> BodyDecoder.builtin(Format.YAML, bytes("a: b: c"), CONFIG_MAP))
                .hasMessage("the object provided is unrecognized (must be of type ConfigMap): "
                        + "yaml: mapping values are not allowed in this context (613a20623a2063)");
    }

    @Test
    void protobufIsAnsweredAlike() {
        TestingWire data = new TestingWire().entry(2, "k", "v");
        byte[] body = TestingWire.body("v1", "ConfigMap", data);
        assertThat(BodyDecoder.builtin(Format.PROTOBUF, body, CONFIG_MAP)
                        .object()
                        .toString())
                .isEqualTo("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{},\"data\":{\"k\":\"v\"}}");
        assertThat(BodyDecoder.builtin(Format.PROTOBUF, TestingWire.body("", "", data), CONFIG_MAP)
                        .object()
                        .toString())
                .startsWith("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"");
        assertThatThrownBy(() -> BodyDecoder.builtin(Format.PROTOBUF, new byte[0], POD))
                .hasMessage("the object provided is unrecognized (must be of type Pod): empty data (<empty>)");
        assertThatThrownBy(() -> BodyDecoder.builtin(Format.PROTOBUF, bytes("{}"), POD))
                .hasMessage(
                        "the object provided is unrecognized (must be of type Pod): provided data does not appear to be"
                                + " a protobuf message, expected prefix [107 56 115 0] ({})");
        assertThatThrownBy(() -> BodyDecoder.builtin(Format.PROTOBUF, body, POD))
                .hasMessage("ConfigMap in version \"v1\" cannot be handled as a Pod: "
                        + "converting (v1.ConfigMap) to (core.Pod): unknown conversion");
        byte[] broken = TestingWire.body("v1", "Pod", new TestingWire().raw(0x0a, 0x09));
        assertThatThrownBy(() -> BodyDecoder.builtin(Format.PROTOBUF, broken, POD))
                .hasMessage("Pod in version \"v1\" cannot be handled as a Pod: unexpected EOF");
    }

    @Test
    void customObjectsComeSortedWithCheckedMetadata() {
        BodyDecoder.Body body =
                custom("{'kind':'Foo','apiVersion':'example.com/v1','metadata':{'name':'a','zz':1,'name':'b',"
                        + "'creationTimestamp':null},'zoo':{'q':1,'q':2},'spec':{'b':1.0,'a':[1e3,1.5,null]}}");
        assertThat(body.object().toString().replace('"', '\''))
                .isEqualTo("{'apiVersion':'example.com/v1','kind':'Foo','metadata':{'name':'b'},"
                        + "'spec':{'a':[1000,1.5,null],'b':1},'zoo':{'q':2}}");
        assertThat(body.warnings())
                .containsExactly(
                        "duplicate field \"metadata.name\"",
                        "duplicate field \"zoo.q\"",
                        "unknown field \"metadata.zz\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'metadata':{'name':'a'}} | the object provided is unrecognized (must be of type Foo): Object 'Kind' is missing in '{\"metadata\":{\"name\":\"a\"}}' ({\"metadata\":{\"name\":\"a\"}})",
                "null | the object provided is unrecognized (must be of type Foo): Object 'Kind' is missing in 'null' (6e756c6c)",
                "{'kind':'Foo'} | the API version in the data () does not match the expected API version (example.com/v1)",
                "{'kind':'Pod','apiVersion':'v1'} | the API version in the data (v1) does not match the expected API version (example.com/v1)",
                "{'kind':'Foo','apiVersion':'example.com/v1','metadata':{'name':1}} | Foo in version \"v1\" cannot be handled as a Foo: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
                "{'kind':'Foo','apiVersion':'example.com/v1','metadata':'x'} | Foo in version \"v1\" cannot be handled as a Foo: json: cannot unmarshal string into Go value of type v1.ObjectMeta",
            })
    void badCustomBodiesAreAnsweredAsUpstreamDoes(String body, String message) {
        assertThatThrownBy(() -> custom(body)).isInstanceOf(ApiException.class).hasMessage(message);
    }
}
