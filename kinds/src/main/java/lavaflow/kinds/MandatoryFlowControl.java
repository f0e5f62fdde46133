package lavaflow.kinds;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** The flow schemas and priority levels that every server has and nobody may change. */
public final class MandatoryFlowControl {
    private MandatoryFlowControl() {}

    private static ObjectNode parsed(String json) {
        return (ObjectNode) Json.parse(json.replace('\'', '"'));
    }

    /** The spec of a mandatory flow schema, or null for any other. */
    public static @Nullable ObjectNode schema(String name) {
        String everything = "'resourceRules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*'],'clusterScope':true,"
                + "'namespaces':['*']}],'nonResourceRules':[{'verbs':['*'],'nonResourceURLs':['*']}]";
        return switch (name) {
            case "exempt" ->
                parsed("{'priorityLevelConfiguration':{'name':'exempt'},'matchingPrecedence':1,'rules':[{'subjects':"
                        + "[{'kind':'Group','group':{'name':'system:masters'}}]," + everything + "}]}");
            case "catch-all" ->
                parsed("{'priorityLevelConfiguration':{'name':'catch-all'},'matchingPrecedence':10000,"
                        + "'distinguisherMethod':{'type':'ByUser'},'rules':[{'subjects':"
                        + "[{'kind':'Group','group':{'name':'system:unauthenticated'}},"
                        + "{'kind':'Group','group':{'name':'system:authenticated'}}]," + everything + "}]}");
            default -> null;
        };
    }

    /** The spec of a mandatory priority level, or null for any other. */
    public static @Nullable ObjectNode level(String name) {
        return switch (name) {
            case "exempt" -> parsed("{'type':'Exempt','exempt':{'nominalConcurrencyShares':0,'lendablePercent':0}}");
            case "catch-all" ->
                parsed("{'type':'Limited','limited':{'nominalConcurrencyShares':5,"
                        + "'limitResponse':{'type':'Reject'},'lendablePercent':0}}");
            default -> null;
        };
    }
}
