package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Json;
import lavaflow.kube.Yaml;
import lavaflow.training.TrainingDefinitions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Definitions compared with those of upstream's operators, where their Go modules are at hand. Descriptions may differ. */
class TrainingDefinitionsTest {
    private static final String TRAINING = "github.com/kubeflow/training-operator@v1.9.4/manifests/base/crds";
    private static final String MPI = "github.com/kubeflow/mpi-operator@v0.7.0/manifests/base";

    /**
     * What pods of Kubernetes 1.36 have beyond those upstream was built with, and what we add: a scheduler for all pods of a job, and
     * in the first version of MPIJob what the second one has.
     */
    private static final List<String> OURS = List.of(
            ".template.properties.spec.properties.schedulingGroup is only here",
            ".podCertificate.properties.userAnnotations is only here",
            "openAPIV3Schema.properties.spec.properties.schedulerName is only here",
            "openAPIV3Schema.properties.spec.properties.runLauncherAsWorker is only here",
            "openAPIV3Schema.properties.spec.properties.sshAuthMountPath is only here",
            "openAPIV3Schema.properties.spec.properties.launcherCreationPolicy is only here",
            "openAPIV3Schema.properties.spec.properties.mpiImplementation is only here");

    private static JsonNode upstream(String place, String name) throws IOException, DecodingException {
        Path file = VolcanoDefinitionsTest.modules()
                .resolve(place)
                .resolve("kubeflow.org_" + name.substring(0, name.indexOf('.')) + ".yaml");
        assumeTrue(Files.isRegularFile(file), file + " is not here to compare with");
        return Yaml.parse(Files.readAllBytes(file)).root().path("spec");
    }

    private static ObjectNode ours(String name, String version) {
        ObjectNode spec = (ObjectNode) TrainingDefinitions.FILES.read(name).path("spec");
        for (JsonNode each : spec.path("versions")) {
            if (Json.textAt(each, "name").equals(version)) {
                ObjectNode one = spec.deepCopy();
                one.putArray("versions").add(((ObjectNode) each).deepCopy().put("storage", true));
                return one;
            }
        }
        throw new IllegalArgumentException(name + " " + version);
    }

    @Test
    void saysWhatUpstreamSaysOfEveryKind() throws Exception {
        Set<String> differences = new TreeSet<>();
        for (String name : TrainingDefinitions.FILES.names()) {
            VolcanoDefinitionsTest.compare(name + ":", upstream(TRAINING, name), ours(name, "v1"), differences);
        }
        differences.removeIf(difference -> OURS.stream().anyMatch(difference::endsWith));
        assertThat(differences).isEmpty();
    }

    @Test
    void saysWhatUpstreamSaysOfTheSecondVersionOfMpi() throws Exception {
        Set<String> differences = new TreeSet<>();
        String name = "mpijobs.kubeflow.org";
        VolcanoDefinitionsTest.compare(name + ":", upstream(MPI, name), ours(name, "v2beta1"), differences);
        differences.removeIf(difference -> OURS.stream().anyMatch(difference::endsWith));
        assertThat(differences).isEmpty();
    }
}
