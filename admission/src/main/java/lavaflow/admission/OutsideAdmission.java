package lavaflow.admission;

import java.util.List;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionExtension;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Derived;
import lavaflow.kube.Json;
import lavaflow.store.StoredObject;

/** Brings webhooks and policies into the chain of admission. */
public final class OutsideAdmission implements AdmissionExtension {
    private static final String GROUP = "admissionregistration.k8s.io/";

    @Override
    public List<Admission.Plugin> plugins(Context context) {
        Namespaces namespaces = name -> {
            StoredObject found = context.store().get("namespaces", name);
            return found == null ? null : Json.parseObject(found.bytes());
        };
        AdmissionForms forms = new AdmissionForms(context.table());
        Evaluations evaluations = new Evaluations(namespaces, context.authorizer());
        Webhooks webhooks = new Webhooks(context.webhooks(), namespaces, evaluations);
        return List.of(
                new MutatingWebhooks(webhooks(context, "mutatingwebhookconfigurations"), webhooks, forms),
                new ValidatingWebhooks(webhooks(context, "validatingwebhookconfigurations"), webhooks, forms));
    }

    private static Derived<List<Webhook>> webhooks(Context context, String kind) {
        return new Derived<>(context.store(), List.of(GROUP + kind), Webhook::all);
    }
}
