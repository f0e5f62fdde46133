package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ProtobufDecoderTest {
    private static TestingWire wire() {
        return new TestingWire();
    }

    /** Object metadata as Go writes it: every string and number, empty or not. */
    private static TestingWire metadata(String name) {
        return wire().string(1, name)
                .string(2, "")
                .string(3, "")
                .string(4, "")
                .string(5, "")
                .string(6, "")
                .number(7, 0)
                .message(8, wire());
    }

    private static String decode(String apiVersion, String kind, TestingWire object) throws DecodingException {
        ProtobufDecoder.Envelope envelope = ProtobufDecoder.envelope(TestingWire.body(apiVersion, kind, object));
        GroupVersionKind gvk = GroupVersionKind.of(envelope.apiVersion(), envelope.kind());
        String struct = Objects.requireNonNull(KindTable.builtin().struct(gvk.group(), gvk.version(), gvk.kind()));
        return ProtobufDecoder.decode(BuiltinTypes.instance(), struct, envelope)
                .toString()
                .replace('"', '\'');
    }

    @Test
    void emptyValuesThatGoAlwaysSendsAreDropped() throws DecodingException {
        assertThat(decode(
                        "v1",
                        "ConfigMap",
                        wire().message(1, metadata("a")).entry(2, "k", "v").entry(2, "empty", "")))
                .isEqualTo(
                        "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'a'},'data':{'empty':'','k':'v'}}");
    }

    @Test
    void zeroBehindAPointerIsKept() throws DecodingException {
        assertThat(decode("apps/v1", "Deployment", wire().message(2, wire().number(1, 0))))
                .contains("'spec':{'replicas':0,");
    }

    @Test
    void bytesBecomeBase64() throws DecodingException {
        byte[] secret = {0, 1, (byte) 0xff};
        assertThat(decode(
                        "v1",
                        "Secret",
                        wire().message(2, wire().string(1, "k").bytes(2, secret))
                                .string(3, "Opaque")))
                .isEqualTo("{'kind':'Secret','apiVersion':'v1','metadata':{},'data':{'k':'AAH/'},'type':'Opaque'}");
    }

    @Test
    void messagesThatJsonFlattensAreFlattened() throws DecodingException {
        TestingWire volume = wire().string(1, "tmp").message(2, wire().message(2, wire().string(1, "")));
        assertThat(decode("v1", "Pod", wire().message(2, wire().message(1, volume))))
                .contains("'spec':{'volumes':[{'name':'tmp','emptyDir':{}}],'containers':null}");
    }

    @Test
    void quantitiesNumbersAndTextsAreTold() throws DecodingException {
        TestingWire cpu = wire().string(1, "cpu").message(2, wire().string(1, "1500m"));
        TestingWire probe = wire().message(
                        1,
                        wire().message(2, wire().message(2, wire().number(1, 0).number(2, 80))))
                .number(2, 0);
        TestingWire named = wire().message(
                        1,
                        wire().message(2, wire().message(2, wire().number(1, 1).string(3, "http"))));
        TestingWire container = wire().string(1, "c")
                .message(8, wire().message(1, cpu))
                .message(10, probe)
                .message(11, named);
        assertThat(decode("v1", "Pod", wire().message(2, wire().message(2, container))))
                .contains("'resources':{'limits':{'cpu':'1500m'}}")
                .contains("'livenessProbe':{'httpGet':{'port':80}}")
                .contains("'readinessProbe':{'httpGet':{'port':'http'}}");
    }

    @Test
    void timesAreCutToWhatJsonShows() throws DecodingException {
        TestingWire time = wire().number(1, 1_600_000_000L).number(2, 123_456_789);
        TestingWire spec = wire().string(1, "me").message(3, time).message(4, wire());
        assertThat(decode("coordination.k8s.io/v1", "Lease", wire().message(2, spec)))
                .contains("'spec':{'holderIdentity':'me','acquireTime':'2020-09-13T12:26:40.123456Z'}");
        assertThat(decode("v1", "ConfigMap", wire().message(1, wire().message(9, time))))
                .contains("'deletionTimestamp':'2020-09-13T12:26:40Z'");
    }

    @Test
    void rawPartsAreJsonInside() throws DecodingException {
        TestingWire raw = wire().bytes(1, "{\"b\":[1,null]}".getBytes(StandardCharsets.UTF_8));
        assertThat(decode(
                        "apps/v1", "ControllerRevision", wire().message(2, raw).number(3, 7)))
                .isEqualTo(
                        "{'kind':'ControllerRevision','apiVersion':'apps/v1','metadata':{},'data':{'b':[1,null]},'revision':7}");
        assertThatThrownBy(() -> decode("apps/v1", "ControllerRevision", wire().message(2, wire().string(1, "{"))))
                .hasMessage("unexpected end of JSON input");
    }

    @Test
    void listsInsideMapsAreMessages() throws DecodingException {
        TestingWire extra =
                wire().string(1, "scopes").message(2, wire().string(1, "a").string(1, "b"));
        TestingWire user = wire().string(1, "me").message(4, extra);
        assertThat(decode("authentication.k8s.io/v1", "TokenReview", wire().message(3, wire().message(2, user))))
                .contains("'user':{'username':'me','extra':{'scopes':['a','b']}}");
    }

    @Test
    void schemasAreToldByFieldNumber() throws DecodingException {
        TestingWire string = wire().string(5, "string");
        TestingWire props = wire().message(24, wire().message(1, string))
                .message(30, wire().number(1, 1))
                .message(
                        29,
                        wire().string(1, "a")
                                .message(
                                        2,
                                        wire().message(30, wire().number(1, 1).message(2, string))));
        TestingWire version = wire().string(1, "v1").message(4, wire().message(1, props));
        assertThat(decode(
                        "apiextensions.k8s.io/v1",
                        "CustomResourceDefinition",
                        wire().message(2, wire().message(7, version))))
                .contains("'openAPIV3Schema':{'items':{'type':'string'},"
                        + "'properties':{'a':{'additionalProperties':{'type':'string'}}},'additionalProperties':true}");
    }

    @Test
    void negativeNumbersTakeTenBytes() throws DecodingException {
        assertThat(decode("scheduling.k8s.io/v1", "PriorityClass", wire().number(2, -5)))
                .contains("'value':-5");
    }

    @Test
    void listsOfNumbersMayBePacked() throws DecodingException {
        TestingWire packed = wire().bytes(4, new byte[] {1, (byte) 0x80, 1});
        assertThat(decode("v1", "Pod", wire().message(2, wire().message(14, packed))))
                .contains("'supplementalGroups':[1,128]");
        TestingWire plain = wire().number(4, 1).number(4, 128);
        assertThat(decode("v1", "Pod", wire().message(2, wire().message(14, plain))))
                .contains("'supplementalGroups':[1,128]");
    }

    @Test
    void unknownFieldsOfEveryWireTypeAreSkipped() throws DecodingException {
        TestingWire object = wire().number(900, 1)
                .raw(0xa1, 0x38, 1, 2, 3, 4, 5, 6, 7, 8)
                .string(901, "x")
                .raw(0xa5, 0x38, 1, 2, 3, 4)
                .raw(0xa3, 0x38, 0x08, 0x01, 0xab, 0x38, 0xac, 0x38, 0xa4, 0x38)
                .entry(2, "k", "v");
        assertThat(decode("v1", "ConfigMap", object)).contains("'data':{'k':'v'}");
    }

    @Test
    void optionsOfADeleteAreDecodedUnderAnyGroup() throws DecodingException {
        assertThat(decode("apps/v1", "DeleteOptions", wire().number(1, 0).string(4, "Foreground")))
                .isEqualTo(
                        "{'kind':'DeleteOptions','apiVersion':'apps/v1','gracePeriodSeconds':0,'propagationPolicy':'Foreground'}");
    }

    @Test
    void bytesThatAreNoUtf8AreReplaced() throws DecodingException {
        TestingWire entry = wire().string(1, "k").bytes(2, new byte[] {'a', (byte) 0xff});
        assertThat(decode("v1", "ConfigMap", wire().message(2, entry))).contains("'data':{'k':'a\uFFFD'}");
    }

    @Test
    void bodiesWithoutTheMagicAreRefused() {
        assertThat(ProtobufDecoder.recognizes("{}".getBytes(StandardCharsets.UTF_8)))
                .isFalse();
        assertThatThrownBy(() -> ProtobufDecoder.envelope("{\"kind\":1}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(DecodingException.class)
                .hasMessageContaining("does not appear to be a protobuf message");
    }

    @Test
    void everyTruncationIsRefusedOrDecoded() {
        byte[] body = TestingWire.body(
                "v1", "ConfigMap", wire().message(1, metadata("a")).entry(2, "k", "v"));
        for (int length = 4; length < body.length; length++) {
            byte[] cut = Arrays.copyOf(body, length);
            try {
                ProtobufDecoder.decode(
                        BuiltinTypes.instance(), "io.k8s.api.core.v1.ConfigMap", ProtobufDecoder.envelope(cut));
            } catch (DecodingException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }

    @Test
    void malformedFieldsAreRefused() {
        assertThatThrownBy(() -> decode("v1", "ConfigMap", wire().number(2, 1)))
                .hasMessage("proto: wrong wireType = 0 for field 2");
        assertThatThrownBy(() -> decode("v1", "ConfigMap", wire().raw(0x12, 0xff, 0xff, 0xff, 0xff, 0x0f)))
                .hasMessage("unexpected EOF");
        assertThatThrownBy(() -> decode("v1", "ConfigMap", wire().raw(0x00)))
                .hasMessage("proto: illegal tag 0 (wire type 0)");
        assertThatThrownBy(() -> decode(
                        "v1", "ConfigMap", wire().raw(0xf8, 0x01, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1)))
                .hasMessage("proto: integer overflow");
        assertThatThrownBy(() -> decode("v1", "ConfigMap", wire().raw(0xfc, 0x01)))
                .hasMessage("proto: unexpected end of group");
        assertThatThrownBy(() -> decode(
                        "v1", "ConfigMap", wire().message(1, wire().message(9, wire().number(1, Long.MAX_VALUE)))))
                .hasMessageContaining("out of range");
    }

    @Test
    void depthIsLimited() {
        TestingWire schema = wire().string(5, "object");
        for (int i = 0; i < 2_000; i++) {
            schema = wire().message(28, schema); // not
        }
        TestingWire version = wire().message(4, wire().message(1, schema));
        assertThatThrownBy(() -> decode(
                        "apiextensions.k8s.io/v1",
                        "CustomResourceDefinition",
                        wire().message(2, wire().message(7, version))))
                .hasMessage("exceeded max depth");
    }

    @Test
    void manyEmptyElementsDoNotFillTheMemory() {
        byte[] elements = new byte[3 << 20];
        for (int i = 0; i < elements.length; i += 2) {
            elements[i] = 0x12; // containers, each of length 0
        }
        TestingWire spec = wire();
        for (byte b : elements) {
            spec.raw(b);
        }
        assertThatThrownBy(() -> decode("v1", "Pod", wire().message(2, spec))).hasMessage("object has too many parts");
    }
}
