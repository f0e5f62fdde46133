package lavaflow.network;

import java.util.List;

/** What a name server says to a question. */
record DnsAnswer(
        int code,
        boolean authoritative,
        List<DnsRecord> answers,
        List<DnsRecord> authority,
        List<DnsRecord> additional) {
    static final int NO_ERROR = 0;
    static final int FORMAT_ERROR = 1;
    static final int SERVER_FAILURE = 2;
    static final int NO_SUCH_NAME = 3;
    static final int NOT_IMPLEMENTED = 4;
    static final int REFUSED = 5;
    static final int BAD_VERSION = 16;

    static DnsAnswer failure(int code) {
        return new DnsAnswer(code, false, List.of(), List.of(), List.of());
    }
}
