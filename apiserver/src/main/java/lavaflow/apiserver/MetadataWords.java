package lavaflow.apiserver;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/** What {@code kubectl explain} says of the fields every object has, in words of our own; upstream's prose is upstream's. */
final class MetadataWords {
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("annotations", "Notes of any kind for people and programs; nothing is selected by them."),
            Map.entry(
                    "creationTimestamp",
                    "CreationTimestamp is a timestamp that the server sets once, when it first stores the object."),
            Map.entry(
                    "deletionGracePeriodSeconds",
                    "Seconds the object was given to end in an orderly way; set together with deletionTimestamp."),
            Map.entry(
                    "deletionTimestamp",
                    "When the object will be gone. Set by the server on request; the object stays until its finalizers are removed."),
            Map.entry(
                    "finalizers", "Who has to finish something before the object may go; the last one out lets it go."),
            Map.entry(
                    "generateName",
                    "Beginning of a name the server completes with random letters where no name is given."),
            Map.entry(
                    "generation",
                    "Counts changes of what is wanted of the object; changes of its status do not count."),
            Map.entry("labels", "Keys and values by which objects are selected."),
            Map.entry(
                    "managedFields",
                    "Which client set which field, and when; kept by the server for server-side apply."),
            Map.entry("name", "What the object is called: unique for its kind and namespace, and never changed."),
            Map.entry("namespace", "The space in which the name is unique; empty for kinds without namespaces."),
            Map.entry("ownerReferences", "Objects this one depends on: when all of them are gone, so is this one."),
            Map.entry("resourceVersion", "Changes with every write; a write that names an older one is refused."),
            Map.entry("selfLink", "Unused."),
            Map.entry("uid", "Tells apart objects of the same name that existed one after the other."));

    private MetadataWords() {}

    /** The description of a field of ObjectMeta, or null. */
    static @Nullable String of(String field) {
        return WORDS.get(field);
    }
}
