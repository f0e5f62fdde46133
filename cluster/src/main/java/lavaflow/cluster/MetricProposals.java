package lavaflow.cluster;

import java.util.Map;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;
import lavaflow.kube.Quantity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** One metric of an autoscaler: asks for it, and says how many replicas it speaks for. */
final class MetricProposals {
    /**
     * What a metric says.
     *
     * @param name as events tell it
     * @param status for {@code currentMetrics}
     */
    record Answer(long replicas, String name, ObjectNode status) {}

    /** Why a metric says nothing, and the reason of the condition that tells it. */
    static final class UnknownMetricException extends Exception {
        private static final long serialVersionUID = 1;

        private final String reason;
        private final String context;

        UnknownMetricException(String reason, String message, String context) {
            super(message);
            this.reason = reason;
            this.context = context;
        }

        String reason() {
            return reason;
        }

        /** With what was being attempted. */
        String full() {
            return context + ": " + getMessage();
        }
    }

    private final Measurements measurements;
    private final ReplicaProposal proposals;
    private final String namespace;
    private final String selector;
    private final long existing;

    /**
     * @param existing how many replicas there are
     */
    MetricProposals(
            Measurements measurements, ReplicaProposal proposals, String namespace, String selector, long existing) {
        this.measurements = measurements;
        this.proposals = proposals;
        this.namespace = namespace;
        this.selector = selector;
        this.existing = existing;
    }

    Answer ask(JsonNode metric) throws UnknownMetricException {
        String type = Json.textAt(metric, "type");
        String name = type.isEmpty() ? type : Character.toLowerCase(type.charAt(0)) + type.substring(1);
        JsonNode source = Json.at(metric, name);
        JsonNode body = source == null ? Json.object() : source;
        try {
            return switch (type) {
                case "Resource" -> resource(body, "");
                case "ContainerResource" -> resource(body, Json.textAt(body, "container"));
                case "Pods" -> pods(body);
                case "Object" -> object(body);
                default -> external(body);
            };
        } catch (ReplicaProposal.NoProposalException e) {
            String what = switch (type) {
                case "Resource" -> Json.textAt(body, "name") + " resource metric value";
                case "ContainerResource" -> Json.textAt(body, "container") + " container metric value";
                case "Pods" -> "pods metric value";
                case "Object" -> objectContext(body);
                default -> externalContext(body);
            };
            throw new UnknownMetricException(
                    "FailedGet" + type + "Metric", String.valueOf(e.getMessage()), "failed to get " + what);
        }
    }

    private static long target(JsonNode source, String field) {
        return Quantity.at(Json.at(source, "target"), field).milliValue();
    }

    private static ReplicaProposal.NoProposalException because(String what, ReplicaProposal.NoProposalException cause) {
        return new ReplicaProposal.NoProposalException(what + ": " + cause.getMessage());
    }

    private Answer resource(JsonNode source, String container) throws ReplicaProposal.NoProposalException {
        String resource = Json.textAt(source, "name");
        boolean byValue = Json.at(source, "target", "averageValue") != null;
        ObjectNode status = Json.object().put("type", container.isEmpty() ? "Resource" : "ContainerResource");
        ObjectNode told = status.putObject(container.isEmpty() ? "resource" : "containerResource");
        told.put("name", resource);
        if (!container.isEmpty()) {
            told.put("container", container);
        }
        try {
            var samples = samples(resource, container);
            ReplicaProposal.Proposal proposal = byValue
                    ? proposals.byAverage(samples, target(source, "averageValue"), resource)
                    : proposals.byUtilization(
                            samples, Json.longAt(source, 0, "target", "averageUtilization"), resource, container);
            ObjectNode current = told.putObject("current");
            if (proposal.utilization() != null) {
                current.put("averageUtilization", proposal.utilization());
            }
            Quantity.Format format = resource.equals("memory") ? Quantity.Format.BINARY_SI : Quantity.Format.DECIMAL_SI;
            current.put(
                    "averageValue", Quantity.ofMilli(proposal.average(), format).toString());
            String of = container.isEmpty() ? " resource" : " container resource";
            String name = resource + (byValue ? " resource" : of + " utilization (percentage of request)");
            return new Answer(proposal.replicas(), name, status);
        } catch (ReplicaProposal.NoProposalException e) {
            throw because("failed to get " + resource + (byValue ? " usage" : " utilization"), e);
        }
    }

