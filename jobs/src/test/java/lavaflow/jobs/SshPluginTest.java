package lavaflow.jobs;

import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

import lavaflow.jobs.JobPlugin.SshKeys;
import lavaflow.kube.Json;

import org.junit.jupiter.api.Test;

import static lavaflow.jobs.TestingManifests.job;
import static lavaflow.jobs.TestingManifests.pluggedPod;
import static lavaflow.jobs.TestingManifests.yaml;
import static org.assertj.core.api.Assertions.assertThat;

class SshPluginTest {
    private static final String TASKS = """
            tasks:
            - {name: m, replicas: 1, template: {spec: {hostname: boss, containers: [{name: c}]}}}
            - {name: w, replicas: 2, template: {spec: {initContainers: [{name: i}], containers: [{name: c}]}}}
            """;

    private static VolcanoJob with(String arguments) {
        return job("plugins: {ssh: [" + arguments + "]}\n" + TASKS);
    }

    private static String file(VolcanoJob job, String name) {
        JobObject secret = secret(job);
        byte[] bytes = Base64.getDecoder().decode(Json.textAt(secret.object(), "data", name));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static JobObject secret(VolcanoJob job) {
        List<JobObject> objects = Objects.requireNonNull(
                        JobPlugins.named("ssh", job.plugins().get("ssh")))
                .objects(job, () -> new SshKeys("private", "public"));
        assertThat(objects).hasSize(1);
        return objects.getFirst();
    }

    @Test
    void mountsKeysIntoEveryContainer() {
        assertThat(pluggedPod(with(""), "w", 0).get("spec")).isEqualTo(yaml("""
                                initContainers: [{name: i, volumeMounts: [{mountPath: /root/.ssh, subPath: .ssh, name: train-ssh}]}]
                                containers: [{name: c, volumeMounts: [{mountPath: /root/.ssh, subPath: .ssh, name: train-ssh}]}]
                                volumes:
                                - name: train-ssh
                                  secret:
                                    secretName: train-ssh
                                    items:
                                    - {key: id_rsa, path: .ssh/id_rsa}
                                    - {key: id_rsa.pub, path: .ssh/id_rsa.pub}
                                    - {key: authorized_keys, path: .ssh/authorized_keys}
                                    - {key: config, path: .ssh/config}
                                    defaultMode: 384
                                """));
    }

    @Test
    void letsOthersReadKeysThatAreNotRoots() {
        var spec =
                pluggedPod(with("--ssh-key-file-path=/home/user/.ssh"), "w", 0).get("spec");
        assertThat(Json.longAt(spec.get("volumes").get(0), 0, "secret", "defaultMode"))
                .isEqualTo(0644);
        assertThat(spec.get("containers")
                        .get(0)
                        .get("volumeMounts")
                        .get(0)
                        .get("mountPath")
                        .asText())
                .isEqualTo("/home/user/.ssh");
    }

    @Test
    void writesEveryPodIntoTheConfiguration() {
        assertThat(file(with(""), "config")).isEqualTo("""
                        StrictHostKeyChecking no
                        UserKnownHostsFile /dev/null
                        Host boss
                          HostName boss.train
                        Host train-w-0
                          HostName train-w-0.train
                        Host train-w-1
                          HostName train-w-1.train
                        """);
    }

    @Test
    void tellsAPortThatIsNotTheUsualOne() {
        assertThat(file(with("--ssh-port=2022"), "config"))
                .contains("Host train-w-1\n  HostName train-w-1.train\n  Port 2022\n");
    }

    @Test
    void makesKeysOnceAndTakesThoseItIsGiven() {
        assertThat(secret(with("")).upkeep()).isEqualTo(JobObject.Upkeep.ONCE);
        assertThat(file(with(""), "id_rsa")).isEqualTo("private");
        assertThat(file(with(""), "authorized_keys")).isEqualTo("public");
        VolcanoJob given = with("--ssh-private-key=mine, --ssh-public-key=yours");
        assertThat(file(given, "id_rsa")).isEqualTo("mine");
        assertThat(file(given, "id_rsa.pub")).isEqualTo("yours");
        assertThat(file(given, "authorized_keys")).isEqualTo("yours");
    }

    @Test
    void writesKeysInTheFormsOfOpenSsh() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024); // quick
        KeyPair pair = generator.generateKeyPair();
        SshKeys keys = RsaKeys.of(pair);
        assertThat(keys.publicKey()).matches("ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB[A-Za-z0-9+/]+=*\n");
        List<String> lines = keys.privateKey().lines().toList();
        assertThat(lines.getFirst()).isEqualTo("-----BEGIN RSA PRIVATE KEY-----");
        assertThat(lines.getLast()).isEqualTo("-----END RSA PRIVATE KEY-----");
        assertThat(lines).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(64));
        byte[] inner = Base64.getDecoder().decode(String.join("", lines.subList(1, lines.size() - 1)));
        byte[] outer = pair.getPrivate().getEncoded();
        byte[] wrapped = new byte[outer.length];
        System.arraycopy(outer, 0, wrapped, 0, outer.length - inner.length);
        System.arraycopy(inner, 0, wrapped, outer.length - inner.length, inner.length);
        RSAPrivateCrtKey read =
                (RSAPrivateCrtKey) KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(wrapped));
        assertThat(read).isEqualTo(pair.getPrivate());
    }
}
