package lavaflow.volume;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import lavaflow.controller.KubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Certificates that the cluster vouches for. */
final class TrustBundles {
    static final KubeApi.Kind BUNDLES =
            new KubeApi.Kind("certificates.k8s.io", "v1beta1", "clustertrustbundles", false);
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String END = "-----END CERTIFICATE-----";

    private final KubeApi api;

    TrustBundles(KubeApi api) {
        this.api = api;
    }

    /** The certificates of one bundle, or of all of a signer that a selector picks, each once. */
    String certificates(JsonNode source) throws VolumeException {
        String name = Json.textAt(source, "name");
        String signer = Json.textAt(source, "signerName");
        List<ObjectNode> bundles = new ArrayList<>();
        try {
            if (!name.isEmpty()) {
                api.find(BUNDLES, "", name).ifPresent(bundles::add);
            } else {
                JsonNode selector = source.get("labelSelector");
                LabelSelector labels = LabelSelector.fromJson(selector);
                api.list(BUNDLES, "", KubeApi.View.WHOLE, bundle -> {
                    boolean ofSigner = Json.textAt(bundle, "spec", "signerName").equals(signer);
                    if (ofSigner && selector != null && labels.matches(Json.objectAt(bundle, "metadata", "labels"))) {
                        bundles.add(bundle);
                    }
                });
            }
        } catch (ApiException e) {
            throw new VolumeException("cluster trust bundles cannot be read: " + e.getMessage(), e);
        }
        if (bundles.isEmpty() && !Json.flagAt(source, "optional")) {
            throw new VolumeException(
                    name.isEmpty()
                            ? "no trust bundles match signerName=\"" + signer + "\""
                            : "clustertrustbundle \"" + name + "\" not found");
        }
        Set<String> certificates = new LinkedHashSet<>();
        bundles.forEach(bundle -> split(Json.textAt(bundle, "spec", "trustBundle"), certificates));
        StringBuilder all = new StringBuilder();
        certificates.forEach(certificate -> all.append(certificate).append('\n'));
        return all.toString();
    }

    private static void split(String bundle, Set<String> certificates) {
        int from = bundle.indexOf(BEGIN);
        while (from >= 0) {
            int to = bundle.indexOf(END, from);
            if (to < 0) {
                return;
            }
            certificates.add(bundle.substring(from, to + END.length()));
            from = bundle.indexOf(BEGIN, to);
        }
    }
}
