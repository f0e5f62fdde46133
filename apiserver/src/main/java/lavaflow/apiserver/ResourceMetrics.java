package lavaflow.apiserver;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import lavaflow.access.User;
import lavaflow.kube.ApiException;
import lavaflow.kube.FieldSelector;
import lavaflow.kube.GoDuration;
import lavaflow.kube.GoTime;
import lavaflow.kube.Json;
import lavaflow.kube.KindInfo;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.MalformedException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The group metrics.k8s.io, as metrics-server serves it: what nodes and pods use now. */
final class ResourceMetrics implements OwnGroup.Handler {
    static final String GROUP = "metrics.k8s.io";
    static final String VERSION = "v1beta1";

    private static final long PRIORITY = 100;

    private static final String NAME_FIELD = "metadata.name";

    private final MetricsTypes types = new MetricsTypes();
    private final Stored stored;
    private final NodeUsages usages;

    ResourceMetrics(Stored stored, NodeUsages usages) {
        this.stored = stored;
        this.usages = usages;
    }

    OwnGroup group() {
        return new OwnGroup(GROUP, VERSION, PRIORITY, types.kinds(), types, this);
    }

    @Override
    public void serve(Exchange exchange, RequestInfo info, User user) throws IOException {
        if (!info.resourceRequest()) {
            ApiHandler.send(exchange, group().resources());
            return;
        }
        KindInfo kind = null;
        for (KindInfo each : types.kinds()) {
            kind = each.resource().equals(info.resource()) ? each : kind;
        }
        boolean placed = kind != null && (kind.namespaced() || info.namespace().isEmpty());
        if (kind == null || !placed || !info.subresource().isEmpty()) {
            throw new PathNotServed();
        }
        if (info.verb().equals("watch")) {
            throw ApiException.methodNotSupported(GROUP, info.resource(), "watch");
        }
        boolean list = info.verb().equals("list");
        if (!list && !info.verb().equals("get")) {
            throw ResourceHandler.methodNotAllowed();
        }
        Negotiation.Choice choice = Negotiation.choose(exchange.header("Accept"), true, list);
        MetricsTable form = new MetricsTable(
                kind, choice, Rendering.IncludeObject.parse(exchange.query().first("includeObject")));
        ObjectNode answer;
        if (list) {
            Predicate<ObjectNode> wanted = selection(exchange);
            answer = form.list(kind.namespaced() ? pods(info.namespace(), wanted) : nodes(wanted));
        } else {
            answer = form.object(kind.namespaced() ? pod(info.namespace(), info.name()) : node(info.name()));
        }
        exchange.audit().response(answer);
        exchange.send(200, choice.contentType(), Rendering.bytes(answer, choice, Answer.pretty(exchange)));
    }

