package lavaflow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.kube.DecodingException;
import lavaflow.kube.Yaml;
import lavaflow.trainer.TrainerDefinitions;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Definitions compared with upstream's, where their Go modules are at hand. Descriptions may differ. */
class TrainerDefinitionsTest {
    private static final String TRAINER = "github.com/kubeflow/trainer/v2@v2.3.0/manifests/base/crds";
    private static final String JOB_SET = "sigs.k8s.io/jobset@v0.12.0/config/components/crd/bases";

    /** What pods and Jobs of Kubernetes 1.36 have beyond those upstream was built with, and a word that says what is so without it. */
    private static final List<String> OURS = List.of(
            ".template.properties.spec.properties.schedulingGroup is only here",
            ".podCertificate.properties.userAnnotations is only here",
            ".onPodConditions.items.properties.status.default is only here",
            ".allocatedResourceStatuses.x-kubernetes-map-type is only upstream");

    private static JsonNode upstream(String name) throws IOException, DecodingException {
        String plural = name.substring(0, name.indexOf('.'));
        String group = name.substring(name.indexOf('.') + 1);
        Path file = VolcanoDefinitionsTest.modules()
                .resolve(plural.equals("jobsets") ? JOB_SET : TRAINER)
                .resolve(group + "_" + plural + ".yaml");
        assumeTrue(Files.isRegularFile(file), file + " is not here to compare with");
        return Yaml.parse(Files.readAllBytes(file)).root().path("spec");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobsets.jobset.x-k8s.io",
                "trainingruntimes.trainer.kubeflow.org",
                "clustertrainingruntimes.trainer.kubeflow.org",
                "trainjobs.trainer.kubeflow.org",
            })
    void saysWhatUpstreamSays(String name) throws Exception {
        Set<String> differences = new TreeSet<>();
        VolcanoDefinitionsTest.compare(
                name + ":", upstream(name), TrainerDefinitions.FILES.read(name).path("spec"), differences);
        differences.removeIf(difference -> OURS.stream().anyMatch(difference::endsWith));
        assertThat(differences).isEmpty();
    }
}
