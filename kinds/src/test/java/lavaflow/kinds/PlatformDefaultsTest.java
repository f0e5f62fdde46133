package lavaflow.kinds;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static lavaflow.kinds.Sample.assertCreated;
import static org.assertj.core.api.Assertions.assertThat;

/** What the server makes of minimal objects, as observed on a real one. */
class PlatformDefaultsTest {
    @Test
    void namespaceGetsFinalizerLabelAndPhase() {
        assertCreated(
                "/namespaces",
                "{'metadata':{'name':'a'},'status':{'phase':'Terminating'}}",
                "{'metadata':{'name':'a','labels':{'kubernetes.io/metadata.name':'a'}},"
                        + "'spec':{'finalizers':['kubernetes']},'status':{'phase':'Active'}}");
        assertThat(Sample.created("/namespaces", "{'spec':{'finalizers':['x/y']}}")
                        .at("/spec/finalizers"))
                .hasToString("[\"x/y\",\"kubernetes\"]");
    }

    @Test
    void namespaceFinalizersChangeOnlyThroughFinalize() {
        ObjectNode old = Sample.created("/namespaces", "{'metadata':{'name':'a'}}");
        ObjectNode update = Sample.object("{'metadata':{'name':'a'},'spec':{},'status':{'phase':'Terminating'}}");
        ObjectNode finalize = update.deepCopy();
        Sample.rules("/namespaces").prepareForUpdate(update, old);
        Sample.rules("/namespaces").prepareForSubresourceUpdate("finalize", finalize, old);
        assertThat(update.at("/spec/finalizers")).hasSize(1);
        assertThat(finalize.at("/spec/finalizers")).isEmpty();
        assertThat(finalize.at("/status/phase").textValue()).isEqualTo("Active");
    }

    @Test
    void serviceDefaults() {
        assertCreated(
                "/services",
                "{'spec':{'ports':[{'port':80},{'port':81,'protocol':'UDP','targetPort':'http'}]}}",
                "{'spec':{'ports':[{'port':80,'protocol':'TCP','targetPort':80},"
                        + "{'port':81,'protocol':'UDP','targetPort':'http'}],"
                        + "'sessionAffinity':'None','type':'ClusterIP','internalTrafficPolicy':'Cluster'},"
                        + "'status':{'loadBalancer':{}}}");
        assertCreated(
                "/services",
                "{'spec':{'type':'LoadBalancer','sessionAffinity':'ClientIP'}}",
                "{'spec':{'type':'LoadBalancer','sessionAffinity':'ClientIP',"
                        + "'sessionAffinityConfig':{'clientIP':{'timeoutSeconds':10800}},"
                        + "'externalTrafficPolicy':'Cluster','internalTrafficPolicy':'Cluster',"
                        + "'allocateLoadBalancerNodePorts':true},'status':{'loadBalancer':{}}}");
        assertCreated(
                "/services",
                "{'spec':{'type':'ExternalName','externalName':'x.y','sessionAffinityConfig':{}}}",
                "{'spec':{'type':'ExternalName','externalName':'x.y','sessionAffinity':'None'},"
                        + "'status':{'loadBalancer':{}}}");
    }

    @Test
    void secretMergesTextOverData() {
        assertCreated(
                "/secrets",
                "{'stringData':{'a':'b','u':'ü'},'data':{'a':'eA==','c':''}}",
                "{'data':{'a':'Yg==','c':'','u':'w7w='},'type':'Opaque'}");
    }

    @Test
    void serviceAccountKeepsNamesOfSecretsOnly() {
        assertCreated("/serviceaccounts", "{'secrets':[{'name':'x','kind':'Secret'}]}", "{'secrets':[{'name':'x'}]}");
    }

    @Test
    void limitRangeDerivesDefaults() {
        assertCreated(
                "/limitranges",
                "{'spec':{'limits':[{'type':'Container','max':{'cpu':'2'},'min':{'cpu':'100m','memory':'1Gi'}},"
                        + "{'type':'Pod','max':{'cpu':'2'}}]}}",
                "{'spec':{'limits':[{'type':'Container','max':{'cpu':'2'},'min':{'cpu':'100m','memory':'1Gi'},"
                        + "'default':{'cpu':'2'},'defaultRequest':{'cpu':'2','memory':'1Gi'}},"
                        + "{'type':'Pod','max':{'cpu':'2'}}]}}");
    }

