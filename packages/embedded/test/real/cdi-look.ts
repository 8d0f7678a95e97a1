import { shellImage } from '#real/oci/standard-images.ts';
import { type CdiStand, types } from './cdi-stand.ts';

/** The hash of the first bytes of the disk in a claim, as a pod sees them; and whether anything follows them. */
export async function diskIn(
  stand: CdiStand,
  namespace: string,
  claim: string,
  bytes: number,
): Promise<{ readonly sha256: string; readonly hasMore: boolean }> {
  const name = `look-${claim}`.slice(0, 60);
  const script = [
    `head -c ${bytes} /data/disk.img | sha256sum | cut -d' ' -f1`,
    `tail -c +$((${bytes} + 1)) /data/disk.img | tr -d '\\0' | head -c 1 | wc -c`,
  ].join('; ');
  await stand.resource(types.pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      restartPolicy: 'Never',
      securityContext: { runAsUser: 107, fsGroup: 107 },
      containers: [
        {
          name: 'look',
          image: shellImage,
          imagePullPolicy: 'Never',
          command: ['sh', '-c', `{ ${script}; } > /dev/termination-log`],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim, readOnly: true } }],
    },
  });
  const pod = await stand.until(
    `the end of pod ${name}`,
    () => {
      const found = stand.find(types.pods, namespace, name);
      return ['Succeeded', 'Failed'].includes(String(found?.status?.phase)) ? found : undefined;
    },
    () => stand.find(types.pods, namespace, name)?.status,
  );
  const statuses = pod.status?.containerStatuses as readonly { state: { terminated?: { message?: string } } }[] | undefined;
  const [sha256 = '', more = ''] = (statuses?.[0]?.state.terminated?.message ?? '').trim().split('\n');
  await stand.remove(types.pods, namespace, name);
  return { sha256, hasMore: more.trim() !== '0' };
}
