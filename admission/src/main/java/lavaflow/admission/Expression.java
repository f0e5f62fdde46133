package lavaflow.admission;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelEnvironment;
import lavaflow.cel.CelLibrary;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelType;

import org.jspecify.annotations.Nullable;

/** An expression of a webhook or policy, compiled when it is first needed. */
final class Expression {
    /**
     * What an expression may speak of beside the request and its objects.
     *
     * @param variables types of the composed variables that stand before it, in their order
     */
    record Vocabulary(boolean params, boolean authorizer, boolean mutation, Map<String, CelType> variables) {
        static final Vocabulary CONDITIONS = new Vocabulary(false, true, false, Map.of());

        Vocabulary withVariable(String name, CelType type) {
            Map<String, CelType> more = new LinkedHashMap<>(variables);
            more.put(name, type);
            return new Vocabulary(params, authorizer, mutation, more);
        }
    }

    private static final CelType KIND = CelType.object(
            "kubernetes.GroupVersionKind",
            Map.of("group", CelType.STRING, "version", CelType.STRING, "kind", CelType.STRING));
    private static final CelType RESOURCE = CelType.object(
            "kubernetes.GroupVersionResource",
            Map.of("group", CelType.STRING, "version", CelType.STRING, "resource", CelType.STRING));
    private static final CelType USER = CelType.object(
            "kubernetes.UserInfo",
            Map.of(
                    "username",
                    CelType.STRING,
                    "uid",
                    CelType.STRING,
                    "groups",
                    CelType.list(CelType.STRING),
                    "extra",
                    CelType.map(CelType.STRING, CelType.list(CelType.STRING))));
    private static final CelType REQUEST = CelType.object(
            "kubernetes.AdmissionRequest",
            Map.ofEntries(
                    Map.entry("kind", KIND),
                    Map.entry("resource", RESOURCE),
                    Map.entry("subResource", CelType.STRING),
                    Map.entry("requestKind", KIND),
                    Map.entry("requestResource", RESOURCE),
                    Map.entry("requestSubResource", CelType.STRING),
                    Map.entry("name", CelType.STRING),
                    Map.entry("namespace", CelType.STRING),
                    Map.entry("operation", CelType.STRING),
                    Map.entry("userInfo", USER),
                    Map.entry("dryRun", CelType.BOOL),
                    Map.entry("options", CelType.DYN)));
    private static final CelType STRINGS = CelType.map(CelType.STRING, CelType.STRING);
    private static final CelType NAMESPACE = CelType.object(
            "kubernetes.Namespace",
            Map.of(
                    "metadata",
                    CelType.object(
                            "kubernetes.NamespaceMetadata",
                            Map.ofEntries(
                                    Map.entry("name", CelType.STRING),
                                    Map.entry("generateName", CelType.STRING),
                                    Map.entry("namespace", CelType.STRING),
                                    Map.entry("labels", STRINGS),
                                    Map.entry("annotations", STRINGS),
                                    Map.entry("UID", CelType.STRING),
                                    Map.entry("creationTimestamp", CelType.TIMESTAMP),
                                    Map.entry("deletionGracePeriodSeconds", CelType.INT),
                                    Map.entry("deletionTimestamp", CelType.TIMESTAMP),
                                    Map.entry("generation", CelType.INT),
                                    Map.entry("resourceVersion", CelType.STRING),
                                    Map.entry("finalizers", CelType.list(CelType.STRING)))),
                    "spec",
                    CelType.object("kubernetes.NamespaceSpec", Map.of("finalizers", CelType.list(CelType.STRING))),
                    "status",
                    CelType.object("kubernetes.NamespaceStatus", Map.of("phase", CelType.STRING))));

    /** The environments of expressions without composed variables, which nearly all share. */
    private static final Map<Vocabulary, CelEnvironment> SHARED = new ConcurrentHashMap<>();

    private final String source;
    private final Vocabulary vocabulary;
    private volatile @Nullable CelCompilation compiled;

    Expression(String source, Vocabulary vocabulary) {
        this.source = source;
        this.vocabulary = vocabulary;
    }

    String source() {
        return source;
    }

    /** The same whichever thread is first, so no lock. */
    CelCompilation compiled() {
        CelCompilation known = compiled;
        if (known == null) {
            known = environment(vocabulary).compile(source);
            compiled = known;
        }
        return known;
    }

    /** The type of its values, or of anything where it does not compile. */
    CelType type() {
        return switch (compiled()) {
            case CelCompilation.Compiled(CelProgram program) -> program.resultType();
            case CelCompilation.Failed _ -> CelType.DYN;
        };
    }

    List<String> issues() {
        return switch (compiled()) {
            case CelCompilation.Compiled _ -> List.of();
            case CelCompilation.Failed failed -> failed.issues();
        };
    }

    private static CelEnvironment environment(Vocabulary vocabulary) {
        return vocabulary.variables.isEmpty() ? SHARED.computeIfAbsent(vocabulary, Expression::make) : make(vocabulary);
    }

    private static CelEnvironment make(Vocabulary vocabulary) {
        CelEnvironment.Builder builder = CelEnvironment.kubernetes()
                .variable("object", CelType.DYN)
                .variable("oldObject", CelType.DYN)
                .variable("request", REQUEST)
                .variable("namespaceObject", NAMESPACE);
        if (vocabulary.params) {
            builder.variable("params", CelType.DYN);
        }
        if (vocabulary.authorizer) {
            builder.variable("authorizer", CelType.AUTHORIZER)
                    .variable("authorizer.requestResource", CelType.RESOURCE_CHECK);
        }
        if (vocabulary.mutation) {
            builder.library(CelLibrary.MUTATION);
        }
        if (!vocabulary.variables.isEmpty()) {
            builder.variable("variables", variablesType(vocabulary));
        }
        return builder.build();
    }

    static CelType variablesType(Vocabulary vocabulary) {
        return CelType.object("kubernetes.variables", vocabulary.variables);
    }
}