    @Test
    void volumesAndClaims() {
        assertCreated(
                "/persistentvolumes",
                "{'spec':{'hostPath':{'path':'/x'}},'status':{'phase':'Bound'}}",
                "{'spec':{'hostPath':{'path':'/x','type':''},'persistentVolumeReclaimPolicy':'Retain',"
                        + "'volumeMode':'Filesystem'},'status':{'phase':'Pending',"
                        + "'lastPhaseTransitionTime':'2026-01-02T03:04:05Z'}}");
        assertCreated(
                "/persistentvolumeclaims",
                "{'spec':{'dataSource':{'kind':'PersistentVolumeClaim','name':'b'}}}",
                "{'spec':{'volumeMode':'Filesystem','resources':{},"
                        + "'dataSource':{'kind':'PersistentVolumeClaim','name':'b'},"
                        + "'dataSourceRef':{'apiGroup':null,'kind':'PersistentVolumeClaim','name':'b'}},"
                        + "'status':{'phase':'Pending'}}");
        assertCreated(
                "/persistentvolumeclaims",
                "{'spec':{'dataSource':{'kind':'Pod','name':'b'}}}",
                "{'spec':{'volumeMode':'Filesystem','resources':{}},'status':{'phase':'Pending'}}");
    }

    @Test
    void volumePhaseTimeFollowsThePhase() {
        ObjectNode old = Sample.created("/persistentvolumes", "{'spec':{}}");
        ObjectNode bound = Sample.object("{'status':{'phase':'Bound'}}");
        ObjectNode same = Sample.object("{'status':{'phase':'Pending'}}");
        Sample.rules("/persistentvolumes").stamp(bound, old, "2027-01-01T00:00:00Z");
        Sample.rules("/persistentvolumes").stamp(same, old, "2027-01-01T00:00:00Z");
        assertThat(bound.at("/status/lastPhaseTransitionTime").textValue()).isEqualTo("2027-01-01T00:00:00Z");
        assertThat(same.at("/status/lastPhaseTransitionTime").textValue()).isEqualTo(Sample.NOW);
    }

    @Test
    void storageKinds() {
        assertCreated(
                "storage.k8s.io/storageclasses",
                "{'provisioner':'x'}",
                "{'provisioner':'x','reclaimPolicy':'Delete','volumeBindingMode':'Immediate'}");
        assertCreated(
                "storage.k8s.io/csidrivers",
                "{'spec':{}}",
                "{'spec':{'attachRequired':true,'podInfoOnMount':false,'volumeLifecycleModes':['Persistent'],"
                        + "'storageCapacity':false,'fsGroupPolicy':'ReadWriteOnceWithFSType',"
                        + "'requiresRepublish':false,'seLinuxMount':false}}");
        assertCreated(
                "storage.k8s.io/volumeattachments",
                "{'spec':{'attacher':'x'},'status':{'attached':true}}",
                "{'spec':{'attacher':'x'},'status':{'attached':false}}");
    }

    @Test
    void admissionKinds() {
        String webhook = "{'webhooks':[{'name':'a.b.c','clientConfig':{'service':{'name':'s'}},'rules':[{}]}]}";
        String complete = "{'webhooks':[{'name':'a.b.c','clientConfig':{'service':{'name':'s','port':443}},"
                + "'rules':[{'scope':'*'}],'failurePolicy':'Fail','matchPolicy':'Equivalent','namespaceSelector':{},"
                + "'objectSelector':{},'timeoutSeconds':10";
        assertCreated("admissionregistration.k8s.io/validatingwebhookconfigurations", webhook, complete + "}]}");
        assertCreated(
                "admissionregistration.k8s.io/mutatingwebhookconfigurations",
                webhook,
                complete + ",'reinvocationPolicy':'Never'}]}");
        assertCreated(
                "admissionregistration.k8s.io/validatingadmissionpolicies",
                "{'spec':{'matchConstraints':{'resourceRules':[{}]}}}",
                "{'spec':{'matchConstraints':{'resourceRules':[{'scope':'*'}],'matchPolicy':'Equivalent',"
                        + "'namespaceSelector':{},'objectSelector':{}},'failurePolicy':'Fail'},'status':{}}");
    }

    @Test
    void definitionsAndServersOfApis() {
        assertCreated(
                "apiextensions.k8s.io/customresourcedefinitions",
                "{'spec':{'names':{'plural':'foos','kind':'Foo'},'versions':[{'name':'v1'},"
                        + "{'name':'v2','storage':true}]}}",
                "{'spec':{'names':{'plural':'foos','kind':'Foo','singular':'foo','listKind':'FooList'},"
                        + "'versions':[{'name':'v1'},{'name':'v2','storage':true}],'conversion':{'strategy':'None'}},"
                        + "'status':{'conditions':null,'acceptedNames':{'plural':'','kind':''},"
                        + "'storedVersions':['v2']}}");
        assertCreated(
                "apiregistration.k8s.io/apiservices",
                "{'spec':{}}",
                "{'spec':{},'status':{'conditions':[{'type':'Available','status':'True',"
                        + "'lastTransitionTime':'2026-01-02T03:04:05Z','reason':'Local',"
                        + "'message':'Local APIServices are always available'}]}}");
    }

