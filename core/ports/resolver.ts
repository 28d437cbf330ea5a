/**
 * What is asked of the DNS. A name without such records gives an empty list; when the DNS does not answer, the
 * failure is thrown (as an Error with a `code` such as `ESERVFAIL` or `ETIMEOUT`), never told as an empty list.
 */
export interface Resolver {
  /** The hosts that take mail for the domain, most preferred first; none where it says that it takes none (RFC 7505). */
  resolveMx(domain: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Where a service such as `_imaps._tcp.example.org` is offered, in the order of RFC 2782 (equals by falling
   * weight); none where it says that it is not offered.
   */
  resolveSrv(name: string, signal: AbortSignal): Promise<readonly ServiceHost[]>;
  /** IPv4 addresses, then IPv6. */
  resolveAddresses(host: string, signal: AbortSignal): Promise<readonly string[]>;
}

export interface ServiceHost {
  readonly host: string;
  readonly port: number;
}
