package lavaflow.scheduler;

import lavaflow.controller.KubeApi;
import lavaflow.controller.TestingKubeApi;
import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What was installed is renewed; what somebody else installed is not. */
class InstallerTest {
    private static final String NAME = "queues.scheduling.volcano.sh";
    private static final KubeApi.Kind KIND = Definitions.DEFINITIONS;

    private final TestingKubeApi api = new TestingKubeApi().serve(KIND, "CustomResourceDefinition");

    private Installer ensure() {
        Installer installer = new Installer(api);
        installer.ensure(KIND, Definitions.FILES, NAME);
        return installer;
    }

    private ObjectNode present() {
        return api.find(KIND, "", NAME).orElseThrow();
    }

    /** As an older version made it, or somebody else where the mark is empty. */
    private void makeOld(String mark) {
        ObjectNode old = Definitions.FILES.read(NAME);
        old.putObject("spec").put("scope", "Namespaced");
        if (!mark.isEmpty()) {
            Json.ensureObject(old, "metadata", "annotations").put(Installer.INSTALLED, mark);
        }
        api.create(KIND, "", old);
    }

    @Test
    void makesWhatIsMissingOnce() {
        assertThat(ensure().hasWritten()).isTrue();
        ObjectNode made = present();
        assertThat(made.get("spec")).isEqualTo(Definitions.FILES.read(NAME).get("spec"));
        assertThat(ensure().hasWritten()).isFalse();
        assertThat(present()).isEqualTo(made);
    }

    @Test
    void renewsWhatAnOlderVersionMade() {
        makeOld("0");
        assertThat(ensure().hasWritten()).isTrue();
        assertThat(present().get("spec")).isEqualTo(Definitions.FILES.read(NAME).get("spec"));
        assertThat(Json.textAt(present(), "metadata", "annotations", Installer.INSTALLED))
                .isEqualTo(Definitions.FILES.fingerprint(NAME));
    }

    @Test
    void leavesAloneWhatOthersInstalled() {
        makeOld("");
        ObjectNode before = present();
        assertThat(ensure().hasWritten()).isFalse();
        assertThat(present()).isEqualTo(before);
    }

    @Test
    void goesOnWithAnOldOneThatCannotBeRenewed() {
        makeOld("0");
        ObjectNode before = present();
        api.fail("update " + KIND + " " + NAME, ApiException.badRequest("no"));
        assertThat(ensure().hasWritten()).isFalse();
        assertThat(present()).isEqualTo(before);
    }
}
