package lavaflow.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import lavaflow.apiserver.Admission;
import lavaflow.apiserver.AdmissionForms;
import lavaflow.apiserver.Call;
import lavaflow.apiserver.Derived;
import lavaflow.kube.ApiException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Asks all validating webhooks a request concerns, at once; any may refuse it. */
final class ValidatingWebhooks implements Admission.Plugin {
    private record Question(Webhook webhook, Occasion.Form form) {}

    private final Derived<List<Webhook>> configured;
    private final Webhooks webhooks;
    private final AdmissionForms forms;

    ValidatingWebhooks(Derived<List<Webhook>> configured, Webhooks webhooks, AdmissionForms forms) {
        this.configured = configured;
        this.webhooks = webhooks;
        this.forms = forms;
    }

    @Override
    public void validate(
            Call call, Admission.Operation operation, @Nullable ObjectNode object, @Nullable ObjectNode old) {
        List<Webhook> all = configured.get();
        if (all.isEmpty()) {
            return;
        }
        Occasion occasion = new Occasion(call, operation, object, old, forms);
        if (occasion.isExempt()) {
            return;
        }
        List<Question> questions = new ArrayList<>();
        for (Webhook webhook : all) {
            Occasion.Form form = webhooks.wanted(webhook, occasion);
            if (form != null) {
                questions.add(new Question(webhook, form));
            }
        }
        askAll(occasion, questions);
    }

    /** The answers count in the order of the webhooks, whichever came first. */
    private void askAll(Occasion occasion, List<Question> questions) {
        List<FutureTask<@Nullable Verdict>> tasks = new ArrayList<>();
        // The reviews show this form too: made before other threads look.
        occasion.form(occasion.resource());
        for (Question question : questions) {
            Callable<@Nullable Verdict> ask = () -> webhooks.ask(question.webhook, occasion, question.form, false);
            FutureTask<@Nullable Verdict> task = new FutureTask<>(ask);
            tasks.add(task);
            if (questions.size() == 1) {
                task.run();
            } else {
                Thread.ofVirtual().start(task);
            }
        }
        ApiException refusal = null;
        for (int i = 0; i < tasks.size(); i++) {
            try {
                Verdict verdict = result(tasks.get(i));
                if (verdict != null) {
                    Webhooks.note(questions.get(i).webhook, occasion.call(), verdict);
                }
            } catch (ApiException e) {
                refusal = refusal == null ? e : refusal;
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private static @Nullable Verdict result(FutureTask<@Nullable Verdict> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ApiException refusal) {
                throw refusal;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiException.internal("interrupted while waiting for a webhook");
        }
    }
}
