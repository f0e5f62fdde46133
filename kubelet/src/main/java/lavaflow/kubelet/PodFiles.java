package lavaflow.kubelet;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import lavaflow.network.PodHostname;
import lavaflow.network.PodHostsFile;
import lavaflow.network.PodResolvConf;
import lavaflow.network.ResolverFile;

/** The files a node gives to the containers of a pod: names, resolver, last words. */
final class PodFiles {
    private final NodeSettings settings;

    PodFiles(NodeSettings settings) {
        this.settings = settings;
    }

    PodHostname hostname(PodView pod) {
        return PodHostname.of(pod.object(), settings.clusterDomain());
    }

    Path hosts(PodView pod) {
        return settings.pod(pod.uid()).resolve("etc-hosts");
    }

    Path resolver(PodView pod) {
        return settings.pod(pod.uid()).resolve("resolv.conf");
    }

    Path hostnameFile(PodView pod) {
        return settings.pod(pod.uid()).resolve("hostname");
    }

    /**
     * Writes the files all containers of a pod share.
     *
     * @return what did not fit into them
     */
    List<String> write(PodView pod, List<InetAddress> addresses, List<String> nameServers) throws IOException {
        Files.createDirectories(settings.pod(pod.uid()));
        PodHostname hostname = hostname(pod);
        write(
                hosts(pod),
                pod.isHostNetwork()
                        ? PodHostsFile.ofHostNetwork(pod.object(), readOrEmpty(Path.of("/etc/hosts")))
                        : PodHostsFile.of(pod.object(), addresses, hostname));
        ResolverFile machine = ResolverFile.ofMachine();
        PodResolvConf resolver = PodResolvConf.of(
                pod.object(),
                nameServers,
                settings.clusterDomain(),
                pod.isHostNetwork() ? machine : machine.reachableThrough(nameServers));
        write(resolver(pod), resolver.text());
        if (!pod.isHostNetwork()) {
            write(hostnameFile(pod), hostname.kernelName() + "\n");
        }
        return resolver.warnings();
    }

    private static String readOrEmpty(Path file) throws IOException {
        return Files.isReadable(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
    }

    /** In place: containers have the file itself, not its name. */
    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** An empty file for the last words of a container. */
    Path lastWords(PodView pod, String container, String id) throws IOException {
        Path file = lastWords(pod.uid(), container, id);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        return file;
    }

    Path lastWords(String uid, String container, String id) {
        return settings.pod(uid).resolve("containers").resolve(container).resolve(id.substring(0, 8));
    }

    Path logDirectory(PodView pod) {
        return settings.logs(pod.namespace(), pod.name(), pod.uid());
    }

    Path log(PodView pod, String container, int attempt) {
        return logDirectory(pod).resolve(container).resolve(attempt + ".log");
    }
}
