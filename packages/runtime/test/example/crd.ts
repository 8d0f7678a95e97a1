import type { KubeObject } from '@terrain/runtime';
import { mailboxes } from './controller.ts';

const { group, version, plural } = mailboxes;

/** The kind Mailbox. */
export const mailboxCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, singular: 'mailbox', kind: 'Mailbox' },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['settings', 'quotaMiB'],
                properties: {
                  settings: { type: 'string' },
                  quotaMiB: { type: 'integer', minimum: 1 },
                  hidden: { type: 'boolean' },
                },
              },
              status: {
                type: 'object',
                properties: {
                  observedGeneration: { type: 'integer' },
                  address: { type: 'string' },
                  message: { type: 'string' },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const satisfies KubeObject & { spec: object };
