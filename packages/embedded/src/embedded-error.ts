/** Everything that can go wrong here and that a person can do something about; each message is one sentence that says what. */
const embeddedErrors = {
  GoMissing: 'no Go toolchain is on the PATH, and the binaries are not in the cache',
  GoTooOld: 'the Go toolchain is older than the sources need',
  BuildFailed: 'the compiler or the linker refused, or modules could not be downloaded after many tries',
  BuildInterrupted: 'somebody stopped a build before its end',
  ProxyUnreachable: 'the proxy that the environment names does not answer',
  NoDiskSpace: 'less disk space is free than a build needs',
  BinaryMissing: 'a directory of ready-made programs lacks a file or has one that cannot be used',
  UpstreamChanged: 'a file of an upstream project does not have the form that is expected at the pinned version',
  DirectoryImpossible: 'a directory for a home, a cache or programs cannot be made',
  PortTaken: 'another program listens on the port of this cluster',
  PortUnusable: 'what was given as a port is none',
  ComponentFailed: 'a process of the control plane ended when it should not have',
  NotReady: 'a process runs but did not become ready in time',
  HomeInUse: 'another process runs a cluster in this home',
  HomeTooNew: 'the home was written by a newer version',
  HomeTooOld: 'the home was written by a version from which there is no upgrade',
  HomeDamaged: 'a file of the home cannot be read',
  HomeMixed: 'the home was used with simulated parts and is asked for real ones, or the other way round',
  NodeInUse: 'another process runs a real node on this machine',
  NodeImpossible: 'this machine lacks something that a real node needs',
  DataDamaged: 'etcd refuses its own data',
} as const;

export type EmbeddedErrorCode = keyof typeof embeddedErrors;

/** A refusal with a stable code for programs and a sentence for people. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
  readonly code: EmbeddedErrorCode;

  constructor(code: EmbeddedErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
  }
}

export function isEmbeddedError(error: unknown, code: EmbeddedErrorCode): error is EmbeddedError {
  return error instanceof EmbeddedError && error.code === code;
}