    @Test
    void flowControl() {
        assertCreated(
                "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
                "{'spec':{'type':'Limited','limited':{'limitResponse':{'type':'Queue','queuing':{}}}}}",
                "{'spec':{'type':'Limited','limited':{'nominalConcurrencyShares':30,'lendablePercent':0,"
                        + "'limitResponse':{'type':'Queue','queuing':{'queues':64,'handSize':8,"
                        + "'queueLengthLimit':50}}}},'status':{}}");
        assertCreated(
                "flowcontrol.apiserver.k8s.io/flowschemas",
                "{'spec':{}}",
                "{'spec':{'matchingPrecedence':1000},'status':{}}");
    }

    @Test
    void devices() {
        assertCreated(
                "resource.k8s.io/resourceclaims",
                "{'spec':{'devices':{'requests':[{'name':'x','exactly':{'deviceClassName':'a'}},"
                        + "{'name':'y','firstAvailable':[{'name':'z','allocationMode':'All'}]}]}}}",
                "{'spec':{'devices':{'requests':[{'name':'x','exactly':{'deviceClassName':'a',"
                        + "'allocationMode':'ExactCount','count':1}},"
                        + "{'name':'y','firstAvailable':[{'name':'z','allocationMode':'All'}]}]}},'status':{}}");
        assertCreated(
                "resource.k8s.io/resourceslices",
                "{'spec':{'devices':[{'name':'d','taints':[{'key':'a'}]}]}}",
                "{'spec':{'devices':[{'name':'d','taints':[{'key':'a','timeAdded':'2026-01-02T03:04:05Z'}]}]}}");
    }

    @Test
    void certificateRequestRemembersWhoAsked() {
        ObjectNode request = Sample.object("{'spec':{'username':'liar','groups':['x'],'extra':{'k':['v']}}}");
        CertificateRequests.requestedBy(request, "joe", "", List.of("devs"), Map.of("scopes", List.of("a", "b")));
        assertThat(request)
                .isEqualTo(Sample.object("{'spec':{'username':'joe','groups':['devs'],'extra':{'scopes':['a','b']}}}"));
    }

    @Test
    void certificateStatusKeepsTheApproval() {
        KindRules rules = Sample.rules("certificates.k8s.io/certificatesigningrequests");
        ObjectNode old = Sample.object("{'spec':{'a':1},'status':{'conditions':[{'type':'Approved','status':'True',"
                + "'reason':'r','lastTransitionTime':'x'}]}}");
        ObjectNode changed = Sample.object("{'spec':{},'status':{'certificate':'Yg==','conditions':["
                + "{'type':'Approved','status':'False'},{'type':'Failed','status':'True'}]}}");
        rules.prepareForStatusUpdate(changed, old);
        rules.stamp(changed, old, Sample.NOW);
        assertThat(changed.at("/status/conditions/0/reason").textValue()).isEqualTo("r");
        assertThat(changed.at("/status/conditions/1/lastTransitionTime").textValue())
                .isEqualTo(Sample.NOW);
        assertThat(changed.at("/spec/a").longValue()).isEqualTo(1);
    }

    @Test
    void eventsAreOneStoreWithTwoFaces() {
        BuiltinKinds.Conversion conversion = BuiltinKinds.conversion("events.k8s.io", "v1", "events");
        assertThat(conversion).isNotNull();
        ObjectNode event = Sample.object("{'kind':'Event','apiVersion':'events.k8s.io/v1','metadata':{'name':'a'},"
                + "'eventTime':'2026-01-01T00:00:00.123456Z','reportingController':'x/y','reportingInstance':'z',"
                + "'action':'A','reason':'R','regarding':{'kind':'Pod','name':'p'},'note':'n','type':'Normal',"
                + "'deprecatedSource':{},'deprecatedFirstTimestamp':null,'deprecatedLastTimestamp':null,"
                + "'deprecatedCount':3}");
        ObjectNode stored = conversion.bridge().toStored(event.deepCopy());
        assertThat(stored)
                .isEqualTo(Sample.object("{'kind':'Event','apiVersion':'v1','metadata':{'name':'a'},"
                        + "'eventTime':'2026-01-01T00:00:00.123456Z','reportingComponent':'x/y',"
                        + "'reportingInstance':'z','action':'A','reason':'R',"
                        + "'involvedObject':{'kind':'Pod','name':'p'},'message':'n','type':'Normal','source':{},"
                        + "'firstTimestamp':null,'lastTimestamp':null,'count':3}"));
        assertThat(conversion.bridge().fromStored(stored)).isEqualTo(event);
        assertThat(Sample.rules("events.k8s.io/events").selectableField(stored, "regarding.kind"))
                .isEqualTo("Pod");
        assertThat(Sample.rules("/events").selectableField(stored, "source")).isEqualTo("x/y");
    }
}
