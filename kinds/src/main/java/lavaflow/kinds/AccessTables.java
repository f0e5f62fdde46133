package lavaflow.kinds;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import lavaflow.kube.HumanDuration;
import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tables of who may do what: bindings, certificates, admission, flow control, leases. */
final class AccessTables {
    private static final String[] BINDING_COLUMNS = {"Name/name", "Role", "Age", "Users*", "Groups*", "ServiceAccounts*"
    };
    private static final Comparator<ObjectNode> BY_PRECEDENCE = Comparator.comparingLong(
                    (ObjectNode schema) -> Json.longAt(schema, 0, "spec", "matchingPrecedence"))
            .thenComparing(schema -> Json.textAt(schema, "metadata", "name"));

    private AccessTables() {}

    static void register() {
        Tables.register("rbac.authorization.k8s.io/rolebindings", AccessTables::binding, BINDING_COLUMNS);
        Tables.register("rbac.authorization.k8s.io/clusterrolebindings", AccessTables::binding, BINDING_COLUMNS);
        Tables.register(
                "certificates.k8s.io/certificatesigningrequests",
                AccessTables::certificateRequest,
                "Name/name",
                "Age",
                "SignerName",
                "Requestor",
                "RequestedDuration",
                "Condition");
        Tables.register(
                "coordination.k8s.io/leases",
                cells -> cells.name().textAt("spec", "holderIdentity").age(),
                "Name/name",
                "Holder",
                "Age");
        Tables.register(
                "node.k8s.io/runtimeclasses",
                cells -> cells.name().textAt("handler").age(),
                "Name/name",
                "Handler",
                "Age");
        Tables.register(
                "apiregistration.k8s.io/apiservices",
                AccessTables::apiService,
                "Name/name",
                "Service",
                "Available",
                "Age");
        registerAdmission();
        registerFlowControl();
    }

    private static void registerAdmission() {
        for (String kind : List.of("mutating", "validating")) {
            String group = "admissionregistration.k8s.io/" + kind;
            Tables.register(
                    group + "webhookconfigurations",
                    cells -> cells.name().countAt("webhooks").age(),
                    "Name/name",
                    "Webhooks:integer",
                    "Age");
            boolean mutating = kind.equals("mutating");
            String rules = mutating ? "mutations" : "validations";
            Tables.register(
                    group + "admissionpolicies",
                    cells -> cells.name()
                            .countAt("spec", rules)
                            .text(parameterKind(cells))
                            .age(),
                    "Name/name",
                    (mutating ? "Mutations" : "Validations") + ":integer",
                    "ParamKind",
                    "Age");
            Tables.register(
                    group + "admissionpolicybindings",
                    cells -> cells.name()
                            .textAt("spec", "policyName")
                            .text(parameter(cells))
                            .age(),
                    "Name/name",
                    "PolicyName",
                    "ParamRef",
                    "Age");
        }
    }

    private static void registerFlowControl() {
        Tables.register(
                "flowcontrol.apiserver.k8s.io/flowschemas",
                BY_PRECEDENCE,
                AccessTables::flowSchema,
                "Name/name",
                "PriorityLevel",
                "MatchingPrecedence",
                "DistinguisherMethod",
                "Age",
                "MissingPL");
        Tables.register(
                "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
                AccessTables::priorityLevel,
                "Name/name",
                "Type",
                "NominalConcurrencyShares",
                "Queues",
                "HandSize",
                "QueueLengthLimit",
                "Age");
    }

