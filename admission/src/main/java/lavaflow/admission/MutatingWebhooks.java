package lavaflow.admission;

import java.util.List;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Derived;
import lavaflow.apiserver.WebhookFailure;
import lavaflow.kube.ApiException;
import lavaflow.kube.GoQuote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Asks mutating webhooks one after the other, each about what the one before left. When one changes the object, those
 * before that wish so are asked once more, after all plugins have run again.
 */
final class MutatingWebhooks implements Admission.Plugin {
    private final Derived<List<Webhook>> configured;
    private final Webhooks webhooks;
    private final AdmissionForms forms;

    MutatingWebhooks(Derived<List<Webhook>> configured, Webhooks webhooks, AdmissionForms forms) {
        this.configured = configured;
        this.webhooks = webhooks;
        this.forms = forms;
    }

    /** Deletions have nothing to change, but may be refused. */
    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        if (operation != Admission.Operation.DELETE) {
            return;
        }
        List<Webhook> all = configured.get();
        Occasion occasion = new Occasion(call, operation, null, old, forms);
        if (all.isEmpty() || occasion.isExempt()) {
            return;
        }
        for (Webhook webhook : all) {
            apply(webhook, occasion);
        }
    }

    @Override
    public void mutate(
            Call call,
            Admission.Operation operation,
            ObjectNode object,
            @Nullable ObjectNode old,
            Admission.Rounds rounds) {
        List<Webhook> all = configured.get();
        if (all.isEmpty()) {
            return;
        }
        Occasion occasion = new Occasion(call, operation, object, old, forms);
        if (occasion.isExempt()) {
            return;
        }
        Reinvocation reinvocation = Reinvocation.of(this, rounds, object);
        for (Webhook webhook : all) {
            if (rounds.isSecond() && !reinvocation.isDue(webhook.id())) {
                continue;
            }
            ObjectNode changed = apply(webhook, occasion);
            if (changed != null) {
                object.removeAll();
                object.setAll(changed);
                occasion = new Occasion(call, operation, object, old, forms);
            }
            reinvocation.seen(webhook.id(), webhook.again(), changed != null, rounds);
        }
        reinvocation.left(object);
    }

    /** The object as the webhook wants it; null where it leaves it as it is. */
    private @Nullable ObjectNode apply(Webhook webhook, Occasion occasion) {
        Occasion.Form form = webhooks.wanted(webhook, occasion);
        if (form == null) {
            return null;
        }
        Verdict verdict = webhooks.ask(webhook, occasion, form, true);
        if (verdict == null) {
            return null;
        }
        Webhooks.note(webhook, occasion.call(), verdict);
        if (verdict.patch().isEmpty()) {
            return null;
        }
        return patched(webhook, verdict, occasion, form);
    }

    private @Nullable ObjectNode patched(Webhook webhook, Verdict verdict, Occasion occasion, Occasion.Form form) {
        if (!verdict.patchType().equals("JSONPatch")) {
            throw ApiException.internal("failed calling webhook " + GoQuote.quote(webhook.name())
                    + ": unsupported patch type " + GoQuote.quote(verdict.patchType()));
        }
        JsonNode operations;
        try {
            operations = ForeignPatch.parse(verdict.patch());
        } catch (WebhookFailure e) {
            webhooks.failed(webhook, e);
            return null;
        }
        if (operations.isEmpty()) {
            return null;
        }
        ObjectNode before = form.object();
        if (before == null) {
            throw ApiException.internal("admission webhook " + GoQuote.quote(webhook.name())
                    + " attempted to modify the object, which is not supported for this operation");
        }
        JsonNode after = ForeignPatch.apply(operations, before);
        if (after.equals(before)) {
            return null;
        }
        ObjectNode taken = forms.patched(occasion.call(), after, form.resource(), false);
        return taken.equals(occasion.object()) ? null : taken;
    }
}
