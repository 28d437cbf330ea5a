/**
 * DNS queries. A name without records gives an empty list. A failed query throws an Error with a `code` such as
 * `ESERVFAIL` or `ETIMEOUT`; it is never reported as an empty list.
 */
export interface Resolver {
  /** The hosts that accept mail for the domain, most preferred first; none if the domain accepts no mail (RFC 7505). */
  resolveMx(domain: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * The hosts that offer a service such as `_imaps._tcp.example.org`, in the order of RFC 2782 (equal priorities by
   * falling weight); none if the domain does not offer it.
   */
  resolveSrv(name: string, signal: AbortSignal): Promise<readonly ServiceHost[]>;
  /** IPv4 addresses, then IPv6. */
  resolveAddresses(host: string, signal: AbortSignal): Promise<readonly string[]>;
}

export interface ServiceHost {
  readonly host: string;
  readonly port: number;
}
