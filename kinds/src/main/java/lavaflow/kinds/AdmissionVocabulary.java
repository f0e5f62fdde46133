package lavaflow.kinds;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelEnvironment;
import lavaflow.cel.CelLibrary;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelType;
import lavaflow.cel.DeclaredType;
import lavaflow.kube.FieldErrors;
import lavaflow.kube.FieldPath;

import org.jspecify.annotations.Nullable;

/**
 * What an expression of a webhook or admission policy may speak of beside the request and its objects.
 *
 * @param params the parameters of a policy
 * @param authorizer whether it may ask what the user may do
 * @param mutation whether it makes patches
 * @param composed whether the policy has variables at all
 * @param variables types of the composed variables that stand before it, in their order
 */
public record AdmissionVocabulary(
        boolean params, boolean authorizer, boolean mutation, boolean composed, Map<String, CelType> variables) {

    /** Of the match conditions of webhooks. */
    public static final AdmissionVocabulary CONDITIONS = new AdmissionVocabulary(false, true, false, false, Map.of());

    static final List<CelType> BOOL = List.of(CelType.BOOL);
    static final List<CelType> STRING = List.of(CelType.STRING);
    static final List<CelType> NOTE = List.of(CelType.STRING, CelType.NULL);
    static final List<CelType> CONFIGURATION = List.of(CelType.object("Object"));
    static final List<CelType> PATCH = List.of(CelType.list(CelType.JSON_PATCH));

    private static final CelType KIND = CelType.object(
            "kubernetes.GroupVersionKind",
            Map.of("group", CelType.STRING, "version", CelType.STRING, "kind", CelType.STRING));
    private static final CelType RESOURCE = CelType.object(
            "kubernetes.GroupVersionResource",
            Map.of("group", CelType.STRING, "version", CelType.STRING, "resource", CelType.STRING));
    private static final CelType STRINGS = CelType.map(CelType.STRING, CelType.STRING);
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
                    Map.entry("userInfo", CelType.USER_INFO),
                    Map.entry("dryRun", CelType.BOOL),
                    Map.entry("options", CelType.DYN)));
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

    private static final DeclaredType ANYTHING = DeclaredType.of(CelType.DYN);

    /** The environments of expressions without composed variables, which nearly all share. */
    private static final Map<AdmissionVocabulary, CelEnvironment> SHARED = new ConcurrentHashMap<>();

    /** The same and one more variable. */
    public AdmissionVocabulary withVariable(String name, CelType type) {
        Map<String, CelType> more = new LinkedHashMap<>(variables);
        more.put(name, type);
        return new AdmissionVocabulary(params, authorizer, mutation, true, more);
    }

    public AdmissionVocabulary withAuthorizer(boolean may) {
        return new AdmissionVocabulary(params, may, mutation, composed, variables);
    }

    public AdmissionVocabulary withMutation() {
        return new AdmissionVocabulary(params, authorizer, true, composed, variables);
    }

    /** Of a policy that has variables, before the first of them. */
    public AdmissionVocabulary composed(boolean has) {
        return new AdmissionVocabulary(params, authorizer, mutation, has, variables);
    }

    /** The type of {@code variables}. */
    public CelType.ObjectOf variablesType() {
        // A type without any field is none to the checker; this one cannot be named.
        return new CelType.ObjectOf("kubernetes.variables", variables.isEmpty() ? Map.of("", CelType.DYN) : variables);
    }

    /** Checks an expression and makes a program of it. */
    public CelCompilation compile(String source) {
        CelEnvironment environment =
                variables.isEmpty() ? SHARED.computeIfAbsent(this, AdmissionVocabulary::make) : make(this);
        return environment.compile(source);
    }

    /**
     * Checks an expression about objects of a known type.
     *
     * @param objects the type of the object and the old one
     * @param parameters the type of the parameters; null where the policy has none
     */
    public CelCompilation compile(String source, DeclaredType objects, @Nullable DeclaredType parameters) {
        return make(this, objects, parameters == null ? ANYTHING : parameters).compile(source);
    }

    private static CelEnvironment make(AdmissionVocabulary vocabulary) {
        return make(vocabulary, ANYTHING, ANYTHING);
    }

    private static CelEnvironment make(AdmissionVocabulary vocabulary, DeclaredType objects, DeclaredType parameters) {
        CelEnvironment.Builder builder = CelEnvironment.kubernetes();
        declare(builder, "object", objects);
        declare(builder, "oldObject", objects);
        builder.variable("request", REQUEST).variable("namespaceObject", NAMESPACE);
        if (vocabulary.params) {
            declare(builder, "params", parameters);
        }
        if (vocabulary.authorizer) {
            builder.variable("authorizer", CelType.AUTHORIZER)
                    .variable("authorizer.requestResource", CelType.RESOURCE_CHECK);
        }
        if (vocabulary.mutation) {
            builder.library(CelLibrary.MUTATION);
        }
        if (vocabulary.composed) {
            builder.variable("variables", vocabulary.variablesType());
        }
        return builder.build();
    }

    private static void declare(CelEnvironment.Builder builder, String name, DeclaredType type) {
        if (type.type().equals(CelType.DYN)) {
            builder.variable(name, CelType.DYN);
        } else {
            builder.variable(name, type);
        }
    }

    /** Reports an expression that does not compile, or to none of some types; empty types allow all. Returns its type. */
    CelType check(String source, List<CelType> allowed, FieldPath path, FieldErrors errors) {
        return switch (compile(source)) {
            case CelCompilation.Failed failed -> {
                errors.invalid(path, source, "compilation failed: " + failed.text());
                yield CelType.DYN;
            }
            case CelCompilation.Compiled(CelProgram program) -> {
                CelType type = program.resultType();
                if (!allowed.isEmpty() && !allowed.contains(type)) {
                    errors.invalid(path, source, "must evaluate to " + shown(allowed) + " but got " + type);
                }
                yield type;
            }
        };
    }

    private static String shown(List<CelType> allowed) {
        return allowed.size() == 1
                ? allowed.getFirst().toString()
                : allowed.stream().map(CelType::typeName).collect(Collectors.joining(" ", "one of [", "]"));
    }
}
