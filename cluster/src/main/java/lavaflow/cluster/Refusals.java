package lavaflow.cluster;

import lavaflow.kube.ApiException;
import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;

/** What a refusal of the API means to a controller. */
final class Refusals {
    private Refusals() {}

    /** In a namespace that is going nothing can be made, and nothing needs to be. */
    static boolean isNamespaceTerminating(ApiException refusal) {
        for (JsonNode cause : Json.listAt(refusal.status(), "details", "causes")) {
            if (Json.textAt(cause, "reason").equals("NamespaceTerminating")) {
                return true;
            }
        }
        return false;
    }
}
