package lavaflow.network;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import lavaflow.kube.Json;

import com.fasterxml.jackson.databind.JsonNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets packets of pods through a firewall of iptables that drops what it does not know, as Docker and ufw set one up:
 * what another table drops no rule of ours can save.
 */
final class FirewallOpening {
    private static final Logger LOG = LoggerFactory.getLogger(FirewallOpening.class);

    private final String bridge;

    FirewallOpening(String bridge) {
        this.bridge = bridge;
    }

    /** Rules that a firewall needs to let pods through; nothing where there is none. */
    void make() throws IOException {
        for (String chain : closed()) {
            boolean added = false;
            for (List<String> rule : rules(chain)) {
                if (!succeeds(command("-C", rule))) {
                    RuleTable.run(command("-I", rule), "");
                    added = true;
                }
            }
            if (added) {
                LOG.info("pods pass the firewall's chain {} by rules with the comment {}", chain, bridge);
            }
        }
    }

    void close() throws IOException {
        for (String chain : closed()) {
            for (List<String> rule : rules(chain)) {
                while (succeeds(command("-D", rule))) {
                    // There may be several.
                }
            }
        }
    }

    /** The chains whose policy is to drop. */
    private static List<String> closed() throws IOException {
        List<String> chains = new ArrayList<>();
        String listed = RuleTable.run(List.of("nft", "-j", "list", "chains", "ip"), "");
        for (JsonNode each : Json.listAt(Json.parse(listed), "nftables")) {
            JsonNode chain = Json.at(each, "chain");
            String name = Json.textAt(chain, "name");
            if (Json.textAt(chain, "table").equals("filter")
                    && Json.textAt(chain, "policy").equals("drop")
                    && (name.equals("FORWARD") || name.equals("INPUT"))) {
                chains.add(name);
            }
        }
        return chains;
    }

    private List<List<String>> rules(String chain) {
        List<String> from = List.of(chain, "-i", bridge, "-m", "comment", "--comment", bridge, "-j", "ACCEPT");
        List<String> to = List.of(chain, "-o", bridge, "-m", "comment", "--comment", bridge, "-j", "ACCEPT");
        return chain.equals("INPUT") ? List.of(from) : List.of(from, to);
    }

    private static List<String> command(String action, List<String> rule) {
        List<String> command = new ArrayList<>(List.of("iptables", "-w", action));
        command.addAll(rule);
        return command;
    }

    private static boolean succeeds(List<String> command) {
        try {
            RuleTable.run(command, "");
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
