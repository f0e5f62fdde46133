package lavaflow.fairness;

import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The schemas every server acts by, whether their objects are there or not. */
final class MandatorySchemas {
    private static final String EVERYTHING =
            "'resourceRules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*'],'clusterScope':true,"
                    + "'namespaces':['*']}],'nonResourceRules':[{'verbs':['*'],'nonResourceURLs':['*']}]";

    static final FlowSchema EXEMPT = schema("{'metadata':{'name':'exempt'},'spec':{'matchingPrecedence':1,"
            + "'priorityLevelConfiguration':{'name':'exempt'},'rules':[{'subjects':[{'kind':'Group',"
            + "'group':{'name':'system:masters'}}]," + EVERYTHING + "}]}}");
    static final FlowSchema CATCH_ALL = schema("{'metadata':{'name':'catch-all'},'spec':{'matchingPrecedence':10000,"
            + "'priorityLevelConfiguration':{'name':'catch-all'},'distinguisherMethod':{'type':'ByUser'},"
            + "'rules':[{'subjects':[{'kind':'Group','group':{'name':'system:unauthenticated'}},"
            + "{'kind':'Group','group':{'name':'system:authenticated'}}]," + EVERYTHING + "}]}}");
    static final List<FlowSchema> ALL = List.of(EXEMPT, CATCH_ALL);

    private MandatorySchemas() {}

    private static FlowSchema schema(String json) {
        return FlowSchema.of((ObjectNode) Json.parse(json.replace('\'', '"')));
    }
}
