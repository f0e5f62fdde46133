package lavaflow.admission;

import java.util.ArrayList;
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
        AdmissionForms forms = new AdmissionForms(context.table(), context.store());
        Evaluations evaluations = new Evaluations(namespaces, context.authorizer());
        Webhooks webhooks = new Webhooks(context.webhooks(), namespaces, evaluations);
        Policies policies = new Policies(namespaces, new Params(forms), evaluations);
        List<Admission.Plugin> plugins = new ArrayList<>();
        if (context.switches().has("MutatingAdmissionPolicy")) {
            plugins.add(new MutatingPolicies(policies(context, "mutatingadmissionpolicies"), policies, forms));
        }
        if (context.switches().has("MutatingAdmissionWebhook")) {
            plugins.add(new MutatingWebhooks(webhooks(context, "mutatingwebhookconfigurations"), webhooks, forms));
        }
        if (context.switches().has("ValidatingAdmissionPolicy")) {
            plugins.add(new ValidatingPolicies(policies(context, "validatingadmissionpolicies"), policies, forms));
        }
        if (context.switches().has("ValidatingAdmissionWebhook")) {
            plugins.add(new ValidatingWebhooks(webhooks(context, "validatingwebhookconfigurations"), webhooks, forms));
        }
        return plugins;
    }

    private static Derived<List<Policy>> policies(Context context, String kind) {
        String bindings = kind.replace("policies", "policybindings");
        return new Derived<>(context.store(), List.of(GROUP + kind, GROUP + bindings), Policy::all);
    }

    private static Derived<List<Webhook>> webhooks(Context context, String kind) {
        return new Derived<>(context.store(), List.of(GROUP + kind), Webhook::all);
    }
}
