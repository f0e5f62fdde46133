package lavaflow.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import lavaflow.gang.Inquiry;
import lavaflow.gang.Inquiry.Allowed;
import lavaflow.gang.Inquiry.Fitting;
import lavaflow.gang.Inquiry.Kind;

import org.jspecify.annotations.Nullable;

/**
 * Puts pods together of which there is the same to say. The scheduler tells pods apart by their labels, in which those of training jobs have their numbers;
 * whoever asks why they wait wants to read it once.
 */
final class Alike {
    private static final int EXAMPLES = 3;

    private Alike() {}

    /** What pods are like for who reads of them. */
    private record Sort(String role, Map<String, Long> request) {
        static Sort of(Kind kind) {
            return new Sort(kind.role(), kind.request());
        }
    }

    private record Refused(Sort sort, List<Inquiry.Refusing> refusing, String hopeless) {}

    private record Limited(Sort sort, String resource, Inquiry.@Nullable Limit limit) {}

    /** Kinds whose pods are refused for the same become one, and those of their sort that fit are counted with them. */
    static List<Fitting> fittings(List<Fitting> kinds) {
        Map<Refused, Fitting> joined = new LinkedHashMap<>();
        for (Fitting each : kinds) {
            joined.merge(new Refused(Sort.of(each.kind()), each.refusing(), each.hopeless()), each, Alike::joined);
        }
        Map<Sort, Refused> lacking = new LinkedHashMap<>();
        joined.forEach((key, each) -> {
            if (each.fitting() < each.kind().pods()) {
                lacking.putIfAbsent(key.sort, key);
            }
        });
        Map<Refused, Fitting> all = new LinkedHashMap<>();
        joined.forEach((key, each) -> {
            Refused with = each.fitting() < each.kind().pods() ? key : lacking.getOrDefault(key.sort, key);
            all.merge(with, each, Alike::joined);
        });
        return List.copyOf(all.values());
    }

    private static Fitting joined(Fitting one, Fitting other) {
        Map<String, Long> missing = new TreeMap<>(one.missing());
        other.missing().forEach((name, amount) -> missing.merge(name, amount, Long::sum));
        return new Fitting(
                joined(one.kind(), other.kind()),
                one.fitting() + other.fitting(),
                one.refusing().isEmpty() ? other.refusing() : one.refusing(),
                missing,
                one.hopeless().isEmpty() ? other.hopeless() : one.hopeless());
    }

    private static Kind joined(Kind one, Kind other) {
        List<String> names = new ArrayList<>(one.names());
        names.addAll(other.names());
        return new Kind(
                one.role(),
                List.copyOf(names.subList(0, Math.min(EXAMPLES, names.size()))),
                one.pods() + other.pods(),
                one.request());
    }

    /** Kinds that the same limit keeps from having more become one, and those of their sort that may have it are counted with them. */
    static List<Allowed> allowed(List<Allowed> kinds) {
        Map<Sort, Limited> lacking = new LinkedHashMap<>();
        for (Allowed each : kinds) {
            if (!each.resource().isEmpty()) {
                Sort sort = Sort.of(each.kind());
                lacking.putIfAbsent(sort, new Limited(sort, each.resource(), each.limit()));
            }
        }
        Map<Limited, Allowed> all = new LinkedHashMap<>();
        for (Allowed each : kinds) {
            Sort sort = Sort.of(each.kind());
            Limited own = new Limited(sort, each.resource(), each.limit());
            boolean free =
                    each.resource().isEmpty() && each.allowed() == each.kind().pods();
            all.merge(free ? Objects.requireNonNullElse(lacking.get(sort), own) : own, each, Alike::joined);
        }
        return List.copyOf(all.values());
    }

    private static Allowed joined(Allowed one, Allowed other) {
        boolean known = !one.resource().isEmpty();
        return new Allowed(
                joined(one.kind(), other.kind()),
                one.allowed() + other.allowed(),
                known ? one.resource() : other.resource(),
                known ? one.limit() : other.limit());
    }

    /** Pods that no node helps, whatever they ask for: one finding for each reason. */
    static List<Finding> hopeless(List<Fitting> kinds) {
        Map<String, Finding.Hopeless> byReason = new LinkedHashMap<>();
        for (Fitting each : kinds) {
            if (!each.hopeless().isEmpty()) {
                Kind kind = each.kind();
                byReason.merge(
                        each.hopeless(),
                        new Finding.Hopeless(kind.role(), kind.pods() - each.fitting(), kind.names(), each.hopeless()),
                        Alike::joined);
            }
        }
        return List.copyOf(byReason.values());
    }

    private static Finding.Hopeless joined(Finding.Hopeless one, Finding.Hopeless other) {
        List<String> names = new ArrayList<>(one.examples());
        names.addAll(other.examples());
        return new Finding.Hopeless(
                one.role().equals(other.role()) ? one.role() : "",
                one.pods() + other.pods(),
                List.copyOf(names.subList(0, Math.min(EXAMPLES, names.size()))),
                one.said());
    }
}
