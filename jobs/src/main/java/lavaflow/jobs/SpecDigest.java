package lavaflow.jobs;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Tells one spec of a Job from another. The hash of a tree does not: numbers that change by as much in other directions leave it as it was. */
final class SpecDigest {
    private SpecDigest() {}

    static String of(VolcanoJob job) {
        ObjectNode spec = Json.objectAt(job.object(), "spec");
        try {
            byte[] bytes = spec == null ? new byte[0] : Json.bytes(spec);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
