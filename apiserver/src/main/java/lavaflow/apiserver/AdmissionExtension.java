package lavaflow.apiserver;

import java.util.List;

import lavaflow.access.Authorizer;
import lavaflow.store.Store;

/** Brings plugins of other modules into the chain of admission: after all built-in ones, before quotas. */
@FunctionalInterface
public interface AdmissionExtension {
    AdmissionExtension NONE = _ -> List.of();

    /** What plugins may use. */
    record Context(
            Store store,
            ResourceTable table,
            WebhookClient webhooks,
            Authorizer authorizer,
            AdmissionSwitches switches) {}

    List<Admission.Plugin> plugins(Context context);
}
