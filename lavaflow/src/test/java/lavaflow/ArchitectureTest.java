package lavaflow;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** The borders that ARCHITECTURE.md draws. */
class ArchitectureTest {
    private static final String[] PURE = {
        "lavaflow.kube",
        "lavaflow.cel",
        "lavaflow.schema",
        "lavaflow.kinds",
        "lavaflow.placement",
        "lavaflow.gang",
        "lavaflow.plugins",
        "lavaflow.explain"
    };

    private static JavaClasses classes;

    @BeforeAll
    static void read() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("lavaflow");
        for (String module : List.of(
                "kube",
                "cel",
                "schema",
                "kinds",
                "store",
                "access",
                "fairness",
                "audit",
                "apiserver",
                "admission",
                "controller",
                "remote",
                "cluster",
                "batch",
                "cli",
                "flows",
                "jobs",
                "training",
                "trainer",
                "placement",
                "gang",
                "plugins",
                "explain",
                "scheduler",
                "node",
                "kubelet")) {
            assertThat(classes.that(resideInAPackage("lavaflow." + module)))
                    .as("classes of %s", module)
                    .isNotEmpty();
        }
    }

    private static DescribedPredicate<JavaClass> named(String regex) {
        return nameMatching(regex).forSubtype();
    }

    @Test
    void pureModulesReadAndWriteNothing() {
        DescribedPredicate<JavaClass> memoryOnly = named("java\\.io\\.(.*Exception|ByteArray.*|InputStream|"
                + "InputStreamReader|Reader|StringReader|OutputStream|Serializable|ObjectInputStream|Closeable)");
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat(resideInAPackage("java.io").and(DescribedPredicate.not(memoryOnly)))
                .orShould()
                .dependOnClassesThat(resideInAnyPackage(
                        "java.nio.file..", "java.nio.channels..", "java.net.http..", "javax.net..", "java.sql.."))
                .orShould()
                .dependOnClassesThat(
                        resideInAPackage("java.net").and(DescribedPredicate.not(named("java\\.net\\.URI.*"))))
                .check(classes);
    }

    @Test
    void pureModulesHaveNoThreadsClocksOrChance() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat(named("java\\.lang\\.(Thread|ThreadLocal|Process.*|Runtime)"))
                .orShould()
                .dependOnClassesThat(resideInAPackage("java.util.concurrent..")
                        .and(DescribedPredicate.not(named("java\\.util\\.concurrent\\.Concurrent.*Map"))))
                .orShould()
                .dependOnClassesThat(resideInAnyPackage("java.util.random.."))
                .orShould()
                .dependOnClassesThat(
                        named("java\\.util\\.(Random|SplittableRandom|Timer)|java\\.security\\.SecureRandom"))
                .orShould()
                .dependOnClassesThat(named("java\\.time\\.(Clock|InstantSource)"))
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .check(classes);
    }

    @Test
    void pureModulesKnowNoServersAndNoClients() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.eclipse.jetty..", "org.bouncycastle..", "org.slf4j..")
                .check(classes);
    }

    @Test
    void oneClassMakesJson() {
        noClasses()
                .that(DescribedPredicate.not(named("lavaflow\\.kube\\.Json(\\$.*)?")))
                .should()
                .dependOnClassesThat(
                        named("com\\.fasterxml\\.jackson\\..*(ObjectMapper|JsonMapper(\\$.*)?|\\.IntNode)"))
                .orShould()
                .accessField(JsonNodeFactory.class, "instance")
                .orShould()
                .callConstructor(JsonNodeFactory.class)
                .because("integers must all be LongNodes, or equal trees are not equal")
                .check(classes);
    }

    @Test
    void jettyStaysBehindTheTransport() {
        noClasses()
                .that(DescribedPredicate.not(named("lavaflow\\.apiserver\\.(HttpTransport|Jetty\\w*)(\\$.*)?")))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty..")
                .check(classes);
    }

    @Test
    void modulesDependOnlyOnWhatStandsBeforeThem() {
        module("kube");
        module("cel", "kube");
        module("schema", "kube", "cel");
        module("kinds", "kube", "cel", "schema");
        module("store", "kube");
        module("access", "kube", "cel", "store");
        module("fairness", "kube");
        module("audit", "kube");
        module("apiserver", "kube", "cel", "schema", "kinds", "store", "access", "fairness", "audit");
        module("admission", "kube", "cel", "kinds", "store", "access", "apiserver");
        module("controller", "kube");
        module("remote", "kube", "controller");
        module("cluster", "kube", "kinds", "access", "controller");
        module("placement", "kube", "cel");
        module("batch", "kube", "kinds", "controller", "gang");
        module("cli", "kube", "kinds", "controller");
        module("flows", "kube", "kinds", "controller", "cluster");
        module("jobs", "kube", "kinds", "controller", "batch");
        module("training", "kube", "controller");
        module("trainer", "kube", "controller", "training");
        module("gang", "kube", "placement");
        module("plugins", "kube", "placement", "gang");
        module("explain", "kube", "placement", "gang");
        module("scheduler", "kube", "controller", "placement", "gang", "plugins");
        module("node", "kube", "controller");
        module("linux");
        module("image", "kube", "linux");
        module("sandbox", "kube", "linux");
        module("network", "kube", "controller", "linux");
        module("volume", "kube", "controller", "linux");
        module("nodeserver", "kube", "controller");
        module("kubelet", "kube", "controller", "node", "linux", "image", "sandbox", "network", "volume", "nodeserver");
    }

    private static void module(String name, String... uses) {
        DescribedPredicate<JavaClass> allowed = resideInAPackage("lavaflow." + name);
        for (String use : uses) {
            allowed = allowed.or(resideInAPackage("lavaflow." + use));
        }
        noClasses()
                .that()
                .resideInAPackage("lavaflow." + name)
                .should()
                .dependOnClassesThat(resideInAPackage("lavaflow..").and(DescribedPredicate.not(allowed)))
                .check(classes);
    }

    @Test
    void packagesAreFlat() {
        classes().should().resideInAnyPackage("lavaflow", "lavaflow.*").check(classes);
    }
}
