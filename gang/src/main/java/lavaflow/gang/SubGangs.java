package lavaflow.gang;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

import lavaflow.kube.Json;
import lavaflow.kube.LabelSelector;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** How a gang falls into parts, and where these may be in the network. */
public final class SubGangs {
    private final SubGang whole;
    private final Map<String, SubGang> parts = new LinkedHashMap<>();
    private final Map<Member, SubGang> places = new HashMap<>();
    /** How many parts of each policy there must be, by its name. */
    private final Map<String, Integer> least = new LinkedHashMap<>();

    private SubGangs(SubGang whole) {
        this.whole = whole;
    }

    /** Whether a gang cares about the network, or falls into parts. */
    public static boolean matterTo(Gang gang) {
        return gang.spec.topology() != null || !gang.spec.subGroups().isEmpty();
    }

    static SubGangs of(Gang gang) {
        JsonNode topology = gang.spec.topology();
        SubGangs all = new SubGangs(new SubGang(gang, gang.spec.key(), "", gang.spec.minMember(), topology, null, -1));
        List<JsonNode> policies = gang.spec.subGroups();
        for (JsonNode policy : policies) {
            all.least.put(Json.textAt(policy, "name"), (int) Json.longAt(policy, 0, "minSubGroups"));
        }
        for (Member member : gang.members()) {
            all.whole.members.add(member);
            SubGang part = all.part(member, policies);
            part.members.add(member);
            all.places.put(member, part);
        }
        return all;
    }

    private SubGang part(Member member, List<JsonNode> policies) {
        Gang gang = whole.gang();
        for (JsonNode policy : policies) {
            List<String> values = values(member, policy);
            if (values != null) {
                String name = Json.textAt(policy, "name");
                String id = gang.spec.key() + "/" + name + "-" + String.join("-", values);
                return parts.computeIfAbsent(
                        id,
                        _ -> new SubGang(
                                gang,
                                id,
                                name,
                                (int) Json.longAt(policy, 1, "subGroupSize"),
                                Json.at(policy, "networkTopology"),
                                gang.spec.topology(),
                                number(values.getFirst())));
            }
        }
        int minAvailable = policies.isEmpty() ? gang.spec.minMember() : 1;
        return parts.computeIfAbsent(
                gang.spec.key(), id -> new SubGang(gang, id, "", minAvailable, gang.spec.topology(), null, -1));
    }

    /** What a pod says for the labels a policy tells parts by; null if the policy is not about it. */
    private static @Nullable List<String> values(Member member, JsonNode policy) {
        JsonNode selector = Json.at(policy, "labelSelector");
        if (selector != null && !LabelSelector.fromJson(selector).matches(member.type.labels)) {
            return null;
        }
        List<String> values = new ArrayList<>();
        for (JsonNode key : Json.listAt(policy, "matchLabelKeys")) {
            String value = Json.textAt(member.type.labels, key.asText());
            if (value.isEmpty()) {
                return null;
            }
            values.add(value);
        }
        return values.isEmpty() ? null : values;
    }

    private static int number(String value) {
        boolean digits =
                !value.isEmpty() && value.length() < 10 && value.chars().allMatch(Character::isDigit);
        return digits ? Integer.parseInt(value) : -1;
    }

    /** All of the gang. */
    public SubGang whole() {
        return whole;
    }

    public Collection<SubGang> parts() {
        return List.copyOf(parts.values());
    }

    /** The part a pod belongs to. */
    public @Nullable SubGang of(Member member) {
        return places.get(member);
    }

    /** In the order in which parts are placed: first those that there must be. */
    List<SubGang> inOrder() {
        List<SubGang> all = new ArrayList<>(needed());
        all.addAll(others());
        return all;
    }

    /** Those that there must be, in the order in which they are placed. */
    List<SubGang> needed() {
        return inOrder(true);
    }

    /** Those there may be beyond that, in their order. */
    List<SubGang> others() {
        return inOrder(false);
    }

    private List<SubGang> inOrder(boolean needed) {
        List<SubGang> sorted = new ArrayList<>(parts.values());
        sorted.sort(Comparator.comparing(SubGang::isReady)
                .thenComparingInt(part -> part.index() < 0 ? Integer.MAX_VALUE : part.index())
                .thenComparing(SubGang::id));
        Map<String, Integer> taken = new LinkedHashMap<>();
        sorted.removeIf(part ->
                (taken.merge(part.policy(), 1, Integer::sum) <= least.getOrDefault(part.policy(), 0)) != needed);
        return sorted;
    }

    /** Whether there are enough parts of each policy. */
    public boolean areValid() {
        return enough(part -> true);
    }

    /** Whether enough parts of each policy have all they must have. */
    public boolean areReady() {
        return enough(SubGang::isReady);
    }

    public boolean arePipelined() {
        return enough(SubGang::isPipelined);
    }

    /** Whether enough parts of each policy have all they must have, as pods are counted. */
    boolean have(ToIntFunction<Gang.Tally> count) {
        return enough(part -> count.applyAsInt(part.tally()) >= part.minAvailable());
    }

    private boolean enough(Predicate<SubGang> counts) {
        return least.entrySet().stream()
                .allMatch(each -> parts.values().stream()
                                .filter(part -> part.policy().equals(each.getKey()) && counts.test(part))
                                .count()
                        >= each.getValue());
    }
}
