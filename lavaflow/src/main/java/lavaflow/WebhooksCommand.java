package lavaflow;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import lavaflow.remote.Settings;

import org.jspecify.annotations.Nullable;

/** Runs the webhooks of Volcano, the training operator, the Trainer and JobSet beside any API server and stays in the foreground. */
final class WebhooksCommand implements Command {
    private static final String USUAL =
            "/jobs/mutate,/jobs/validate,/podgroups/mutate,/podgroups/validate,/queues/mutate,"
                    + "/queues/validate,/hypernodes/validate,/cronjobs/validate,/jobflows/validate";
    private static final Option KUBECONFIG = Option.of(
            "--kubeconfig",
            "FILE",
            null,
            "How to reach the server ($KUBECONFIG, ~/.kube/config, or the pod's account).");
    private static final Option LISTEN =
            Option.of("--listen", "HOST:PORT", "127.0.0.1:8443", "Where to answer (127.0.0.1:8443).");
    private static final Option URL = Option.of(
            "--webhook-url", "URL", null, "How API servers reach it, if not at the address where it listens.");
    private static final Option SERVICE = Option.of(
            "--webhook-service-name", "NAME", null, "The service in front of it, for API servers that reach services.");
    private static final Option NAMESPACE = Option.of(
            "--webhook-namespace",
            "NAME",
            "volcano-system",
            "The namespace of the service, whose objects are not asked about (volcano-system).");
    private static final Option ENABLED = Option.of(
            "--enabled-admission",
            "LIST",
            "volcano",
            "Which webhooks, by their paths; 'volcano' is all of Volcano's but those for pods, 'training' those of training jobs, 'trainer' those of TrainJobs and JobSets (volcano).");
    private static final Option SCHEDULERS = Option.of(
            "--scheduler-name", "LIST", "volcano", "Whose pods belong to gangs, the usual one first (volcano).");
    private static final Option GROUPS =
            Option.of("--admission-conf", "FILE", null, "Groups of nodes that pods are led to, for /pods/mutate.");
    private static final Option CERTIFICATE =
            Option.of("--tls-cert-file", "FILE", null, "Its certificate (one made for this run).");
    private static final Option KEY = Option.of("--tls-private-key-file", "FILE", null, "The key of its certificate.");
    private static final Option AUTHORITY =
            Option.of("--ca-cert-file", "FILE", null, "Who signed its certificate, for API servers to know.");
    private static final int RATE = 2000;

    @Override
    public String name() {
        return "webhooks";
    }

    @Override
    public String summary() {
        return "Run the webhooks of batch and training jobs for any API server.";
    }

    @Override
    public List<Option> options() {
        return List.of(
                KUBECONFIG, LISTEN, URL, SERVICE, NAMESPACE, ENABLED, SCHEDULERS, GROUPS, CERTIFICATE, KEY, AUTHORITY);
    }

    @Override
    public int run(Arguments arguments, Console console) throws Exception {
        return Foreground.stay(() -> WebhooksRole.connect(options(arguments)));
    }

    private WebhooksRole.Options options(Arguments arguments) throws IOException {
        Settings connection = new Settings(
                WhichCluster.kubeconfig(arguments.find(KUBECONFIG), System.getenv(), Home.of(null)),
                null,
                "lava-webhooks/" + Lava.version(),
                RATE,
                RATE);
        InetSocketAddress listen = ListenAddress.parse(this, LISTEN.name(), arguments.value(LISTEN));
        List<String> schedulers = List.of(arguments.value(SCHEDULERS).split(","));
        return new WebhooksRole.Options(
                connection,
                listen,
                callers(arguments, listen),
                webhooks(arguments),
                schedulers,
                arguments.findPath(GROUPS),
                certificate(arguments));
    }

    private static WebhookRegistration.Callers callers(Arguments arguments, InetSocketAddress listen) {
        String namespace = arguments.value(NAMESPACE);
        @Nullable String service = arguments.find(SERVICE);
        @Nullable String url = arguments.find(URL);
        if (service != null) {
            return new WebhookRegistration.Callers("", service, namespace);
        }
        return url == null
                ? WebhookRegistration.Callers.of(listen, namespace)
                : new WebhookRegistration.Callers(url.replaceFirst("/+$", ""), "", namespace);
    }

    private Set<Webhook> webhooks(Arguments arguments) {
        Set<Webhook> webhooks = new LinkedHashSet<>();
        for (String word : arguments.value(ENABLED).split(",", -1)) {
            switch (word.strip()) {
                case "volcano" ->
                    Stream.of(USUAL.split(","))
                            .flatMap(path -> Webhook.at(path).stream())
                            .forEach(webhooks::add);
                case "training" -> Collections.addAll(webhooks, TrainingWebhook.values());
                case "trainer" -> Collections.addAll(webhooks, TrainerWebhook.values());
                case String path ->
                    webhooks.add(Webhook.at(path)
                            .orElseThrow(() ->
                                    Arguments.wrong(this, ENABLED.name() + ": there is no webhook '" + path + "'")));
            }
        }
        return webhooks;
    }

    private WebhooksRole.@Nullable GivenCertificate certificate(Arguments arguments) {
        @Nullable Path certificate = arguments.findPath(CERTIFICATE);
        @Nullable Path key = arguments.findPath(KEY);
        @Nullable Path authority = arguments.findPath(AUTHORITY);
        if (certificate == null && key == null && authority == null) {
            return null;
        }
        if (certificate == null || key == null || authority == null) {
            throw Arguments.wrong(
                    this, CERTIFICATE.name() + ", " + KEY.name() + " and " + AUTHORITY.name() + " go together");
        }
        return new WebhooksRole.GivenCertificate(certificate, key, authority);
    }
}
