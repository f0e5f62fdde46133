package lavaflow.kube;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The expectations are what kube-apiserver 1.36.3 answered. */
class TypedDecoderTest {
    private static final String CORE = "io.k8s.api.core.v1.";

    private static TypedDecoder.Decoded decode(String struct, String text) throws DecodingException {
        StrictJson.Document document =
                StrictJson.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8), StrictJson.Repeated.JOIN);
        return TypedDecoder.decode(BuiltinTypes.instance(), struct, document);
    }

    private static String object(String struct, String text) throws DecodingException {
        return decode(struct, text).object().toString().replace('"', '\'');
    }

    private static List<String> problems(String struct, String text) throws DecodingException {
        return decode(struct, text).problems();
    }

    @Test
    void fieldsComeInTheOrderOfDeclarationAndMapsSorted() throws DecodingException {
        assertThat(
                        object(
                                CORE + "ConfigMap",
                                "{'data':{'b':'2','a':'1'},'metadata':{'labels':{'z':'','y':''},'name':'n'},'apiVersion':'v1','kind':'ConfigMap'}"))
                .isEqualTo(
                        "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'n','labels':{'y':'','z':''}},'data':{'a':'1','b':'2'}}");
    }

    @Test
    void emptyValuesVanishUnlessThePointerOrTheTagKeepsThem() throws DecodingException {
        assertThat(
                        object(
                                CORE + "Container",
                                "{'name':'c','image':'','command':[],'tty':false,'securityContext':{'privileged':false,'runAsUser':0}}"))
                .isEqualTo("{'name':'c','resources':{},'securityContext':{'privileged':false,'runAsUser':0}}");
        assertThat(object(CORE + "PodSpec", "{'nodeSelector':{},'volumes':null}"))
                .isEqualTo("{'containers':null}");
    }

    @Test
    void zeroValuesAppearWhereGoPrintsThem() throws DecodingException {
        assertThat(object(CORE + "Event", "{}"))
                .isEqualTo("{'metadata':{},'involvedObject':{},'source':{},'firstTimestamp':null,'lastTimestamp':null,"
                        + "'eventTime':null,'reportingComponent':'','reportingInstance':''}");
        assertThat(object("io.k8s.api.rbac.v1.Role", "{'rules':[]}")).isEqualTo("{'metadata':{},'rules':null}");
        assertThat(object("io.k8s.api.apps.v1.Deployment", "{'spec':{'replicas':0}}"))
                .isEqualTo("{'metadata':{},'spec':{'replicas':0,'selector':null,'template':{'metadata':{},"
                        + "'spec':{'containers':null}},'strategy':{}},'status':{}}");
        assertThat(object(CORE + "ServicePort", "{'port':80}")).isEqualTo("{'port':80,'targetPort':0}");
    }

    @Test
    void nullElementsBecomeZeroValues() throws DecodingException {
        assertThat(object(CORE + "PodSpec", "{'nodeSelector':{'a':null},'containers':[null]}"))
                .isEqualTo("{'containers':[{'name':'','resources':{}}],'nodeSelector':{'a':''}}");
        assertThat(object(CORE + "ResourceRequirements", "{'limits':{'cpu':null}}"))
                .isEqualTo("{'limits':{'cpu':'0'}}");
    }

    @Test
    void unknownAndRepeatedFieldsAreReportedInTheOrderOfTheDocument() throws DecodingException {
        assertThat(problems(
                        CORE + "Pod",
                        "{'spec':{'containers':[{'name':'c','imagee':'x','ports':[{'foo':1},{'bar':1}],"
                                + "'resources':{'limits':{'cpu':'1','cpu':'2'},'zap':1}}],"
                                + "'volumes':[{'emptyDir':{'q':1},'emptydir':{}}],'affinity':{'nodeaffinity':1}}}"))
                .containsExactly(
                        "unknown field \"spec.containers[0].imagee\"",
                        "unknown field \"spec.containers[0].ports[0].foo\"",
                        "unknown field \"spec.containers[0].ports[1].bar\"",
                        "duplicate field \"spec.containers[0].resources.limits.cpu\"",
                        "unknown field \"spec.containers[0].resources.zap\"",
                        "unknown field \"spec.volumes[0].emptyDir.q\"",
                        "unknown field \"spec.volumes[0].emptydir\"",
                        "unknown field \"spec.affinity.nodeaffinity\"");
        assertThat(problems(
                        CORE + "ConfigMap",
                        "{'data':{'q':'1'},'foo.bar':1,'data':{'r':'1'},'a\\'b':2,'binaryData':{'a.b':'','a.b':''}}"))
                .containsExactly(
                        "unknown field \"foo.bar\"",
                        "duplicate field \"data\"",
                        "unknown field \"a\\\"b\"",
                        "duplicate field \"binaryData.a.b\"");
    }

    @Test
    void repeatedFieldsInsideUnknownOrRawPartsAreNobodysBusiness() throws DecodingException {
        assertThat(problems(CORE + "ConfigMap", "{'zoo':[{'a':1,'a':2}],'zoo':1}"))
                .containsExactly("unknown field \"zoo\"");
        assertThat(problems("io.k8s.api.apps.v1.ControllerRevision", "{'data':{'a':1,'a':2}}"))
                .isEmpty();
    }

    @Test
    void onlyTheFirstHundredProblemsAreReported() throws DecodingException {
        StringBuilder body = new StringBuilder("{'a':1");
        for (int i = 0; i < 200; i++) {
            body.append(",'foo").append(i).append("':1");
        }
        assertThat(problems(CORE + "ConfigMap", body.append('}').toString())).hasSize(100);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Pod | {'spec':{'containers':[{'ports':'x'}]}} | json: cannot unmarshal string into Go struct field Container.spec.containers.ports of type []v1.ContainerPort",
                "Pod | {'spec':{'containers':[{'ports':[{'containerPort':'80'}]}]}} | json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
                "Pod | {'spec':{'containers':[{'ports':[{'containerPort':80.5}]}]}} | json: cannot unmarshal number 80.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
                "Pod | {'spec':{'priority':80000000000}} | json: cannot unmarshal number 80000000000 into Go struct field PodSpec.spec.priority of type int32",
                "Pod | {'spec':{'activeDeadlineSeconds':99999999999999999999}} | json: cannot unmarshal number 99999999999999999999 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64",
                "Pod | {'spec':{'restartPolicy':3}} | json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
                "Pod | {'spec':{'nodeSelector':[]}} | json: cannot unmarshal array into Go struct field PodSpec.spec.nodeSelector of type map[string]string",
                "Pod | {'spec':{'nodeSelector':{'a':1}}} | json: cannot unmarshal number into Go struct field PodSpec.spec.nodeSelector of type string",
                "Pod | {'spec':{'containers':[{'resources':{'limits':[]}}]}} | json: cannot unmarshal array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList",
                "Pod | {'spec':{'volumes':[{'emptyDir':'y'}]}} | json: cannot unmarshal string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
                "Pod | {'spec':{'containers':[{'livenessProbe':{'httpGet':{'port':true}}}]}} | json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32",
                "Pod | {'metadata':{'creationTimestamp':1}} | json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
                "Pod | {'metadata':{'creationTimestamp':'bad'}} | `parsing time \"bad\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"bad\" as \"2006\"`",
                "Pod | {'spec':{'overhead':{'cpu':true}}} | quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                "ConfigMap | {'binaryData':{'a':'!!'}} | illegal base64 data at input byte 0",
                "ConfigMap | {'binaryData':{'a':1}} | json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8",
            })
    void wrongTypesAreRefusedInGosWords(String kind, String body, String message) {
        assertThatThrownBy(() -> decode(CORE + kind, body))
                .isInstanceOf(DecodingException.class)
                .hasMessage(message);
    }

    @Test
    void valuesGetTheirCanonicalForm() throws DecodingException {
        assertThat(object(CORE + "ResourceRequirements", "{'limits':{'memory':'1024Mi','cpu':0.5}}"))
                .isEqualTo("{'limits':{'cpu':'500m','memory':'1Gi'}}");
        assertThat(object("io.k8s.api.coordination.v1.LeaseSpec", "{'renewTime':'2020-01-01T02:00:00.123456+02:00'}"))
                .isEqualTo("{'renewTime':'2020-01-01T00:00:00.123456Z'}");
        assertThat(object(
                        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
                        "{'creationTimestamp':'2020-01-01T00:00:00.5-07:00'}"))
                .isEqualTo("{'creationTimestamp':'2020-01-01T07:00:00Z'}");
        assertThat(object(CORE + "Secret", "{'data':{'a':'YR==','b':'Y\\nQ==','c':[1,2],'d':null}}"))
                .isEqualTo("{'metadata':{},'data':{'a':'YQ==','b':'YQ==','c':'AQI=','d':''}}");
    }

    @Test
    void rawPartsAreKept() throws DecodingException {
        assertThat(object("io.k8s.api.apps.v1.ControllerRevision", "{'data':{'b':null,'a':[1,{}]},'revision':1}"))
                .isEqualTo("{'metadata':{},'data':{'b':null,'a':[1,{}]},'revision':1}");
    }

    @Test
    void schemasAreAcceptedInEachOfTheirForms() throws DecodingException {
        String props = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
        assertThat(object(props, "{'additionalProperties':false,'items':{'type':'string','foo':1}}"))
                .isEqualTo("{'items':{'type':'string'},'additionalProperties':false}");
        assertThat(problems(props, "{'items':{'foo':1},'properties':{'a':{'bar':1}}}"))
                .containsExactly("unknown field \"properties.a.bar\"");
        assertThatThrownBy(() -> decode(props, "{'additionalProperties':'x'}"))
                .hasMessage("boolean or JSON schema expected");
        assertThat(object(props, "{'minimum':1.0,'maximum':1.5,'default':null,'enum':[null,1]}"))
                .isEqualTo("{'maximum':1.5,'minimum':1,'enum':[null,1]}");
    }

    @Test
    void openStructsKeepWhatTheyDoNotKnow() throws DecodingException {
        Struct open = new Struct("x.Open", "Open", List.of(), false, true);
        TypedDecoder.Decoded decoded =
                TypedDecoder.decode(_ -> open, "x.Open", Json.parse("{\"b\":1,\"a\":{\"c\":null}}"));
        assertThat(decoded.object().toString()).isEqualTo("{\"b\":1,\"a\":{\"c\":null}}");
        assertThat(decoded.problems()).isEmpty();
    }

    @Test
    void decodingTwiceChangesNothing() throws DecodingException {
        String once =
                object(CORE + "Pod", "{'spec':{'containers':[{'name':'c','resources':{'limits':{'cpu':'1000m'}}}]}}");
        assertThat(object(CORE + "Pod", once)).isEqualTo(once);
    }

    @Test
    void onlyObjectsAreDecoded() throws DecodingException {
        assertThatThrownBy(() -> decode(CORE + "Pod", "[]"))
                .hasMessage("json: cannot unmarshal array into Go value of type v1.Pod");
        assertThat(object(CORE + "ConfigMap", "null")).isEqualTo("{'metadata':{}}");
    }
}
