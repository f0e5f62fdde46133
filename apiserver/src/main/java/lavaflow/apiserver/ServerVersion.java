package lavaflow.apiserver;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The Kubernetes version this server speaks, and its own as build metadata. */
public record ServerVersion(String minor, String gitVersion) {
    public static ServerVersion of(String lavaflowVersion) {
        return new ServerVersion("36", "v1.36.3+lavaflow." + lavaflowVersion);
    }

    ObjectNode document() {
        ObjectNode version = Json.object();
        version.put("major", "1").put("minor", minor);
        version.put("emulationMajor", "1").put("emulationMinor", minor);
        version.put("minCompatibilityMajor", "1").put("minCompatibilityMinor", "35");
        version.put("gitVersion", gitVersion);
        version.put("gitCommit", "").put("gitTreeState", "clean").put("buildDate", "");
        version.put("goVersion", "none: java " + Runtime.version().feature());
        version.put("compiler", "javac").put("platform", "linux/" + architecture());
        return version;
    }

    private static String architecture() {
        String name = System.getProperty("os.arch", "amd64");
        return name.equals("aarch64") ? "arm64" : name;
    }
}
