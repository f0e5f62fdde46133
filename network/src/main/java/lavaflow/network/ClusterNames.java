package lavaflow.network;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import lavaflow.network.SliceView.Endpoint;

import org.jspecify.annotations.Nullable;

/**
 * The names of a cluster, by the specification of DNS-based service discovery 1.1.0. A function of what the cluster has;
 * who wants an address of something outside is told to ask others.
 */
final class ClusterNames {
    /** Short, because pods come and go; nobody on this machine minds asking again. */
    static final int TTL = 5;

    private static final String REVERSE = ".in-addr.arpa";
    private static final int MOST_ALIASES = 8;

    private final ClusterView view;
    private final String zone;
    private final String server;
    private final List<AddressRange> ours;

    /**
     * @param zone the cluster's domain
     * @param server the address of the name server itself
     * @param ours addresses nobody else knows a name of
     */
    ClusterNames(ClusterView view, String zone, String server, List<AddressRange> ours) {
        this.view = view;
        this.zone = zone;
        this.server = server;
        this.ours = ours;
    }

    /** What a name stands for: records of it, and the names behind an alias. */
    private record Found(List<DnsRecord> records, List<DnsRecord> additional) {
        static final Found EMPTY = new Found(List.of(), List.of());

        static Found of(List<DnsRecord> records) {
            return new Found(records, List.of());
        }
    }

    /** The answer, or nothing where others must be asked. An answer may end with an alias of something outside. */
    Optional<DnsAnswer> answer(String name, int type) {
        if (isIn(name)) {
            return Optional.of(chased(name, type));
        }
        if (name.endsWith(REVERSE)) {
            return reverse(name, type);
        }
        return Optional.empty();
    }

    boolean isIn(String name) {
        return name.equals(zone) || name.endsWith("." + zone);
    }

    /** Follows aliases within the cluster: clients take what they get. */
    private DnsAnswer chased(String name, int type) {
        List<DnsRecord> answers = new ArrayList<>();
        List<DnsRecord> additional = new ArrayList<>();
        String current = name;
        for (int i = 0; i < MOST_ALIASES && isIn(current); i++) {
            Found found = find(current, type);
            if (found == null && answers.isEmpty()) {
                return negative(DnsAnswer.NO_SUCH_NAME);
            }
            if (found == null) {
                break;
            }
            answers.addAll(found.records());
            additional.addAll(found.additional());
            if (type != DnsRecord.CNAME
                    && found.records().size() == 1
                    && found.records().getFirst() instanceof DnsRecord.Pointer alias
                    && alias.type() == DnsRecord.CNAME) {
                current = alias.target();
            } else {
                break;
            }
        }
        if (answers.isEmpty()) {
            return negative(DnsAnswer.NO_ERROR);
        }
        return new DnsAnswer(DnsAnswer.NO_ERROR, true, answers, List.of(), additional);
    }

    private DnsAnswer negative(int code) {
        return new DnsAnswer(code, true, List.of(), List.of(authority(zone)), List.of());
    }

    private DnsRecord authority(String name) {
        return new DnsRecord.Authority(name, TTL, "ns.dns." + zone, "hostmaster." + zone);
    }

    /** Null where there is no such name; empty where there is, without such records. */
    private @Nullable Found find(String name, int type) {
        if (name.equals(zone)) {
            return apex(type);
        }
        String inner = name.substring(0, name.length() - zone.length() - 1);
        List<String> labels = List.of(inner.split("\\.", -1));
        String kind = labels.getLast();
        return switch (kind) {
            case "dns-version" ->
                labels.size() > 1
                        ? null
                        : wants(type, DnsRecord.TXT)
                                ? Found.of(List.of(new DnsRecord.Text(name, TTL, "1.1.0")))
                                : Found.EMPTY;
            case "dns" ->
                inner.equals("ns.dns")
                        ? addresses(name, type, List.of(server))
                        : labels.size() == 1 ? Found.EMPTY : null;
            case "pod" -> pod(name, type, labels);
            case "svc" -> service(name, type, labels);
            default -> null;
        };
    }

    private static boolean wants(int type, int offered) {
        return type == offered || type == DnsRecord.ANY;
    }

    private Found apex(int type) {
        return switch (type) {
            case DnsRecord.SOA -> Found.of(List.of(authority(zone)));
            case DnsRecord.NS, DnsRecord.ANY ->
                new Found(
                        List.of(new DnsRecord.Pointer(zone, DnsRecord.NS, TTL, "ns.dns." + zone)),
                        List.of(new DnsRecord.Address("ns.dns." + zone, TTL, server, false)));
            default -> Found.EMPTY;
        };
    }

    private static Found addresses(String name, int type, List<String> addresses) {
        if (!wants(type, DnsRecord.A)) {
            return Found.EMPTY;
        }
        return Found.of(addresses.stream()
                .<DnsRecord>map(address -> new DnsRecord.Address(name, TTL, address, false))
                .toList());
    }