    private Map<String, ReplicaProposal.Sample> samples(String resource, String container)
            throws ReplicaProposal.NoProposalException {
        try {
            return measurements.resource(namespace, selector, resource, container);
        } catch (ReplicaProposal.NoProposalException e) {
            throw because("unable to get metrics for resource " + resource, e);
        }
    }

    private static String text(long milli) {
        return Quantity.ofMilli(milli, Quantity.Format.DECIMAL_SI).toString();
    }

    private Answer pods(JsonNode source) throws ReplicaProposal.NoProposalException {
        JsonNode metric = metric(source);
        String name = Json.textAt(metric, "name");
        try {
            ReplicaProposal.Proposal proposal = proposals.byAverage(
                    measurements.pods(namespace, selector, metric), target(source, "averageValue"), "");
            ObjectNode status = Json.object().put("type", "Pods");
            ObjectNode told = status.putObject("pods");
            told.set("metric", metric.deepCopy());
            told.putObject("current").put("averageValue", text(proposal.average()));
            return new Answer(proposal.replicas(), "pods metric " + name, status);
        } catch (ReplicaProposal.NoProposalException e) {
            throw because("unable to get metric " + name, e);
        }
    }

    private static String objectContext(JsonNode source) {
        boolean shared = Json.at(source, "target", "averageValue") != null;
        return "object metric value"
                + (shared ? ": failed to get " + Json.textAt(source, "metric", "name") + " object metric" : "");
    }

    private static JsonNode metric(JsonNode source) {
        JsonNode metric = Json.at(source, "metric");
        return metric == null ? Json.object() : metric;
    }

    private Answer object(JsonNode source) throws ReplicaProposal.NoProposalException {
        JsonNode metric = metric(source);
        String name = Json.textAt(metric, "name");
        JsonNode reference = Json.at(source, "describedObject");
        JsonNode object = reference == null ? Json.object() : reference;
        long value;
        try {
            value = measurements.object(namespace, object, metric);
        } catch (ReplicaProposal.NoProposalException e) {
            // The order of the words is upstream's.
            throw new ReplicaProposal.NoProposalException("unable to get metric " + name + ": "
                    + Json.textAt(object, "kind") + " on " + namespace + " " + Json.textAt(object, "name") + "/"
                    + e.getMessage());
        }
        ObjectNode status = Json.object().put("type", "Object");
        ObjectNode told = status.putObject("object");
        told.set("metric", metric.deepCopy());
        told.set("describedObject", object.deepCopy());
        ReplicaProposal.Proposal proposal = ofValue(source, value, told.putObject("current"));
        String of = Json.textAt(source, "target", "type").equals("AverageValue")
                ? "external metric " + name + "(" + selectorText(metric) + ")"
                : Json.textAt(object, "kind") + " metric " + name;
        return new Answer(proposal.replicas(), of, status);
    }

    /** As a whole or shared by all replicas. */
    private ReplicaProposal.Proposal ofValue(JsonNode source, long value, ObjectNode current) {
        if (Json.at(source, "target", "averageValue") != null) {
            ReplicaProposal.Proposal shared = proposals.byShare(value, target(source, "averageValue"), existing);
            current.put("averageValue", text(shared.average()));
            return shared;
        }
        ReplicaProposal.Proposal whole = proposals.byValue(value, target(source, "value"));
        current.put("value", text(value));
        return whole;
    }

    private static String selectorText(JsonNode metric) {
        JsonNode selector = Json.at(metric, "selector");
        return selector == null ? "nil" : LabelSelector.goStruct(selector);
    }

    /** Upstream says it twice, in two orders. */
    private static String externalContext(JsonNode source) {
        String name = Json.textAt(source, "metric", "name");
        boolean shared = Json.at(source, "target", "averageValue") != null;
        return name + " external metric value: failed to get "
                + (shared ? name + " external metric" : "external metric " + name);
    }

    private Answer external(JsonNode source) throws ReplicaProposal.NoProposalException {
        JsonNode metric = metric(source);
        String name = Json.textAt(metric, "name");
        long value;
        try {
            value = measurements.external(namespace, metric);
        } catch (ReplicaProposal.NoProposalException e) {
            throw because("unable to get external metric " + namespace + "/" + name + "/" + selectorText(metric), e);
        }
        ObjectNode status = Json.object().put("type", "External");
        ObjectNode told = status.putObject("external");
        told.set("metric", metric.deepCopy());
        ReplicaProposal.Proposal proposal = ofValue(source, value, told.putObject("current"));
        return new Answer(proposal.replicas(), "external metric " + name + "(" + selectorText(metric) + ")", status);
    }
}
