/**
 * Suites that judge the whole server from outside: the contract with the real kube-apiserver, and the clients people
 * use.
 *
 * <p>Nothing in here knows the inside of Lavaflow: a server is an address and a client certificate. Entry:
 * {@link lavaflow.e2e.ContractTest}. Each case is run by one thread per server.
 */
package lavaflow.e2e;
