package lavaflow.apiserver;

import java.nio.charset.StandardCharsets;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** OpenAPI v2 documents of several servers in one. */
class OpenApiMergeTest {
    private static ObjectNode json(String text) {
        return Json.parseObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static void expect(ObjectNode actual, String expected) {
        assertThat(Json.string(actual)).isEqualTo(Json.string(json(expected)));
    }

    @Test
    void aPartHasThePathsThatAreWantedAndTheDefinitionsTheyNeed() {
        ObjectNode part = OpenApiMerge.part(
                json(
                        "{'swagger':'2.0','paths':{'/apis/a/v1/things':{'get':{'schema':{'$ref':'#/definitions/List'}}},'/version':{}},"
                                + "'definitions':{'List':{'items':{'$ref':'#/definitions/Thing'}},'Thing':{'type':'object',"
                                + "'properties':{'self':{'$ref':'#/definitions/Thing'}}},'Unused':{}}}"),
                path -> path.startsWith("/apis/a/"));

        expect(
                part,
                "{'paths':{'/apis/a/v1/things':{'get':{'schema':{'$ref':'#/definitions/List'}}}},"
                        + "'definitions':{'List':{'items':{'$ref':'#/definitions/Thing'}},'Thing':{'type':'object',"
                        + "'properties':{'self':{'$ref':'#/definitions/Thing'}}}}}");
    }

    @Test
    void definitionsThatSayTheSameAreOneAndStandForAllTheirKinds() {
        ObjectNode all = json("{'paths':{'/a':{}},'definitions':{'Meta':{'type':'object',"
                + "'x-kubernetes-group-version-kind':[{'kind':'A'}]}}}");

        OpenApiMerge.add(
                all,
                json("{'paths':{'/b':{'$ref':'#/definitions/Meta'}},'definitions':{'Meta':{'type':'object',"
                        + "'x-kubernetes-group-version-kind':[{'kind':'A'},{'kind':'B'}]}}}"));

        expect(
                all,
                "{'paths':{'/a':{},'/b':{'$ref':'#/definitions/Meta'}},'definitions':{'Meta':{'type':'object',"
                        + "'x-kubernetes-group-version-kind':[{'kind':'A'},{'kind':'B'}]}}}");
    }

    @Test
    void aNameThatMeansSomethingElseAlreadyIsChangedWhereverItIsUsed() {
        ObjectNode all =
                json("{'paths':{'/a':{}},'definitions':{'Meta':{'type':'string'},'Meta_v2':{'type':'number'}}}");

        OpenApiMerge.add(
                all,
                json("{'paths':{'/b':{'$ref':'#/definitions/Thing'}},'definitions':{'Meta':{'type':'object'},"
                        + "'Thing':{'properties':{'m':{'$ref':'#/definitions/Meta'}}}}}"));

        expect(
                all,
                "{'paths':{'/a':{},'/b':{'$ref':'#/definitions/Thing'}},'definitions':{'Meta':{'type':'string'},"
                        + "'Meta_v2':{'type':'number'},'Meta_v3':{'type':'object'},"
                        + "'Thing':{'properties':{'m':{'$ref':'#/definitions/Meta_v3'}}}}}");
    }

    @Test
    void aNameThatWasChangedBeforeIsUsedAgain() {
        ObjectNode all =
                json("{'paths':{'/a':{}},'definitions':{'Meta':{'type':'string'},'Meta_v2':{'type':'object'}}}");

        OpenApiMerge.add(
                all, json("{'paths':{'/b':{'$ref':'#/definitions/Meta'}},'definitions':{'Meta':{'type':'object'}}}"));

        expect(
                all,
                "{'paths':{'/a':{},'/b':{'$ref':'#/definitions/Meta_v2'}},"
                        + "'definitions':{'Meta':{'type':'string'},'Meta_v2':{'type':'object'}}}");
    }

    @Test
    void theFirstToDescribeAPathDescribesIt() {
        ObjectNode all = json("{'paths':{'/a':{'mine':true}},'definitions':{}}");

        OpenApiMerge.add(
                all, json("{'paths':{'/a':{'$ref':'#/definitions/X'},'/b':{}},'definitions':{'X':{'type':'object'}}}"));

        expect(all, "{'paths':{'/a':{'mine':true},'/b':{}},'definitions':{}}");
    }

    @Test
    void aDocumentMadeToExhaustTheStackIsRefused() {
        ObjectNode deep = Json.object();
        ObjectNode inner = deep;
        for (int level = 0; level < 5_000; level++) {
            inner = inner.putObject("a");
        }
        ObjectNode document = Json.object();
        document.putObject("paths").set("/apis/a/v1/x", deep);

        assertThatThrownBy(() -> OpenApiMerge.part(document, _ -> true))
                .hasMessage("the document is nested too deeply");
    }
}
