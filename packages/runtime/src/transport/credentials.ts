/** How to reach an API server and who we are there. Text, not paths: loaders read files, the transport never does. */
export interface Credentials {
  /** Base address, e.g. `https://127.0.0.1:6443`; a path prefix is kept. */
  readonly server: string;
  /** PEM of the authority that signed the server's certificate; absent means the system's authorities. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** A bearer token, or where to ask for one. A function is asked again after a 401 and when its answer is a minute old. */
  readonly token?: string | (() => Promise<string>);
  /** The name to look for in the server's certificate, where it differs from the address. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** An HTTP proxy to go through. */
  readonly proxyUrl?: string;
  readonly impersonate?: Impersonation;
}

/** Somebody else to act as; needs the right to impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
}
