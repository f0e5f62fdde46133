package lavaflow.image;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Who may use an image that a registry gave.
 *
 * @param open the registry gives it to everybody
 * @param notes of credentials that opened it, the oldest first
 */
record ImageAccess(boolean open, List<AccessNote> notes) {
    /** Whoever is forgotten only has to ask the registry again. */
    static final int MOST_NOTES = 50;

    static final ImageAccess NOBODY = new ImageAccess(false, List.of());
    private static final ImageAccess EVERYBODY = new ImageAccess(true, List.of());

    boolean admits(List<Credential> credentials) {
        return open
                || credentials.stream()
                        .anyMatch(credential -> notes.stream().anyMatch(note -> note.admits(credential)));
    }

    /** The registry has given it to somebody; without a credential, to everybody. */
    ImageAccess openedBy(Optional<Credential> opener) {
        if (open || opener.isEmpty()) {
            return EVERYBODY;
        }
        Credential credential = opener.get();
        if (notes.stream().anyMatch(note -> note.source().equals(credential.source()) && note.isOf(credential))) {
            return this;
        }
        List<AccessNote> newest = new ArrayList<>(notes);
        newest.removeIf(note -> note.isFrom(credential.source()));
        newest.add(AccessNote.of(credential));
        return new ImageAccess(
                false, List.copyOf(newest.subList(Math.max(0, newest.size() - MOST_NOTES), newest.size())));
    }

    ObjectNode toJson() {
        ObjectNode node = Json.object().put("open", open);
        ArrayNode list = node.putArray("notes");
        notes.forEach(note -> list.add(note.toJson()));
        return node;
    }

    static ImageAccess parse(JsonNode node) {
        List<AccessNote> notes = new ArrayList<>();
        Json.listAt(node, "notes").forEach(note -> notes.add(AccessNote.parse(note)));
        return new ImageAccess(Json.flagAt(node, "open"), List.copyOf(notes));
    }
}
