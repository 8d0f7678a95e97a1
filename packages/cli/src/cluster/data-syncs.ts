import { type DataSync, dataSyncKind, labels, labelValue, type VMDiskImage } from '@terrain/api';
import { ApiError, type Connection, isNotFound, Resource, type ResourceType, waitForObject } from '@terrain/runtime';
import { isGivenUpNow, judgeSet, outlivedFailures } from '../image/set-state.ts';
import { CommandError } from '../output/exit.ts';
import { imagesOf, imageType } from './images.ts';
import { type Address, type Awaited, longestMs, type Waiting } from './wait-for-all.ts';

const { group, version, plural } = dataSyncKind;
const type: ResourceType = { group, version, plural, namespaced: true };

const missing = ({ namespace, name }: Address): CommandError =>
  new CommandError(`there is no DataSync ${namespace}/${name}; \`kubectl get dsync -A\` shows those there are.`);

export const awaitedSet: Awaited<DataSync> = {
  type,
  get: (connection, at) =>
    new Resource<DataSync>(connection, type).get(at).catch((error: unknown) => {
      throw isNotFound(error) && (error as ApiError).reason === 'NotFound' ? missing(at) : error;
    }),
  judge: judgeSet,
  holds,
  missing,
};

/** Whether the images of a set that is called given up say the same; if not, only after the set or one of them has changed. */
async function holds(connection: Connection, set: DataSync, { signal, onWaiting }: Waiting): Promise<boolean> {
  const { namespace = '', name, resourceVersion } = set.metadata;
  const images = await imagesOfSet(connection, namespace, name);
  const [first, ...others] = images === undefined ? [] : outlivedFailures(set, images);
  if (first === undefined) return true;
  const which = others.length === 0 ? first : `${first} and ${others.length} more`;
  const words = `it still tells of a failure of ${which} that is over; the operator has not caught up yet`;
  onWaiting(words);
  const ended = new AbortController();
  const options = { timeoutMs: longestMs, signal: AbortSignal.any([signal, ended.signal]) };
  const setMoves = waitForObject<DataSync>(
    connection,
    type,
    { namespace, name },
    (now) => (now?.metadata.resourceVersion === resourceVersion ? words : undefined),
    options,
  );
  // One that fails again at once may leave the set as it was.
  const failsAgain = waitForObject<VMDiskImage>(
    connection,
    imageType,
    { namespace, name: first },
    (image) => (isGivenUpNow(image) ? undefined : words),
    options,
  );
  try {
    await Promise.race([setMoves, failsAgain]);
  } finally {
    ended.abort();
  }
  return false;
}

/** Undefined for who may not read images, and has only the word of the set. */
async function imagesOfSet(connection: Connection, namespace: string, name: string): Promise<readonly VMDiskImage[] | undefined> {
  const labelSelector = `${labels.dataSync}=${labelValue(name)}`;
  try {
    return (await imagesOf(connection).list({ namespace }, { labelSelector })).items;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  }
}
