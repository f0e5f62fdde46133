package lavaflow.cluster;

import java.util.function.Function;

import lavaflow.controller.KubeApi;

/**
 * The API under the name of a controller, so that each may change only what it must. As upstream, all of them see through
 * the eyes of one reader, and write as a service account of their own in kube-system.
 */
public interface Identities {
    /** The API for those who only look. */
    KubeApi reader();

    /** The API for a controller that is several upstream: the account depends on the kind it writes. */
    KubeApi as(Function<KubeApi.Kind, String> account);

    default KubeApi as(String account) {
        return as(_ -> account);
    }
}
