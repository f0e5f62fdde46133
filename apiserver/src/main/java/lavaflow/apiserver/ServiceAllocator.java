package lavaflow.apiserver;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

import lavaflow.kinds.ServiceAddresses;
import lavaflow.kube.FieldErrors;
import lavaflow.store.Store;
import lavaflow.store.StoredObject;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Gives services their cluster addresses and node ports. What is taken follows from the stored services: the pools are
 * filled from them at start, so that nothing leaks across a crash.
 */
final class ServiceAllocator {
    /** 10.96.0.0/16, upstream's usual range. */
    private static final int RANGE_BASE = 10 << 24 | 96 << 16;

    private static final int RANGE_SIZE = 1 << 16;
    /** Upstream keeps the lowest addresses for those who ask for a certain one. */
    private static final int DYNAMIC_FROM = 256;

    private static final int FIRST_PORT = 30_000;
    private static final int PORTS = 2_768;
    private static final int DYNAMIC_PORTS_FROM = 86;
    private static final String IPV4 = "IPv4";

    private final AddressPool addresses;
    private final AddressPool ports;

    ServiceAllocator(Store store, RandomGenerator random) {
        addresses = new AddressPool(RANGE_SIZE, random);
        ports = new AddressPool(PORTS, random);
        // The network and broadcast addresses are nobody's.
        addresses.take(0);
        addresses.take(RANGE_SIZE - 1);
        for (StoredObject stored : store.snapshot().scan("services", "", null)) {
            ServiceAddresses.Plan held = ServiceAddresses.release(StoredForm.decode(stored));
            for (String ip : held.releasedIps()) {
                int index = index(ip);
                if (index >= 0) {
                    addresses.take(index);
                }
            }
            for (long port : held.releasedPorts()) {
                if (inRange(port)) {
                    ports.take((int) port - FIRST_PORT);
                }
            }
        }
    }

    private static boolean inRange(long port) {
        return port >= FIRST_PORT && port < FIRST_PORT + PORTS;
    }

    /** Completes a service; on refusal nothing stays taken. */
    WriteHooks.Reservation allocate(Call call, ObjectNode service, @Nullable ObjectNode old) {
        FieldErrors errors = new FieldErrors();
        ServiceAddresses.Plan plan = ServiceAddresses.plan(old, service, List.of(IPV4), errors);
        Taken taken = new Taken(plan);
        for (ServiceAddresses.Claim claim : plan.claims()) {
            String problem = meet(service, claim, taken);
            if (problem != null) {
                ServiceAddresses.refuse(service, claim, problem, errors);
                break;
            }
        }
        if (!errors.isEmpty()) {
            taken.finish(false);
            throw call.resource().invalid(Metadata.name(service), errors);
        }
        return taken;
    }

    void release(ObjectNode service) {
        new Taken(ServiceAddresses.release(service)).finish(true);
    }

    /** Meets a claim, or says why it cannot be met. */
    private @Nullable String meet(ObjectNode service, ServiceAddresses.Claim claim, Taken taken) {
        return switch (claim) {
            case ServiceAddresses.Claim.ClusterIp ip -> {
                String problem = takeAddress(ip, taken);
                if (problem == null) {
                    ServiceAddresses.assign(service, ip, text(taken.addresses.getLast()));
                }
                yield problem;
            }
            case ServiceAddresses.Claim.NodePort port -> {
                String problem = takePort(port.wanted(), taken);
                if (problem == null) {
                    ServiceAddresses.assign(service, port, FIRST_PORT + taken.ports.getLast());
                }
                yield problem;
            }
            case ServiceAddresses.Claim.HealthCheckPort port -> {
                String problem = takePort(port.wanted(), taken);
                if (problem == null) {
                    ServiceAddresses.assign(service, port, FIRST_PORT + taken.ports.getLast());
                }
                yield problem;
            }
        };
    }

    private @Nullable String takeAddress(ServiceAddresses.Claim.ClusterIp claim, Taken taken) {
        String wanted = claim.wanted();
        if (wanted == null) {
            int any = addresses.takeAny(DYNAMIC_FROM);
            if (any < 0) {
                return "range is full";
            }
            taken.addresses.add(any);
            return null;
        }
        int index = index(wanted);
        if (index <= 0 || index == RANGE_SIZE - 1) {
            return "the provided network does not match the current range";
        }
        if (!addresses.take(index)) {
            return "provided IP is already allocated";
        }
        taken.addresses.add(index);
        return null;
    }

    private @Nullable String takePort(long wanted, Taken taken) {
        if (wanted == 0) {
            int any = ports.takeAny(DYNAMIC_PORTS_FROM);
            if (any < 0) {
                return "range is full";
            }
            taken.ports.add(any);
            return null;
        }
        if (!inRange(wanted)) {
            return "provided port is not in the valid range. The range of valid ports is " + FIRST_PORT + "-"
                    + (FIRST_PORT + PORTS - 1);
        }
        int index = (int) wanted - FIRST_PORT;
        if (!ports.take(index)) {
            return "provided port is already allocated";
        }
        taken.ports.add(index);
        return null;
    }

    private static String text(int index) {
        int address = RANGE_BASE + index;
        return (address >>> 24) + "." + (address >> 16 & 255) + "." + (address >> 8 & 255) + "." + (address & 255);
    }

    /** The place of an address in the range, or -1. */
    private static int index(String ip) {
        if (!ip.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'))) {
            return -1;
        }
        try {
            if (!(InetAddress.getByName(ip) instanceof Inet4Address parsed)) {
                return -1;
            }
            int value = 0;
            for (byte part : parsed.getAddress()) {
                value = value << 8 | (part & 255);
            }
            int index = value - RANGE_BASE;
            return index >= 0 && index < RANGE_SIZE ? index : -1;
        } catch (UnknownHostException e) {
            return -1;
        }
    }

    /** What one write took and what it gives up, settled when the write is. */
    private final class Taken implements WriteHooks.Reservation {
        private final List<Integer> addresses = new ArrayList<>();
        private final List<Integer> ports = new ArrayList<>();
        private final ServiceAddresses.Plan plan;

        Taken(ServiceAddresses.Plan plan) {
            this.plan = plan;
        }

        @Override
        public void finish(boolean committed) {
            if (!committed) {
                addresses.forEach(ServiceAllocator.this.addresses::release);
                ports.forEach(ServiceAllocator.this.ports::release);
                return;
            }
            for (String ip : plan.releasedIps()) {
                int index = index(ip);
                if (index >= 0) {
                    ServiceAllocator.this.addresses.release(index);
                }
            }
            for (long port : plan.releasedPorts()) {
                if (inRange(port)) {
                    ServiceAllocator.this.ports.release((int) port - FIRST_PORT);
                }
            }
        }
    }
}