    private static void binding(Cells cells) {
        List<String> users = new ArrayList<>();
        List<String> groups = new ArrayList<>();
        List<String> accounts = new ArrayList<>();
        for (JsonNode subject : Json.listAt(cells.object(), "subjects")) {
            String name = Json.textAt(subject, "name");
            switch (Json.textAt(subject, "kind")) {
                case "User" -> users.add(name);
                case "Group" -> groups.add(name);
                case "ServiceAccount" -> accounts.add(Json.textAt(subject, "namespace") + "/" + name);
                default -> {
                    // Upstream shows no other kinds.
                }
            }
        }
        cells.name()
                .text(cells.at("roleRef", "kind") + "/" + cells.at("roleRef", "name"))
                .age()
                .text(String.join(", ", users))
                .text(String.join(", ", groups))
                .text(String.join(", ", accounts));
    }

    private static void certificateRequest(Cells cells) {
        long seconds = Json.longAt(cells.object(), 0, "spec", "expirationSeconds");
        boolean limited = cells.has("spec", "expirationSeconds");
        cells.name()
                .age()
                .textUnlessEmpty(Cells.NONE, "spec", "signerName")
                .textAt("spec", "username")
                .text(limited ? HumanDuration.format(Duration.ofSeconds(seconds)) : Cells.NONE)
                .text(certificateState(cells));
    }

    private static String certificateState(Cells cells) {
        ArrayNode conditions = Json.listAt(cells.object(), "status", "conditions");
        boolean denied = Cells.condition(conditions, "Denied") != null;
        boolean approved = Cells.condition(conditions, "Approved") != null;
        String state = denied ? "Denied" : approved ? "Approved" : "Pending";
        boolean failed = Cells.condition(conditions, "Failed") != null;
        boolean issued = !cells.at("status", "certificate").isEmpty();
        return state + (failed ? ",Failed" : "") + (issued ? ",Issued" : "");
    }

    private static void apiService(Cells cells) {
        boolean remote = cells.has("spec", "service");
        JsonNode available = Cells.condition(Json.listAt(cells.object(), "status", "conditions"), "Available");
        String status = available == null ? "Unknown" : Json.textAt(available, "status");
        String reason = Json.textAt(available, "reason");
        boolean explained = available != null && !status.equals("True") && !reason.isEmpty();
        cells.name()
                .text(
                        remote
                                ? cells.at("spec", "service", "namespace") + "/" + cells.at("spec", "service", "name")
                                : "Local")
                .text(explained ? status + " (" + reason + ")" : status)
                .age();
    }

    private static String parameterKind(Cells cells) {
        return cells.has("spec", "paramKind")
                ? cells.at("spec", "paramKind", "apiVersion") + "/" + cells.at("spec", "paramKind", "kind")
                : Cells.UNSET;
    }

    private static String parameter(Cells cells) {
        String name = cells.at("spec", "paramRef", "name");
        if (!name.isEmpty()) {
            String namespace = cells.at("spec", "paramRef", "namespace");
            return (namespace.isEmpty() ? "*" : namespace) + "/" + name;
        }
        JsonNode selector = Json.at(cells.object(), "spec", "paramRef", "selector");
        return selector == null ? Cells.UNSET : LabelSelector.goStruct(selector);
    }

    private static void flowSchema(Cells cells) {
        JsonNode dangling = Cells.condition(Json.listAt(cells.object(), "status", "conditions"), "Dangling");
        cells.name()
                .textAt("spec", "priorityLevelConfiguration", "name")
                .numberAt("spec", "matchingPrecedence")
                .textOr(Cells.NONE, "spec", "distinguisherMethod", "type")
                .age()
                .text(dangling == null ? "?" : Json.textAt(dangling, "status"));
    }

    private static void priorityLevel(Cells cells) {
        cells.name().textAt("spec", "type");
        numberOrNone(cells, "spec", "limited", "nominalConcurrencyShares");
        for (String field : List.of("queues", "handSize", "queueLengthLimit")) {
            numberOrNone(cells, "spec", "limited", "limitResponse", "queuing", field);
        }
        cells.age();
    }

    private static void numberOrNone(Cells cells, String... path) {
        if (cells.has(path)) {
            cells.numberAt(path);
        } else {
            cells.text(Cells.NONE);
        }
    }
}
