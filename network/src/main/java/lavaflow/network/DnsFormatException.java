package lavaflow.network;

/** Bytes that are no message of DNS. */
final class DnsFormatException extends Exception {
    DnsFormatException(String message) {
        super(message);
    }
}
