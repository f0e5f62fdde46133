package lavaflow.apiserver;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import lavaflow.access.User;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static lavaflow.apiserver.TestingServer.map;
import static org.assertj.core.api.Assertions.assertThat;

/** Writers of an object that somebody else makes between their look at it and their write. */
final class RacedWritesTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final User FASTER = new User("faster", List.of("system:masters"));

    /** Makes the object that is about to be made, once. */
    private final AtomicReference<LocalApi> faster = new AtomicReference<>();

    private TestingServer server;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        server = new TestingServer(
                directory,
                settings -> new ServerSettings(
                        settings.listen(),
                        settings.identity(),
                        settings.clientAuthority(),
                        settings.version(),
                        settings.clock(),
                        _ -> List.of(new SomebodyFaster()),
                        settings.access()));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @Test
    void anApplyThatIsNotTheFirstChangesWhatTheFirstMade() throws Exception {
        faster.set(server.local());

        var applied = server.apply(MAPS + "/raced", "me", """
                {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raced"},"data":{"mine":"1"}}""");

        assertThat(applied.code()).isEqualTo(200);
        assertThat(Json.textAt(applied.json(), "data", "mine")).isEqualTo("1");
        assertThat(Json.textAt(applied.json(), "data", "theirs")).isEqualTo("1");
    }

    @Test
    void aDryRunOfAnApplyShowsTheSame() throws Exception {
        faster.set(server.local());

        var applied = server.patch(MAPS + "/raced?fieldManager=me&dryRun=All", Patches.APPLY_PATCH, """
                {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raced"},"data":{"mine":"1"}}""");

        assertThat(applied.code()).isEqualTo(200);
        assertThat(Json.textAt(applied.json(), "data", "theirs")).isEqualTo("1");
        assertThat(server.get(MAPS + "/raced").body()).doesNotContain("mine");
    }

    @Test
    void aReplacementThatMayCreateReplaces() throws Exception {
        faster.set(server.local());

        var replaced = server.put("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/raced", """
                {"metadata":{"name":"raced"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}""");

        assertThat(replaced.code()).isEqualTo(200);
        assertThat(replaced.body()).contains("pods");
    }

    @Test
    void aCreateIsRefused() throws Exception {
        faster.set(server.local());

        var created = server.post(MAPS, map("raced", ""));

        assertThat(created.code()).isEqualTo(409);
        assertThat(created.reason()).isEqualTo("AlreadyExists");
    }

    private final class SomebodyFaster implements Admission.Plugin {
        @Override
        public void mutate(Call call, Admission.Operation operation, ObjectNode object, @Nullable ObjectNode old) {
            if (!call.name().equals("raced") && !Metadata.name(object).equals("raced")) {
                return;
            }
            LocalApi api = faster.getAndSet(null);
            if (api != null) {
                ObjectNode theirs = Json.object();
                theirs.putObject("metadata").put("name", "raced");
                if (call.resource().name().equals("configmaps")) {
                    theirs.putObject("data").put("theirs", "1");
                }
                Resource resource = call.resource();
                api.create(FASTER, new LocalApi.Path(resource.group(), "v1", resource.name()), "default", theirs);
            }
        }
    }
}
