package lavaflow.network;

import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import lavaflow.kube.Json;
import lavaflow.network.PodNetwork.HostPort;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What each pod was given, in a file of its own. A record is written when all is done: what has none is to be cleared. */
final class PodRecords {
    /** What a pod was given. */
    record PodRecord(int address, List<HostPort> hostPorts) {}

    private final Path directory;

    PodRecords(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
    }

    /** All of them, without those that cannot be read. */
    Map<String, PodRecord> load() throws IOException {
        Map<String, PodRecord> records = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                try {
                    records.put(name, read(Json.parseUntrusted(Files.readAllBytes(file))));
                } catch (JsonProcessingException | IllegalArgumentException e) {
                    Files.delete(file);
                }
            }
        }
        return records;
    }

    private static PodRecord read(JsonNode json) {
        List<HostPort> ports = new ArrayList<>();
        for (JsonNode port : Json.listAt(json, "hostPorts")) {
            ports.add(new HostPort(
                    Json.textAt(port, "protocol"),
                    Json.textAt(port, "hostAddress"),
                    (int) Json.longAt(port, 0, "hostPort"),
                    (int) Json.longAt(port, 0, "podPort")));
        }
        return new PodRecord(address(Json.textAt(json, "address")), List.copyOf(ports));
    }

    private static int address(String text) {
        return AddressRange.number(Inet4Address.ofLiteral(text).getAddress());
    }

    void write(String uid, PodRecord pod) throws IOException {
        ObjectNode json = Json.object().put("address", AddressRange.text(pod.address()));
        for (HostPort port : pod.hostPorts()) {
            json.withArray("hostPorts")
                    .addObject()
                    .put("protocol", port.protocol())
                    .put("hostAddress", port.hostAddress())
                    .put("hostPort", port.hostPort())
                    .put("podPort", port.podPort());
        }
        Path written = directory.resolveSibling(uid + ".new");
        Files.write(written, Json.bytes(json));
        Files.move(written, directory.resolve(uid), StandardCopyOption.ATOMIC_MOVE);
    }

    void delete(String uid) throws IOException {
        Files.deleteIfExists(directory.resolve(uid));
    }
}