    private static Predicate<ObjectNode> selection(Exchange exchange) {
        try {
            LabelSelector labels = LabelSelector.parse(exchange.query().first("labelSelector"));
            FieldSelector fields = FieldSelector.parse(exchange.query().first("fieldSelector"));
            for (FieldSelector.Requirement each : fields.requirements()) {
                if (!each.field().equals(NAME_FIELD) && !each.field().equals("metadata.namespace")) {
                    throw ApiException.badRequest("\"" + each.field()
                            + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
                }
            }
            return object -> labels.matches(Json.at(object, "metadata", "labels"))
                    && fields.matches(
                            field -> field.equals(NAME_FIELD) ? Metadata.name(object) : Metadata.namespace(object));
        } catch (MalformedException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static ObjectNode object(ObjectNode of) {
        ObjectNode object = Json.object();
        ObjectNode metadata = object.putObject("metadata").put("name", Metadata.name(of));
        if (!Metadata.namespace(of).isEmpty()) {
            metadata.put("namespace", Metadata.namespace(of));
        }
        metadata.put("creationTimestamp", GoTime.seconds(Instant.now()));
        JsonNode labels = Json.at(of, "metadata", "labels");
        if (labels != null) {
            metadata.set("labels", labels.deepCopy());
        }
        return object;
    }

    private List<ObjectNode> nodes(Predicate<ObjectNode> selected) {
        List<ObjectNode> wanted = usages.nodes().stream().filter(selected).toList();
        Map<String, NodeUsages.Told> told =
                usages.of(wanted.stream().map(Metadata::name).toList());
        List<ObjectNode> items = new ArrayList<>();
        for (ObjectNode node : wanted) {
            ObjectNode metrics = figures(node, told.get(Metadata.name(node)));
            if (metrics != null) {
                items.add(metrics);
            }
        }
        return items;
    }

    private ObjectNode node(String name) {
        ObjectNode node = stored.find(Nodes.BUCKET, name);
        if (node == null) {
            throw ApiException.notFound("", "nodes", name);
        }
        ObjectNode metrics = figures(node, usages.of(List.of(name)).get(name));
        if (metrics == null) {
            throw ApiException.notFound(GROUP, "nodes", name);
        }
        return metrics;
    }

    private static @Nullable ObjectNode figures(ObjectNode node, NodeUsages.@Nullable Told told) {
        NodeUsage now = told == null ? null : told.now();
        NodeUsage.Figures figures = now == null ? null : now.figures().get("");
        NodeUsage.Rate rate = now == null || told == null ? null : now.rate("", told.before());
        if (figures == null || rate == null) {
            return null;
        }
        ObjectNode metrics = object(node);
        timed(metrics, figures.time(), rate.window());
        metrics.set("usage", NodeUsage.usage(figures, rate));
        return metrics;
    }

    private static void timed(ObjectNode metrics, Instant time, Duration window) {
        metrics.put("timestamp", GoTime.seconds(time));
        metrics.put("window", GoDuration.format(window.truncatedTo(ChronoUnit.MILLIS)));
    }

    private List<ObjectNode> pods(String namespace, Predicate<ObjectNode> selected) {
        List<ObjectNode> wanted = new ArrayList<>();
        Set<String> on = new LinkedHashSet<>();
        for (ObjectNode pod : stored.all("pods", namespace)) {
            if (isRunning(pod) && selected.test(pod)) {
                wanted.add(pod);
                on.add(Json.textAt(pod, "spec", "nodeName"));
            }
        }
        Map<String, NodeUsages.Told> told = usages.of(on);
        List<ObjectNode> items = new ArrayList<>();
        for (ObjectNode pod : wanted) {
            ObjectNode metrics = ofContainers(pod, told.get(Json.textAt(pod, "spec", "nodeName")));
            if (metrics != null) {
                items.add(metrics);
            }
        }
        return items;
    }

    private static boolean isRunning(ObjectNode pod) {
        return Json.textAt(pod, "status", "phase").equals("Running");
    }

    private ObjectNode pod(String namespace, String name) {
        ObjectNode pod = stored.find("pods", namespace + "/" + name);
        if (pod == null) {
            throw ApiException.notFound("", "pods", name);
        }
        String node = Json.textAt(pod, "spec", "nodeName");
        ObjectNode metrics = !isRunning(pod) || node.isEmpty()
                ? null
                : ofContainers(pod, usages.of(List.of(node)).get(node));
        if (metrics == null) {
            throw ApiException.notFound(GROUP, "pods", namespace + "/" + name);
        }
        return metrics;
    }

    /** Null where one of its containers is not known: half a pod would look as if it used little. */
    private static @Nullable ObjectNode ofContainers(ObjectNode pod, NodeUsages.@Nullable Told told) {
        NodeUsage now = told == null ? null : told.now();
        if (now == null || told == null) {
            return null;
        }
        String prefix = Metadata.namespace(pod) + "/" + Metadata.name(pod) + "/";
        ObjectNode metrics = object(pod);
        ArrayNode containers = Json.array();
        Instant time = null;
        Duration window = Duration.ZERO;
        for (var each : now.figures().entrySet()) {
            if (!each.getKey().startsWith(prefix)) {
                continue;
            }
            NodeUsage.Rate rate = now.rate(each.getKey(), told.before());
            if (rate == null) {
                return null;
            }
            containers
                    .addObject()
                    .put("name", each.getKey().substring(prefix.length()))
                    .set("usage", NodeUsage.usage(each.getValue(), rate));
            time = time == null || each.getValue().time().isBefore(time)
                    ? each.getValue().time()
                    : time;
            window = rate.window().compareTo(window) > 0 ? rate.window() : window;
        }
        if (time == null) {
            return null;
        }
        timed(metrics, time, window);
        metrics.set("containers", containers);
        return metrics;
    }
}
