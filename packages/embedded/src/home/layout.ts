import { isAbsolute, join, resolve } from 'node:path';

/** Where things are in a home. */
export interface HomeLayout {
  readonly home: string;
  /** What made this home and how it is to be started: see HomeRecord. */
  readonly record: string;
  readonly lock: string;
  /** What runs right now, for other processes that ask. */
  readonly running: string;
  readonly kubeconfig: string;
  readonly pki: string;
  readonly data: string;
  /** What the storage driver of a real node keeps. */
  readonly volumes: string;
  readonly logs: string;
}

export function homeLayout(home: string): HomeLayout {
  const root = isAbsolute(home) ? home : resolve(home);
  return {
    home: root,
    record: join(root, 'home.json'),
    lock: join(root, 'lock'),
    running: join(root, 'running.json'),
    kubeconfig: join(root, 'kubeconfig'),
    pki: join(root, 'pki'),
    data: join(root, 'etcd', 'data'),
    volumes: join(root, 'volumes'),
    logs: join(root, 'logs'),
  };
}

/** `$TERRAIN_HOME`, else `.terrain` in the working directory. */
export function defaultHome(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.TERRAIN_HOME || '.terrain');
}
