package lavaflow.kube;

/** Resolves struct names; built-in kinds and custom resources each bring their own. */
public interface Types {
    /** The struct of that name. */
    Struct struct(String name);
}
