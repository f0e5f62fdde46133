package lavaflow.schema;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import lavaflow.cel.DeclaredType;

import org.jspecify.annotations.Nullable;

/**
 * The part of a schema that has rules, with their programs. Compiled when the first object is judged.
 *
 * @param schema what the rules belong to
 */
record RuleNode(
        StructuralSchema schema,
        List<CompiledRule> rules,
        Map<String, RuleNode> properties,
        @Nullable RuleNode items,
        @Nullable RuleNode additional) {
    /** The rules of a schema, or null where it has none. */
    static @Nullable RuleNode of(@Nullable StructuralSchema schema, boolean root) {
        if (schema == null || !schema.hasRules()) {
            return null;
        }
        Map<String, RuleNode> properties = new TreeMap<>();
        for (int i = 0; i < schema.size(); i++) {
            RuleNode property = of(schema.property(i), false);
            if (property != null) {
                properties.put(schema.name(i), property);
            }
        }
        return new RuleNode(
                schema, rules(schema, root), properties, of(schema.items(), false), of(schema.additional(), false));
    }

    private static List<CompiledRule> rules(StructuralSchema schema, boolean root) {
        if (schema.source() == null) {
            return List.of();
        }
        DeclaredType type = DeclaredType.ofSchema(schema.source(), root || schema.isEmbedded());
        return type == null ? List.of() : CompiledRule.compile(schema, type);
    }
}
