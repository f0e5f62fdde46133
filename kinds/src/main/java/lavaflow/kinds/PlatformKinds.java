package lavaflow.kinds;

import java.util.Map;

/** Registers the rest: services, storage, configuration, access, networking, admission. */
final class PlatformKinds {
    private PlatformKinds() {}

    static void register(Map<String, KindRules> rules) {
        rules.put("/namespaces", new NamespaceRules());
        rules.put("/componentstatuses", new ComponentStatusRules());
        rules.put("/services", new ServiceRules());
        rules.put("/endpoints", new EndpointsRules());
        rules.put("/configmaps", new ConfigMapRules());
        rules.put("/secrets", new SecretRules());
        rules.put("/serviceaccounts", new ServiceAccountRules());
        rules.put("/events", new EventRules(false));
        rules.put("/limitranges", new LimitRangeRules());
        rules.put("/resourcequotas", new ResourceQuotaRules());
        rules.put("/persistentvolumes", new PersistentVolumeRules());
        rules.put("/persistentvolumeclaims", new PersistentVolumeClaimRules());
        rules.put("discovery.k8s.io/endpointslices", new EndpointSliceRules());
        rules.put("events.k8s.io/events", new EventRules(true));
        registerStorage(rules);
        registerDevices(rules);
        registerAdministration(rules);
    }

    static void registerConversions(Map<String, BuiltinKinds.Conversion> conversions) {
        conversions.put("events.k8s.io/v1/events", new BuiltinKinds.Conversion("", "v1", new EventBridge()));
    }

    private static void registerStorage(Map<String, KindRules> rules) {
        rules.put("storage.k8s.io/storageclasses", new StorageClassRules());
        rules.put("storage.k8s.io/csidrivers", new CsiDriverRules());
        rules.put("storage.k8s.io/csinodes", new CsiNodeRules());
        rules.put("storage.k8s.io/csistoragecapacities", new CsiStorageCapacityRules());
        rules.put("storage.k8s.io/volumeattachments", new VolumeAttachmentRules());
        rules.put("storage.k8s.io/volumeattributesclasses", new VolumeAttributesClassRules());
    }

    private static void registerDevices(Map<String, KindRules> rules) {
        rules.put("resource.k8s.io/deviceclasses", new DeviceClassRules());
        rules.put("resource.k8s.io/resourceclaims", new ResourceClaimRules());
        rules.put("resource.k8s.io/resourceclaimtemplates", new ResourceClaimTemplateRules());
        rules.put("resource.k8s.io/resourceslices", new ResourceSliceRules());
    }

    private static void registerAdministration(Map<String, KindRules> rules) {
        String admission = "admissionregistration.k8s.io/";
        rules.put(admission + "validatingwebhookconfigurations", new WebhookConfigurationRules(false));
        rules.put(admission + "mutatingwebhookconfigurations", new WebhookConfigurationRules(true));
        rules.put(admission + "validatingadmissionpolicies", new AdmissionPolicyRules(false));
        rules.put(admission + "mutatingadmissionpolicies", new AdmissionPolicyRules(true));
        rules.put(admission + "validatingadmissionpolicybindings", new AdmissionPolicyBindingRules(false));
        rules.put(admission + "mutatingadmissionpolicybindings", new AdmissionPolicyBindingRules(true));
        rules.put("certificates.k8s.io/certificatesigningrequests", new CertificateSigningRequestRules());
        rules.put("flowcontrol.apiserver.k8s.io/flowschemas", new FlowSchemaRules());
        rules.put("flowcontrol.apiserver.k8s.io/prioritylevelconfigurations", new PriorityLevelConfigurationRules());
        rules.put("apiextensions.k8s.io/customresourcedefinitions", new CustomResourceDefinitionRules());
        rules.put("apiregistration.k8s.io/apiservices", new ApiServiceRules());
    }
}
