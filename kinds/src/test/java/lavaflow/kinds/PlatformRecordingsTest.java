package lavaflow.kinds;

import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every answer of the real server to the cases in {@code src/test/record} is also ours. */
class PlatformRecordingsTest {
    @TestFactory
    Stream<DynamicTest> namespaces() {
        return RecordedAnswers.replay("namespace.jsonl", "/namespaces");
    }

    @TestFactory
    Stream<DynamicTest> configMaps() {
        return RecordedAnswers.replay("configmap.jsonl", "/configmaps");
    }

    @TestFactory
    Stream<DynamicTest> secrets() {
        return RecordedAnswers.replay("secret.jsonl", "/secrets");
    }

    @TestFactory
    Stream<DynamicTest> serviceAccounts() {
        return RecordedAnswers.replay("serviceaccount.jsonl", "/serviceaccounts");
    }

    @TestFactory
    Stream<DynamicTest> limitRanges() {
        return RecordedAnswers.replay("limitrange.jsonl", "/limitranges");
    }

    @TestFactory
    Stream<DynamicTest> resourceQuotas() {
        return RecordedAnswers.replay("resourcequota.jsonl", "/resourcequotas");
    }

    @TestFactory
    Stream<DynamicTest> endpoints() {
        return RecordedAnswers.replay("endpoints.jsonl", "/endpoints");
    }

    @TestFactory
    Stream<DynamicTest> services() {
        return RecordedAnswers.replay("service.jsonl", "/services");
    }

    @TestFactory
    Stream<DynamicTest> endpointSlices() {
        return RecordedAnswers.replay("endpointslice.jsonl", "discovery.k8s.io/endpointslices");
    }

    @TestFactory
    Stream<DynamicTest> events() {
        return RecordedAnswers.replay("event.jsonl", "/events");
    }

    @TestFactory
    Stream<DynamicTest> newEvents() {
        return RecordedAnswers.replay("event2.jsonl", "events.k8s.io/events");
    }

    @TestFactory
    Stream<DynamicTest> persistentVolumes() {
        return RecordedAnswers.replay("persistentvolume.jsonl", "/persistentvolumes");
    }

    @TestFactory
    Stream<DynamicTest> persistentVolumeClaims() {
        return RecordedAnswers.replay("persistentvolumeclaim.jsonl", "/persistentvolumeclaims");
    }

    @TestFactory
    Stream<DynamicTest> storageClasses() {
        return RecordedAnswers.replay("storageclass.jsonl", "storage.k8s.io/storageclasses");
    }

    @TestFactory
    Stream<DynamicTest> csiDrivers() {
        return RecordedAnswers.replay("csidriver.jsonl", "storage.k8s.io/csidrivers");
    }

    @TestFactory
    Stream<DynamicTest> csiNodes() {
        return RecordedAnswers.replay("csinode.jsonl", "storage.k8s.io/csinodes");
    }

    @TestFactory
    Stream<DynamicTest> csiStorageCapacities() {
        return RecordedAnswers.replay("csistoragecapacity.jsonl", "storage.k8s.io/csistoragecapacities");
    }

    @TestFactory
    Stream<DynamicTest> volumeAttachments() {
        return RecordedAnswers.replay("volumeattachment.jsonl", "storage.k8s.io/volumeattachments");
    }

    @TestFactory
    Stream<DynamicTest> volumeAttributesClasses() {
        return RecordedAnswers.replay("volumeattributesclass.jsonl", "storage.k8s.io/volumeattributesclasses");
    }

    @TestFactory
    Stream<DynamicTest> certificateSigningRequests() {
        return RecordedAnswers.replay(
                "certificatesigningrequest.jsonl", "certificates.k8s.io/certificatesigningrequests");
    }

    @TestFactory
    Stream<DynamicTest> flowSchemas() {
        return RecordedAnswers.replay("flowschema.jsonl", "flowcontrol.apiserver.k8s.io/flowschemas");
    }

    @TestFactory
    Stream<DynamicTest> priorityLevels() {
        return RecordedAnswers.replay(
                "prioritylevelconfiguration.jsonl", "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations");
    }

    @TestFactory
    Stream<DynamicTest> apiServices() {
        return RecordedAnswers.replay("apiservice.jsonl", "apiregistration.k8s.io/apiservices");
    }

    @TestFactory
    Stream<DynamicTest> validatingWebhooks() {
        return RecordedAnswers.replay(
                "validatingwebhookconfiguration.jsonl", "admissionregistration.k8s.io/validatingwebhookconfigurations");
    }

    @TestFactory
    Stream<DynamicTest> mutatingWebhooks() {
        return RecordedAnswers.replay(
                "mutatingwebhookconfiguration.jsonl", "admissionregistration.k8s.io/mutatingwebhookconfigurations");
    }

    @TestFactory
    Stream<DynamicTest> validatingPolicies() {
        return RecordedAnswers.replay(
                "validatingadmissionpolicy.jsonl", "admissionregistration.k8s.io/validatingadmissionpolicies");
    }

    @TestFactory
    Stream<DynamicTest> validatingBindings() {
        return RecordedAnswers.replay(
                "validatingadmissionpolicybinding.jsonl",
                "admissionregistration.k8s.io/validatingadmissionpolicybindings");
    }

    @TestFactory
    Stream<DynamicTest> mutatingPolicies() {
        return RecordedAnswers.replay(
                "mutatingadmissionpolicy.jsonl", "admissionregistration.k8s.io/mutatingadmissionpolicies");
    }

    @TestFactory
    Stream<DynamicTest> mutatingBindings() {
        return RecordedAnswers.replay(
                "mutatingadmissionpolicybinding.jsonl", "admissionregistration.k8s.io/mutatingadmissionpolicybindings");
    }

    @TestFactory
    Stream<DynamicTest> definitions() {
        return RecordedAnswers.replay(
                "customresourcedefinition.jsonl", "apiextensions.k8s.io/customresourcedefinitions");
    }

    @TestFactory
    Stream<DynamicTest> resourceClaims() {
        return RecordedAnswers.replay("resourceclaim.jsonl", "resource.k8s.io/resourceclaims");
    }

    @TestFactory
    Stream<DynamicTest> resourceClaimTemplates() {
        return RecordedAnswers.replay("resourceclaimtemplate.jsonl", "resource.k8s.io/resourceclaimtemplates");
    }

    @TestFactory
    Stream<DynamicTest> deviceClasses() {
        return RecordedAnswers.replay("deviceclass.jsonl", "resource.k8s.io/deviceclasses");
    }

    @TestFactory
    Stream<DynamicTest> resourceSlices() {
        return RecordedAnswers.replay("resourceslice.jsonl", "resource.k8s.io/resourceslices");
    }
}
