import { type DataSync, dataSyncKind } from '@terrain/api';
import { type ApiError, isNotFound, Resource, type ResourceType } from '@terrain/runtime';
import { judgeSet } from '../image/set-state.ts';
import { CommandError } from '../output/exit.ts';
import type { Address, Awaited } from './wait-for-all.ts';

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
  missing,
};