    /** The name of any address: {@code 10-244-0-7.default.pod}. */
    private static @Nullable Found pod(String name, int type, List<String> labels) {
        if (labels.size() < 3) {
            return Found.EMPTY;
        }
        String address = labels.getFirst().replace('-', '.');
        boolean one = labels.size() == 3 && labels.getFirst().indexOf('.') < 0 && ServiceView.isFour(address);
        return one ? addresses(name, type, List.of(address)) : null;
    }

    private @Nullable Found service(String name, int type, List<String> labels) {
        int count = labels.size();
        if (count == 1) {
            return Found.EMPTY;
        }
        String namespace = labels.get(count - 2);
        if (count == 2) {
            boolean any = view.services().stream()
                    .anyMatch(service -> service.namespace().equals(namespace));
            return any ? Found.EMPTY : null;
        }
        ServiceView service = view.find(namespace, labels.get(count - 3));
        if (service == null) {
            return null;
        }
        List<String> rest = labels.subList(0, count - 3);
        if (!service.externalName().isEmpty()) {
            return rest.isEmpty() ? alias(name, service) : null;
        }
        ServiceNames names = new ServiceNames(service, view.slices(service.key()), zone);
        return switch (rest.size()) {
            case 0 -> records(name, type, names.targets(_ -> true));
            case 1 ->
                rest.getFirst().startsWith("_")
                        ? names.hasProtocol(rest.getFirst()) ? Found.EMPTY : null
                        : records(name, type, names.host(rest.getFirst()));
            case 2 -> records(name, type, names.port(rest.get(0), rest.get(1)));
            default -> null;
        };
    }

    private static Found alias(String name, ServiceView service) {
        String target = service.externalName().toLowerCase(Locale.ROOT);
        String trimmed = target.endsWith(".") ? target.substring(0, target.length() - 1) : target;
        if (ServiceView.isFour(trimmed)) {
            return Found.of(List.of(new DnsRecord.Address(name, TTL, trimmed, false)));
        }
        return Found.of(List.of(new DnsRecord.Pointer(name, DnsRecord.CNAME, TTL, trimmed)));
    }

    private static @Nullable Found records(String name, int type, List<ServiceNames.Target> targets) {
        if (targets.isEmpty()) {
            return null;
        }
        if (type != DnsRecord.SRV) {
            Set<String> addresses = new LinkedHashSet<>();
            targets.forEach(target -> addresses.add(target.address()));
            return addresses(name, type, List.copyOf(addresses));
        }
        List<DnsRecord> records = new ArrayList<>();
        Set<DnsRecord> additional = new LinkedHashSet<>();
        List<ServiceNames.Target> ports =
                targets.stream().filter(target -> target.port() > 0).toList();
        for (ServiceNames.Target target : ports) {
            records.add(
                    new DnsRecord.Service(name, TTL, Math.max(1, 100 / ports.size()), target.port(), target.name()));
            additional.add(new DnsRecord.Address(target.name(), TTL, target.address(), false));
        }
        return new Found(records, List.copyOf(additional));
    }

    /** The name of an address, where it is one of a service or of a pod behind a headless one. */
    private Optional<DnsAnswer> reverse(String name, int type) {
        String[] parts = name.substring(0, name.length() - REVERSE.length()).split("\\.", -1);
        // Anybody may ask for anything: zeros without end are no address either.
        if (parts.length != 4 || !Stream.of(parts).allMatch(part -> part.matches("0|[1-9][0-9]{0,2}"))) {
            return Optional.empty();
        }
        String address = parts[3] + "." + parts[2] + "." + parts[1] + "." + parts[0];
        if (!ServiceView.isFour(address)) {
            return Optional.empty();
        }
        Set<String> names = new LinkedHashSet<>();
        view.servicesAt(address)
                .forEach(service -> names.add(service.name() + "." + service.namespace() + ".svc." + zone));
        for (SliceView slice : view.slicesAt(address)) {
            ServiceView service = view.find(slice.service());
            if (service != null && service.headless()) {
                for (Endpoint endpoint : slice.endpoints()) {
                    if (endpoint.address().equals(address)) {
                        names.add(ServiceNames.hostname(endpoint) + "." + service.name() + "." + service.namespace()
                                + ".svc." + zone);
                    }
                }
            }
        }
        if (names.isEmpty()) {
            int number = AddressRange.number(InetAddress.ofLiteral(address).getAddress());
            boolean nobodyElses = ours.stream().anyMatch(range -> range.contains(number));
            return nobodyElses
                    ? Optional.of(new DnsAnswer(
                            DnsAnswer.NO_SUCH_NAME, true, List.of(), List.of(authority("in-addr.arpa")), List.of()))
                    : Optional.empty();
        }
        List<DnsRecord> records = new ArrayList<>();
        if (wants(type, DnsRecord.PTR)) {
            names.forEach(each -> records.add(new DnsRecord.Pointer(name, DnsRecord.PTR, TTL, each)));
        }
        List<DnsRecord> authority = records.isEmpty() ? List.of(authority("in-addr.arpa")) : List.of();
        return Optional.of(new DnsAnswer(DnsAnswer.NO_ERROR, true, records, authority, List.of()));
    }
}
