import type { TProperties } from 'typebox';
import { dnsLabel, flag, oneOf, port, positiveDuration, positiveQuantity, text } from '#common/field.ts';
import { mapList } from '#common/list.ts';
import { type Rule, rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';

/**
 * Whose settings they are. Template and instance share one shape, but only the template fills in defaults: in the overrides of an
 * instance a default would count as something the instance asked for.
 */
type Side = 'template' | 'instance';

function section<Properties extends TProperties>(
  side: Side,
  description: string,
  properties: Properties,
  ...list: readonly Rule[]
) {
  return Type.Optional(
    Type.Object(properties, {
      description,
      ...(side === 'template' ? { default: {} } : {}),
      ...(list.length === 0 ? {} : rules(...list)),
    }),
  );
}

function filler(side: Side) {
  return <Value>(value: Value): { default?: Value } => (side === 'template' ? { default: value } : {});
}

function lifecycle(side: Side) {
  const fill = filler(side);
  return section(
    side,
    'How long instances live, and when they are suspended.',
    {
      mode: Type.Optional(
        oneOf(
          ['persistent', 'ephemeral'],
          'ephemeral: deleted when its time is over. persistent: suspended then, and the home directory is kept.',
          fill('ephemeral'),
        ),
      ),
      ttl: Type.Optional(
        positiveDuration(
          'lifecycle.ttl',
          'How long an instance lives from its first start, such as 2h. Left out: until it is deleted.',
        ),
      ),
      maxTtl: Type.Optional(positiveDuration('lifecycle.maxTtl', 'Upper bound of ttl for instances that override it.')),
      idleSuspend: Type.Optional(flag('Suspend instances nobody uses, to save resources.', fill(false))),
      idleTimeout: Type.Optional(
        positiveDuration(
          'lifecycle.idleTimeout',
          'How long nobody must have used an instance before it is suspended.',
          fill('30m'),
        ),
      ),
      warnBefore: Type.Optional(
        positiveDuration('lifecycle.warnBefore', 'How long before the end students see a countdown.', fill('10m')),
      ),
    },
    {
      rule: '!has(self.ttl) || !has(self.maxTtl) || duration(self.ttl) <= duration(self.maxTtl)',
      message: 'lifecycle.ttl is longer than lifecycle.maxTtl; lower ttl or raise maxTtl',
      fieldPath: '.ttl',
    },
  );
}

function isolation(side: Side) {
  return section(side, 'Who shares an instance.', {
    mode: Type.Optional(
      oneOf(['individual', 'team'], 'individual: one instance per person. team is reserved for a later version and refused.', {
        ...filler(side)('individual'),
        rules: [
          {
            rule: "self != 'team'",
            message: 'isolation.mode team is reserved for a later version and does nothing yet; use individual',
          },
        ],
      }),
    ),
  });
}

function cluster(side: Side) {
  return section(
    side,
    'The nested Kubernetes cluster of an instance.',
    {
      mode: Type.Optional(
        oneOf(
          ['none', 'per-workspace', 'shared'],
          'none: no nested cluster and no credentials. per-workspace: a virtual cluster for each instance. shared: a namespace of this cluster for each instance.',
          filler(side)('none'),
        ),
      ),
      version: Type.Optional(
        text(32, 'Kubernetes version of the virtual cluster, such as 1.36. Only for mode per-workspace.', {
          minLength: 1,
          pattern: '^v?[0-9]+\\.[0-9]+(\\.[0-9]+)?$',
        }),
      ),
    },
    {
      rule: "!has(self.version) || !has(self.mode) || self.mode == 'per-workspace'",
      message: 'cluster.version has a meaning for cluster.mode per-workspace only; remove version, or use mode per-workspace',
      fieldPath: '.version',
    },
  );
}

function resources(side: Side) {
  return section(side, 'What an instance may use.', {
    cpu: Type.Optional(positiveQuantity('resources.cpu', 'Processor limit per container, such as 500m.')),
    memory: Type.Optional(positiveQuantity('resources.memory', 'Memory limit per container, such as 512Mi.')),
    enforce: Type.Optional(
      flag('Enforce these limits with a LimitRange and a ResourceQuota. Otherwise they are recorded only.', filler(side)(false)),
    ),
  });
}

const exposedPort = Type.Object(
  { name: dnsLabel('Name of the port, for people.'), port: port('The port the workspace listens on.') },
  { description: 'One port of the workspace.' },
);

function access(side: Side) {
  return section(side, 'How students reach an instance.', {
    webTerminal: Type.Optional(flag('Offer a terminal in the browser.', filler(side)(true))),
    ports: Type.Optional(
      mapList(exposedPort, ['name'], 'Ports of the workspace that can be opened through the gateway.', { maxItems: 32 }),
    ),
  });
}

function home(side: Side) {
  return section(side, 'The home directory.', {
    size: Type.Optional(
      positiveQuantity('home.size', 'Size of the home directory of a persistent instance.', filler(side)('1Gi')),
    ),
  });
}

/** The shape of `defaults` in a template, and of `overrides` in an instance. */
export function instanceSettings(side: Side, description: string) {
  return section(side, description, {
    lifecycle: lifecycle(side),
    isolation: isolation(side),
    cluster: cluster(side),
    resources: resources(side),
    access: access(side),
    home: home(side),
  });
}

/**
 * Paths a template may open for overriding. lifecycle.maxTtl is not among them: an instance that could raise its own bound would
 * have none.
 */
export const overridablePaths = [
  'lifecycle.mode',
  'lifecycle.ttl',
  'lifecycle.idleSuspend',
  'lifecycle.idleTimeout',
  'lifecycle.warnBefore',
  'isolation.mode',
  'cluster.mode',
  'cluster.version',
  'resources.cpu',
  'resources.memory',
  'resources.enforce',
  'access.webTerminal',
  'access.ports',
  'home.size',
] as const;

/** What an instance may override when its template does not say. */
export const defaultOverridablePaths = ['lifecycle.ttl', 'lifecycle.idleSuspend', 'lifecycle.idleTimeout'] as const;
