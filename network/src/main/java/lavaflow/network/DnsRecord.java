package lavaflow.network;

/** What a name server tells of a name. Names are written in lower case without the last dot. */
sealed interface DnsRecord {
    int A = 1;
    int NS = 2;
    int CNAME = 5;
    int SOA = 6;
    int PTR = 12;
    int TXT = 16;
    int AAAA = 28;
    int SRV = 33;
    int OPT = 41;
    int ANY = 255;

    String name();

    int type();

    int ttl();

    /** An address; IPv6 ones come from upstream only. */
    record Address(String name, int ttl, String address, boolean six) implements DnsRecord {
        @Override
        public int type() {
            return six ? AAAA : A;
        }
    }

    /** A name that stands for another: an alias, the name of an address, a name server. */
    record Pointer(String name, int type, int ttl, String target) implements DnsRecord {}

    /** Where a port of a service is. */
    record Service(String name, int ttl, int weight, int port, String target) implements DnsRecord {
        @Override
        public int type() {
            return SRV;
        }
    }

    /** A text. */
    record Text(String name, int ttl, String text) implements DnsRecord {
        @Override
        public int type() {
            return TXT;
        }
    }

    /** The beginning of a zone; with a negative answer it says how long that holds. */
    record Authority(String name, int ttl, String server, String mailbox) implements DnsRecord {
        @Override
        public int type() {
            return SOA;
        }
    }
}
