package lavaflow.apiserver;

import java.nio.file.Path;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What reviews refuse, and what they tell about questions they understand only in part. As kube-apiserver 1.36.3. */
class ReviewsTest {
    private static final String REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    private static final String LOCAL = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";

    @TempDir
    private Path directory;

    private TestingServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TestingServer(directory);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private ObjectNode ask(String selectors) throws Exception {
        return server.post(
                        REVIEWS,
                        "{\"spec\":{\"user\":\"u\",\"resourceAttributes\":{\"verb\":\"list\",\"resource\":\"pods\","
                                + selectors + "}}}")
                .json();
    }

    private String problem(String selectors) throws Exception {
        return Json.textAt(ask(selectors), "status", "evaluationError");
    }

    private String refusal(String selectors) throws Exception {
        return Json.textAt(ask(selectors), "message");
    }

    @Test
    void selectorsThatAreNotUnderstoodAreIgnoredAndTold() throws Exception {
        assertThat(problem("\"fieldSelector\":{\"rawSelector\":\"a in b\"}"))
                .isEqualTo("spec.resourceAttributes.fieldSelector ignored due to parse error");
        assertThat(problem("\"labelSelector\":{\"rawSelector\":\"a b\"},\"fieldSelector\":{\"rawSelector\":\"a b\"}"))
                .isEqualTo("spec.resourceAttributes.fieldSelector ignored due to parse error; "
                        + "spec.resourceAttributes.labelSelector ignored due to parse error");
        assertThat(problem("""
                        "fieldSelector":{"requirements":[{"key":"a","operator":"In","values":["x","y"]},
                        {"key":"b","operator":"NotIn","values":["x"]}]}
                        """))
                .isEqualTo("spec.resourceAttributes.fieldSelector partially ignored due to parse error");
        assertThat(problem("\"labelSelector\":{\"requirements\":[{\"key\":\"a\",\"operator\":\"Newer\"}]}"))
                .isEqualTo("spec.resourceAttributes.labelSelector ignored due to parse error");
        assertThat(problem("""
                        "labelSelector":{"requirements":[{"key":"a","operator":"NotIn","values":["x","y"]},
                        {"key":"b","operator":"DoesNotExist"}]}
                        """)).isEmpty();
    }

    @Test
    void selectorsAreJudged() throws Exception {
        assertThat(refusal("\"fieldSelector\":{}"))
                .endsWith(
                        "is invalid: spec.resourceAttributes.fieldSelector.requirements: Required value: when"
                                + " spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required");
        assertThat(refusal("""
                        "fieldSelector":{"requirements":[{"key":"","operator":"Exists","values":["x"]}]}
                        """))
                .contains("fieldSelector.requirements[0].key: Required value: must be specified")
                .contains("fieldSelector.requirements[0].values: Forbidden: may not be specified when `operator` is"
                        + " 'Exists' or 'DoesNotExist'");
        assertThat(refusal("\"labelSelector\":{\"requirements\":[{\"key\":\"a b\",\"operator\":\"In\"}]}"))
                .contains("labelSelector.requirements[0].values: Required value: must be specified when `operator` is"
                        + " 'In' or 'NotIn'")
                .contains("labelSelector.requirements[0].key: Invalid value: \"a b\": name part must consist of");
    }

    @Test
    void reviewsHaveNoMetadata() throws Exception {
        TestingServer.Reply reply = server.post(
                REVIEWS, "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"user\":\"u\",\"resourceAttributes\":{}}}");
        assertThat(reply.code()).isEqualTo(422);
        assertThat(Json.textAt(reply.json(), "message"))
                .startsWith(".authorization.k8s.io \"\" is invalid: metadata: Invalid value: {\"name\":\"n\",")
                .endsWith("}: must be empty");
        reply = server.post(
                REVIEWS,
                "{\"metadata\":{\"namespace\":\"x\",\"uid\":\"1\"},\"spec\":{\"user\":\"u\",\"resourceAttributes\":{}}}");
        assertThat(reply.code()).isEqualTo(201);
        assertThat(Json.textAt(reply.json(), "metadata", "namespace")).isEmpty();
    }

    @Test
    void pathsAreInNoNamespace() throws Exception {
        TestingServer.Reply reply =
                server.post(LOCAL, "{\"spec\":{\"user\":\"u\",\"nonResourceAttributes\":{\"path\":\"/\"}}}");
        assertThat(Json.textAt(reply.json(), "message"))
                .endsWith("is invalid: spec.nonResourceAttributes: Invalid value: {\"Path\":\"/\",\"Verb\":\"\"}:"
                        + " disallowed on this kind of request");
    }

    @Test
    void rulesOfNodesAreIncomplete() throws Exception {
        ObjectNode rules = server.send(
                        server.admin(),
                        "POST",
                        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                        "{\"spec\":{\"namespace\":\"default\"}}",
                        "Impersonate-User",
                        "system:node:a",
                        "Impersonate-Group",
                        "system:nodes")
                .json();
        assertThat(rules.path("status").path("incomplete").asBoolean()).isTrue();
        assertThat(Json.textAt(rules, "status", "evaluationError"))
                .isEqualTo("node authorizer does not support user rule resolution");
    }

    @Test
    void tokensAreBoundByGroupAndKind() throws Exception {
        String path = "/api/v1/namespaces/default/serviceaccounts/default/token";
        server.post("/api/v1/namespaces/default/secrets", "{\"metadata\":{\"name\":\"s\"}}");
        for (String version : new String[] {"", "v1", "v9", "a/b/c"}) {
            assertThat(server.post(path, bound(version, "s")).code()).isEqualTo(201);
        }
        assertThat(Json.textAt(server.post(path, bound("apps/v1", "s")).json(), "message"))
                .isEqualTo("cannot bind token to object of type apps/v1, Kind=Secret");
        assertThat(Json.textAt(server.post(path, bound("v1", "../s")).json(), "message"))
                .isEqualTo("Name parameter invalid: \"../s\": may not contain '/'");
    }

    private static String bound(String version, String name) {
        return "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Secret\",\"apiVersion\":\"" + version + "\",\"name\":\""
                + name + "\"}}}";
    }
}
