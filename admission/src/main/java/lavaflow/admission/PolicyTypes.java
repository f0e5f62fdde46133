package lavaflow.admission;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import lavaflow.apiserver.KindSchemas;
import lavaflow.cel.CelCompilation;
import lavaflow.cel.CelProgram;
import lavaflow.cel.CelType;
import lavaflow.cel.DeclaredType;
import lavaflow.kinds.AdmissionVocabulary;
import lavaflow.kube.GroupVersionKind;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Checks the expressions of a validating policy against the schemas of the kinds it names, for {@code status.typeChecking}. What
 * does not fit is a warning, no error: a policy may be meant for kinds that differ.
 */
public final class PolicyTypes {
    /** Kinds of one rule that are looked at; rules that name more are cut off there. */
    private static final int MOST_KINDS = 10;

    private static final Comparator<GroupVersionKind> ORDER = Comparator.comparing(GroupVersionKind::group)
            .thenComparing(GroupVersionKind::version)
            .thenComparing(GroupVersionKind::kind);

    private final KindSchemas schemas;

    public PolicyTypes(KindSchemas schemas) {
        this.schemas = schemas;
    }

    /** The warnings about a policy: {@code fieldRef} and {@code warning} each. */
    public ArrayNode warnings(ObjectNode policy) {
        JsonNode spec = policy.path("spec");
        List<Place> places = places(spec);
        List<StringBuilder> texts = new ArrayList<>();
        places.forEach(_ -> texts.add(new StringBuilder()));
        DeclaredType params = params(spec);
        for (GroupVersionKind kind : kinds(spec)) {
            ObjectNode schema = schemas.find(kind);
            DeclaredType object = schema == null ? null : DeclaredType.ofSchema(schema, false);
            if (object == null) {
                continue;
            }
            Checker checker = new Checker(spec, object.named(kind.kind()), params);
            for (int i = 0; i < places.size(); i++) {
                String problem = checker.problem(places.get(i).source);
                if (!problem.isEmpty()) {
                    texts.get(i).append(texts.get(i).isEmpty() ? "" : "\n").append(shown(kind) + ": " + problem + "\n");
                }
            }
        }
        ArrayNode warnings = Json.array();
        for (int i = 0; i < places.size(); i++) {
            if (!texts.get(i).isEmpty()) {
                warnings.addObject()
                        .put("fieldRef", places.get(i).field)
                        .put("warning", texts.get(i).toString());
            }
        }
        return warnings;
    }

    private record Place(String field, String source) {}

    /** Only what refuses and how it says so: upstream does not look at the rest. */
    private static List<Place> places(JsonNode spec) {
        List<Place> places = new ArrayList<>();
        ArrayNode validations = Json.listAt(spec, "validations");
        for (int i = 0; i < validations.size(); i++) {
            for (String field : List.of("expression", "messageExpression")) {
                String source = Json.textAt(validations.get(i), field);
                if (!source.isBlank()) {
                    places.add(new Place("spec.validations[" + i + "]." + field, source));
                }
            }
        }
        return places;
    }

    private static String shown(GroupVersionKind kind) {
        return kind.group() + "/" + kind.version() + ", Kind=" + kind.kind();
    }

    private @Nullable DeclaredType params(JsonNode spec) {
        JsonNode kind = Json.at(spec, "paramKind");
        if (kind == null) {
            return null;
        }
        String apiVersion = Json.textAt(kind, "apiVersion");
        int slash = apiVersion.indexOf('/');
        ObjectNode schema = schemas.find(new GroupVersionKind(
                slash < 0 ? "" : apiVersion.substring(0, slash),
                apiVersion.substring(slash + 1),
                Json.textAt(kind, "kind")));
        DeclaredType type = schema == null ? null : DeclaredType.ofSchema(schema, false);
        return type == null ? DeclaredType.of(CelType.DYN) : type.named(Json.textAt(kind, "kind"));
    }

    /** The kinds that rules name one by one; those of rules with wildcards could be any. */
    private List<GroupVersionKind> kinds(JsonNode spec) {
        Set<GroupVersionKind> kinds = new TreeSet<>(ORDER);
        for (JsonNode rule : Json.listAt(spec, "matchConstraints", "resourceRules")) {
            if (!addKinds(rule, kinds)) {
                break;
            }
        }
        return List.copyOf(kinds);
    }

    /** False once there are enough. */
    private boolean addKinds(JsonNode rule, Set<GroupVersionKind> kinds) {
        int count = 0;
        for (String group : named(rule, "apiGroups")) {
            for (String version : named(rule, "apiVersions")) {
                for (String resource : named(rule, "resources")) {
                    for (GroupVersionKind kind : schemas.kinds(group, version, resource)) {
                        kinds.add(kind);
                        if (++count == MOST_KINDS) {
                            return false;
                        }
                    }
                }
            }
        }
        return true;
    }

    /** The names in a list of a rule; none where it has a wildcard. Subresources have no schema to check against. */
    private static Set<String> named(JsonNode rule, String field) {
        Set<String> names = new TreeSet<>();
        for (JsonNode name : Json.listAt(rule, field)) {
            if (name.asText().equals("*")) {
                return Set.of();
            }
            if (!name.asText().contains("/")) {
                names.add(name.asText());
            }
        }
        return names;
    }

    /** Checks against one kind; the types of the policy's variables follow from it. */
    private static final class Checker {
        private final DeclaredType object;
        private final @Nullable DeclaredType params;
        private final AdmissionVocabulary vocabulary;

        Checker(JsonNode spec, DeclaredType object, @Nullable DeclaredType params) {
            this.object = object;
            this.params = params;
            ArrayNode variables = Json.listAt(spec, "variables");
            AdmissionVocabulary growing = new AdmissionVocabulary(params != null, true, false, false, Map.of())
                    .composed(!variables.isEmpty());
            for (JsonNode variable : variables) {
                CelCompilation compiled = growing.compile(Json.textAt(variable, "expression"), object, params);
                growing = growing.withVariable(
                        Json.textAt(variable, "name"),
                        switch (compiled) {
                            case CelCompilation.Compiled(CelProgram program) -> program.resultType();
                            case CelCompilation.Failed _ -> CelType.DYN;
                        });
            }
            this.vocabulary = growing;
        }

        String problem(String source) {
            return switch (vocabulary.compile(source, object, params)) {
                case CelCompilation.Compiled _ -> "";
                case CelCompilation.Failed failed -> failed.text();
            };
        }
    }
}
